#include "tests/conformance/products.h"
#include "tests/support/reference_rows.h"

// Blocks with a state that goes on from pass to pass.
namespace fireside::conformance {
namespace {

using RecurrentTest = OpTest;

const std::vector<std::vector<std::int64_t>> kSequenceLengths = {
    {1}, {2, 1}, {33}, {5, 0, 7, 1}, {1, 1, 1, 1, 1}, {64, 3}};

BatchPlan sequencePlan(const std::vector<std::int64_t> &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths)
        plan.item(length);
    return plan;
}

std::string text(const std::vector<std::int64_t> &lengths)
{
    std::string list;
    for (const std::int64_t length : lengths)
        list += (list.empty() ? "" : ", ") + std::to_string(length);
    return "items of " + list;
}

TEST_P(RecurrentTest, ShortConvolution)
{
    const bool half = bench.has(DType::F16);
    unsigned turn = 0;
    for (const auto &lengths : kSequenceLengths)
        for (const std::int64_t taps : {1, 2, 3, 4})
            for (const std::int64_t channels : {1, 33, 256}) {
                const unsigned pick = turn++;
                const DType from = half && pick % 2 == 1 ? DType::F16 : DType::F32;
                const DType to = half && pick % 3 == 1 ? DType::F16 : DType::F32;
                const TestWeight &weight = bench.weight(DType::F32, channels, taps);
                const TestWeight *const bias =
                    pick % 4 == 2 ? &bench.weight(DType::F32, 1, channels) : nullptr;
                const BatchPlan plan = sequencePlan(lengths);
                const auto items = static_cast<std::int64_t>(lengths.size());
                bench.start("shortConvolution",
                            text(lengths) + " rows, " + std::to_string(taps) + " taps, " +
                                std::to_string(channels) + " channels" + (bias ? " bias" : ""),
                            typesText({from, to}), plan);
                const Matrix x = bench.numbers(plan.rows(), channels, from);
                const Matrix before = bench.numbers(items * (taps - 1), channels);
                const Tensor input = bench.in(x, from);
                const Tensor state = bench.in(before, DType::F32, {4, 0});
                const Tensor out = bench.out(plan.rows(), channels, to);
                if (!bench.run([&](Commands &c) {
                        c.shortConvolution(input, *weight.weight,
                                           bias ? bias->weight.get() : nullptr, state, out);
                    }))
                    continue;
                const std::vector<float> w(weight.values.begin(), weight.values.end());
                const std::vector<float> b =
                    bias ? std::vector<float>(bias->values.begin(), bias->values.end())
                         : std::vector<float>();
                std::vector<double> after = doubles(before);
                auto reference = reference::shortConvolution(
                    x.v, w, b, static_cast<std::size_t>(channels), lengths, after);
                bench.expect(out, std::move(reference), bench.target().tolerance({from, to}));
                bench.expect(state, std::move(after), 1e-6);
            }
}

TEST_P(RecurrentTest, GatedDeltaRule)
{
    const bool half = bench.has(DType::F16);
    unsigned turn = 0;
    for (const auto &lengths : kSequenceLengths)
        for (const auto &[heads, dk, dv] : std::initializer_list<std::array<std::int64_t, 3>>{
                 {1, 1, 1}, {2, 32, 32}, {3, 33, 17}, {2, 128, 128}, {4, 64, 128}}) {
            const DType type = half && turn++ % 2 == 1 ? DType::F16 : DType::F32;
            const BatchPlan plan = sequencePlan(lengths);
            const std::int64_t T = plan.rows();
            bench.start("gatedDeltaRule",
                        text(lengths) + " rows, " + std::to_string(heads) + " heads of " +
                            std::to_string(dk) + "/" + std::to_string(dv),
                        typesText({type}), plan);
            // Keys of length one, as models make them: else the state grows without bound.
            const float unit = 1 / std::sqrt(static_cast<float>(dk));
            const Matrix q = bench.numbers(T, heads * dk, type, unit);
            const Matrix k = bench.numbers(T, heads * dk, type, 0.7f * unit);
            const Matrix v = bench.numbers(T, heads * dv, type);
            Matrix g = bench.numbers(T, heads), beta = bench.numbers(T, heads);
            for (float &value : g.v)
                value = -std::fabs(value) * 0.2f;
            for (float &value : beta.v)
                value = 1 / (1 + std::exp(-value));
            const Matrix before =
                bench.numbers(static_cast<std::int64_t>(lengths.size()) * heads * dk, dv);
            const Tensor qs = bench.in(q, type), ks = bench.in(k, type), vs = bench.in(v, type);
            const Tensor gs = bench.in(g, DType::F32), betas = bench.in(beta, DType::F32);
            const Tensor state = bench.in(before, DType::F32, {4, 0});
            const Tensor out = bench.out(T, heads * dv, type);
            if (!bench.run([&, count = heads](Commands &c) {
                    c.gatedDeltaRule(qs, ks, vs, gs, betas, count, state, out);
                }))
                continue;
            std::vector<double> after = doubles(before);
            auto reference = reference::gatedDeltaRule(
                q.v, k.v, v.v, g.v, beta.v, static_cast<std::size_t>(heads), lengths, after);
            bench.expect(out, std::move(reference), bench.target().tolerance({type}));
            bench.expect(state, std::move(after), 1e-5);
        }
}

FIRESIDE_ON_EVERY_DEVICE(RecurrentTest);

} // namespace
} // namespace fireside::conformance
