#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace fireside::test {

/// FNV-1a, 64 bits.
std::uint64_t fnv1a(std::span<const std::byte> bytes);

/// Writes folder/model.safetensors from folder/tensors.txt, where it is missing. The formula stands
/// in tests/data/golden/make_models.py. Several processes may do so at once.
/// std::runtime_error naming the line that cannot be read, or the file that cannot be written.
void makeGoldenWeights(const std::filesystem::path &folder);

} // namespace fireside::test
