#include "tests/conformance/experts.h"
#include "tests/support/reference_rows.h"

#include <utility>

// Gate and up of the experts of each token.
namespace fireside::conformance {
namespace {

const std::vector<Activation> kActivations{Activation::SiLU,          Activation::GeluErf,
                                           Activation::GeluTanh,      Activation::ReluSquared,
                                           Activation::ClampedSwiGlu, Activation::Relu};

class ExpertGatedLinearTest : public TypesTest
{
protected:
    /// The case has been started.
    void gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn, Activation act,
                   const ProductOptions &o, bool upBiased, bool hasGate,
                   const Routing *routing = nullptr);
};

void ExpertGatedLinearTest::gatedCase(const ExpertCase &s, std::int64_t in, std::int64_t ffn,
                                      Activation act, const ProductOptions &o, bool upBiased,
                                      bool hasGate, const Routing *routing)
{
    const TestWeight *const norm = o.normWeight(bench, in);
    const TestWeight &gate = bench.weight(type(), ffn, in, s.experts, 0);
    const TestWeight &up = bench.weight(type(), ffn, in, s.experts, 1);
    const TestWeight *const gateBias = biasOf(bench, hasGate && o.biased, o, ffn, s.experts, 5);
    const TestWeight *const upBias = biasOf(bench, upBiased, o, ffn, s.experts, 6);
    const Matrix logits =
        routing ? clearLogits(bench, s.T, s.experts, DType::F32, *routing, {}) : Matrix{};
    const auto routed =
        routing ? reference::route(logits.v, static_cast<std::size_t>(s.experts), *routing, {})
                : reference::Routed{};
    const auto ids = routing ? routed.ids : chosen(bench, s.T, s.k, s.live);
    const Matrix x = o.input(bench, s.T, in, inputScale(gate));
    const Tensor input = bench.in(x, o.x);
    const Tensor which = routing ? bench.idsOut(s.T, s.k) : bench.ids(ids, s.k);
    const Tensor scores = routing ? bench.in(logits, DType::F32, {0, 0}) : Tensor{};
    const Tensor shares = routing ? bench.out(s.T, s.k, DType::F32) : Tensor{};
    const Tensor out = bench.out(s.T * s.k, ffn, o.out);
    GatedWeights weights;
    weights.gate = hasGate ? gate.weight.get() : nullptr;
    weights.up = up.weight.get();
    weights.gateBias = weightOf(gateBias);
    weights.upBias = weightOf(upBias);
    const LinearInput from = inputOf(input, norm, o.eps);
    if (!bench.run([&](Commands &c) {
            if (routing)
                c.record(op::Route{scores, *routing, which, shares});
            c.record(op::ExpertGatedLinear{from, which, weights, act, out});
        }))
        return;
    if (routing) {
        bench.expectIds(which, ids);
        bench.expect(shares, routed.weights, 1e-5);
    }
    const auto rows = normedInput(x, norm, static_cast<double>(o.eps));
    std::vector<double> reference, magnitude;
    for (std::int64_t i = 0; i < s.T * s.k; ++i) {
        const std::int64_t e = ids[static_cast<std::size_t>(i)];
        const auto start = static_cast<std::size_t>(i / s.k * in);
        for (std::int64_t r = 0; r < ffn; ++r) {
            Sum g = product(rows, start, gate, r, e), u = product(rows, start, up, r, e);
            g.value += gateBias ? gateBias->at(0, r, e) : 0;
            u.value += upBias ? upBias->at(0, r, e) : 0;
            const Sum sum = hasGate ? gatedSum(act, g, u) : gatedSum(act, u, {1, 0});
            reference.push_back(sum.value);
            magnitude.push_back(sum.magnitude);
        }
    }
    bench.expect(out, std::move(reference),
                 2 * bench.target().productTolerance(type(), {o.x, o.out}, s.T),
                 std::move(magnitude));
}

TEST_P(ExpertGatedLinearTest, Rows)
{
    const TypeShare share(bench, type());
    Cases cases("expertGatedLinear", name(type()));
    const auto experts = cases.option("experts", share.values(kExpertCases));
    cases.first(experts);
    const auto wide = cases.option("wide");
    const auto act = cases.option("function", kActivations);
    const auto upBiased = cases.option("up biased");
    const auto gate = cases.option<bool>("gate", {true, false});
    cases.without([](Activation a, bool there) { return !there && a == Activation::ClampedSwiGlu; },
                  act, gate);
    const ProductCommon all(bench, cases);
    // Numbers beyond the reach of F16.
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, share.cases(5, 3))) {
        bench.start(pick, "expertGatedLinear");
        gatedCase(pick[experts], pick[wide] ? 512 : 256, pick[wide] ? 64 : 33, pick[act],
                  {pick, all}, pick[upBiased], pick[gate]);
    }
}

TEST_P(ExpertGatedLinearTest, WithoutGate)
{
    if (type() != DType::Q4_K)
        return;
    Cases cases("expertGatedLinear", "without a gate");
    const auto experts = cases.option<ExpertCase>("experts", {{2, 2, 4, 2}, {33, 2, 8, 3}});
    cases.first(experts);
    const auto upBiased = cases.option("up biased");
    const ProductCommon all(bench, cases);
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, 2)) {
        bench.start(pick);
        gatedCase(pick[experts], 256, 33, Activation::ReluSquared, {pick, all}, pick[upBiased],
                  false);
    }
}

TEST_P(ExpertGatedLinearTest, WithItsRoute)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    Cases cases("route + expertGatedLinear", name(type()));
    const auto experts = cases.option<ExpertCase>("experts", {{1, 8, 31, 31},
                                                              {4, 8, 32, 32},
                                                              {1, 1, 1, 1},
                                                              {3, 2, 33, 33},
                                                              {1, 8, 128, 128},
                                                              {9, 3, 8, 8},
                                                              {0, 2, 4, 4}});
    const auto score = scoresOf(cases);
    const auto normalize = cases.option("normalised");
    const auto scale = cases.option<float>("scale", {1, 2.5f});
    const auto act = cases.option("function", kActivations);
    const auto gate = cases.option<bool>("gate", {true, false});
    cases.without([](Activation a, bool there) { return !there && a == Activation::ClampedSwiGlu; },
                  act, gate);
    const ProductCommon all(bench, cases);
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, type() == DType::Q4_K ? 10 : 3)) {
        Routing routing;
        routing.score = pick[score];
        routing.used = pick[experts].k;
        routing.normalize = pick[normalize];
        routing.scale = pick[scale];
        bench.start(pick, "route + expertGatedLinear");
        gatedCase(pick[experts], 256, 35, pick[act], {pick, all}, false, pick[gate], &routing);
    }
}

FIRESIDE_ON_EVERY_DEVICE_AND_TYPE(ExpertGatedLinearTest);

} // namespace
} // namespace fireside::conformance
