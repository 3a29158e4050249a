#include "tests/conformance/products.h"
#include "tests/conformance/sequences.h"
#include "tests/support/reference_rows.h"

// The gated delta rule.
namespace fireside::conformance {
namespace {

using GatedDeltaRuleTest = OpTest;

struct StateHeads
{
    std::int64_t count, keys, values;
};
std::string valueText(const StateHeads &h)
{
    return std::to_string(h.count) + " of " + std::to_string(h.keys) + "/" +
           std::to_string(h.values);
}

TEST_P(GatedDeltaRuleTest, GoesOnFromItsState)
{
    Cases cases("gatedDeltaRule");
    const auto lengths = cases.option("items of", kStateLengths);
    std::vector<StateHeads> all{{1, 1, 1}, {2, 32, 32}, {3, 33, 17}, {2, 128, 128}, {4, 64, 128}};
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
            bench.numbers(static_cast<std::int64_t>(pick[lengths].all.size()) * H * dk, dv);
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
            q.v, k.v, v.v, g.v, beta.v, static_cast<std::size_t>(H), pick[lengths].all, after);
        bench.expect(out, std::move(reference), bench.target().tolerance({type, pick[into]}));
        bench.expect(state, std::move(after), 1e-5);
    }
}

FIRESIDE_ON_EVERY_DEVICE(GatedDeltaRuleTest);

} // namespace
} // namespace fireside::conformance
