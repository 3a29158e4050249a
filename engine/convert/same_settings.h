#pragma once
#include "engine/convert/gguf_plan.h"
#include "engine/tensor/dtype.h"

#include <span>

namespace fireside {

class ModelFile;

/// The keys of a GGUF file that is to be, read as a loader reads them, say the same as the folder:
/// a setting that the format or its converters have no key for would be lost without a word.
/// plan: with its tensors in the header, of these types. Error(Unsupported) naming the setting.
void requireSameSettings(const ModelFile &folder, const GgufPlan &plan,
                         std::span<const DType> types);

} // namespace fireside
