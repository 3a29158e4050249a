#include "engine/vulkan/ops/matmul/gemm_tile.h"
#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "engine/vulkan/pass/row_dispatch.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// Targets of a dispatch, each of which may have a workgroup that is not full.
constexpr std::int64_t kMostTargets = 3;

constexpr std::uint32_t kManyAcross = 4, kMostHeldAcross = 8;

/// Whether two units, and their scales, are fetched with fewer loads than apart: LOADS_TWO of
/// shaders/quant/. Their rows have units of even number. It saves 3 % of a product.
bool loadsTwo(DType type)
{
    return type == DType::Q4_K || type == DType::Q6_K || type == DType::Q8_0;
}

} // namespace

std::uint32_t smallGemmUnit(DType type)
{
    const Plane first = planesOf(type)[0];
    return std::min(32u, 16 * first.elements / first.bytes);
}

std::int64_t SmallGemmShape::heldCols(DType weight) const
{
    return std::int64_t{4} * smallGemmUnit(weight) * held * (subgroups / abreast) * steps;
}

std::uint32_t SmallGemmShape::sharedBytes(bool gated) const
{
    if (staged)
        return 16 * buffers * kSmallGemmLanes * across;
    return 16 * buffers * subgroups * 5 * (gated ? 2 : 1) * kSmallGemmColumns * across;
}

namespace {

/// What suits a product best was measured on an H200 and an H100; µs of Q4_K and 32 rows of x
/// beside them, on the H100.
class ShapeChoice
{
public:
    ShapeChoice(const Capabilities &can, DType weight, std::int64_t rows, std::int64_t outs,
                std::int64_t cols, bool gated)
        : m_can(can)
        , m_weight(weight)
        , m_tiles(ceilDiv(outs, kSmallGemmTileRows))
        , m_cols(cols)
        , m_gated(gated)
    {
        m_shape.exact = keepsInput(weight);
        m_shape.across = smallGemmAcross(rows);
    }
    SmallGemmShape choose()
    {
        if (staged() || oneEach() || inSteps())
            return m_shape;
        // What x and sums of so many rows take leaves no registers for more than a step.
        if (m_shape.across > kManyAcross && inStepsOf(m_gated ? 4 : 8, m_gated ? 256 : 128))
            return m_shape;
        return holdingX();
    }

private:
    static constexpr std::uint32_t kMaxSubgroups = 16;
    static constexpr std::uint32_t kShared = 47 << 10; // bytes

    /// Sets what a thread holds of a row; the shares of the subgroups.
    std::uint32_t hold(std::uint32_t columns)
    {
        const std::uint32_t block = 4 * smallGemmUnit(m_weight);
        m_shape.held = std::max(1u, columns / block);
        m_shape.together = m_shape.held % 2 == 0 && loadsTwo(m_weight) ? 2 : 1;
        return count32(ceilDiv(m_cols, block * m_shape.held));
    }
    bool inStepsOf(std::uint32_t subgroups, std::uint32_t columns)
    {
        const std::uint32_t shares = hold(columns), sharing = subgroups / m_shape.abreast;
        m_shape.subgroups = subgroups;
        m_shape.steps = (shares + sharing - 1) / sharing;
        m_shape.ahead = m_shape.across > 2 ? 1 : 2;
        m_shape.buffers = m_shape.tilesPerGroup = 1;
        return m_shape.steps > 1 && m_shape.sharedBytes(m_gated) <= kShared;
    }

    /// More columns of x than threads can hold: x goes through shared memory. A subgroup has two
    /// tiles, so that a read of x serves two products, and eight subgroups fill a compute unit's
    /// registers.
    bool staged()
    {
        constexpr std::uint32_t kGroup = 8, kStages = 4; // subgroups; in shared memory
        constexpr std::uint32_t kBlockColumns = 128, kMaxSplits = 8;
        if (m_shape.across <= kMostHeldAcross || m_shape.exact)
            return false;
        SmallGemmShape &s = m_shape;
        s.staged = true;
        s.subgroups = s.abreast = kGroup;
        s.down = m_gated ? 1 : 2;
        s.held = kBlockColumns / (4 * smallGemmUnit(m_weight));
        s.together = s.tilesPerGroup = 1;
        s.buffers = kStages;
        s.ahead = 1;
        const std::uint32_t blocks = count32(ceilDiv(m_cols, std::int64_t{kBlockColumns}));
        const std::int64_t groups = ceilDiv(m_tiles, std::int64_t{s.down * kGroup});
        double least = 0;
        for (std::uint32_t splits = 1; splits <= std::min(kMaxSplits, blocks); ++splits) {
            const std::uint32_t steps = (blocks + splits - 1) / splits;
            if (ceilDiv(std::int64_t{blocks}, std::int64_t{steps}) != splits)
                continue; // fewer splits do the same
            const double cost = costOf(groups, splits, steps);
            if (splits == 1 || cost < least) {
                least = cost;
                s.splits = splits;
                s.steps = steps;
            }
        }
        return true;
    }
    /// In steps of a group that has a compute unit to itself, which take some 2 µs of 128 rows:
    /// groups one after another, and for sums of splits a dispatch of its own and bytes written and
    /// read.
    double costOf(std::int64_t groups, std::uint32_t splits, std::uint32_t steps) const
    {
        constexpr double kDispatch = 1.5, kSumsInStep = 1.5e6; // elements
        const auto turns = static_cast<double>(
            ceilDiv(groups * splits, std::int64_t{std::max(m_can.computeUnits, 1u)}));
        const double sums = static_cast<double>(m_tiles) * kSmallGemmTileRows * splits *
                            kSmallGemmColumns * m_shape.across * (m_gated ? 2 : 1);
        return turns * steps + (splits > 1 ? kDispatch + sums / kSumsInStep : 0);
    }

