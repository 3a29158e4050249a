#include "tests/conformance/products.h"
#include "tests/conformance/states.h"
#include "tests/support/reference_rows.h"

// The gated delta rule.
namespace fireside::conformance {
namespace {

using GatedDeltaRuleTest = OpTest;

struct StateHeads
{
    std::int64_t keyHeads, count, keys, values;
};
std::string valueText(const StateHeads &h)
{
    return std::to_string(h.keyHeads) + "/" + std::to_string(h.count) + " of " +
           std::to_string(h.keys) + "/" + std::to_string(h.values);
}

TEST_P(GatedDeltaRuleTest, GoesOnFromItsState)
{
    Cases cases("gatedDeltaRule");
    const auto lengths = cases.option("items of", kStateLengths);
    std::vector<StateHeads> all{
        {1, 1, 1, 1}, {1, 2, 32, 32}, {3, 3, 33, 17}, {2, 4, 64, 128}, {2, 2, 128, 128}};
    // Loops over keys are unrolled: where pipelines are compiled for a CPU, these take half a
    // minute.
    if (bench.target().thorough())
        all.insert(all.end(), {{2, 2, 257, 40}, {1, 1, 512, 64}});
    const auto heads = cases.option("heads", all);
    // Of queries, keys and values, and of the result.
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto perChannel = cases.option("decay of channels");
    for (const Pick &pick : bench.draw(cases, 8)) {
        const auto [Hk, H, dk, dv] = pick[heads];
        const DType type = pick[from];
        ItemStates states(bench, pick[lengths], H * dk * dv);
        const std::int64_t T = states.plan.rows();
        for (int pass = 0; pass < 2; ++pass) {
            bench.start(pick, states.plan);
            // Keys of length one, as models make them: else the state grows without bound.
            const float unit = 1 / std::sqrt(static_cast<float>(dk));
            const Matrix q = bench.numbers(T, Hk * dk, type, unit);
            const Matrix k = bench.numbers(T, Hk * dk, type, 0.7f * unit);
            const Matrix v = bench.numbers(T, H * dv, type);
            Matrix g = bench.numbers(T, pick[perChannel] ? H * dk : H);
            Matrix beta = bench.numbers(T, H);
            for (float &value : g.v)
                value = -std::fabs(value) * 0.2f;
            for (float &value : beta.v)
                value = 1 / (1 + std::exp(-value));
            const Tensor qs = bench.in(q, type), ks = bench.in(k, type), vs = bench.in(v, type);
            const Tensor gs = bench.in(g, DType::F32), betas = bench.in(beta, DType::F32);
            const Tensor out = bench.out(T, H * dv, pick[into]);
            if (!bench.run([&, keyHeads = Hk, count = H](Commands &c) {
                    c.record(op::GatedDeltaRule{qs, ks, vs, gs, betas, keyHeads, count,
                                                ItemStates::kLayer, ItemStates::kOffset, out});
                }))
                break;
            auto reference = reference::gatedDeltaRule(
                q.v, k.v, v.v, g.v, beta.v, static_cast<std::size_t>(Hk),
                static_cast<std::size_t>(H), pick[lengths].all, states.all);
            bench.expect(out, std::move(reference), bench.target().tolerance({type, pick[into]}));
            bench.finish();
            states.check(bench, 1e-5);
        }
    }
}

FIRESIDE_ON_EVERY_DEVICE(GatedDeltaRuleTest);

} // namespace
} // namespace fireside::conformance
