#pragma once
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

// An independent, slow and plain reading of the weight formats, to test the engine's decoders and
// matrix products against. It shares no code with engine/cpu.
namespace fireside::test {

/// Element `index` of a row of weights.
double weightAt(DType type, const std::byte *row, std::size_t index);

/// Bytes of a row of random but sane weights: every field is random, scales are small finite
/// numbers, so that values are of the order of one.
std::vector<std::byte> randomRow(DType type, std::size_t elements, std::mt19937 &random);

} // namespace fireside::test
