#include "tests/conformance/products.h"

#include <algorithm>

// Products with weights of every type.
namespace fireside::conformance {
namespace {

using LinearTest = OpTest;

/// `outs.size()` targets that share x [T, in]; the case has been started.
void linearCase(Bench &bench, const std::vector<DType> &types, std::int64_t T, std::int64_t in,
                const std::vector<std::int64_t> &outs, const ProductOptions &o)
{
    const TestWeight *const norm = o.normWeight(bench, in);
    std::vector<const TestWeight *> weights, biases;
    double tolerance = 0;
    for (std::size_t i = 0; i < outs.size(); ++i) {
        const DType type = types[i % types.size()];
        weights.push_back(&bench.weight(type, outs[i], in, 1, static_cast<int>(i)));
        biases.push_back(o.biasWeight(bench, outs[i], 5));
        tolerance = std::max(tolerance, bench.target().productTolerance(type, {o.x, o.out}, T));
    }
    const Matrix x = o.input(bench, T, in);
    const Tensor input = bench.in(x, o.x);
    std::vector<Matrix> before;
    std::vector<Tensor> results;
    std::vector<LinearTarget> targets;
    for (std::size_t i = 0; i < outs.size(); ++i) {
        before.push_back(bench.numbers(T, outs[i], o.out));
        results.push_back(o.add ? bench.in(before[i], o.out) : bench.out(T, outs[i], o.out));
        targets.push_back({weights[i]->weight.get(), results[i], weightOf(biases[i])});
    }
    if (!bench.run([&](Commands &c) {
            c.record(op::Linear{inputOf(input, norm, o.eps),
                                {targets.begin(), targets.end()},
                                o.add ? Accumulate::AddToOutput : Accumulate::Overwrite});
        }))
        return;
    const auto rows = normedInput(x, norm, static_cast<double>(o.eps));
    for (std::size_t i = 0; i < outs.size(); ++i) {
        std::vector<double> reference, magnitude;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t r = 0; r < outs[i]; ++r) {
                const Sum sum = product(rows, static_cast<std::size_t>(t * in), *weights[i], r);
                reference.push_back(sum.value + valueOf(biases[i], r) +
                                    (o.add ? static_cast<double>(before[i].at(t, r)) : 0));
                magnitude.push_back(sum.magnitude);
            }
        bench.expect(results[i], std::move(reference), tolerance, std::move(magnitude));
    }
}

using LinearTypesTest = TypesTest;

TEST_P(LinearTypesTest, Rows)
{
    const TypeShare share(bench, type());
    Cases cases("linear", name(type()));
    const auto rows = cases.option(
        "rows", share.values<std::int64_t>(
                    {{1}, {2, 3, 4, 5, 8}, {9, 16, 31, 33, 40, 64, 77, 117, 257}, {0}}));
    cases.first(rows);
    const auto width = cases.option("width", productWidths());
    std::vector<std::int64_t> counts{2, 31, 33, 65, 96, 129, 257};
    if (info(type()).blockElements == 1) // one row of blocks would be a vector
        counts.push_back(1);
    const auto outs = cases.option("outs", counts);
    const auto add = cases.option("added");
    const ProductCommon all(bench, cases);
    cases.without([](std::int64_t T, std::size_t w,
                     std::int64_t n) { return T * static_cast<std::int64_t>(w + 1) * n > 40000; },
                  rows, width, outs);
    for (const Pick &pick : bench.draw(cases, share.cases(7, 4))) {
        ProductOptions o(pick, all);
        o.add = pick[add];
        bench.start(pick);
        linearCase(bench, {type()}, pick[rows], productWidth(type(), pick[width]), {pick[outs]}, o);
    }
}

TEST_P(LinearTypesTest, GroupsOfTargets)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    Cases cases("linear, three targets", name(type()));
    const auto rows = cases.option<std::int64_t>("rows", {1, 3, 33});
    const auto even = cases.option("even");
    const auto add = cases.option("added");
    const ProductCommon all(bench, cases);
    for (const Pick &pick : bench.draw(cases, 3)) {
        ProductOptions o(pick, all);
        o.add = pick[add];
        bench.start(pick, "linear");
        linearCase(bench, {type()}, pick[rows], pick[even] ? 512 : 256,
                   pick[even] ? std::vector<std::int64_t>{64, 32, 32}
                              : std::vector<std::int64_t>{33, 2, 7},
                   o);
    }
}

