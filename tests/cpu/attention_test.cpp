#include "engine/cpu/ops/head_ops.h"

#include "engine/tensor/half.h"
#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace fireside {
namespace {

using CpuAttentionTest = IsaTest;
FIRESIDE_EVERY_ISA(CpuAttentionTest);

struct Shape
{
    std::size_t heads = 1, kvHeads = 1, dim = 32;
    std::size_t window = 0;
    float softcap = 0;
};

/// A cache filled by appendKv, with NaN everywhere that no token was written, and what it should
/// hold.
class FilledCache
{
public:
    FilledCache(ThreadPool &pool, const Shape &shape, DType type, std::size_t past,
                std::size_t rows, unsigned seed, std::size_t spare = 5)
    {
        const std::size_t used = past + rows, width = shape.kvHeads * shape.dim;
        const std::size_t capacity = used + spare;
        const std::vector<float> k = randomFloats(used * width, seed);
        const std::vector<float> v = randomFloats(used * width, seed + 1);
        m_keys.assign(shape.kvHeads * capacity * rowBytes(type, shape.dim), std::byte{0xff});
        m_values = m_keys;
        view = {m_keys.data(), m_values.data(), type, shape.kvHeads, capacity, shape.dim};
        const cpu::InRows keys{k.data(), width, used, width}, values{v.data(), width, used, width};
        cpu::appendKv(pool, view, part(keys, 0, past), part(values, 0, past), 0);
        cpu::appendKv(pool, view, part(keys, past, rows), part(values, past, rows), past);
        for (std::size_t h = 0; h < shape.kvHeads; ++h)
            for (std::size_t t = 0; t < used; ++t) {
                append(exactKeys, storedKeys, type, {&k[t * width + h * shape.dim], shape.dim});
                append(exactValues, storedValues, type, {&v[t * width + h * shape.dim], shape.dim});
            }
    }

