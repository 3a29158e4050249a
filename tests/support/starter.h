#pragma once
#include "tests/support/temp_dir.h"

#include <filesystem>
#include <string>

namespace fireside::test {

/// The starter model as it lies in the source tree.
std::filesystem::path starterModel();

/// Writes the same model with each weight widened to F32, which loses nothing: products of such
/// weights take x as it is, while those of smaller types round it.
std::filesystem::path starterModelInF32(const TempDir &folder);

/// Writes the starter model with another chat template.
std::filesystem::path starterWithTemplate(const TempDir &folder, const std::string &name,
                                          const std::string &chatTemplate);

} // namespace fireside::test
