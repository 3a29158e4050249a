#pragma once
#include "engine/convert/folder_rules.h"
#include "engine/files/gguf_writer.h"
#include "engine/files/model_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fireside {

/// A tensor of a GGUF file that is to be, and where its numbers come from.
struct PlannedTensor
{
    std::string name;
    DType type;                              // as it is without quantising
    std::vector<std::uint64_t> shape;        // slowest first
    std::vector<const ModelTensor *> parts;  // one behind the other; none: `values`
    std::function<void(Converted &)> change; // of each part, or of each matrix of a part; or none
    std::vector<float> values{};             // of a tensor that no file has
    bool small = false;                      // F32 beside weights of any other type without blocks

    std::uint64_t elements() const;
};

inline constexpr std::size_t kPieceNumbers = std::size_t{1} << 22; // in memory at once
inline constexpr const char *kFileTypeKey = "general.file_type";
inline constexpr const char *kVersionKey = "general.quantization_version";

/// A GGUF file that is to be: its keys and its tensors. Points into the model file.
struct GgufPlan
{
    GgufWriter keys{};
    std::vector<PlannedTensor> tensors{};
    std::unique_ptr<const nlohmann::json> config{}; // of a folder; the tensors' changes read it
    std::vector<std::unique_ptr<const ModelTensor>> copies{}; // parts as they lie in a GGUF file
};

/// The same file again, in one part; otherTypes: without the keys that name its types, and with
/// factors of matrices in their numbers.
GgufPlan planOfGguf(const ModelFile &file, bool otherTypes);
/// What llama.cpp's converter makes of a Hugging Face folder, by the rules of its family, without
/// the keys that name types. What only
/// reads other kinds of input, trains or drafts is left out. Error(Unsupported) for families
/// without a GGUF form, naming class or tensor; Error(BadInput) for what does not fit together.
GgufPlan planOfFolder(const ModelFile &file);

/// general.size_label: the number of weights, of mixtures with one expert of so many: "8x7B".
std::string sizeLabelOf(const GgufPlan &plan);

/// Whether a part's matrices are changed one by one: those of experts.
bool isSliced(const PlannedTensor &tensor, const ModelTensor &part);
/// A part, or one of its matrices, as it is to be; without `bytes` only its shape and type.
Converted changedPart(const PlannedTensor &tensor, const ModelTensor &part, std::uint64_t matrix,
                      bool bytes);

/// The numbers of a tensor, a piece of whole rows after the other, with a few megabytes of memory,
/// or one matrix where its rows change places.
void readPlanned(const PlannedTensor &tensor,
                 const std::function<void(DType type, std::span<const std::byte> bytes)> &piece);

} // namespace fireside
