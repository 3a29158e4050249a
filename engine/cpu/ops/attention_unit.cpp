#include "engine/cpu/ops/attention_unit.h"

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/tile_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fireside::cpu {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr std::size_t kScoreFloats = 8192; // scores of one block stay in the first-level cache
constexpr std::size_t kMaxBlockKeys = 512;
constexpr std::size_t kFewRows = 16; // more make up for a tile of keys or values as floats

std::size_t padded(std::size_t n)
{
    return (n + kTileStep - 1) / kTileStep * kTileStep;
}

std::size_t rowsOf(const AttentionInput &input, const AttentionTile &tile)
{
    return (tile.end - tile.begin) * input.group();
}

/// Keys whose scores are computed before a softmax step: many for few rows, so that the cost per
/// row is spread; one tile for many rows.
std::size_t blockKeys(std::size_t rows)
{
    const std::size_t fit = kScoreFloats / std::max<std::size_t>(1, rows) / kTileKeys * kTileKeys;
    return std::clamp(fit, kTileKeys, kMaxBlockKeys);
}

/// Keys that query i of an item sees. Both ends grow with i, or stay.
KeyRange keysOfQuery(const AttentionInput &input, const AttentionItem &item, std::size_t i)
{
    const std::size_t at = item.past + i;
    const std::size_t window =
        static_cast<std::size_t>(std::max<std::int64_t>(0, input.shape.window));
    if (input.shape.chunk > 0)
        return {at - at % size(input.shape.chunk), at + 1};
    if (input.shape.causal)
        return {window > 0 && at + 1 > window ? at + 1 - window : 0, at + 1};
    const std::size_t all = item.past + item.rows;
    if (window == 0)
        return {0, all};
    const std::size_t reach = window / 2;
    return {at > reach ? at - reach : 0, std::min(all, at + reach + 1)};
}

/// alibiScale · 2^(−maxBias·(h+1)/n) for the n heads of the largest power of two; the heads beyond
/// take every other slope of 2n heads (Press et al. 2022).
float alibiSlope(const AttentionShape &shape, std::size_t head)
{
    std::size_t n = 1;
    while (2 * n <= static_cast<std::size_t>(shape.heads))
        n *= 2;
    const double step = head < n
                            ? static_cast<double>(head + 1) / static_cast<double>(n)
                            : static_cast<double>(2 * (head - n) + 1) / static_cast<double>(2 * n);
    return static_cast<float>(static_cast<double>(shape.alibiScale) *
                              std::exp2(-static_cast<double>(shape.alibiMaxBias) * step));
}

const CacheKernels &kernelsFor(DType type)
{
    const TileKernels &kernels = tileKernels();
    return type == DType::F32 ? kernels.f32 : type == DType::F16 ? kernels.f16 : kernels.q8_0;
}

/// The running state of a unit and its working memory, all rows of the tile.
class UnitRun
{
public:
    UnitRun(const AttentionInput &input, const AttentionUnit &unit, float *scratch)
        : m_input(input)
        , m_unit(unit)
        , m_item(*unit.tile.item)
        , m_cacheKernels(kernelsFor(m_item.cache.dtype))
        , m_dim(static_cast<std::size_t>(input.shape.headDim))
        , m_valueDim(input.valueDim())
        , m_outDim(padded(m_valueDim))
        , m_rows(rowsOf(input, unit.tile))
        , m_block(blockKeys(m_rows))
        , m_queries(scratch)
        , m_scores(m_queries + padded(m_rows * m_dim))
        , m_tile(m_scores + m_rows * m_block)
    {}

    void run(float *maxima, float *sums, float *output)
    {
        m_maxima = maxima;
        m_sums = sums;
        m_output = output;
        std::fill_n(m_maxima, m_rows, kMinusInfinity);
        std::fill_n(m_sums, m_rows, 0.0f);
        std::fill_n(m_output, m_rows * m_outDim, 0.0f);
        loadQueries();
        for (std::size_t key = m_unit.keys.begin; key < m_unit.keys.end; key += m_block)
            addBlock({key, std::min(key + m_block, m_unit.keys.end)});
    }

private:
    std::size_t group() const { return m_input.group(); }

    void loadQueries()
    {
        for (std::size_t m = 0; m < m_rows; ++m) {
            const std::size_t row = m_item.firstRow + m_unit.tile.begin + m / group();
            const std::size_t head = m_unit.tile.kvHead * group() + m % group();
            const float *q = m_input.q.row(row) + head * m_dim;
            for (std::size_t d = 0; d < m_dim; ++d)
                m_queries[m * m_dim + d] = q[d] * m_input.shape.scale;
        }
    }

    /// Rows of the tile that see any key of the block: causality cuts at the front, a window at the
    /// end.
    std::pair<std::size_t, std::size_t> activeRows(KeyRange block) const
    {
        std::size_t first = m_unit.tile.begin, last = m_unit.tile.end;
        while (first < last && keysOfQuery(m_input, m_item, first).end <= block.begin)
            ++first;
        while (last > first && keysOfQuery(m_input, m_item, last - 1).begin >= block.end)
            --last;
        return {(first - m_unit.tile.begin) * group(), (last - m_unit.tile.begin) * group()};
    }

    const std::byte *cacheRow(const std::byte *base, std::size_t key, std::size_t dim) const
    {
        const KvView &cache = m_item.cache;
        return base + (m_unit.tile.kvHead * cache.capacity + key) * rowBytes(cache.dtype, dim);
    }

    void addBlock(KeyRange block)
    {
        const auto [first, last] = activeRows(block);
        if (first == last)
            return;
        if (last - first <= kFewRows)
            scoreKeys(block, first, last);
        else
            scoreTiles(block, first, last);
        for (std::size_t m = first; m < last; ++m)
            softmaxStep(m, block);
        if (last - first <= kFewRows)
            addValues(block, first, last);
        else
            addValueTiles(block, first, last);
    }

    void scoreKeys(KeyRange block, std::size_t first, std::size_t last)
    {
        m_cacheKernels.scores(m_scores + first * m_block, m_block, m_queries + first * m_dim,
                              last - first, cacheRow(m_item.cache.keys, block.begin, m_dim),
                              block.size(), m_dim);
    }

    void scoreTiles(KeyRange block, std::size_t first, std::size_t last)
    {
        float *const scores = m_scores + first * m_block;
        for (std::size_t key = block.begin; key < block.end; key += kTileKeys) {
            const std::size_t count = std::min(kTileKeys, block.end - key);
            m_cacheKernels.loadKeys(m_tile, cacheRow(m_item.cache.keys, key, m_dim), count, m_dim);
            m_kernels.multiply(scores + (key - block.begin), m_block, m_queries + first * m_dim,
                               m_dim, m_tile, kTileKeys, last - first, padded(count), m_dim, false);
        }
    }

    // Without values of their own, the first channels of whole keys are used.
    std::size_t valueRow() const { return m_item.cache.values ? m_valueDim : m_dim; }
    const std::byte *values(std::size_t key) const
    {
        const KvView &cache = m_item.cache;
        return cacheRow(cache.values ? cache.values : cache.keys, key, valueRow());
    }

    void addValues(KeyRange block, std::size_t first, std::size_t last)
    {
        for (std::size_t key = block.begin; key < block.end; key += kTileKeys)
            m_cacheKernels.addValues(m_output + first * m_outDim, m_outDim,
                                     m_scores + first * m_block + (key - block.begin), m_block,
                                     last - first, values(key),
                                     std::min(kTileKeys, block.end - key), valueRow(), m_valueDim);
    }

    void addValueTiles(KeyRange block, std::size_t first, std::size_t last)
    {
        const std::size_t dim = valueRow(), stride = padded(dim);
        for (std::size_t key = block.begin; key < block.end; key += kTileKeys) {
            const std::size_t count = std::min(kTileKeys, block.end - key);
            const float *rows = m_tile;
            if (m_item.cache.dtype == DType::F32 && stride == dim)
                rows = reinterpret_cast<const float *>(values(key));
            else
                m_cacheKernels.loadValues(m_tile, stride, values(key), count, dim);
            m_kernels.multiply(m_output + first * m_outDim, m_outDim,
                               m_scores + first * m_block + (key - block.begin), m_block, rows,
                               stride, last - first, m_outDim, count, true);
        }
    }

    /// Replaces the scores of row m by weights relative to the running maximum; hidden keys get 0.
    void softmaxStep(std::size_t m, KeyRange block)
    {
        const std::size_t query = m_unit.tile.begin + m / group();
        const KeyRange seen = keysOfQuery(m_input, m_item, query);
        const std::size_t length = block.size();
        const std::size_t begin = std::min(length, std::max(seen.begin, block.begin) - block.begin);
        const std::size_t end =
            std::max(begin, std::min(std::max(seen.end, block.begin), block.end) - block.begin);
        float *row = m_scores + m * m_block;
        std::fill(row, row + begin, 0.0f);
        std::fill(row + end, row + length, 0.0f);
        if (begin == end)
            return;
        if (m_input.shape.softcap > 0)
            m_vec.softcap(row + begin, m_input.shape.softcap, end - begin);
        if (m_input.shape.alibiMaxBias > 0) {
            const std::size_t head = m_unit.tile.kvHead * group() + m % group();
            const float slope = alibiSlope(m_input.shape, head);
            const float at = static_cast<float>(m_item.past + query);
            for (std::size_t i = begin; i < end; ++i)
                row[i] += slope * (static_cast<float>(block.begin + i) - at);
        }
        if (m_input.distances.values != nullptr)
            addDistances(row, m, block.begin, begin, end);
        const float largest = m_vec.maximum(row + begin, end - begin);
        if (largest > m_maxima[m]) {
            if (m_sums[m] != 0) {
                const float shrink = std::exp(m_maxima[m] - largest);
                m_sums[m] *= shrink;
                m_vec.scale(m_output + m * m_outDim, shrink, m_outDim);
            }
            m_maxima[m] = largest;
        }
        m_sums[m] += m_vec.expSum(row + begin, m_maxima[m], end - begin);
    }

    /// To scores [begin, end) of row m, the first of which in `row` is that of key `first`.
    void addDistances(float *row, std::size_t m, std::size_t first, std::size_t begin,
                      std::size_t end) const
    {
        const std::ptrdiff_t reach = m_input.distances.reach;
        const std::size_t head = m_unit.tile.kvHead * group() + m % group();
        const float *own =
            m_input.distances.values + static_cast<std::ptrdiff_t>(head) * (2 * reach + 1) + reach;
        const auto at = static_cast<std::ptrdiff_t>(m_item.past + m_unit.tile.begin + m / group());
        for (std::size_t i = begin; i < end; ++i)
            row[i] += own[std::clamp(static_cast<std::ptrdiff_t>(first + i) - at, -reach, reach)];
    }

    const AttentionInput &m_input;
    const AttentionUnit &m_unit;
    const AttentionItem &m_item;
    const VectorKernels &m_vec = vectorKernels();
    const TileKernels &m_kernels = tileKernels();
    const CacheKernels &m_cacheKernels;
    const std::size_t m_dim, m_valueDim, m_outDim, m_rows, m_block;
    float *m_queries;          // [rows, dim], scaled
    float *m_scores;           // [rows, block]
    float *m_tile;             // keys [dim, kTileKeys] or values [kTileKeys, outDim]
    float *m_maxima = nullptr; // [rows]
    float *m_sums = nullptr;   // [rows]
    float *m_output = nullptr; // [rows, outDim], not yet divided by the sums
};

float *outputRow(const AttentionInput &input, const AttentionTile &tile, std::size_t m)
{
    const std::size_t row = tile.item->firstRow + tile.begin + m / input.group();
    const std::size_t head = tile.kvHead * input.group() + m % input.group();
    return input.out.row(row) + head * input.valueDim();
}

/// What the summed values of row m are multiplied by: one through the sum of weights, in which a
/// sink counts as one more logit. A query that saw no key gives zeros.
float finalScale(const AttentionInput &input, const AttentionTile &tile, std::size_t m,
                 float largest, float sum)
{
    if (sum == 0)
        return 0;
    if (!input.sinks)
        return 1.0f / sum;
    const float sink = input.sinks[tile.kvHead * input.group() + m % input.group()];
    const float top = std::max(largest, sink);
    const float weight = std::exp(largest - top);
    return weight / (sum * weight + std::exp(sink - top));
}

/// Where a (partial) result keeps its parts.
struct ResultView
{
    float *maxima, *sums, *output;
    ResultView(float *base, std::size_t rows)
        : maxima(base)
        , sums(base + padded(rows))
        , output(base + 2 * padded(rows))
    {}
};

} // namespace

