// What the conformance suite does not see of experts and heads: every instruction set, few and many
// threads, ids that nobody should send.
#include "engine/cpu/ops/expert_ops.h"

#include "engine/cpu/ops/row_ops.h"
#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"
#include "tests/support/weight_reference.h"

#include <algorithm>
#include <memory>

namespace fireside {
namespace {

using CpuExpertsTest = IsaTest;
FIRESIDE_EVERY_ISA(CpuExpertsTest);

constexpr DType kTypes[] = {DType::F32, DType::F16, DType::Q8_0, DType::Q4_K};

/// `depth` matrices of random weights with their values.
class Matrices
{
public:
    Matrices(DType type, std::size_t rows, std::size_t cols, std::size_t depth, unsigned seed)
        : m_rows(rows)
        , m_cols(cols)
    {
        std::mt19937 random(seed);
        for (std::size_t r = 0; r < rows * depth; ++r) {
            const auto row = test::randomRow(type, cols, random);
            m_bytes.insert(m_bytes.end(), row.begin(), row.end());
            for (std::size_t c = 0; c < cols; ++c)
                m_values.push_back(test::weightAt(type, row.data(), c));
        }
        const auto n = [](std::size_t v) { return static_cast<std::int64_t>(v); };
        weight = std::make_unique<cpu::CpuWeight>(WeightSource{.name = "w",
                                                               .dtype = type,
                                                               .rows = n(rows),
                                                               .cols = n(cols),
                                                               .depth = n(depth),
                                                               .bytes = m_bytes});
    }
    double dot(std::size_t e, std::size_t row, const float *x) const
    {
        double sum = 0;
        for (std::size_t c = 0; c < m_cols; ++c)
            sum += m_values[(e * m_rows + row) * m_cols + c] * static_cast<double>(x[c]);
        return sum;
    }
    std::unique_ptr<cpu::CpuWeight> weight;

private:
    std::size_t m_rows, m_cols;
    std::vector<std::byte> m_bytes;
    std::vector<double> m_values;
};

double tolerance(DType type)
{
    return isFloatType(type) ? 1e-5 : 2e-2;
}

/// Ids of `used` different experts for each token; now and then one that does not exist.
std::vector<std::int32_t> someIds(std::size_t T, std::size_t used, std::int32_t experts)
{
    std::mt19937 random(3);
    std::vector<std::int32_t> all(static_cast<std::size_t>(experts)), ids;
    for (std::int32_t e = 0; e < experts; ++e)
        all[static_cast<std::size_t>(e)] = e;
    for (std::size_t t = 0; t < T; ++t) {
        std::shuffle(all.begin(), all.end(), random);
        ids.insert(ids.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used));
        if (t % 4 == 1)
            ids.back() = t % 8 == 1 ? -1 : experts;
    }
    return ids;
}

TEST_P(CpuExpertsTest, GateAndDownForFewTokensAndForMany)
{
    constexpr std::size_t in = 256, ffn = 70, used = 3;
    for (const DType type : kTypes)
        for (const auto &[T, experts] :
             {std::pair{0u, 5u}, {1u, 5u}, {2u, 16u}, {9u, 5u}, {40u, 4u}}) {
            const Matrices gate(type, ffn, in, experts, 1), up(type, ffn, in, experts, 2);
            const Matrices bias(DType::F16, 1, ffn, experts, 4);
            std::vector<float> x = randomFloats(T * (in + 3), 4);
            auto ids = someIds(T, used, static_cast<std::int32_t>(experts));
            std::vector<double> want;
            for (std::size_t t = 0; t < T; ++t)
                for (std::size_t j = 0; j < used; ++j)
                    for (std::size_t r = 0; r < ffn; ++r) {
                        const std::int32_t id = ids[t * used + j];
                        const auto e = static_cast<std::size_t>(id);
                        if (id < 0 || e >= experts) {
                            want.push_back(0);
                            continue;
                        }
                        const float *row = &x[t * (in + 3)];
                        const double offset = static_cast<double>(bias.weight->vector(id)[r]);
                        want.push_back(reference::silu(gate.dot(e, r, row) + offset) *
                                       up.dot(e, r, row));
                    }
            for (const int threads : {1, 3}) {
                ThreadPool pool(threads);
                cpu::LinearScratch scratch;
                cpu::ExpertScratch work;
                std::vector<float> out(T * used * ffn, kNaN);
                cpu::expertGatedLinear(pool, scratch, work, {x.data(), in + 3, T, in},
                                       {ids.data(), used, T, used},
                                       {gate.weight.get(), *up.weight, bias.weight.get(), nullptr,
                                        cpu::gateFunction(Activation::SiLU)},
                                       {out.data(), ffn, T * used, ffn});
                if (T > 0) {
                    EXPECT_LE(reference::relativeError(out, want), tolerance(type))
                        << name(type) << " T " << T;
                }
            }
        }
}

TEST_P(CpuExpertsTest, WeightedSumsForFewTokensAndForMany)
{
    constexpr std::size_t ffn = 256, n = 150, used = 3;
    for (const DType type : kTypes)
        for (const auto &[T, experts] :
             {std::pair{0u, 5u}, {1u, 5u}, {2u, 16u}, {9u, 5u}, {40u, 4u}}) {
            const Matrices down(type, n, ffn, experts, 1), bias(DType::F32, 1, n, experts, 2);
            const std::vector<float> x = randomFloats(T * used * ffn, 4);
            const std::vector<float> shares = randomFloats(T * used, 5);
            auto ids = someIds(T, used, static_cast<std::int32_t>(experts));
            if (T == 40)
                ids[7 * used] = ids[7 * used + 1] = 2; // one expert twice
            for (const bool add : {false, true}) {
                const std::vector<float> before = randomFloats(T * n, 6);
                std::vector<double> want;
                for (std::size_t t = 0; t < T; ++t)
                    for (std::size_t r = 0; r < n; ++r) {
                        double sum = add ? static_cast<double>(before[t * n + r]) : 0;
                        for (std::size_t j = 0; j < used; ++j) {
                            const std::size_t pair = t * used + j;
                            const std::int32_t id = ids[pair];
                            const auto e = static_cast<std::size_t>(id);
                            if (id >= 0 && e < experts)
                                sum += static_cast<double>(shares[pair]) *
                                       (down.dot(e, r, &x[pair * ffn]) +
                                        static_cast<double>(bias.weight->vector(id)[r]));
                        }
                        want.push_back(sum);
                    }
                for (const int threads : {1, 3}) {
                    ThreadPool pool(threads);
                    cpu::LinearScratch scratch;
                    cpu::ExpertScratch work;
                    std::vector<float> out = add ? before : std::vector<float>(T * n, kNaN);
                    cpu::expertLinear(pool, scratch, work, {x.data(), ffn, T * used, ffn},
                                      {ids.data(), used, T, used}, {shares.data(), used, T, used},
                                      *down.weight, bias.weight.get(), {out.data(), n, T, n}, add);
                    if (T > 0) {
                        EXPECT_LE(reference::relativeError(out, want), tolerance(type))
                            << name(type) << " T " << T << " add " << add;
                    }
                }
            }
        }
}

TEST_P(CpuExpertsTest, HeadsWithAMatrixEach)
{
    constexpr std::size_t heads = 3, in = 256, outs = 37;
    for (const DType type : kTypes)
        for (const std::size_t T : {0u, 1u, 4u, 5u, 33u}) {
            const Matrices w(type, outs, in, heads, 1);
            const std::size_t stride = heads * in + 5, outStride = heads * outs + 2;
            const std::vector<float> x = randomFloats(T * stride, 2);
            std::vector<double> want;
            for (std::size_t t = 0; t < T; ++t)
                for (std::size_t h = 0; h < heads; ++h)
                    for (std::size_t r = 0; r < outs; ++r)
                        want.push_back(w.dot(h, r, &x[t * stride + h * in]));
            ThreadPool pool(3);
            cpu::LinearScratch scratch;
            std::vector<float> out(T * outStride, kNaN), got;
            cpu::headLinear(pool, scratch, {x.data(), stride, T, heads * in}, *w.weight,
                            {out.data(), outStride, T, heads * outs}, {in, outs});
            for (std::size_t t = 0; t < T; ++t) {
                got.insert(got.end(), &out[t * outStride], &out[t * outStride] + heads * outs);
                EXPECT_TRUE(std::isnan(out[t * outStride + heads * outs]));
            }
            if (T > 0) {
                EXPECT_LE(reference::relativeError(got, want), tolerance(type)) << name(type);
            }
        }
}

} // namespace
} // namespace fireside