/// act(x · gateᵀ + gateBias) ⊙ (x · upᵀ + upBias); the case has been started.
void gatedCase(Bench &bench, DType type, std::int64_t T, std::int64_t in, std::int64_t ffn,
               Activation act, const ProductOptions &o, float scale, const TestWeight *gateBias,
               const TestWeight *upBias)
{
    const TestWeight *const norm = o.normWeight(bench, in);
    const TestWeight &gate = bench.weight(type, ffn, in, 1, 0),
                     &up = bench.weight(type, ffn, in, 1, 1);
    const Matrix x = o.input(bench, T, in, scale * inputScale(gate));
    const Tensor input = bench.in(x, o.x), out = bench.out(T, ffn, o.out);
    GatedWeights weights;
    weights.gate = gate.weight.get();
    weights.up = up.weight.get();
    weights.gateBias = weightOf(gateBias);
    weights.upBias = weightOf(upBias);
    if (!bench.run([&](Commands &c) {
            c.record(op::GatedLinear{inputOf(input, norm, o.eps), weights, act, out});
        }))
        return;
    const auto rows = normedInput(x, norm, static_cast<double>(o.eps));
    std::vector<double> reference, magnitude;
    for (std::int64_t t = 0; t < T; ++t)
        for (std::int64_t r = 0; r < ffn; ++r) {
            const auto start = static_cast<std::size_t>(t * in);
            Sum g = product(rows, start, gate, r), u = product(rows, start, up, r);
            g.value += valueOf(gateBias, r);
            u.value += valueOf(upBias, r);
            const Sum sum = gatedSum(act, g, u);
            reference.push_back(sum.value);
            magnitude.push_back(sum.magnitude);
        }
    // The errors of both products come together, and a square doubles them.
    bench.expect(out, std::move(reference),
                 2 * bench.target().productTolerance(type, {o.x, o.out}, T), std::move(magnitude));
}

TEST_P(LinearTypesTest, Gated)
{
    const TypeShare share(bench, type());
    Cases cases("gatedLinear", name(type()));
    const auto rows =
        cases.option("rows", share.values<std::int64_t>({{1, 2, 7}, {9, 33, 64, 90}, {0}}));
    cases.first(rows);
    const auto in = cases.option<std::int64_t>("in", {256, 768});
    const auto ffn = cases.option<std::int64_t>("ffn", {32, 129});
    const auto act = cases.option<Activation>(
        "function", {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                     Activation::ReluSquared, Activation::ClampedSwiGlu});
    const auto upBiased = cases.option("up biased");
    const ProductCommon all(bench, cases);
    // Numbers beyond the reach of F16.
    cases.without([](bool norm, DType out) { return norm && out == DType::F16; }, all.normed,
                  all.out);
    for (const Pick &pick : bench.draw(cases, share.cases(5, 3))) {
        ProductOptions o(pick, all);
        const TestWeight *const gateBias = o.biasWeight(bench, pick[ffn], 5);
        const TestWeight *const upBias =
            pick[upBiased] ? &bench.weight(o.bias, 1, pick[ffn], 1, 6) : nullptr;
        bench.start(pick, "gatedLinear");
        gatedCase(bench, type(), pick[rows], pick[in], pick[ffn], pick[act], o, 1, gateBias,
                  upBias);
    }
}

TEST_P(LinearTypesTest, TellsOneGeluFromTheOther)
{
    if (!TypeShare(bench, type()).isLarge())
        return;
    // Around −3 they differ by a tenth of themselves: there a bias takes small products.
    constexpr std::int64_t kIn = 256, kFfn = 64;
    TestWeight bias;
    std::vector<float> values;
    for (const float value : bench.numbers(1, kFfn).v)
        values.push_back(-3 + 0.1f * value);
    bias.values.assign(values.begin(), values.end());
    bias.weight = bench.target().device().addWeight(
        {"bias", DType::F32, 1, kFfn, 1, std::as_bytes(std::span(values))});
    bench.target().device().finishWeights();
    for (const std::int64_t T : {1, 9, 40})
        for (const Activation act : {Activation::GeluErf, Activation::GeluTanh}) {
            bench.start("gatedLinear",
                        std::string(act == Activation::GeluErf ? "erf" : "tanh") +
                            " near -3, rows " + std::to_string(T),
                        name(type()));
            gatedCase(bench, type(), T, kIn, kFfn, act, {}, 1.0f / 30, &bias, nullptr);
        }
    bench.finish(); // the bias goes
}

