#pragma once
#include "engine/backend/memory_plan.h"
#include "engine/model/recommended_sampling.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

class ModelFile;
struct Recipe;

/// What a model file says of itself, read from its header alone.
struct ModelSummary
{
    std::filesystem::path path;
    std::uint64_t fileBytes = 0;
    std::string name;             // general.name, else the name of file or folder
    std::string architecture;     // "llama"
    std::string quantisation;     // "Q4_K_M": the file's own label, else the type most weights have
    std::string quantisedTo;      // what its weights become while loading: "Q4_K_M"; empty: nothing
    std::string quantisationHint; // a word on it: "4 bits, good balance of size and quality"
    std::string license, description;
    std::uint64_t parameters = 0;
    std::uint64_t activeParameters = 0; // those one token uses: fewer in a mixture of experts
    int contextTrained = 0;
    int layers = 0;
    int vocabulary = 0;
    bool hasChatTemplate = false;
    bool encoder = false;    // gives embeddings or scores, cannot chat
    int draftHeads = 0;      // for guessing further tokens, that the file has
    std::string fingerprint; // hash of header and size: the same file content gives the same text
    std::optional<std::string>
        problem; // why it cannot be loaded: "not supported: architecture 'mamba'"
    std::optional<MemoryPlan> plan; // at `context`; absent when problem is set
    /// Doubts about it though it can be loaded, a sentence each: what is guessed, what does not
    /// fit.
    std::vector<std::string> remarks;
    RecommendedSampling recommended{};
};

/// A word on weights of so many bits: "about 4 bits: good balance of size and quality".
std::string quantisationHint(double bitsPerWeight);

/// "1.2B", or of a mixture "30B, 3.3B active".
std::string parametersText(const ModelSummary &summary);

/// quantize: what the weights become while loading; nullptr: they stay as they are.
/// context 0: kDefaultContextLimit; never more than the model was trained for. Throws Error when
/// the file is no GGUF at all or broken; a well-formed model we cannot run is described with
/// `problem`.
inline constexpr int kDefaultContextLimit = 8192;
ModelSummary describeModel(const std::filesystem::path &path, int context = 0,
                           DType kvType = DType::F16, const Recipe *quantize = nullptr);
/// drafts: the plan is that of the model with its heads for drafting.
ModelSummary describeModel(const ModelFile &file, int context = 0, DType kvType = DType::F16,
                           const Recipe *quantize = nullptr, bool drafts = false);

} // namespace fireside
