#include "engine/vulkan/ops/matmul/gemm_dispatch.h"

#include "engine/core/error.h"
#include "engine/vulkan/ops/ops.h"
#include "engine/vulkan/pass/row_dispatch.h"
#include "engine/vulkan/weights/weight_shader.h"
#include "shaders/common/activation_kinds.h"
#include "shaders/ops/matmul/gemm.h"

#include <algorithm>
#include <optional>
#include <string>

namespace fireside::vulkan {
namespace {

/// Rows of x begin and end at multiples of 16 bytes, those of each head too.
bool isWide(const Recorder &r, const Tensor &x, std::int64_t cols, std::int64_t step = 0)
{
    const std::int64_t size = elementBytes(x);
    return cols * size % 16 == 0 && step * size % 16 == 0 &&
           (x.rows <= 1 || x.stride * size % 16 == 0) && r.address(x) % 16 == 0;
}

/// Scratch for what only makes an op faster: none where there is too little, unless it must be.
std::optional<Tensor> scratchIfThere(Recorder &r, std::int64_t rows, std::int64_t cols, DType type,
                                     bool must)
{
    try {
        return r.scratch(rows, cols, type);
    } catch (const Error &error) {
        if (must || error.kind() != ErrorKind::Memory)
            throw;
        return std::nullopt;
    }
}

void toHalf16(Recorder &r, const Tensor &x, const Tensor &out)
{
    const std::int64_t units = x.rows * ceilDiv(x.cols, 4);
    const GemmInputConstants constants{
        .kThreads = threadsFor(r, units), .kXHalf = isHalf(x), .kWide = isWide(r, x, x.cols)};
    const GemmInputPush push{.x = r.address(x),
                             .result = r.address(out),
                             .rows = count32(x.rows),
                             .cols = count32(x.cols),
                             .xStride = count32(x.stride),
                             .resultStride = count32(out.stride)};
    r.dispatch("gemm_input", constants, push, flatWorkgroups(r, units, constants.kThreads),
               {accessOf(x)}, {accessOf(out)}, {0, bytesOf(x) + bytesOf(out)});
}

std::uint32_t flagsOf(const Recorder &r, const TiledProduct &p, std::int64_t outs,
                      std::int64_t cols)
{
    std::uint32_t flags = 0;
    const auto set = [&](bool on, std::uint32_t flag) { flags |= on ? flag : 0; };
    set(isHalf(p.x) != 0, kGemmXHalf);
    set(isHalf(p.out) != 0, kGemmOutHalf);
    set(p.add, kGemmAdd);
    set(p.up != nullptr, kGemmGated);
    set(p.bias != nullptr, kGemmBias);
    set(p.upBias != nullptr, kGemmUpBias);
    set(p.experts != nullptr, kGemmExperts);
    set(p.heads > 0, kGemmHeads);
    set(p.latent != nullptr, kGemmLatent);
    set(isWide(r, p.x, cols, p.xStep), kGemmXWide);
    set(outs % 4 == 0 && p.out.stride % 4 == 0 && p.outStep % 4 == 0 &&
            r.address(p.out) % static_cast<VkDeviceAddress>(4 * elementBytes(p.out)) == 0,
        kGemmOutWide);
    return flags;
}

std::vector<std::uint32_t> constantsOf(const GemmTile &tile, std::uint32_t flags,
                                       std::uint32_t activation)
{
    const GemmMatrixConstants matrix{.kThreads = tile.threads,
                                     .kFlags = flags,
                                     .kActivation = activation,
                                     .kTileRows = tile.rows,
                                     .kTileOuts = tile.outs,
                                     .kSubgroupsRows = tile.downRows,
                                     .kSubgroupsOuts = tile.acrossOuts,
                                     .kStep = tile.step,
                                     .kBuffers = tile.buffers,
                                     .kMatrixM = tile.m,
                                     .kMatrixN = tile.n,
                                     .kMatrixK = tile.k};
    const GemmConstants scalar{.kThreads = tile.threads,
                               .kFlags = flags,
                               .kActivation = activation,
                               .kTileRows = tile.rows,
                               .kTileOuts = tile.outs,
                               .kBlockRows = tile.downRows,
                               .kBlockOuts = tile.acrossOuts};
    const std::span<const std::uint32_t> words =
        tile.matrix ? std::span<const std::uint32_t>(matrix) : scalar;
    return {words.begin(), words.end()};
}

GemmPush pushOf(Recorder &r, const TiledProduct &p, std::int64_t rows)
{
    const VulkanWeight &weight = asVulkan(*p.weight);
    GemmPush push{};
    push.x = r.address(p.x);
    push.weight = weight.address;
    push.up = p.up != nullptr ? asVulkan(*p.up).address : 0;
    push.bias = vectorAddress(p.bias);
    push.upBias = vectorAddress(p.upBias);
    push.result = r.address(p.out);
    push.groups = weight.ref().groups;
    push.rows = count32(rows);
    push.cols = count32(weight.cols);
    push.outs = count32(weight.rows);
    push.xStride = count32(p.x.stride);
    push.outStride = count32(p.out.stride);
    push.groupsPerRow = weight.groupsPerRow();
    push.groupsPerSplit = push.groupsPerRow;
    push.pairsPerRow = 1;
    push.xStep = count32(p.xStep);
    push.outStep = count32(p.outStep);
    if (p.latent != nullptr) {
        push.order = r.itemTable();
        push.tiles = r.caches(p.latent->layer);
        push.item = count32(p.latent->item);
        push.outs = count32(p.latent->first + p.latent->count);
        push.outColumn = count32(p.latent->first);
    }
    return push;
}

Work workOf(const TiledProduct &p, std::int64_t rows)
{
    const double matrices = p.up != nullptr ? 2 : 1;
    const double heads = p.heads > 0 ? static_cast<double>(p.heads) : 1.0;
    const std::int64_t outs = p.latent != nullptr ? p.latent->count : p.weight->rows;
    const double share =
        heads * matrices * static_cast<double>(outs) * static_cast<double>(p.weight->cols);
    return {static_cast<double>(rows) * share, share * 0.6};
}

/// Cuts the columns where that fills the device, and there is scratch for the sums.
std::optional<Tensor> splitColumns(Recorder &r, const TiledProduct &p, const GemmTile &tile,
                                   std::int64_t rows, GemmPush &push)
{
    const std::int64_t outs = p.weight->rows;
    const std::int64_t splits = columnSplits(
        r.capabilities(), tile, tilesOf(tile, rows, outs) + p.tilesBeside, push.groupsPerRow);
    if (splits <= 1)
        return std::nullopt;
    const std::optional<Tensor> sums =
        scratchIfThere(r, splits * (p.up != nullptr ? 2 : 1) * rows, outs, DType::F32, false);
    if (sums) {
        push.groupsPerSplit = count32(ceilDiv(push.groupsPerRow, splits * tile.step) * tile.step);
        push.result = r.address(*sums);
    }
    return sums;
}

} // namespace

GemmTile tileFor(const Recorder &r, const Weight &weight, std::int64_t rows, bool gated)
{
    const VulkanWeight &w = asVulkan(weight);
    const bool haveMatrix = r.hasShader(weightShader("gemm_matrix", w.storage));
    return chooseTile(r.capabilities(), {w.storage, rows, w.rows, gated}, haveMatrix);
}

std::int64_t tilesOf(const GemmTile &tile, std::int64_t rows, std::int64_t outs)
{
    return ceilDiv(rows, tile.rows) * ceilDiv(outs, tile.outs);
}

Tensor prepareInput(Recorder &r, const LinearInput &input, const GemmTile &tile, std::int64_t outs)
{
    const Tensor &x = input.x;
    // Each tile of outs reads all of x again: from about four tiles on, half the bytes and loads
    // without conversion are worth a dispatch.
    constexpr std::int64_t kReadings = 4;
    const bool toHalf = tile.matrix && !tile.exact &&
                        (outs > kReadings * tile.outs || input.norm != nullptr) &&
                        (x.dtype == DType::F32 || !isWide(r, x, x.cols));
    if (!toHalf && input.norm == nullptr)
        return x;
    Tensor prepared = r.scratch(
        x.rows, (x.cols + 7) / 8 * 8,
        toHalf || (tile.matrix && !tile.exact && x.dtype == DType::F16) ? DType::F16 : DType::F32);
    prepared = prepared.columns(0, x.cols);
    if (input.norm != nullptr)
        run(r, op::RmsNorm{x, input.norm, input.eps, prepared});
    else
        toHalf16(r, x, prepared);
    return prepared;
}

void TiledDispatch::add(const TiledProduct &p, const GemmTile &tile)
{
    const VulkanWeight &weight = asVulkan(*p.weight);
    const std::int64_t rows = p.experts != nullptr  ? p.experts->pairs
                              : p.latent != nullptr ? p.latent->rows
                                                    : p.x.rows;
    const std::int64_t outs = p.latent != nullptr ? p.latent->count : weight.rows;
    const std::int64_t cols = weight.cols;
    if (rows == 0 || outs == 0)
        return;

    const std::int64_t rowTiles =
        p.experts != nullptr ? p.experts->bound : ceilDiv(rows, tile.rows);
    std::uint32_t flags = flagsOf(m_r, p, outs, cols);
    if (tile.exact && p.x.dtype == DType::F32)
        flags |= kGemmExact;
    const std::uint32_t activation =
        p.act ? static_cast<std::uint32_t>(*p.act) : std::uint32_t{kActivationNone};

    GemmPush push = pushOf(m_r, p, rows);
    std::vector<Access> reads = {p.latent != nullptr ? m_r.cacheAccess(p.latent->layer)
                                                     : accessOf(p.x)};
    if (p.add)
        reads.push_back(accessOf(p.out));
    std::int64_t z = std::max<std::int64_t>(p.heads, 1);
    Tensor written = p.out;
    if (p.experts != nullptr) {
        push.order = m_r.address(p.experts->order);
        push.tiles = m_r.address(p.experts->tiles);
        push.pairsPerRow = count32(p.experts->pairsPerRow);
        reads.push_back(accessOf(p.experts->order));
        reads.push_back(accessOf(p.experts->tiles));
    } else if (p.heads == 0 && p.latent == nullptr) {
        if (const auto sums = splitColumns(m_r, p, tile, rows, push)) {
            z = ceilDiv(push.groupsPerRow, push.groupsPerSplit);
            written = *sums;
            m_reductions.push_back(
                {p, written,
                 flags & (kGemmOutHalf | kGemmAdd | kGemmGated | kGemmBias | kGemmUpBias),
                 activation, z});
            flags |= kGemmPartial;
            reads.resize(1);
        }
    }

    if (tile.matrix && cols % (32 * tile.step) == 0 && push.groupsPerSplit % tile.step == 0)
        flags |= kGemmWhole;
    if (tile.matrix && cols % 256 == 0 && 8 % tile.step == 0 &&
        push.groupsPerSplit % tile.step == 0)
        flags |= kGemmAligned;

    const Work whole = workOf(p, rows);
    const auto constants = constantsOf(tile, flags, activation);
    const std::string shader = tile.shader(weight.storage);
    const std::int64_t perDispatch = m_r.rowsPerDispatch(whole, outs, tile.outs);
    for (std::int64_t first = 0; first < outs; first += perDispatch) {
        const std::int64_t count = std::min(perDispatch, outs - first);
        const double part = static_cast<double>(count) / static_cast<double>(outs);
        push.firstOut = count32(first) + push.outColumn;
        const Access write = accessOf(written);
        m_r.append(shader, constants, &push, sizeof push, {rowTiles, ceilDiv(count, tile.outs), z},
                   reads, {&write, 1}, {whole.multiplyAdds * part, whole.bytes * part});
    }
}

void TiledDispatch::finish()
{
    for (const Reduction &reduction : m_reductions) {
        const TiledProduct &p = reduction.product;
        const std::int64_t all = p.out.rows * p.out.cols;
        const std::uint32_t threads = threadsFor(m_r, all);
        const GemmReduceConstants constants{
            .kThreads = threads, .kFlags = reduction.flags, .kActivation = reduction.activation};
        const GemmReducePush push{.partial = m_r.address(reduction.partial),
                                  .bias = vectorAddress(p.bias),
                                  .upBias = vectorAddress(p.upBias),
                                  .result = m_r.address(p.out),
                                  .rows = count32(p.out.rows),
                                  .outs = count32(p.out.cols),
                                  .outStride = count32(p.out.stride),
                                  .splits = count32(reduction.splits)};
        std::vector<Access> reads = {accessOf(reduction.partial)};
        if (p.add)
            reads.push_back(accessOf(p.out));
        const Access write = accessOf(p.out);
        m_r.append("gemm_reduce", constants, &push, sizeof push, flatWorkgroups(m_r, all, threads),
                   reads, {&write, 1}, {0, bytesOf(reduction.partial) + bytesOf(p.out)});
    }
    m_reductions.clear();
}

} // namespace fireside::vulkan
