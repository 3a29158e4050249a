#pragma once
#include <filesystem>

namespace fireside::test {

/// The starter model as it lies in the source tree.
std::filesystem::path starterModel();

} // namespace fireside::test
