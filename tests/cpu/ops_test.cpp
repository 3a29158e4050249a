#include "engine/backend/not_finite.h"
#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/row_ops.h"

#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fireside {
namespace {

using CpuOpsTest = IsaTest;
FIRESIDE_EVERY_ISA(CpuOpsTest);

constexpr std::size_t kRows[] = {0, 1, 3, 33};
constexpr std::size_t kWidths[] = {1, 3, 31, 33, 257, 2048};

/// [rows, n] taken out of [rows, stride].
std::vector<float> compact(const std::vector<float> &x, std::size_t stride, std::size_t n)
{
    std::vector<float> out;
    for (std::size_t i = 0; i + stride <= x.size(); i += stride)
        out.insert(out.end(), x.begin() + static_cast<std::ptrdiff_t>(i),
                   x.begin() + static_cast<std::ptrdiff_t>(i + n));
    return out;
}

TEST_P(CpuOpsTest, RmsNorm)
{
    ThreadPool pool(3);
    for (const std::size_t T : kRows)
        for (const std::size_t n : kWidths) {
            const std::size_t xStride = n + 3, outStride = n + 1;
            const std::vector<float> x = randomFloats(T * xStride, 1, 3), w = randomFloats(n, 2);
            std::vector<float> out(T * outStride, kNaN);
            cpu::rmsNorm(pool, {x.data(), xStride, T, n}, w.data(), 1e-5f,
                         {out.data(), outStride, T, n});
            const auto want = reference::rmsNorm(compact(x, xStride, n), w, 1e-5f);
            EXPECT_LE(reference::relativeError(compact(out, outStride, n), want), 1e-6) << T << n;
            for (std::size_t t = 0; t < T; ++t)
                EXPECT_TRUE(std::isnan(out[t * outStride + n])) << "wrote beside the row";
        }
}

TEST_P(CpuOpsTest, RmsNormOfZerosIsZero)
{
    ThreadPool pool(1);
    const std::vector<float> x(40, 0.0f), w(40, 2.0f);
    std::vector<float> out(40, kNaN);
    cpu::rmsNorm(pool, {x.data(), 40, 1, 40}, w.data(), 1e-6f, {out.data(), 40, 1, 40});
    for (const float v : out)
        EXPECT_EQ(v, 0.0f);
}

TEST_P(CpuOpsTest, L2OfATinyRow)
{
    // Their squares are multiples of the smallest float, the sum of which is a fifth of a percent
    // off.
    ThreadPool pool(1);
    const std::vector<float> x{3e-22f, 4e-22f};
    std::vector<float> out(2, kNaN);
    cpu::l2Normalize(pool, {x.data(), 2, 1, 2}, {out.data(), 2, 1, 2});
    EXPECT_NEAR(out[0], 0.6f, 1e-6f);
    EXPECT_NEAR(out[1], 0.8f, 1e-6f);
}

TEST_P(CpuOpsTest, PadFillsWithZeros)
{
    ThreadPool pool(2);
    const std::vector<float> x{1, 2, 3};
    const cpu::RowSpan items[] = {{0, 1}, {1, 2}};
    std::vector<float> out(4, kNaN);
    cpu::pad(pool, {x.data(), 1, 3, 1}, items, {out.data(), 1, 4, 1});
    EXPECT_EQ(out, (std::vector<float>{1, 0, 2, 3}));
}

TEST_P(CpuOpsTest, HeadNorm)
{
    ThreadPool pool(2);
    for (const std::size_t T : kRows)
        for (const std::size_t D : {32u, 80u, 128u}) {
            const std::size_t heads = 5, stride = heads * D + 7;
            std::vector<float> x = randomFloats(T * stride, 3);
            const std::vector<float> w = randomFloats(D, 4);
            const auto want = reference::rmsNorm(compact(x, stride, heads * D), w, 1e-6);
            const cpu::FloatRows rows{x.data(), stride, T, heads * D};
            cpu::transformHeads(pool, asInput(rows), heads, {w.data(), 1e-6f},
                                HeadOrder::TokenMajor, rows);
            EXPECT_LE(reference::relativeError(compact(x, stride, heads * D), want), 1e-6);
        }
}

TEST_P(CpuOpsTest, RopeBothPairingsPartialAndScaled)
{
    ThreadPool pool(2);
    for (const RopePairing pairing : {RopePairing::HalfSplit, RopePairing::Interleaved})
        for (const std::size_t T : {0u, 1u, 3u, 40u})
            for (const std::size_t D : {32u, 64u, 80u, 128u})
                for (const std::size_t rotary : {D, D / 2}) {
                    const std::size_t heads = 3, stride = heads * D + 5;
                    Rope rope;
                    rope.pairing = pairing;
                    rope.attentionFactor = rotary == D ? 1.0f : 1.19f;
                    for (std::size_t i = 0; i < rotary / 2; ++i)
                        rope.inverseFrequencies.push_back(std::pow(
                            1e4f, -2.0f * static_cast<float>(i) / static_cast<float>(rotary)));
                    std::vector<std::int32_t> positions;
                    for (std::size_t t = 0; t < T; ++t) // unordered and far out
                        positions.push_back(static_cast<std::int32_t>((t * 7919) % 131072));
                    std::vector<float> x = randomFloats(T * stride, 5);
                    const auto want = reference::rope(
                        compact(x, stride, heads * D), positions, heads, D, rope.inverseFrequencies,
                        pairing == RopePairing::Interleaved, rope.attentionFactor);
                    std::vector<float> table(T * rotary, kNaN);
                    cpu::ropeTable(pool, rope, positions, table.data());
                    const cpu::FloatRows rows{x.data(), stride, T, heads * D};
                    cpu::transformHeads(pool, asInput(rows), heads,
                                        {nullptr, 0, table.data(), rotary / 2, 0, pairing},
                                        HeadOrder::TokenMajor, rows);
                    EXPECT_LE(reference::relativeError(compact(x, stride, heads * D), want), 1e-6);
                }
}

TEST_P(CpuOpsTest, AppendKvRoundsAndPlacesRows)
{
    ThreadPool pool(2);
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        for (const std::size_t rows : {0u, 1u, 5u, 70u})
            for (const std::size_t D : {32u, 64u, 96u, 128u}) {
                const std::size_t heads = 3, past = 4, capacity = past + rows + 2;
                const std::size_t stride = heads * D + 9, rowSize = rowBytes(type, D);
                std::vector<float> k = randomFloats(rows * stride, 6, 2);
                const std::vector<float> v = randomFloats(rows * stride, 7, 0.01f);
                if (rows > 0)
                    std::fill_n(k.begin(), 32, 0.0f); // a block of zeros has scale 0
                std::vector<std::byte> keys(heads * capacity * rowSize, std::byte{0xaa});
                std::vector<std::byte> values = keys;
                const cpu::KvView cache{keys.data(), values.data(), type, heads, capacity, D};
                cpu::appendKv(pool, cache, {k.data(), stride, rows, heads * D},
                              {v.data(), stride, rows, heads * D}, past);
                for (std::size_t h = 0; h < heads; ++h)
                    for (std::size_t p = 0; p < capacity; ++p) {
                        const std::byte *key = keys.data() + (h * capacity + p) * rowSize;
                        const std::byte *value = values.data() + (h * capacity + p) * rowSize;
                        if (p < past || p >= past + rows) {
                            for (std::size_t b = 0; b < rowSize; ++b)
                                ASSERT_TRUE(key[b] == std::byte{0xaa} && value[b] == key[b]);
                            continue;
                        }
                        const std::size_t from = (p - past) * stride + h * D;
                        for (const auto &[bytes, x] :
                             {std::pair<const std::byte *, const float *>{key, &k[from]},
                              {value, &v[from]}}) {
                            const std::span<const float> row(x, D);
                            const std::vector<double> q8 = reference::roundToQ8_0(row);
                            for (std::size_t d = 0; d < D; ++d) {
                                double got = 0, want = row[d];
                                if (type == DType::F32) {
                                    float f;
                                    std::memcpy(&f, bytes + d * 4, 4);
                                    got = f;
                                } else if (type == DType::F16) {
                                    std::uint16_t half;
                                    std::memcpy(&half, bytes + d * 2, 2);
                                    got = halfToFloat(half);
                                    want = reference::roundToHalf(row[d]);
                                } else {
                                    BlockQ8_0 block;
                                    std::memcpy(&block, bytes + d / 32 * sizeof block,
                                                sizeof block);
                                    got = double{halfToFloat(block.d)} * block.qs[d % 32];
                                    want = q8[d];
                                }
                                ASSERT_EQ(got, want) << name(type) << " " << d;
                            }
                        }
                    }
            }
}

TEST_P(CpuOpsTest, BrokenActivationsStayVisibleInAQuantisedCache)
{
    ThreadPool pool(1);
    for (const float broken : {kNaN, kInfinity, -kInfinity}) {
        std::vector<float> k(64, 1.0f);
        k[40] = broken;
        std::vector<std::byte> keys(68), values(68);
        const cpu::KvView cache{keys.data(), values.data(), DType::Q8_0, 1, 1, 64};
        cpu::appendKv(pool, cache, {k.data(), 64, 1, 64}, {k.data(), 64, 1, 64}, 0);
        BlockQ8_0 blocks[2];
        std::memcpy(blocks, keys.data(), sizeof blocks);
        EXPECT_EQ(halfToFloat(blocks[0].d) * static_cast<float>(blocks[0].qs[0]),
                  127.0f * halfToFloat(floatToHalf(1.0f / 127)));
        EXPECT_FALSE(std::isfinite(halfToFloat(blocks[1].d) * static_cast<float>(blocks[1].qs[8])));
    }
}

TEST_P(CpuOpsTest, ArgmaxFirstWinsAndOfFiniteRowsAlone)
{
    ThreadPool pool(2);
    const auto one = [&pool](const std::vector<float> &x) {
        std::int32_t id = -1;
        cpu::argmax(pool, {x.data(), x.size(), 1, x.size()}, {&id, 1, 1, 1});
        return id;
    };
    EXPECT_EQ(one({3}), 0);
    EXPECT_EQ(one({1, 5, 5, 2}), 1);
    for (const float broken : {kNaN, kInfinity, -kInfinity}) {
        EXPECT_EQ(one({broken}), kNotFinite);
        EXPECT_EQ(one({1, 7, broken}), kNotFinite);
        EXPECT_EQ(one({broken, 7, 1}), kNotFinite);
        std::vector<float> x = randomFloats(5000, 8);
        x[1023] = broken;
        EXPECT_EQ(one(x), kNotFinite);
    }
    const float most = std::numeric_limits<float>::max();
    EXPECT_EQ(one({-most, most, -most}), 1);
    EXPECT_EQ(one({-most, -most}), 0);
    for (const std::size_t n : {31u, 257u, 1024u, 1025u, 5000u})
        for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
            std::vector<float> x = randomFloats(n, 8);
            x[place] = 100;
            if (place + 1 < n)
                x[n - 1] = 100; // a later equal one must lose
            EXPECT_EQ(one(x), static_cast<std::int32_t>(place)) << n;
        }
    const std::size_t rows = 7, n = 100, stride = 111;
    std::vector<float> x = randomFloats(rows * stride, 9);
    for (std::size_t r = 0; r < rows; ++r)
        x[r * stride + 13 * r] = 50;
    std::vector<std::int32_t> ids(rows, -1);
    cpu::argmax(pool, {x.data(), stride, rows, n}, {ids.data(), 1, rows, 1});
    for (std::size_t r = 0; r < rows; ++r)
        EXPECT_EQ(ids[r], static_cast<std::int32_t>(13 * r));
    cpu::argmax(pool, {x.data(), stride, 0, n}, {nullptr, 1, 0, 1});
}

TEST_P(CpuOpsTest, Activations)
{
    const std::vector<float> gate = randomFloats(333, 10, 4), up = randomFloats(333, 11);
    using Reference = double (*)(double);
    const std::pair<Activation, Reference> gates[] = {{Activation::SiLU, reference::silu},
                                                      {Activation::GeluErf, reference::geluErf},
                                                      {Activation::GeluTanh, reference::geluTanh}};
    for (const auto &[which, function] : gates) {
        std::vector<double> want(gate.size());
        for (std::size_t i = 0; i < gate.size(); ++i)
            want[i] = function(gate[i]) * up[i];
        std::vector<float> out = gate; // in place
        cpu::gateFunction(which)(out.data(), out.data(), up.data(), out.size());
        EXPECT_LE(reference::relativeError(out, want), 1e-6);
    }
}

} // namespace
} // namespace fireside
