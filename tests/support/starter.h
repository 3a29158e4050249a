#pragma once
#include "tests/support/temp_dir.h"

#include <filesystem>

namespace fireside::test {

/// The starter model as it lies in the source tree.
std::filesystem::path starterModel();

/// Writes the same model with each weight widened to F32, which loses nothing: products of such
/// weights take x as it is, while those of smaller types round it.
std::filesystem::path starterModelInF32(const TempDir &folder);

} // namespace fireside::test