    cpu::KvView view;
    std::vector<double> exactKeys, exactValues;   // before rounding, [Hkv, used, D]
    std::vector<double> storedKeys, storedValues; // as the type keeps them

private:
    static void append(std::vector<double> &exact, std::vector<double> &stored, DType type,
                       std::span<const float> row)
    {
        exact.insert(exact.end(), row.begin(), row.end());
        const std::vector<double> q8 =
            type == DType::Q8_0 ? reference::roundToQ8_0(row) : std::vector<double>();
        for (std::size_t d = 0; d < row.size(); ++d)
            stored.push_back(type == DType::F32   ? row[d]
                             : type == DType::F16 ? reference::roundToHalf(row[d])
                                                  : q8[d]);
    }
    std::vector<std::byte> m_keys, m_values;
};

double looseTolerance(DType type)
{
    return type == DType::F32 ? 1e-5 : type == DType::F16 ? 2e-3 : 1e-2;
}

/// Runs attention over one or more items and compares each with the reference.
void check(ThreadPool &pool, const Shape &shape, DType type,
           const std::vector<std::pair<std::size_t, std::size_t>> &pastAndRows)
{
    std::size_t T = 0;
    std::vector<std::unique_ptr<FilledCache>> caches;
    std::vector<cpu::AttentionItem> items;
    for (const auto &[past, rows] : pastAndRows) {
        caches.push_back(std::make_unique<FilledCache>(pool, shape, type, past, rows,
                                                       static_cast<unsigned>(100 + T)));
        items.push_back({caches.back()->view, T, rows, past});
        T += rows;
    }
    const std::size_t width = shape.heads * shape.dim, qStride = width + 3, outStride = width + 8;
    const std::vector<float> q = randomFloats(T * qStride, 5);
    std::vector<float> out(T * outStride, kNaN);
    AttentionShape engineShape;
    engineShape.heads = static_cast<std::int64_t>(shape.heads);
    engineShape.kvHeads = static_cast<std::int64_t>(shape.kvHeads);
    engineShape.headDim = static_cast<std::int64_t>(shape.dim);
    engineShape.scale = 1.0f / std::sqrt(static_cast<float>(shape.dim));
    engineShape.window = static_cast<std::int64_t>(shape.window);
    engineShape.softcap = shape.softcap;
    cpu::attention(pool, items, {q.data(), qStride, T, width}, engineShape, nullptr,
                   {out.data(), outStride, T, width});

    for (std::size_t i = 0; i < items.size(); ++i) {
        std::vector<float> queries, got;
        for (std::size_t r = 0; r < items[i].rows; ++r) {
            const std::size_t row = items[i].firstRow + r;
            queries.insert(queries.end(), &q[row * qStride], &q[row * qStride] + width);
            got.insert(got.end(), &out[row * outStride], &out[row * outStride] + width);
            for (std::size_t pad = width; pad < outStride; ++pad)
                ASSERT_TRUE(std::isnan(out[row * outStride + pad])) << "wrote beside the row";
        }
        const reference::AttentionArguments args{shape.heads,   shape.kvHeads, shape.dim,
                                                 items[i].rows, items[i].past, engineShape.scale,
                                                 shape.window,  shape.softcap};
        const FilledCache &cache = *caches[i];
        const auto stored =
            reference::attention(args, queries, cache.storedKeys, cache.storedValues);
        const auto exact = reference::attention(args, queries, cache.exactKeys, cache.exactValues);
        const std::string what =
            std::string(name(type)) + " heads " + std::to_string(shape.heads) + "/" +
            std::to_string(shape.kvHeads) + " D " + std::to_string(shape.dim) + " past " +
            std::to_string(items[i].past) + " rows " + std::to_string(items[i].rows) + " window " +
            std::to_string(shape.window);
        ASSERT_LE(reference::relativeError(got, stored), 1e-5) << what;
        ASSERT_LE(reference::relativeError(got, exact), looseTolerance(type)) << what;
    }
}

TEST_P(CpuAttentionTest, PromptsOfOddLengths)
{
    ThreadPool pool(2);
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        for (const std::size_t rows : {1u, 2u, 3u, 31u, 33u, 64u, 65u, 130u})
            check(pool, {4, 2, 64}, type, {{0, rows}});
}

TEST_P(CpuAttentionTest, ChunksContinueTheirPast)
{
    ThreadPool pool(3);
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        for (const std::size_t past : {1u, 31u, 64u, 257u})
            for (const std::size_t rows : {1u, 2u, 33u})
                check(pool, {4, 1, 32}, type, {{past, rows}});
}

TEST_P(CpuAttentionTest, HeadSizes)
{
    ThreadPool pool(2);
    for (const std::size_t dim : {8u, 20u, 32u, 64u, 80u, 96u, 128u, 256u})
        for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
            if (type != DType::Q8_0 || dim % 32 == 0) {
                check(pool, {2, 2, dim}, type, {{7, 40}});
                check(pool, {2, 1, dim}, type, {{70, 1}});
            }
}

TEST_P(CpuAttentionTest, GroupSizes)
{
    ThreadPool pool(2);
    for (const std::size_t group : {1u, 2u, 3u, 4u, 7u, 8u, 16u, 100u})
        for (const std::size_t kvHeads : {1u, 3u}) {
            check(pool, {group * kvHeads, kvHeads, 32}, DType::F16, {{50, 1}});
            check(pool, {group * kvHeads, kvHeads, 32}, DType::F16, {{10, 37}});
        }
}

TEST_P(CpuAttentionTest, SlidingWindow)
{
    ThreadPool pool(2);
    for (const std::size_t window : {1u, 2u, 17u, 64u, 100u, 5000u}) {
        check(pool, {4, 2, 32, window}, DType::F32, {{0, 130}});
        check(pool, {4, 2, 32, window}, DType::F16, {{200, 1}});
        check(pool, {4, 2, 32, window}, DType::F32, {{150, 70}});
    }
}

TEST_P(CpuAttentionTest, Softcap)
{
    ThreadPool pool(2);
    for (const float cap : {0.5f, 5.0f, 50.0f}) {
        check(pool, {4, 2, 64, 0, cap}, DType::F32, {{0, 70}});
        check(pool, {4, 2, 64, 20, cap}, DType::F32, {{90, 1}});
    }
}

TEST_P(CpuAttentionTest, LongPastIsSplitOverThreads)
{
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        for (const std::size_t past : {255u, 511u, 1024u, 4000u})
            check(pool, {3, 1, 64}, DType::F16, {{past, 1}});
        check(pool, {4, 2, 32}, DType::F32, {{3000, 4}});
        check(pool, {4, 1, 32, 700}, DType::F32, {{3000, 3}}); // splits inside a window
    }
}

