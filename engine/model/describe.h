#pragma once
#include "engine/backend/memory_plan.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace fireside {

class Gguf;

/// What a model file says of itself, read from its header alone.
struct ModelSummary
{
    std::filesystem::path path;
    std::uint64_t fileBytes = 0;
    std::string name;             // general.name, else the file's stem
    std::string architecture;     // "llama"
    std::string quantisation;     // "Q4_K_M": the file's own label, else the type most weights have
    std::string quantisationHint; // a word on it: "4 bits, good balance of size and quality"
    std::string license, description;
    std::uint64_t parameters = 0;
    int contextTrained = 0;
    int layers = 0;
    int vocabulary = 0;
    bool hasChatTemplate = false;
    std::string fingerprint; // hash of header and size: the same file content gives the same text
    std::optional<std::string>
        problem; // why it cannot be loaded: "not supported: architecture 'mamba'"
    std::optional<MemoryPlan> plan; // at `context`; absent when problem is set
};

/// context 0: kDefaultContextLimit; never more than the model was trained for. Throws Error when
/// the file is no GGUF at all or broken; a well-formed model we cannot run is described with
/// `problem`.
inline constexpr int kDefaultContextLimit = 8192;
ModelSummary describeModel(const std::filesystem::path &path, int context = 0,
                           DType kvType = DType::F16);
ModelSummary describeModel(const Gguf &gguf, int context = 0, DType kvType = DType::F16);

} // namespace fireside
