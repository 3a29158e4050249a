#include "engine/cpu/simd/tile_kernels.h"

#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"

#include <cmath>
#include <cstring>

namespace fireside {
namespace {

using TileKernelsTest = IsaTest;
FIRESIDE_EVERY_ISA(TileKernelsTest);

TEST_P(TileKernelsTest, MultipliesEveryShape)
{
    const TileKernels &tile = tileKernels();
    for (const std::size_t m : {1u, 2u, 3u, 5u, 6u, 7u, 13u, 96u})
        for (const std::size_t n : {16u, 32u, 48u, 64u, 80u, 128u})
            for (const std::size_t k : {1u, 3u, 64u, 65u})
                for (const bool accumulate : {false, true}) {
                    const std::size_t aStride = k + 3, bStride = n + 16, cStride = n + 5;
                    const std::vector<float> a = randomFloats(m * aStride, 1);
                    const std::vector<float> b = randomFloats(k * bStride, 2);
                    std::vector<float> c(m * cStride, accumulate ? 1.5f : kNaN);
                    tile.multiply(c.data(), cStride, a.data(), aStride, b.data(), bStride, m, n, k,
                                  accumulate);
                    std::vector<float> got;
                    std::vector<double> want;
                    for (std::size_t i = 0; i < m; ++i)
                        for (std::size_t j = 0; j < cStride; ++j) {
                            if (j >= n) { // nothing beside the result may be touched
                                const float v = c[i * cStride + j];
                                ASSERT_TRUE(accumulate ? v == 1.5f : std::isnan(v));
                                continue;
                            }
                            double sum = accumulate ? 1.5 : 0;
                            for (std::size_t l = 0; l < k; ++l)
                                sum += static_cast<double>(a[i * aStride + l]) * b[l * bStride + j];
                            got.push_back(c[i * cStride + j]);
                            want.push_back(sum);
                        }
                    ASSERT_LE(reference::relativeError(got, want), 1e-6)
                        << m << "x" << n << "x" << k;
                }
}

struct Format
{
    const char *name;
    std::size_t step;
    CacheKernels kernels;
    std::vector<std::byte> (*encode)(const std::vector<float> &);
    double (*decoded)(float);
};

std::vector<std::byte> encodeF32(const std::vector<float> &x)
{
    std::vector<std::byte> bytes(x.size() * 4);
    std::memcpy(bytes.data(), x.data(), bytes.size());
    return bytes;
}

std::vector<std::byte> encodeF16(const std::vector<float> &x)
{
    std::vector<std::byte> bytes(x.size() * 2);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::uint16_t h = floatToHalf(x[i]);
        std::memcpy(bytes.data() + 2 * i, &h, 2);
    }
    return bytes;
}

/// Integers from −127 to 127 with a scale of ¼: exact, so that equality can be asked for.
std::vector<std::byte> encodeQ8(const std::vector<float> &x)
{
    std::vector<std::byte> bytes(x.size() / 32 * sizeof(BlockQ8_0));
    for (std::size_t i = 0; i < x.size() / 32; ++i) {
        BlockQ8_0 block;
        block.d = floatToHalf(0.25f);
        for (std::size_t j = 0; j < 32; ++j)
            block.qs[j] = static_cast<std::int8_t>(x[i * 32 + j] * 40);
        std::memcpy(bytes.data() + i * sizeof block, &block, sizeof block);
    }
    return bytes;
}

std::vector<Format> formats()
{
    const TileKernels &t = tileKernels();
    return {{"F32", 1, t.f32, encodeF32, [](float x) { return double{x}; }},
            {"F16", 1, t.f16, encodeF16, [](float x) { return reference::roundToHalf(x); }},
            {"Q8_0", 32, t.q8_0, encodeQ8,
             [](float x) { return 0.25 * static_cast<std::int8_t>(x * 40); }}};
}

TEST_P(TileKernelsTest, LoadsKeysTransposedAndValues)
{
    for (const Format &format : formats())
        for (const std::size_t dim : {1u, 8u, 17u, 32u, 64u, 80u, 96u, 128u, 256u}) {
            if (dim % format.step != 0)
                continue;
            for (const std::size_t count : {1u, 2u, 15u, 16u, 33u, 63u, 64u}) {
                const std::vector<float> x = randomFloats(count * dim, 9, 0.7f);
                const std::vector<std::byte> rows = format.encode(x); // exact size: reads show up
                std::vector<float> keys(dim * kTileKeys, kNaN);
                format.kernels.loadKeys(keys.data(), rows.data(), count, dim);
                const std::size_t stride = (dim + kTileStep - 1) / kTileStep * kTileStep;
                std::vector<float> values(count * stride, kNaN);
                format.kernels.loadValues(values.data(), stride, rows.data(), count, dim);
                const std::size_t padded = (count + kTileStep - 1) / kTileStep * kTileStep;
                for (std::size_t d = 0; d < stride; ++d)
                    for (std::size_t k = 0; k < padded; ++k) {
                        const bool real = k < count && d < dim;
                        const double want = real ? format.decoded(x[k * dim + d]) : 0;
                        if (d < dim) {
                            ASSERT_EQ(keys[d * kTileKeys + k], want) << format.name << " " << dim;
                        }
                        if (k < count) {
                            ASSERT_EQ(values[k * stride + d], want) << format.name << " " << dim;
                        }
                    }
            }
        }
}

/// Few queries with rows as they lie: sums to within what F32 rounds, nothing written elsewhere.
TEST_P(TileKernelsTest, ScoresAndValuesWithoutTiles)
{
    for (const Format &format : formats())
        for (const std::size_t dim : {1u, 8u, 17u, 32u, 40u, 64u, 80u, 96u, 128u, 256u})
            for (const std::size_t count : {1u, 2u, 3u, 16u, 33u, 64u})
                for (const std::size_t m : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 13u, 16u}) {
                    if (dim % format.step != 0)
                        continue;
                    const std::string what = std::string(format.name) + " " + std::to_string(m) +
                                             "x" + std::to_string(count) + "x" +
                                             std::to_string(dim);
                    const std::vector<float> x = randomFloats(count * dim, 9, 0.7f);
                    const std::vector<std::byte> rows = format.encode(x); // exact size
                    const std::vector<float> queries = randomFloats(m * dim, 3);
                    const std::size_t stride = count + 3;
                    std::vector<float> scores(m * stride, kNaN);
                    format.kernels.scores(scores.data(), stride, queries.data(), m, rows.data(),
                                          count, dim);
                    // All columns, or fewer where whole blocks of them are left
                    const std::size_t n = dim > 64 ? 64 : dim, outStride = (n + 15) / 16 * 16;
                    std::vector<float> out(m * outStride, 1.5f);
                    const std::vector<float> weights = randomFloats(m * stride, 4);
                    format.kernels.addValues(out.data(), outStride, weights.data(), stride, m,
                                             rows.data(), count, dim, n);
                    std::vector<float> got;
                    std::vector<double> want;
                    for (std::size_t q = 0; q < m; ++q) {
                        for (std::size_t i = 0; i < stride; ++i) {
                            if (i >= count) {
                                ASSERT_TRUE(std::isnan(scores[q * stride + i])) << what;
                                continue;
                            }
                            double sum = 0;
                            for (std::size_t d = 0; d < dim; ++d)
                                sum += static_cast<double>(queries[q * dim + d]) *
                                       format.decoded(x[i * dim + d]);
                            got.push_back(scores[q * stride + i]);
                            want.push_back(sum);
                        }
                        for (std::size_t d = 0; d < n; ++d) {
                            double sum = 1.5;
                            for (std::size_t i = 0; i < count; ++i)
                                sum += static_cast<double>(weights[q * stride + i]) *
                                       format.decoded(x[i * dim + d]);
                            got.push_back(out[q * outStride + d]);
                            want.push_back(sum);
                        }
                    }
                    ASSERT_LE(reference::relativeError(got, want), 1e-6) << what;
                }
}

} // namespace
} // namespace fireside