TEST_P(CpuAttentionTest, RaggedBatches)
{
    ThreadPool pool(3);
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        check(pool, {6, 2, 32}, type,
              {{0, 1}, {300, 1}, {5, 40}, {0, 0}, {64, 1}, {1000, 2}, {0, 65}});
}

TEST_P(CpuAttentionTest, ZeroRowsDoNothing)
{
    ThreadPool pool(2);
    check(pool, {4, 2, 32}, DType::F16, {});
    check(pool, {4, 2, 32}, DType::F16, {{10, 0}, {0, 0}});
}

TEST_P(CpuAttentionTest, LargeScoresDoNotOverflow)
{
    ThreadPool pool(2);
    const std::size_t dim = 32, past = 299;
    std::vector<float> keys((past + 1) * dim, 0.0f), values((past + 1) * dim);
    for (std::size_t t = 0; t <= past; ++t) {
        keys[t * dim] = static_cast<float>(t) * 10; // scores up to 3000, rising through the blocks
        std::fill_n(&values[t * dim], dim, static_cast<float>(t));
    }
    std::vector<float> q(dim, 0.0f), out(dim, kNaN);
    q[0] = 1;
    cpu::AttentionItem item;
    item.cache = {reinterpret_cast<std::byte *>(keys.data()),
                  reinterpret_cast<std::byte *>(values.data()),
                  DType::F32,
                  1,
                  past + 1,
                  dim};
    item.rows = 1;
    item.past = past;
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = dim;
    shape.scale = 1;
    cpu::attention(pool, {&item, 1}, {q.data(), dim, 1, dim}, shape, nullptr,
                   {out.data(), dim, 1, dim});
    for (const float v : out) // e⁻¹⁰ of the weight goes to the key before the last
        EXPECT_NEAR(v, 299.0f, 1e-3f);
    q[0] = -1; // now the first key wins and all later blocks vanish
    cpu::attention(pool, {&item, 1}, {q.data(), dim, 1, dim}, shape, nullptr,
                   {out.data(), dim, 1, dim});
    for (const float v : out)
        EXPECT_NEAR(v, 0.0f, 1e-3f);
}

TEST_P(CpuAttentionTest, NaNInAKeyReachesTheOutput)
{
    ThreadPool pool(1);
    std::vector<float> keys(3 * 32, 0.1f), values(3 * 32, 1.0f), q(32, 1.0f), out(32, 0.0f);
    keys[32 + 5] = kNaN;
    cpu::AttentionItem item;
    item.cache = {reinterpret_cast<std::byte *>(keys.data()),
                  reinterpret_cast<std::byte *>(values.data()),
                  DType::F32,
                  1,
                  3,
                  32};
    item.rows = 1;
    item.past = 2;
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = 32;
    shape.scale = 1;
    cpu::attention(pool, {&item, 1}, {q.data(), 32, 1, 32}, shape, nullptr,
                   {out.data(), 32, 1, 32});
    for (const float v : out)
        EXPECT_TRUE(std::isnan(v));
}

/// Every form of the op against sums over all keys: values of their own size or a latent cache,
/// causal or not, windows, sinks, ALiBi, caps; short units and split ones.
struct Form
{
    std::size_t heads = 4, kvHeads = 2, dim = 64, valueDim = 32;
    bool latent = false, causal = true, sinks = false;
    std::size_t window = 0;
    float alibi = 0, cap = 0;
};

