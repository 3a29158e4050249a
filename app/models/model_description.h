#pragma once
#include "app/models/description_cache.h"
#include "app/models/model_library.h"
#include "app/models/model_source.h"
#include "engine/backend/selection.h"
#include "engine/core/memory_info.h"
#include "engine/model/describe.h"

namespace fireside {

/// What "will it fit" is asked for. Without devices: the CPU alone.
struct FitQuestion
{
    PlacementRequest where;
    int context = 0;
    DType kvType = DType::F16;
    const Recipe *quantize = nullptr;
    std::vector<DeviceReport> devices;
    MemoryInfo memory; // of the moment it was asked in
};

FitQuestion fitQuestion(const LoadSettings &settings, const QList<DeviceStatus> &devices);

/// The same choice that loading will make, with the RAM of this moment: sets fit and fitText.
void judge(const MemoryPlan &plan, const FitQuestion &asked, ModelEntry &entry);

/// Reads the file's header, as far as a source has not said already why it cannot be loaded. Never
/// throws.
ModelEntry describeFound(const FoundModel &found, const FitQuestion &asked,
                         DescriptionCache *cache = nullptr);

} // namespace fireside
