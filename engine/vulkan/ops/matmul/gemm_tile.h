#pragma once
#include "engine/tensor/dtype.h"
#include "engine/vulkan/platform/capabilities.h"

#include <cstdint>
#include <string>

namespace fireside::vulkan {

/// A product as far as the choice of a kernel goes.
struct TiledProblem
{
    DType weight = DType::F32; // as it lies on the device
    std::int64_t rows = 0;     // of x; for a mixture the usual number per expert
    std::int64_t outs = 0;
    bool gated = false;
};

/// Whether x must stay exact: weights that are not quantised are exact in F16 themselves, and
/// rounding x would be all of the error.
bool keepsInput(DType weight);

/// Which tiled kernel runs, with which tiles, and why.
struct GemmTile
{
    bool matrix = false;          // gemm_matrix.comp, else gemm.comp
    bool exact = false;           // matrix: x in two parts, so that F16 costs it nothing
    std::uint32_t rows = 0;       // of x
    std::uint32_t outs = 0;       // of each weight
    std::uint32_t downRows = 0;   // subgroups (matrix) or elements of a thread along the rows …
    std::uint32_t acrossOuts = 0; // … and along the outs
    std::uint32_t step = 1;       // groups of 32 columns at a time
    std::uint32_t buffers = 1;    // in shared memory, so as to fetch while multiplying
    std::uint32_t threads = 0;
    std::uint32_t m = 0, n = 0, k = 0; // of a cooperative matrix
    const char *reason = "";

    /// "gemm_q4_k" or "gemm_matrix_q4_k"
    std::string shader(DType weight) const;
    std::uint32_t sharedBytes(bool gated) const; // without the decoder's own
};

/// The first tile of an ordered list that suits the device and the product; there always is one.
/// haveMatrix: the build has the kernel on cooperative matrices.
GemmTile chooseTile(const Capabilities &device, const TiledProblem &problem, bool haveMatrix);

/// Into how many splits to cut the columns, so that all compute units have work. tiles: of all
/// products dispatched together; groupsPerRow: groups of 32 columns.
std::int64_t columnSplits(const Capabilities &device, const GemmTile &tile, std::int64_t tiles,
                          std::int64_t groupsPerRow);

} // namespace fireside::vulkan