void checkForm(int threads, const Form &f, DType type, std::size_t past, std::size_t rows)
{
    ThreadPool pool(threads);
    const std::size_t used = past + rows, capacity = used + 3, keyWidth = f.kvHeads * f.dim;
    const std::size_t valueWidth = f.latent ? 0 : f.kvHeads * f.valueDim;
    const std::vector<float> k = randomFloats(used * keyWidth, 1),
                             q = randomFloats(rows * f.heads * f.dim, 2);
    const std::vector<float> v = randomFloats(used * valueWidth, 3),
                             sinks = randomFloats(f.heads, 4);
    std::vector<std::byte> keys(f.kvHeads * capacity * rowBytes(type, f.dim), std::byte{0xff});
    std::vector<std::byte> values(f.kvHeads * capacity * rowBytes(type, f.valueDim),
                                  std::byte{0xff});
    const cpu::KvView view{
        keys.data(), f.latent ? nullptr : values.data(), type, f.kvHeads, capacity, f.dim,
        f.valueDim};
    cpu::appendKv(pool, view, {k.data(), keyWidth, used, keyWidth},
                  {v.data(), valueWidth, used, valueWidth}, 0);
    AttentionShape shape;
    shape.heads = static_cast<std::int64_t>(f.heads);
    shape.kvHeads = static_cast<std::int64_t>(f.kvHeads);
    shape.headDim = static_cast<std::int64_t>(f.dim);
    shape.valueDim = static_cast<std::int64_t>(f.valueDim);
    shape.scale = 0.2f;
    shape.causal = f.causal;
    shape.window = static_cast<std::int64_t>(f.window);
    shape.softcap = f.cap;
    shape.alibiMaxBias = f.alibi;
    const cpu::AttentionItem item{view, 0, rows, past};
    std::vector<float> out(rows * f.heads * f.valueDim, kNaN);
    cpu::attention(pool, {&item, 1}, {q.data(), f.heads * f.dim, rows, f.heads * f.dim}, shape,
                   f.sinks ? sinks.data() : nullptr,
                   {out.data(), f.heads * f.valueDim, rows, f.heads * f.valueDim});
    std::vector<double> want;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t h = 0; h < f.heads; ++h) {
            const std::size_t kvHead = h / (f.heads / f.kvHeads), at = past + i;
            std::vector<double> sums(f.valueDim);
            double total = f.sinks ? std::exp(static_cast<double>(sinks[h])) : 0;
            for (std::size_t key = 0; key < used; ++key) {
                const auto distance = static_cast<double>(key) - static_cast<double>(at);
                const auto window = static_cast<double>(f.window);
                if (f.causal ? distance > 0 || (f.window > 0 && -distance >= window)
                             : f.window > 0 && std::fabs(distance) > std::floor(window / 2))
                    continue;
                double score = 0;
                for (std::size_t d = 0; d < f.dim; ++d)
                    score += static_cast<double>(q[(i * f.heads + h) * f.dim + d]) *
                             static_cast<double>(k[key * keyWidth + kvHead * f.dim + d]);
                score *= static_cast<double>(shape.scale);
                if (f.cap > 0)
                    score =
                        static_cast<double>(f.cap) * std::tanh(score / static_cast<double>(f.cap));
                // Heads beyond the largest power of two take the odd slopes of twice as many.
                const double step = f.heads == 6 && h >= 4
                                        ? static_cast<double>(2 * (h - 4) + 1) / 8
                                        : static_cast<double>(h + 1) / 4;
                if (f.alibi > 0)
                    score += std::exp2(-static_cast<double>(f.alibi) * step) * distance;
                const double weight = std::exp(score);
                total += weight;
                const float *value = f.latent ? &k[key * keyWidth + kvHead * f.dim]
                                              : &v[key * valueWidth + kvHead * f.valueDim];
                for (std::size_t d = 0; d < f.valueDim; ++d)
                    sums[d] += weight * static_cast<double>(value[d]);
            }
            for (const double sum : sums)
                want.push_back(sum / total);
        }
    const double tolerance = type == DType::Q8_0 ? 2e-2 : looseTolerance(type);
    ASSERT_LE(reference::relativeError(out, want), tolerance)
        << name(type) << " past " << past << " rows " << rows << " window " << f.window;
}

TEST_P(CpuAttentionTest, EveryForm)
{
    const Form forms[] = {{.valueDim = 96},
                          {.kvHeads = 1, .dim = 96, .valueDim = 64, .latent = true},
                          {.causal = false},
                          {.causal = false, .window = 7},
                          {.causal = false, .window = 64},
                          {.sinks = true},
                          {.sinks = true, .window = 9},
                          {.alibi = 8},
                          {.heads = 6, .alibi = 8, .cap = 3},
                          {.kvHeads = 1, .causal = false, .sinks = true, .cap = 5}};
    for (const Form &form : forms)
        for (const auto &[past, rows] : {std::pair{0u, 40u}, {130u, 33u}, {1500u, 1u}, {0u, 1u}}) {
            checkForm(2, form, DType::F32, past, rows);
            checkForm(3, form, past > 1000 ? DType::Q8_0 : DType::F16, past, rows);
        }
}

} // namespace
} // namespace fireside