FIRESIDE_ON_EVERY_DEVICE_AND_TYPE(LinearTypesTest);

TEST_P(LinearTest, TargetsOfDifferentTypes)
{
    struct Mixed
    {
        std::vector<DType> types;
        std::int64_t in;
        std::vector<std::int64_t> outs;
    };
    const std::vector<Mixed> mixed{{{DType::Q4_K, DType::Q4_K, DType::Q6_K}, 512, {64, 32, 32}},
                                   {{DType::F16, DType::F32, DType::BF16}, 96, {33, 5, 64}},
                                   {{DType::Q8_0, DType::Q5_K}, 256, {3, 257}}};
    Cases cases("linear, targets of different types");
    const auto rows = cases.option<std::int64_t>("rows", {1, 3, 33});
    const auto types = cases.option("types", mixed, {"Q4_K+Q6_K", "F16+F32+BF16", "Q8_0+Q5_K"});
    const auto add = cases.option("added");
    const ProductCommon all(bench, cases);
    for (const Pick &pick : bench.draw(cases, 3)) {
        ProductOptions o(pick, all);
        o.add = pick[add];
        bench.start(pick, "linear");
        linearCase(bench, pick[types].types, pick[rows], pick[types].in, pick[types].outs, o);
    }
}

TEST_P(LinearTest, LargeResultsInHalves)
{
    if (bench.target().isCpu() || !bench.has(DType::F16))
        return; // models keep F32 there
    // What is too large becomes the largest number: an infinity would spoil whole rows.
    constexpr double kLargest = 65504;
    for (const std::int64_t T : {9, 40}) { // as models have F16 results for
        const TestWeight &weight = bench.weight(DType::Q8_0, 33, 256);
        bench.start("linear", "beyond F16, rows " + std::to_string(T), "Q8_0 F32→F16");
        const Matrix x = bench.numbers(T, 256, DType::F32, 2e4f * inputScale(weight));
        const Tensor input = bench.in(x, DType::F32), out = bench.out(T, 33, DType::F16);
        const LinearTarget target{weight.weight.get(), out};
        if (!bench.run([&](Commands &c) { c.record(op::Linear{input, {target}}); }))
            continue;
        std::vector<double> reference;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t r = 0; r < 33; ++r)
                reference.push_back(std::clamp(
                    product(doubles(x), static_cast<std::size_t>(t * 256), weight, r).value,
                    -kLargest, kLargest));
        bench.expect(out, std::move(reference), 2e-3);
    }
}

TEST_P(LinearTest, TargetsInOneTensor)
{
    // q, k and v as columns of one tensor, and x as columns of another.
    for (const std::int64_t T : {1, 9, 40}) {
        const TestWeight &q = bench.weight(DType::Q8_0, 64, 96, 1, 0);
        const TestWeight &k = bench.weight(DType::Q8_0, 32, 96, 1, 1);
        bench.start("linear", "columns of one tensor, rows " + std::to_string(T), "Q8_0 F32→F32");
        const Matrix wide = bench.numbers(T, 200);
        const Tensor x = bench.in(wide, DType::F32).columns(33, 96);
        const Tensor both = bench.out(T, 100, DType::F32, {3, 4});
        const Tensor first = both.columns(0, 64), second = both.columns(64, 32);
        const Tensor rest = both.columns(96, 4);
        if (!bench.run([&](Commands &c) {
                const std::array<LinearTarget, 2> targets{LinearTarget{q.weight.get(), first},
                                                          LinearTarget{k.weight.get(), second}};
                c.record(op::Linear{x, {targets.begin(), targets.end()}});
            }))
            continue;
        std::vector<double> rows;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t i = 33; i < 129; ++i)
                rows.push_back(static_cast<double>(wide.at(t, i)));
        const double tolerance = bench.target().productTolerance(DType::Q8_0, {});
        for (const auto &[weight, out] : {std::pair(&q, first), std::pair(&k, second)}) {
            std::vector<double> reference, magnitude;
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t r = 0; r < out.cols; ++r) {
                    const Sum sum = product(rows, static_cast<std::size_t>(t * 96), *weight, r);
                    reference.push_back(sum.value);
                    magnitude.push_back(sum.magnitude);
                }
            bench.expect(out, std::move(reference), tolerance, std::move(magnitude));
        }
        bench.ignore(rest);
    }
}

FIRESIDE_ON_EVERY_DEVICE(LinearTest);

} // namespace
} // namespace fireside::conformance
