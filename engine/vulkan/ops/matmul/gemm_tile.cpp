#include "engine/vulkan/ops/matmul/gemm_tile.h"

#include "engine/vulkan/weights/weight_shader.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

constexpr std::uint32_t kGroupOfColumns = 32;

/// Sizes of tiles, in order of preference.
struct MatrixShape
{
    std::uint32_t rows, outs;
    std::uint32_t downRows, acrossOuts; // subgroups
    std::uint32_t step, buffers;
    std::int64_t fromRows; // of the product
    bool gated;            // for gated products, else for plain ones
    const char *reason;
    bool parts = false; // only where x goes through in two parts
};
// A subgroup with 64 x 64 sums reads each factor from shared memory seldom enough for the
// arithmetic to be the limit; four of them make a tile, so that a compute unit has two groups and
// one multiplies while the other decodes. A gated tile has two weights and so as many sums as a
// plain one of twice the outs. 64 columns at a time keep the matrices busy for longer than the
// second-level cache takes to bring the next, 32 do not. An 8B Q4_K_M's prompt of 512 on an H200:
// 17,280 tok/s; with eight subgroups 14,400, with 32 columns and two buffers 13,300. Of 64: 64 x 64
// sums 8,000, four such groups to a compute unit; 64 x 128 with 32 columns 5,900. With x in two
// parts 64 columns of 128 rows do not fit into 48 KiB: 32 of them do as many products. A prompt of
// 512 of a 1B in BF16 58,800 tok/s, with tiles of 64 x 64 52,300, with 128 x 64 and 64 columns
// 53,800, with eight subgroups 52,300; gated, an 8B: with 64 x 64 and 64 columns 10,200, with 128 x
// 64 and 32 9,600. Parts made before by a dispatch of their own: 10,100 to 10,700.
constexpr MatrixShape kMatrixShapes[] = {
    {128, 128, 2, 2, 2, 1, 65, false, "cooperative matrices, many rows"},
    {128, 64, 2, 2, 2, 1, 65, true, "cooperative matrices, many rows"},
    {128, 128, 2, 2, 1, 1, 65, false, "cooperative matrices, x in two parts", true},
    {64, 64, 2, 2, 2, 1, 33, false, "cooperative matrices, up to 64 rows"},
    {64, 64, 2, 2, 2, 1, 33, true, "cooperative matrices, up to 64 rows"},
    {32, 128, 1, 4, 1, 2, 0, false, "cooperative matrices, up to 32 rows"},
    {32, 64, 1, 4, 1, 2, 0, true, "cooperative matrices, up to 32 rows"},
    {64, 64, 2, 2, 1, 1, 33, false, "cooperative matrices, little shared memory"},
    {32, 64, 1, 4, 1, 1, 0, false, "cooperative matrices, little shared memory"},
    {32, 64, 1, 4, 1, 1, 0, true, "cooperative matrices, little shared memory"},
};

struct ScalarShape
{
    std::uint32_t rows, outs, blockRows, blockOuts;
    std::int64_t fromRows;
    const char *reason;
};
// The last ones suit every device: 128 threads, 16 KiB.
constexpr ScalarShape kScalarShapes[] = {
    {128, 64, 8, 4, 97, "scalar, many rows"},    {64, 64, 4, 4, 33, "scalar, up to 64 rows"},
    {64, 64, 8, 4, 33, "scalar, small groups"},  {32, 64, 4, 4, 0, "scalar, up to 32 rows"},
    {32, 32, 4, 4, 0, "scalar, a small device"},
};

/// Whether weights of this type may go through F16. F32 models are computed in F32 throughout: F16
/// would cost them about 1e-3.
bool mayRoundToHalf(DType weight)
{
    return weight != DType::F32;
}

/// Whether the tile can be shared out to subgroups of this device. Small ones cannot hold 64 x 64
/// sums: they get 32 x 32.
bool shareOut(const Capabilities &device, GemmTile &tile)
{
    if (device.subgroupSize < 8)
        return false;
    if (device.subgroupSize < 32) {
        tile.downRows = std::max(tile.rows / 32, 1u);
        tile.acrossOuts = std::max(tile.outs / 32, 1u);
    }
    tile.threads = tile.downRows * tile.acrossOuts * device.subgroupSize;
    return tile.rows % (tile.downRows * tile.m) == 0 && tile.outs % (tile.acrossOuts * tile.n) == 0;
}

