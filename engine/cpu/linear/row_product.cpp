#include "engine/cpu/linear/row_product.h"

#include "engine/cpu/linear/blas_choice.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>

namespace fireside::cpu {
namespace {

// Up to so many rows each weight of a float type is used at once; beyond, panels are faster.
constexpr std::size_t kFewFloatTokens = kMaxDotRows;

// OpenBLAS packs the activations anew for each call, so its calls take as many columns as memory
// for a panel allows: 4 MiB a thread.
constexpr std::size_t kBlasBlock = 8192;

constexpr std::size_t kPairRows = kMaxPanels * kPanelRows;
constexpr std::size_t kManyItemRows = 4 * kPairRows;
constexpr std::size_t kFewItemBytes = 128 * 1024; // long enough to hide the cost of beginning anew

static_assert(kFloatBlock % kChunk == 0 && kMatrixBlock % kChunk == 0);
constexpr std::size_t kMatrixValues = kMatrixTile * kMatrixStep,
                      kMatrixSums = kMatrixTile * kMatrixTile;

constexpr std::size_t blocksOf(std::size_t cols)
{
    return (cols + kByteBlock - 1) / kByteBlock;
}

} // namespace

RowProduct::RowProduct(ThreadPool &pool, LinearScratch::Impl &scratch, const Input &input,
                       const ActivationForms &forms)
    : m_pool(pool)
    , m_scratch(scratch)
    , m_kernels(*scratch.kernels)
    , m_in(input)
    , m_padded(roundUp(input.cols, kChunk))
    , m_plan(input.T)
    , m_tileKernels(m_kernels.matrixFor(input.T))
{
    const bool manyBytes = forms.anyBytes() && m_in.T > m_kernels.fewRows;
    const bool byteTiles = manyBytes && !m_tileKernels;
    const bool manyFloats = forms.floats && m_in.T > kFewFloatTokens;
    if (manyFloats && m_in.cols <= INT_MAX && m_in.stride <= INT_MAX)
        m_blas = blasFor(scratch.floatProducts, m_kernels.isa, m_in.T,
                         static_cast<std::size_t>(pool.size()));
    const bool ownFloats = manyFloats && !m_blas, floatTiles = ownFloats && !m_tileKernels;
    const bool matrix = m_tileKernels && (manyBytes || ownFloats);
    // Everything is reserved here: nothing may throw inside a parallel region.
    scratch.threads.resize(std::max<std::size_t>(scratch.threads.size(), pool.size()));
    for (ThreadScratch &thread : scratch.threads) {
        thread.products.reserve<float>(2 * m_in.T * kMaxItemRows);
        if (byteTiles && !m_kernels.quantizeTile) {
            thread.row.q.reserve<std::int8_t>(m_padded);
            thread.row.scale.reserve<float>(m_padded / 16);
            thread.row.sum.reserve<float>(m_padded / 16);
        }
        if (byteTiles) {
            thread.panelBytes.reserve<std::uint8_t>(kManyItemRows * kByteBlock);
            thread.panelScale.reserve<float>(kManyItemRows * kByteBlock / 16);
            thread.panelOffset.reserve<float>(kManyItemRows * kByteBlock / 16);
        }
        if (floatTiles)
            thread.panelFloats.reserve<float>(kManyItemRows * kFloatBlock);
        if (matrix) {
            thread.matrixTiles.reserve<std::uint16_t>((ownFloats ? 2 : 1) * kPairRows *
                                                      kMatrixBlock);
            thread.matrixSums.reserve<float>(kManyItemRows * roundUp(m_in.T, kMatrixTile));
        }
        if (m_blas)
            thread.panelFloats.reserve<float>(kMaxItemRows * std::min(kBlasBlock, m_in.cols));
    }
    if (byteTiles)
        makeByteTiles();
    if (forms.bytes && !manyBytes)
        m_rows = quantizeRows(scratch.rows, 32);
    if (forms.chunkBytes && !manyBytes)
        m_chunkRows = quantizeRows(scratch.chunkRows, kChunk);
    if (floatTiles)
        makeFloatTiles();
    if (matrix)
        makeMatrixTokens(ownFloats);
}

bool RowProduct::few(DType type) const
{
    return m_in.T <= (isFloatType(type) ? kFewFloatTokens : m_kernels.fewRows);
}

RowActivations RowProduct::quantizeRows(RowScratch &scratch, std::size_t span) const
{
    // An odd number of chunks keeps the rows from falling on the same cache sets.
    const std::size_t stride = m_padded + (m_padded / kChunk % 2 == 0 ? kChunk : 0);
    // dotRows rounds the number of rows up, so all of them must exist; their contents do not matter
    // beyond being initialised.
    const std::size_t groups = stride / 16;
    auto *q = scratch.q.reserve<std::int8_t>(kMaxDotRows * stride);
    auto *scale = scratch.scale.reserve<float>(kMaxDotRows * groups);
    auto *sum = scratch.sum.reserve<float>(kMaxDotRows * groups);
    for (std::size_t t = 0; t < m_in.T; ++t)
        m_kernels.quantizeRow(m_in.x + t * m_in.stride, m_in.cols, span, q + t * stride,
                              scale + t * groups, sum + t * groups);
    const std::size_t used = m_in.T <= 2 ? m_in.T : m_in.T <= 4 ? 4 : kMaxDotRows;
    std::memset(q + m_in.T * stride, 0, (used - m_in.T) * stride);
    std::fill(scale + m_in.T * groups, scale + used * groups, 0.0f);
    std::fill(sum + m_in.T * groups, sum + used * groups, 0.0f);
    std::int32_t *start = nullptr;
    if (span == 32 && m_in.T > 2 && m_kernels.startRow) {
        start = scratch.start.reserve<std::int32_t>(2 * kMaxDotRows * groups);
        for (std::size_t t = 0; t < used; ++t)
            m_kernels.startRow(q + t * stride, m_padded, start + 2 * t * groups);
    }
    return {q, scale, sum, stride, m_in.T, start};
}

void RowProduct::makeByteTiles()
{
    const std::size_t groups = m_padded / 32;
    m_tiles.q = m_scratch.tileBytes.reserve<std::int8_t>(m_in.T * m_padded);
    m_tiles.scale = m_scratch.tileScale.reserve<float>(m_in.T * groups);
    m_tiles.sum32 = m_scratch.tileSum32.reserve<float>(m_in.T * groups);
    m_tiles.sum16 = m_scratch.tileSum16.reserve<float>(m_in.T * groups * 2);
    m_tiles.start = m_scratch.tileStart.reserve<std::int32_t>(m_in.T * groups);
    m_tiles.start16 = m_scratch.tileStart16.reserve<std::int32_t>(m_in.T * groups * 2);
    m_tiles.pairs = m_scratch.tilePairs.reserve<std::int32_t>(m_in.T * groups * 2);
    m_tiles.top = m_scratch.tileTop.reserve<float>(m_in.T * blocksOf(m_padded));
    m_tiles.factor = m_scratch.tileFactor.reserve<std::int32_t>(m_in.T * groups);
    distribute(m_pool, m_plan.tiles, [&](int thread, std::size_t tile) {
        const float *x = m_in.x + m_plan.first(tile) * m_in.stride;
        if (m_kernels.quantizeTile)
            m_kernels.quantizeTile(x, m_in.stride, m_in.cols, tileAt(tile, 0));
        else
            quantizeByRows(thread, x, tileAt(tile, 0));
    });
}

/// The tile's columns from `chunk` on.
ByteTile RowProduct::tileAt(std::size_t tile, std::size_t chunk) const
{
    const std::size_t token = m_plan.first(tile), n = m_plan.count(tile);
    const std::size_t group = token * (m_padded / 32) + chunk * 8 * n;
    return {m_tiles.q + token * m_padded + chunk * kChunk * n,
            m_tiles.scale + group,
            m_tiles.sum32 + group,
            m_tiles.sum16 + 2 * group,
            m_tiles.start + group,
            m_tiles.start16 + 2 * group,
            m_tiles.pairs + 2 * group,
            m_tiles.top + token * blocksOf(m_padded) + chunk * kChunk / kByteBlock * n,
            m_tiles.factor + group,
            n};
}

void RowProduct::quantizeByRows(int thread, const float *x, const ByteTile &tile) const
{
    ThreadScratch &own = m_scratch.threads[static_cast<std::size_t>(thread)];
    auto *q = own.row.q.reserve<std::int8_t>(m_padded);
    auto *scale = own.row.scale.reserve<float>(m_padded / 16);
    auto *sum = own.row.sum.reserve<float>(m_padded / 16);
    const std::size_t n = tile.tokens;
    for (std::size_t t = 0; t < n; ++t) {
        m_kernels.quantizeRow(x + t * m_in.stride, m_in.cols, 32, q, scale, sum);
        std::int8_t *to = tile.q + 4 * t;
        for (std::size_t k = 0; k < m_padded; k += 4, to += 4 * n)
            std::memcpy(to, q + k, 4);
        const auto at = [&](std::size_t g) {
            return g / kGroups * kGroups + m_kernels.groupPlace[g % kGroups];
        };
        for (std::size_t g = 0; g < m_padded / 32; ++g) {
            tile.scale[t + g * n] = scale[at(2 * g)];
            tile.sum32[t + g * n] = sum[at(2 * g)] + sum[at(2 * g + 1)];
        }
        for (std::size_t g = 0; g < m_padded / 16; ++g)
            tile.sum16[t + g * n] = sum[at(g)];
    }
}

void RowProduct::makeFloatTiles()
{
    auto *floats = m_scratch.tileFloats.reserve<float>(m_in.T * m_in.cols);
    distribute(m_pool, m_plan.tiles, [&](int, std::size_t tile) {
        const std::size_t first = m_plan.first(tile), n = m_plan.count(tile);
        const float *rows = m_in.x + first * m_in.stride;
        if (m_kernels.interleave)
            return m_kernels.interleave(rows, m_in.stride, n, m_in.cols,
                                        floats + first * m_in.cols);
        for (std::size_t t = 0; t < n; ++t) {
            const float *x = rows + t * m_in.stride;
            float *to = floats + first * m_in.cols + t;
            for (std::size_t k = 0; k < m_in.cols; ++k)
                to[k * n] = x[k];
        }
    });
    m_tileFloats = floats;
}

void RowProduct::makeMatrixTokens(bool rest)
{
    m_matrix.tokenTiles = roundUp(m_in.T, kMatrixTile) / kMatrixTile;
    m_matrix.xStride = roundUp(m_in.cols, kMatrixStep) * kMatrixTile;
    const std::size_t values = m_matrix.tokenTiles * m_matrix.xStride;
    auto *to = m_scratch.matrixTokens.reserve<std::uint16_t>(values);
    auto *left = rest ? m_scratch.matrixRest.reserve<std::uint16_t>(values) : nullptr;
    distribute(m_pool, m_matrix.tokenTiles, [&](int, std::size_t tile) {
        const std::size_t first = tile * kMatrixTile, at = tile * m_matrix.xStride;
        m_tileKernels->roundTokens(m_in.x + first * m_in.stride, m_in.stride,
                                   std::min(kMatrixTile, m_in.T - first), m_in.cols, to + at,
                                   left ? left + at : nullptr);
    });
    m_matrix.x = to;
    m_matrix.rest = left;
}

std::size_t RowProduct::rowsPerItem(const WeightMatrix &weight, std::size_t threads) const
{
    const std::size_t parts = 4 * threads, most = (weight.rows + parts - 1) / parts;
    const std::size_t share = std::max(kPanelRows, roundUp(most, kPanelRows));
    const std::size_t wanted =
        few(weight.dtype) ? kFewItemBytes / rowBytes(weight.dtype, weight.cols) : kMaxItemRows;
    const bool wholeItem = few(weight.dtype) || (m_blas && isFloatType(weight.dtype));
    const std::size_t limit = wholeItem ? kMaxItemRows : kManyItemRows;
    return std::min({share, limit, std::max(kPanelRows, wanted / kPanelRows * kPanelRows)});
}

float *RowProduct::products(int thread, int which) const
{
    const std::size_t one = m_in.T * kMaxItemRows;
    auto *both =
        m_scratch.threads[static_cast<std::size_t>(thread)].products.reserve<float>(2 * one);
    return both + (which == 0 ? 0 : one);
}

void RowProduct::compute(int thread, const WeightMatrix &weight, std::size_t first,
                         std::size_t rows, float *out, std::size_t stride, bool add) const
{
    if (!few(weight.dtype)) {
        if (isFloatType(weight.dtype) && m_blas)
            computeWithBlas(thread, weight, first, rows, out, stride, add);
        else if (m_tileKernels)
            computeMatrix(thread, weight, first, rows, out, stride, add);
        else if (isFloatType(weight.dtype))
            computeFloats(thread, weight, first, rows, out, stride, add);
        else
            computeBytes(thread, weight, first, rows, out, stride, add);
        return;
    }
    if (!add) {
        computeFew(weight, first, rows, out, stride);
        return;
    }
    float *fresh = products(thread, 0);
    computeFew(weight, first, rows, fresh, rows);
    for (std::size_t t = 0; t < m_in.T; ++t)
        for (std::size_t r = 0; r < rows; ++r)
            out[t * stride + r] += fresh[t * rows + r];
}

void RowProduct::computeFew(const WeightMatrix &weight, std::size_t first, std::size_t rows,
                            float *out, std::size_t stride) const
{
    const std::byte *w = weight.data + first * rowBytes(weight.dtype, weight.cols);
    if (isFloatType(weight.dtype))
        m_kernels.dotFloatRows(weight.dtype, w, rows, weight.cols, m_in.x, m_in.stride, m_in.T, out,
                               stride);
    else
        m_kernels.dotRows(weight.dtype, w, rows, weight.cols,
                          activationSpan(weight.dtype) == kChunk ? m_chunkRows : m_rows, out,
                          stride);
}

void RowProduct::computeBytes(int thread, const WeightMatrix &weight, std::size_t first,
                              std::size_t rows, float *out, std::size_t stride, bool add) const
{
    ThreadScratch &own = m_scratch.threads[static_cast<std::size_t>(thread)];
    auto *bytes = own.panelBytes.reserve<std::uint8_t>(kManyItemRows * kByteBlock);
    auto *scale = own.panelScale.reserve<float>(kManyItemRows * kByteBlock / 16);
    auto *offset = own.panelOffset.reserve<float>(kManyItemRows * kByteBlock / 16);
    const std::size_t rowSize = rowBytes(weight.dtype, weight.cols);
    const auto panelAt = [&](std::size_t r) {
        return BytePanel{bytes + r * kByteBlock, scale + r * kByteBlock / 16,
                         offset + r * kByteBlock / 16};
    };
    for (std::size_t col = 0; col < weight.cols; col += kByteBlock) {
        const std::size_t count = std::min(kByteBlock, weight.cols - col);
        const std::size_t chunk = col / kChunk, chunks = roundUp(count, kChunk) / kChunk;
        for (std::size_t r = 0; r < rows; r += kPanelRows)
            m_kernels.unpackPanel(weight.dtype, weight.data + (first + r) * rowSize,
                                  std::min(kPanelRows, rows - r), weight.cols, col, count,
                                  panelAt(r));
        for (std::size_t tile = 0; tile < m_plan.tiles; ++tile)
            for (std::size_t r = 0; r < rows; r += kPairRows)
                m_kernels.multiplyTile(weight.dtype, panelAt(r), tileAt(tile, chunk), chunks,
                                       {out + m_plan.first(tile) * stride + r, stride,
                                        std::min(kPairRows, rows - r), add || col > 0});
    }
}

void RowProduct::computeFloats(int thread, const WeightMatrix &weight, std::size_t first,
                               std::size_t rows, float *out, std::size_t stride, bool add) const
{
    ThreadScratch &own = m_scratch.threads[static_cast<std::size_t>(thread)];
    auto *panels = own.panelFloats.reserve<float>(kManyItemRows * kFloatBlock);
    const std::size_t rowSize = rowBytes(weight.dtype, weight.cols);
    for (std::size_t col = 0; col < weight.cols; col += kFloatBlock) {
        const std::size_t count = std::min(kFloatBlock, weight.cols - col);
        for (std::size_t r = 0; r < rows; r += kPanelRows)
            m_kernels.unpackFloatPanel(weight.dtype, weight.data + (first + r) * rowSize,
                                       std::min(kPanelRows, rows - r), weight.cols, col, count,
                                       panels + r * kFloatBlock);
        for (std::size_t tile = 0; tile < m_plan.tiles; ++tile)
            for (std::size_t r = 0; r < rows; r += kPairRows) {
                const std::size_t token = m_plan.first(tile), n = m_plan.count(tile);
                m_kernels.multiplyFloatTile(panels + r * kFloatBlock,
                                            m_tileFloats + token * m_in.cols + col * n, n, count,
                                            {out + token * stride + r, stride,
                                             std::min(kPairRows, rows - r), add || col > 0});
            }
    }
}

void RowProduct::computeMatrix(int thread, const WeightMatrix &weight, std::size_t first,
                               std::size_t rows, float *out, std::size_t stride, bool add) const
{
    ThreadScratch &own = m_scratch.threads[static_cast<std::size_t>(thread)];
    const std::size_t parts = matrixParts(weight.dtype);
    const std::size_t rowSize = rowBytes(weight.dtype, weight.cols);
    auto *tiles = own.matrixTiles.reserve<std::uint16_t>(parts * kPairRows * kMatrixBlock);
    const std::size_t rowTiles = roundUp(rows, kMatrixTile) / kMatrixTile;
    MatrixBlock block = m_matrix;
    block.w = tiles;
    block.parts = parts;
    block.sumStride = rowTiles * kMatrixSums;
    block.shares = roundUp(rows, kPairRows) / kPairRows;
    float *const sums = own.matrixSums.reserve<float>(block.tokenTiles * block.sumStride);
    if (!isFloatType(weight.dtype))
        block.rest = nullptr;
    for (std::size_t col = 0; col < weight.cols; col += kMatrixBlock) {
        const std::size_t count = std::min(kMatrixBlock, weight.cols - col);
        block.steps = roundUp(count, kMatrixStep) / kMatrixStep;
        block.add = col > 0;
        for (std::size_t r = 0; r < rows; r += kPairRows) {
            block.share = r / kPairRows;
            block.rowTiles = std::min(kMaxPanels, rowTiles - r / kMatrixTile);
            for (std::size_t i = r; i < std::min(rows, r + kPairRows); i += kMatrixTile)
                m_tileKernels->unpackTiles(weight.dtype, weight.data + (first + i) * rowSize,
                                           std::min(kMatrixTile, rows - i), weight.cols, col, count,
                                           tiles + parts * (i - r) * kMatrixBlock);
            block.sums = sums + r * kMatrixTile;
            m_tileKernels->multiply(block);
        }
        block.x += block.steps * kMatrixValues;
        if (block.rest)
            block.rest += block.steps * kMatrixValues;
    }
    const float *tile = sums;
    for (std::size_t token = 0; token < m_in.T; token += kMatrixTile)
        for (std::size_t r = 0; r < rows; r += kMatrixTile, tile += kMatrixSums)
            m_tileKernels->storeSums(
                tile, std::min(kMatrixTile, m_in.T - token),
                {out + token * stride + r, stride, std::min(kMatrixTile, rows - r), add});
}

void RowProduct::computeWithBlas(int thread, const WeightMatrix &weight, std::size_t first,
                                 std::size_t rows, float *out, std::size_t stride, bool add) const
{
    ThreadScratch &own = m_scratch.threads[static_cast<std::size_t>(thread)];
    auto *panel = own.panelFloats.reserve<float>(kMaxItemRows * std::min(kBlasBlock, m_in.cols));
    const std::size_t rowSize = rowBytes(weight.dtype, weight.cols);
    const std::byte *w = weight.data + first * rowSize;
    BlasProduct product{m_in.x, m_in.stride, m_in.T, nullptr, 0,
                        rows,   weight.cols, out,    stride,  add};
    if (weight.dtype == DType::F32 && reinterpret_cast<std::uintptr_t>(w) % alignof(float) == 0) {
        product.w = reinterpret_cast<const float *>(w);
        product.wStride = weight.cols;
        m_blas->multiply(product);
        return;
    }
    product.w = panel;
    for (std::size_t col = 0; col < weight.cols; col += kBlasBlock) {
        const std::size_t count = std::min(kBlasBlock, weight.cols - col);
        for (std::size_t r = 0; r < rows; ++r)
            m_kernels.unpackFloatRow(weight.dtype, w + r * rowSize + rowBytes(weight.dtype, col),
                                     count, panel + r * count);
        product.x = m_in.x + col;
        product.wStride = product.cols = count;
        product.add = add || col > 0;
        m_blas->multiply(product);
    }
}

} // namespace fireside::cpu
