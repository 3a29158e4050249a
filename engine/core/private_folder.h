#pragma once
#include <filesystem>
#include <system_error>

namespace fireside {

/// Makes the folder and those above it. A new one is for its owner alone; one that is there already
/// keeps its permissions.
std::error_code makePrivateFolder(const std::filesystem::path &folder);

} // namespace fireside
