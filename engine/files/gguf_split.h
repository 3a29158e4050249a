#pragma once
#include "engine/files/gguf.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace fireside {

/// "stem-00002-of-00003.gguf"
struct SplitName
{
    std::string stem;
    std::uint64_t number = 0, count = 0; // from 1 on
};
std::optional<SplitName> splitNameOf(const std::filesystem::path &file);

/// A GGUF file, with all other parts when it is one of several: the keys split.no, split.count and
/// split.tensors.count say so, the names of the files where the others are. Keys are those of the
/// first part. Error(BadInput) naming the part that is missing, renamed or another model's.
Gguf openGgufParts(const std::filesystem::path &path);

} // namespace fireside