bool matricesUsable(const Capabilities &device)
{
    // The kernel counts on the number of subgroups in a group.
    const bool sizeKnown = device.fullSubgroups || device.minSubgroup == device.maxSubgroup;
    return device.cooperativeMatrix() && sizeKnown && device.matrixK % 8 == 0 &&
           kGroupOfColumns % device.matrixK == 0 && device.matrixN % 4 == 0;
}

} // namespace

bool keepsInput(DType weight)
{
    return weight == DType::F16 || weight == DType::BF16;
}

std::string GemmTile::shader(DType weight) const
{
    return weightShader(matrix ? "gemm_matrix" : "gemm", weight);
}

std::uint32_t GemmTile::sharedBytes(bool gated) const
{
    const std::uint32_t matrices = gated ? 2 : 1;
    if (!matrix)
        return kGroupOfColumns * 4 * (rows + 4 + matrices * (outs + 4));
    const std::uint32_t rowUnits = 4 * step + 1;
    const std::uint32_t columns = buffers * ((exact ? 2 : 1) * rows + matrices * outs) * rowUnits;
    const std::uint32_t sums = downRows * acrossOuts * matrices * m * (outs / acrossOuts / 4 + 1);
    return 16 * std::max(columns, sums);
}

GemmTile chooseTile(const Capabilities &device, const TiledProblem &problem, bool haveMatrix)
{
    constexpr std::uint32_t kDecoderTable = 64; // bytes of shared memory
    const auto fits = [&](const GemmTile &tile) {
        return tile.threads <= device.maxWorkgroupSize &&
               tile.sharedBytes(problem.gated) + kDecoderTable <= device.sharedMemory;
    };
    if (haveMatrix && mayRoundToHalf(problem.weight) && matricesUsable(device))
        for (const MatrixShape &shape : kMatrixShapes) {
            GemmTile tile;
            tile.matrix = true;
            tile.exact = keepsInput(problem.weight);
            tile.rows = shape.rows;
            tile.outs = shape.outs;
            tile.downRows = shape.downRows;
            tile.acrossOuts = shape.acrossOuts;
            tile.step = shape.step;
            tile.buffers = shape.buffers;
            tile.m = device.matrixM;
            tile.n = device.matrixN;
            tile.k = device.matrixK;
            tile.reason = shape.reason;
            if (shape.gated == problem.gated && (tile.exact || !shape.parts) &&
                problem.rows >= shape.fromRows && shareOut(device, tile) && fits(tile))
                return tile;
        }
    GemmTile tile;
    for (const ScalarShape &shape : kScalarShapes) {
        tile.rows = shape.rows;
        tile.outs = shape.outs;
        tile.downRows = shape.blockRows;
        tile.acrossOuts = shape.blockOuts;
        tile.threads = shape.rows * shape.outs / (shape.blockRows * shape.blockOuts);
        tile.reason = shape.reason;
        // Large tiles only where there are enough of them for all compute units.
        const std::int64_t tiles = (problem.rows + tile.rows - 1) / tile.rows *
                                   ((problem.outs + tile.outs - 1) / tile.outs);
        const bool enough = tile.rows <= 64 || tiles >= device.computeUnits;
        if (problem.rows >= shape.fromRows && enough && fits(tile))
            break;
    }
    return tile;
}

std::int64_t columnSplits(const Capabilities &device, const GemmTile &tile, std::int64_t tiles,
                          std::int64_t groupsPerRow)
{
    // Workgroups of a compute unit hide each other's waits: two with 128 x 128 sums, four with
    // fewer. A split shorter than 8 groups (256 columns) costs more in sums to write and read than
    // it gains.
    constexpr std::int64_t kShortest = 8, kMax = 8, kManySums = 128 * 128;
    const std::int64_t together = std::int64_t{tile.rows} * tile.outs < kManySums ? 4 : 2;
    const std::int64_t wanted = together * static_cast<std::int64_t>(device.computeUnits);
    if (tiles <= 0 || tiles * 2 > wanted)
        return 1;
    return std::clamp<std::int64_t>(std::min(wanted / tiles, groupsPerRow / kShortest), 1, kMax);
}

} // namespace fireside::vulkan