    /// One group for each compute unit, whose subgroups take several tiles at once, so that none is
    /// left with a second group while others wait and x is fetched once for them: 4096 x 14336 26.1
    /// (one tile a group 30.2), 4096 x 4096 13.5 (13.9), 6144 x 4096 15.8 (20.6 in small groups).
    /// Of 64 rows 4096 x 14336 takes 36.5. Groups of 16 subgroups have too few registers (40.6).
    bool oneEach()
    {
        constexpr std::int64_t kMostDown = 3;
        constexpr std::uint32_t kGroup = 8; // subgroups
        const std::int64_t down = ceilDiv(m_tiles, std::int64_t{m_can.computeUnits});
        const bool many = m_shape.across > kManyAcross;
        if (m_gated || m_shape.exact || m_shape.across <= 2 || down < (many ? 1 : 2) ||
            down > kMostDown)
            return false;
        m_shape.down = count32(down);
        // As long a step as registers are left for.
        if (inStepsOf(kGroup, down == 2 && !many ? 256 : 128))
            return true;
        m_shape.down = 1;
        return false;
    }

    /// Small groups that go along their rows in steps: nothing waits for the slowest of 16
    /// subgroups after each tile, and loads of one group overlap with the arithmetic of others. For
    /// short rows that are not gated groups that hold all of x are as fast, up to 16 rows of x: one
    /// of 16 subgroups on each processor; two of 8 take 10 % longer, two tiles at a time 5 %, four
    /// threads to a sum 5 %.
    bool inSteps()
    {
        constexpr std::int64_t kShortRow = 4096; // columns
        constexpr std::int64_t kBusy = 12;       // subgroups that a compute unit needs to be busy
        const std::int64_t busy = kBusy * m_can.computeUnits;
        const std::uint32_t small = 4 * m_tiles >= busy               ? 4
                                    : !m_gated && 8 * m_tiles >= busy ? 8
                                                                      : 0;
        if (small == 0 || m_shape.exact || (!m_gated && m_shape.across <= 2 && m_cols <= kShortRow))
            return false;
        if (small == 4 && m_shape.across > 2 && abreast())
            return true;
        return inStepsOf(small, small == 4 || m_shape.across == 1 ? 256 : 128);
    }
    /// Where there are many tiles, each subgroup goes along rows of its own beside the others,
    /// which fetch the same of x at about the same time: gated 14336 x 4096 45.8 (48), of 64 rows
    /// 64 (68.5); of 64 rows two tiles each 128256 x 4096 260 (329).
    bool abreast()
    {
        constexpr std::int64_t kEnough = 6, kMany = 16; // tiles for each compute unit
        constexpr std::uint32_t kGroup = 4;             // subgroups
        const bool many = m_shape.across > kManyAcross;
        if (m_tiles < (m_gated ? kEnough : kMany) * m_can.computeUnits || (!m_gated && !many))
            return false;
        m_shape.abreast = kGroup;
        m_shape.down = m_gated ? 1 : 2;
        if (inStepsOf(kGroup, 256)) {
            m_shape.ahead = many ? 1 : 2;
            return true;
        }
        m_shape.abreast = m_shape.down = 1;
        return false;
    }

    /// Of x a thread holds 256 columns, as far as weights on their way leave registers: of 16 rows
    /// and Q4_K 4096 x 4096 that takes 12.4 µs against 15.3 with 128.
    SmallGemmShape holdingX()
    {
        SmallGemmShape &s = m_shape;
        s.steps = 1;
        const std::uint32_t shares =
            hold(s.exact || s.across > (m_gated ? kManyAcross : 2) ? 128 : 256);
        std::uint32_t most = kMaxSubgroups;
        while (most > 1 && !fits(most, 1))
            most /= 2;
        s.splits = (shares + most - 1) / most;
        most = (shares + s.splits - 1) / s.splits;
        if (!fits(most, 2))
            fits(most, 1);
        const std::int64_t onComputeUnit = std::max(1u, kMaxSubgroups / s.subgroups);
        const std::int64_t groups = std::clamp<std::int64_t>(
            m_can.computeUnits * onComputeUnit / s.splits, 1, kMaxSmallGemmGroups - kMostTargets);
        s.tilesPerGroup = count32(std::max<std::int64_t>(1, ceilDiv(m_tiles, groups)));
        return s;
    }
    bool fits(std::uint32_t subgroups, std::uint32_t buffers)
    {
        m_shape.subgroups = subgroups;
        m_shape.buffers = buffers;
        return m_shape.sharedBytes(m_gated) <= kShared;
    }

    const Capabilities &m_can;
    const DType m_weight;
    const std::int64_t m_tiles, m_cols;
    const bool m_gated;
    SmallGemmShape m_shape;
};

} // namespace

std::uint32_t smallGemmAcross(std::int64_t rows)
{
    const std::uint32_t across = count32(ceilDiv(rows, kSmallGemmColumns));
    // Fewer kernels to make ready.
    const std::uint32_t step = across > kMostHeldAcross ? 4 : across > kManyAcross ? 2 : 1;
    return (across + step - 1) / step * step;
}

SmallGemmShape smallGemmShape(const Capabilities &can, DType weight, std::int64_t rows,
                              std::int64_t outs, std::int64_t cols, bool gated)
{
    return ShapeChoice(can, weight, rows, outs, cols, gated).choose();
}

} // namespace fireside::vulkan