KeyRange visibleKeys(const AttentionInput &input, const AttentionTile &tile)
{
    return {keysOfQuery(input, *tile.item, tile.begin).begin,
            keysOfQuery(input, *tile.item, tile.end - 1).end};
}

std::size_t partialSize(const AttentionInput &input, const AttentionTile &tile)
{
    const std::size_t rows = rowsOf(input, tile);
    return 2 * padded(rows) + rows * padded(input.valueDim());
}

std::size_t attentionScratch(const AttentionInput &input, const AttentionTile &tile)
{
    const std::size_t rows = rowsOf(input, tile);
    const std::size_t dim = static_cast<std::size_t>(input.shape.headDim);
    return padded(rows * dim) + rows * blockKeys(rows) +
           kTileKeys * padded(std::max(dim, input.valueDim())) + partialSize(input, tile);
}

void runAttentionUnit(const AttentionInput &input, const AttentionUnit &unit, float *scratch,
                      float *partials)
{
    const std::size_t rows = rowsOf(input, unit.tile);
    const std::size_t dim = input.valueDim(), outDim = padded(dim);
    float *own = scratch + attentionScratch(input, unit.tile) - partialSize(input, unit.tile);
    const ResultView result(unit.partial == kNoPartial ? own : partials + unit.partial, rows);
    UnitRun(input, unit, scratch).run(result.maxima, result.sums, result.output);
    if (unit.partial != kNoPartial)
        return;
    for (std::size_t m = 0; m < rows; ++m) {
        float *out = outputRow(input, unit.tile, m);
        const float inverse = finalScale(input, unit.tile, m, result.maxima[m], result.sums[m]);
        for (std::size_t d = 0; d < dim; ++d)
            out[d] = result.output[m * outDim + d] * inverse;
    }
}

void joinPartials(const AttentionInput &input, const AttentionTile &tile, float *partials,
                  std::size_t splits)
{
    const std::size_t rows = rowsOf(input, tile);
    const std::size_t dim = input.valueDim(), outDim = padded(dim);
    const std::size_t size = partialSize(input, tile);
    const VectorKernels &vec = vectorKernels();
    for (std::size_t m = 0; m < rows; ++m) {
        float largest = kMinusInfinity;
        for (std::size_t s = 0; s < splits; ++s)
            largest = std::max(largest, ResultView(partials + s * size, rows).maxima[m]);
        float *out = outputRow(input, tile, m);
        std::fill_n(out, dim, 0.0f);
        float sum = 0;
        for (std::size_t s = 0; s < splits; ++s) {
            const ResultView part(partials + s * size, rows);
            if (part.sums[m] == 0)
                continue; // saw no key of its range
            const float weight = std::exp(part.maxima[m] - largest);
            sum += part.sums[m] * weight;
            vec.addScaled(out, part.output + m * outDim, weight, dim);
        }
        vec.scale(out, finalScale(input, tile, m, largest, sum), dim);
    }
}

} // namespace fireside::cpu
