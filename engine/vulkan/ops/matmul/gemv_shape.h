#pragma once
#include "engine/vulkan/platform/capabilities.h"

#include <cstdint>

namespace fireside::vulkan {

/// What a dispatch of shaders/ops/matmul/gemv.comp has to do.
struct GemvProblem
{
    std::int64_t columns = 1; // rows of x that are multiplied by the same weights
    std::int64_t repeats = 1; // the same again with other weights
    std::int64_t rows = 0, cols = 0;
    std::int64_t experts = 0;  // summed in one row of y; 0: none
    std::int64_t perRow = 1;   // rows of weights for a row of y: 2 when gated
    std::int64_t multiple = 1; // of which a group's rows must be
    bool single = false;       // of weights that are large one row at a time is best
    bool lean = false;         // the kernel takes few registers, so that more threads fit
    bool integers = false;     // x goes through as q8 activations
};

/// How it is spread over the device; the names are those of the shader's constants.
struct GemvShape
{
    std::uint32_t threads = 32, team = 32, rows = 1, sets = 1, passes = 1, columns = 1, pairs = 1;
    std::int64_t groupRows() const { return std::int64_t{threads / team} * rows * sets; }
};

/// Rows of x that a group takes at most: with eight their sums do not fit into registers.
inline constexpr std::int64_t kMaxColumns = 4;
/// Threads that may share a row of weights, each 32 elements at a time.
std::int64_t maxTeam(const Capabilities &can);
/// The shape that should take least time.
GemvShape gemvShape(const Capabilities &can, const GemvProblem &problem);

} // namespace fireside::vulkan
