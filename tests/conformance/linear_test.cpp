#include "tests/conformance/products.h"

// Products with weights of every type.
namespace fireside::conformance {
namespace {

using LinearTest = OpTest;

struct Options
{
    DType x = DType::F32, out = DType::F32;
    bool norm = false, bias = false, add = false;
};

std::string optionText(const Options &o)
{
    return std::string(o.norm ? " norm" : "") + (o.bias ? " bias" : "") + (o.add ? " added" : "");
}

/// Some options, other ones from call to call; few where each needs a pipeline of its own.
Options someOptions(Bench &bench, bool half)
{
    constexpr unsigned kFew[] = {0b10100, 0b01110, 0b10011, 0b00001};
    Options o;
    auto bits = static_cast<unsigned>(bench.random()());
    if (!bench.target().thorough())
        bits = kFew[bits % 2 + 2 * (seed() % 2)];
    o.x = half && (bits & 1) != 0 ? DType::F16 : DType::F32;
    o.out = half && (bits & 2) != 0 ? DType::F16 : DType::F32;
    o.norm = (bits & 4) != 0;
    o.bias = (bits & 8) != 0;
    o.add = (bits & 16) != 0;
    return o;
}

/// One case of `outs.size()` targets that share x [T, in].
void linearCase(Bench &bench, const std::vector<DType> &types, std::int64_t T, std::int64_t in,
                const std::vector<std::int64_t> &outs, const Options &o)
{
    const TestWeight *const norm = o.norm ? &bench.weight(DType::F32, 1, in, 1, 9) : nullptr;
    std::vector<const TestWeight *> weights, biases;
    double tolerance = 0;
    std::string typeNames;
    for (std::size_t i = 0; i < outs.size(); ++i) {
        const DType type = types[i % types.size()];
        weights.push_back(&bench.weight(type, outs[i], in, 1, static_cast<int>(i)));
        biases.push_back(o.bias ? &bench.weight(DType::F32, 1, outs[i], 1, 5) : nullptr);
        tolerance = std::max(tolerance, bench.target().productTolerance(type, {o.x, o.out}));
        typeNames += (i == 0 ? "" : "+") + std::string(name(type));
    }
    std::string widths;
    for (const std::int64_t out : outs)
        widths += " " + std::to_string(out);
    bench.start("linear", shapeText(T, in) + " to" + widths + optionText(o),
                typeNames + " " + typesText({o.x, o.out}));
    const Matrix x = bench.numbers(T, in, o.x);
    const Tensor input = bench.in(x, o.x);
    std::vector<Matrix> before;
    std::vector<Tensor> results;
    std::vector<LinearTarget> targets;
    for (std::size_t i = 0; i < outs.size(); ++i) {
        before.push_back(bench.numbers(T, outs[i], o.out));
        results.push_back(o.add ? bench.in(before[i], o.out) : bench.out(T, outs[i], o.out));
        targets.push_back(
            {weights[i]->weight.get(), results[i], o.bias ? biases[i]->weight.get() : nullptr});
    }
    const LinearInput from = norm ? LinearInput(input, *norm->weight, 1e-5f) : LinearInput(input);
    if (!bench.run([&](Commands &c) {
            c.linear(from, targets, o.add ? Accumulate::AddToOutput : Accumulate::Overwrite);
        }))
        return;
    const auto rows = normedInput(x, norm, 1e-5);
    for (std::size_t i = 0; i < outs.size(); ++i) {
        std::vector<double> reference, magnitude;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t r = 0; r < outs[i]; ++r) {
                const Sum sum = product(rows, static_cast<std::size_t>(t * in), *weights[i], r);
                reference.push_back(sum.value +
                                    (o.bias ? biases[i]->values[static_cast<std::size_t>(r)] : 0) +
                                    (o.add ? static_cast<double>(before[i].at(t, r)) : 0));
                magnitude.push_back(sum.magnitude);
            }
        bench.expect(results[i], std::move(reference), tolerance, std::move(magnitude));
    }
}

class LinearTypesTest : public testing::TestWithParam<std::tuple<std::string, DType>>
{
protected:
    Bench bench{std::get<0>(GetParam())};
    DType type() const { return std::get<1>(GetParam()); }
    void TearDown() override { bench.finish(); }
};

TEST_P(LinearTypesTest, Rows)
{
    const bool half = bench.has(DType::F16);
    const std::int64_t block = info(type()).blockElements;
    const std::int64_t narrow = block == 256 ? 256 : 96;
    const bool thorough = bench.target().thorough();
    const auto turn = static_cast<std::int64_t>(type());
    for (const std::int64_t T : {1, 2, 3, 8, 9, 31, 33, 64})
        for (const bool plain : {true, false}) {
            const bool chosen = T == 1 || T == 33 || T == 2 + turn % 2 || (T == 8 && turn % 3 == 0);
            if (!thorough && (!chosen || (T == 33 && plain)))
                continue;
            const Options o = plain ? Options{} : someOptions(bench, half);
            linearCase(bench, {type()}, T, plain ? 512 : narrow, {T > 9 ? 65 : 33}, o);
        }
    linearCase(bench, {type()}, 257, 256, {129}, {});
    linearCase(bench, {type()}, 0, 256, {33}, {});
    linearCase(bench, {type()}, 1, 2048, {257}, thorough ? someOptions(bench, half) : Options{});
    if (!thorough)
        return;
    linearCase(bench, {type()}, 5, 2048, {3}, someOptions(bench, half));
    linearCase(bench, {type()}, 40, 2048, {block > 1 ? 2 : 1}, someOptions(bench, half));
}

TEST_P(LinearTypesTest, AwkwardWidths)
{
    const bool half = bench.has(DType::F16);
    const std::int64_t block = info(type()).blockElements;
    const bool thorough = bench.target().thorough();
    for (const std::int64_t blocks : {1, 3, 5, 9})
        for (const std::int64_t out : {1, 2, 31, 96})
            for (const std::int64_t T : {1, 4, 35}) {
                if ((block > 1 && out == 1) || (!thorough && T == 4))
                    continue;
                linearCase(bench, {type()}, T, block * blocks, {out},
                           thorough ? someOptions(bench, half) : Options{});
            }
    if (block == 1)
        for (const std::int64_t in : {31, 33, 257})
            for (const std::int64_t T : {1, 3, 33})
                linearCase(bench, {type()}, T, in, {T == 1 ? 1 : 33}, someOptions(bench, half));
}

TEST_P(LinearTypesTest, GroupsOfTargets)
{
    const bool half = bench.has(DType::F16);
    const bool thorough = bench.target().thorough();
    for (const std::int64_t T : {1, 3, 33}) {
        const Options o = thorough ? someOptions(bench, half) : Options{};
        if (thorough || T != 3)
            linearCase(bench, {type()}, T, 512, {64, 32, 32}, o);
        if (thorough)
            linearCase(bench, {type()}, T, 256, {33, 2, 7}, someOptions(bench, half));
    }
}

TEST_P(LinearTypesTest, Gated)
{
    const bool half = bench.has(DType::F16);
    int turn = static_cast<int>(type());
    for (const std::int64_t T : {1, 2, 7, 9, 33, 64, 0})
        for (const std::int64_t in : {256, 768})
            for (const std::int64_t ffn : {32, 129}) {
                const auto act = static_cast<Activation>(turn++ % 5);
                const bool plain = in == 256 && ffn == 32;
                const bool chosen = T == 1 || T == 0 || T == 33 || (T == 2 && turn % 4 == 0);
                if (!bench.target().thorough() && (!chosen || plain == (T == 33)))
                    continue;
                Options o = plain ? Options{} : someOptions(bench, half);
                if (o.norm) // numbers beyond the reach of F16
                    o.out = DType::F32;
                const TestWeight *const norm =
                    o.norm ? &bench.weight(DType::F32, 1, in, 1, 9) : nullptr;
                const TestWeight &gate = bench.weight(type(), ffn, in, 1, 0);
                const TestWeight &up = bench.weight(type(), ffn, in, 1, 1);
                const TestWeight *const gateBias =
                    o.bias ? &bench.weight(DType::F32, 1, ffn, 1, 5) : nullptr;
                const TestWeight *const upBias =
                    o.bias ? &bench.weight(DType::F32, 1, ffn, 1, 6) : nullptr;
                bench.start("gatedLinear",
                            shapeText(T, in) + " to " + std::to_string(ffn) + ", function " +
                                std::to_string(static_cast<int>(act)) + optionText(o),
                            std::string(name(type())) + " " + typesText({o.x, o.out}));
                const float scale = o.norm ? 1.0f : inputScale(gate);
                const Matrix x = bench.numbers(T, in, o.x, scale);
                const Tensor input = bench.in(x, o.x), out = bench.out(T, ffn, o.out);
                GatedWeights weights;
                weights.gate = gate.weight.get();
                weights.up = up.weight.get();
                weights.gateBias = gateBias ? gateBias->weight.get() : nullptr;
                weights.upBias = upBias ? upBias->weight.get() : nullptr;
                const LinearInput from =
                    norm ? LinearInput(input, *norm->weight, 1e-6f) : LinearInput(input);
                if (!bench.run([&](Commands &c) { c.gatedLinear(from, weights, act, out); }))
                    continue;
                const auto rows = normedInput(x, norm, 1e-6);
                std::vector<double> reference, magnitude;
                for (std::int64_t t = 0; t < T; ++t)
                    for (std::int64_t r = 0; r < ffn; ++r) {
                        const auto start = static_cast<std::size_t>(t * in);
                        Sum g = product(rows, start, gate, r), u = product(rows, start, up, r);
                        g.value += gateBias ? gateBias->values[static_cast<std::size_t>(r)] : 0;
                        u.value += upBias ? upBias->values[static_cast<std::size_t>(r)] : 0;
                        const Sum sum = gatedSum(act, g, u);
                        reference.push_back(sum.value);
                        magnitude.push_back(sum.magnitude);
                    }
                // The errors of both products come together, and a square doubles them.
                bench.expect(out, std::move(reference),
                             2 * bench.target().productTolerance(type(), {o.x, o.out}),
                             std::move(magnitude));
            }
}

INSTANTIATE_TEST_SUITE_P(
    On, LinearTypesTest,
    testing::Combine(testing::ValuesIn(targetIds()), testing::ValuesIn(weightTypes())),
    [](const auto &test) {
        return deviceName({std::get<0>(test.param), 0}) + "_" + name(std::get<1>(test.param));
    });

TEST_P(LinearTest, EveryOptionWithEveryOther)
{
    const bool half = bench.has(DType::F16);
    const bool thorough = bench.target().thorough();
    for (const DType type : {DType::F16, DType::Q8_0, DType::Q4_K})
        for (unsigned bits = 0; bits < 32; ++bits)
            for (const std::int64_t T : {1, 5, 37}) {
                // Every pair of options at least.
                const bool pairs = bits == 0 || bits == 0b00111 || bits == 0b11001 ||
                                   bits == 0b11110 || bits == 0b01010 || bits == 0b10101;
                if (!thorough && (!pairs || T == 5 || type == DType::Q8_0))
                    continue;
                Options o;
                o.x = (bits & 1) != 0 ? DType::F16 : DType::F32;
                o.out = (bits & 2) != 0 ? DType::F16 : DType::F32;
                o.norm = (bits & 4) != 0;
                o.bias = (bits & 8) != 0;
                o.add = (bits & 16) != 0;
                if (half || (bits & 3) == 0)
                    linearCase(bench, {type}, T, 256, {T == 5 ? 40 : 33}, o);
            }
}

TEST_P(LinearTest, TargetsOfDifferentTypes)
{
    const bool half = bench.has(DType::F16);
    for (const std::int64_t T : {1, 3, 33})
        for (int i = 0; i < (bench.target().thorough() ? 2 : 1); ++i) {
            linearCase(bench, {DType::Q4_K, DType::Q4_K, DType::Q6_K}, T, 512, {64, 32, 32},
                       i == 0 ? Options{} : someOptions(bench, half));
            linearCase(bench, {DType::F16, DType::F32, DType::BF16}, T, 96, {33, 5, 64},
                       i == 0 ? Options{} : someOptions(bench, half));
            linearCase(bench, {DType::Q8_0, DType::Q5_K}, T, 256, {3, 257},
                       i == 0 ? Options{} : someOptions(bench, half));
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
                c.linear(x, targets);
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
