#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// What a safetensors header says of one tensor, before it is checked against the file.
struct SafetensorsEntry
{
    std::string name;
    std::string type;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0, end = 0; // in the data behind the header
};

/// Reads the header's JSON as a stream of events, so that hostile nesting cannot take much memory:
/// only what the format knows is accepted. Error(BadInput) naming the file, the tensor and what is
/// wrong.
std::vector<SafetensorsEntry> readSafetensorsHeader(const std::filesystem::path &path,
                                                    std::string_view json);

} // namespace fireside
