#include "tests/conformance/products.h"
#include "tests/support/reference_rows.h"

// Blocks with a state that goes on from pass to pass.
namespace fireside::conformance {
namespace {

using RecurrentTest = OpTest;

using ItemRows = std::vector<std::int64_t>; // rows of the items of a pass
const std::vector<ItemRows> kItemRows = {{1}, {2, 1}, {33}, {5, 0, 7, 1}, {1, 1, 1, 1, 1}, {64, 3}};

BatchPlan planOf(const std::vector<std::int64_t> &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths)
        plan.item(length);
    return plan;
}

Option<ItemRows> lengthsOf(Cases &cases)
{
    std::vector<std::string> texts;
    for (const ItemRows &lengths : kItemRows) {
        std::string list;
        for (const std::int64_t length : lengths)
            list += (list.empty() ? "" : "+") + std::to_string(length);
        texts.push_back(std::move(list));
    }
    return cases.option("items of", kItemRows, std::move(texts));
}

TEST_P(RecurrentTest, ShortConvolution)
{
    const std::vector<DType> stored{DType::F32, DType::F16, DType::BF16};
    Cases cases("shortConvolution");
    const auto lengths = lengthsOf(cases);
    const auto taps = cases.option<std::int64_t>("taps", {1, 2, 3, 4, 5, 16, 33, 64});
    const auto channels = cases.option<std::int64_t>("channels", {1, 33, 256});
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto weightType = cases.option("weight", stored);
    const auto biased = cases.option("biased");
    const auto biasType = cases.option("bias", stored);
    for (const Pick &pick : bench.draw(cases, 10)) {
        const std::int64_t K = pick[taps], C = pick[channels];
        const TestWeight &weight = bench.weight(pick[weightType], C, K);
        const TestWeight *const bias = pick[biased] ? &bench.weight(pick[biasType], 1, C) : nullptr;
        const BatchPlan plan = planOf(pick[lengths]);
        bench.start(pick, plan);
        const Matrix x = bench.numbers(plan.rows(), C, pick[from]);
        const Matrix before =
            bench.numbers(static_cast<std::int64_t>(pick[lengths].size()) * (K - 1), C);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor state = bench.in(before, DType::F32, {4, 0});
        const Tensor out = bench.out(plan.rows(), C, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::ShortConvolution{input, *weight.weight,
                                              bias ? bias->weight.get() : nullptr, state, out});
            }))
            continue;
        const std::vector<float> w(weight.values.begin(), weight.values.end());
        const std::vector<float> b =
            bias ? std::vector<float>(bias->values.begin(), bias->values.end())
                 : std::vector<float>();
        std::vector<double> after = doubles(before);
        auto reference = reference::shortConvolution(x.v, w, b, static_cast<std::size_t>(C),
                                                     pick[lengths], after);
        bench.expect(out, std::move(reference), bench.target().tolerance({pick[from], pick[into]}));
        bench.expect(state, std::move(after), 1e-6);
    }
}

struct Heads
{
    std::int64_t count, keys, values;
};
std::string valueText(const Heads &h)
{
    return std::to_string(h.count) + " of " + std::to_string(h.keys) + "/" +
           std::to_string(h.values);
}

TEST_P(RecurrentTest, GatedDeltaRule)
{
    Cases cases("gatedDeltaRule");
    const auto lengths = lengthsOf(cases);
    std::vector<Heads> all{{1, 1, 1}, {2, 32, 32}, {3, 33, 17}, {2, 128, 128}, {4, 64, 128}};
    // Loops over keys are unrolled: where pipelines are compiled for a CPU, these take half a
    // minute.
    if (bench.target().thorough())
        all.insert(all.end(), {{2, 257, 40}, {1, 512, 64}});
    const auto heads = cases.option("heads", all);
    // Of queries, keys and values, and of the result.
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    for (const Pick &pick : bench.draw(cases, 8)) {
        const auto [H, dk, dv] = pick[heads];
        const DType type = pick[from];
        const BatchPlan plan = planOf(pick[lengths]);
        const std::int64_t T = plan.rows();
        bench.start(pick, plan);
        // Keys of length one, as models make them: else the state grows without bound.
        const float unit = 1 / std::sqrt(static_cast<float>(dk));
        const Matrix q = bench.numbers(T, H * dk, type, unit);
        const Matrix k = bench.numbers(T, H * dk, type, 0.7f * unit);
        const Matrix v = bench.numbers(T, H * dv, type);
        Matrix g = bench.numbers(T, H), beta = bench.numbers(T, H);
        for (float &value : g.v)
            value = -std::fabs(value) * 0.2f;
        for (float &value : beta.v)
            value = 1 / (1 + std::exp(-value));
        const Matrix before =
            bench.numbers(static_cast<std::int64_t>(pick[lengths].size()) * H * dk, dv);
        const Tensor qs = bench.in(q, type), ks = bench.in(k, type), vs = bench.in(v, type);
        const Tensor gs = bench.in(g, DType::F32), betas = bench.in(beta, DType::F32);
        const Tensor state = bench.in(before, DType::F32, {4, 0});
        const Tensor out = bench.out(T, H * dv, pick[into]);
        if (!bench.run([&, count = H](Commands &c) {
                c.record(op::GatedDeltaRule{qs, ks, vs, gs, betas, count, state, out});
            }))
            continue;
        std::vector<double> after = doubles(before);
        auto reference = reference::gatedDeltaRule(
            q.v, k.v, v.v, g.v, beta.v, static_cast<std::size_t>(H), pick[lengths], after);
        bench.expect(out, std::move(reference), bench.target().tolerance({type, pick[into]}));
        bench.expect(state, std::move(after), 1e-5);
    }
}

FIRESIDE_ON_EVERY_DEVICE(RecurrentTest);

} // namespace
} // namespace fireside::conformance
