#include "tests/conformance/products.h"

#include <array>
#include <cmath>
#include <limits>

// Ops that take each element by itself, and softmax.
namespace fireside::conformance {
namespace {

using ElementwiseTest = OpTest;

struct Shape
{
    std::int64_t rows, cols;
};
constexpr Shape kElementShapes[] = {{0, 32},  {1, 1},    {1, 257}, {2, 3},   {3, 31},
                                    {8, 32},  {9, 33},   {31, 96}, {33, 64}, {64, 256},
                                    {257, 3}, {33, 257}, {9, 2048}};
constexpr std::array<std::array<DType, 2>, 4> kElementTypes{{{DType::F32, DType::F32},
                                                             {DType::F16, DType::F16},
                                                             {DType::F32, DType::F16},
                                                             {DType::F16, DType::F32}}};

TEST_P(ElementwiseTest, AddAndMultiply)
{
    const bool half = bench.has(DType::F16);
    for (const bool product : {false, true})
        for (const Shape &s : kElementShapes)
            for (const auto &[from, to] : kElementTypes)
                for (const int kind : {0, 1, 2}) { // b: a matrix, a row, a number
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    const bool inPlace = from == to && kind == s.rows % 3;
                    const DType second = s.cols % 2 == 0 ? from : to;
                    bench.start(product ? "multiply" : "add",
                                shapeText(s.rows, s.cols) + " with " +
                                    (kind == 0   ? "a matrix"
                                     : kind == 1 ? "a row"
                                                 : "a number") +
                                    (inPlace ? " in place" : ""),
                                typesText({from, second, to}));
                    const Matrix a = bench.numbers(s.rows, s.cols, from);
                    const Matrix b =
                        bench.numbers(kind == 0 ? s.rows : 1, kind == 2 ? 1 : s.cols, second);
                    const Tensor left = bench.in(a, from), right = bench.in(b, second);
                    const Tensor out = inPlace ? left : bench.out(s.rows, s.cols, to);
                    if (!bench.run([&](Commands &c) {
                            product ? c.multiply(left, right, out) : c.add(left, right, out);
                        }))
                        continue;
                    std::vector<double> reference;
                    for (std::int64_t r = 0; r < s.rows; ++r)
                        for (std::int64_t i = 0; i < s.cols; ++i) {
                            const double x = static_cast<double>(a.at(r, i));
                            const double y =
                                static_cast<double>(b.at(kind == 0 ? r : 0, kind == 2 ? 0 : i));
                            reference.push_back(product ? x * y : x + y);
                        }
                    bench.expect(out, std::move(reference),
                                 bench.target().tolerance({from, second, to}));
                }
}

TEST_P(ElementwiseTest, OutIsTheSecondInput)
{
    bench.start("add", "out is b", "F32→F32");
    const Matrix a = bench.numbers(9, 33), b = bench.numbers(9, 33);
    const Tensor left = bench.in(a, DType::F32), right = bench.in(b, DType::F32);
    if (!bench.run([&](Commands &c) { c.add(left, right, right); }))
        return;
    std::vector<double> reference;
    for (std::size_t i = 0; i < a.v.size(); ++i)
        reference.push_back(static_cast<double>(a.v[i]) + static_cast<double>(b.v[i]));
    bench.expect(right, std::move(reference), 1e-5);
}

TEST_P(ElementwiseTest, AddScaled)
{
    const bool half = bench.has(DType::F16);
    for (const Shape &s : kElementShapes)
        for (const auto &[from, to] : kElementTypes) {
            if (!half && (from == DType::F16 || to == DType::F16))
                continue;
            bench.start("addScaled", shapeText(s.rows, s.cols), typesText({from, to}));
            const Matrix x = bench.numbers(s.rows, s.cols, from);
            const Matrix y = bench.numbers(s.rows, s.cols, to);
            const Tensor input = bench.in(x, from), out = bench.in(y, to);
            if (!bench.run([&](Commands &c) { c.addScaled(input, -0.375f, out); }))
                continue;
            std::vector<double> reference;
            for (std::size_t i = 0; i < x.v.size(); ++i)
                reference.push_back(static_cast<double>(y.v[i]) -
                                    0.375 * static_cast<double>(x.v[i]));
            bench.expect(out, std::move(reference), bench.target().tolerance({from, to}));
        }
}

TEST_P(ElementwiseTest, AddBias)
{
    const bool half = bench.has(DType::F16);
    for (const Shape &s : kElementShapes) {
        const TestWeight &bias = bench.weight(DType::F32, 1, s.cols);
        for (const auto &[from, to] : kElementTypes)
            for (const bool withResidual : {false, true}) {
                if (!half && (from == DType::F16 || to == DType::F16))
                    continue;
                const bool inPlace = from == to && s.rows % 2 == 1;
                const DType third = s.rows % 2 == 0 ? to : from;
                bench.start("addBias", shapeText(s.rows, s.cols) + (inPlace ? " in place" : ""),
                            typesText({from, to}) + (withResidual ? "+residual" : ""));
                const Matrix x = bench.numbers(s.rows, s.cols, from);
                const Matrix y = bench.numbers(s.rows, s.cols, third);
                const Tensor input = bench.in(x, from), residual = bench.in(y, third);
                // In place: the residual is the output, as in a model's stream.
                const Tensor out = !inPlace       ? bench.out(s.rows, s.cols, to)
                                   : withResidual ? residual
                                                  : input;
                if (!bench.run([&](Commands &c) {
                        c.addBias(input, *bias.weight, withResidual ? &residual : nullptr, out);
                    }))
                    continue;
                std::vector<double> reference;
                for (std::size_t i = 0; i < x.v.size(); ++i)
                    reference.push_back(static_cast<double>(x.v[i]) +
                                        bias.values[i % static_cast<std::size_t>(s.cols)] +
                                        (withResidual ? static_cast<double>(y.v[i]) : 0.0));
                bench.expect(out, std::move(reference),
                             bench.target().tolerance({from, to, third}));
            }
    }
}

TEST_P(ElementwiseTest, Activate)
{
    const bool half = bench.has(DType::F16);
    for (const Activation act :
         {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh, Activation::ReluSquared})
        for (const Shape &s : kElementShapes) {
            const TestWeight &bias = bench.weight(DType::F32, 1, s.cols);
            for (const auto &[from, to] : kElementTypes) {
                if (!half && (from == DType::F16 || to == DType::F16))
                    continue;
                const bool inPlace = from == to && s.rows % 2 == 1;
                const bool withBias = s.cols % 2 == 1;
                bench.start("activate",
                            "function " + std::to_string(static_cast<int>(act)) + " of " +
                                shapeText(s.rows, s.cols) + (withBias ? " with bias" : ""),
                            typesText({from, to}));
                const Matrix x = bench.numbers(s.rows, s.cols, from, 3);
                const Tensor input = bench.in(x, from);
                const Tensor out = inPlace ? input : bench.out(s.rows, s.cols, to);
                if (!bench.run([&](Commands &c) {
                        c.activate(input, act, withBias ? bias.weight.get() : nullptr, out);
                    }))
                    continue;
                std::vector<double> reference;
                for (std::size_t i = 0; i < x.v.size(); ++i)
                    reference.push_back(activated(
                        act,
                        static_cast<double>(x.v[i]) +
                            (withBias ? bias.values[i % static_cast<std::size_t>(s.cols)] : 0.0)));
                // Near zero of GELU's tail everything cancels: measured against the inputs too.
                bench.expect(out, std::move(reference), bench.target().tolerance({from, to}),
                             {x.v.begin(), x.v.end()});
            }
        }
}

TEST_P(ElementwiseTest, ActivationsOfLargeNumbers)
{
    for (const Activation act :
         {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh, Activation::ReluSquared}) {
        bench.start("activate", "large numbers, function " + std::to_string(static_cast<int>(act)),
                    "F32→F32");
        const Matrix x{1, 8, {-1000, -100, -20, -0.0f, 20, 88.8f, 100, 1000}};
        const Tensor input = bench.in(x, DType::F32), out = bench.out(1, 8, DType::F32);
        if (!bench.run([&](Commands &c) { c.activate(input, act, nullptr, out); }))
            continue;
        std::vector<double> reference;
        for (const float v : x.v)
            reference.push_back(activated(act, static_cast<double>(v)));
        bench.expect(out, std::move(reference), 1e-5);
    }
}

TEST_P(ElementwiseTest, Gate)
{
    const bool half = bench.has(DType::F16);
    for (const Activation act : {Activation::SiLU, Activation::GeluErf, Activation::GeluTanh,
                                 Activation::ReluSquared, Activation::ClampedSwiGlu})
        for (const Shape &s : kElementShapes)
            for (const auto &[from, to] : kElementTypes)
                for (const bool halves : {false, true}) {
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    bench.start("gate",
                                "function " + std::to_string(static_cast<int>(act)) + " of " +
                                    shapeText(s.rows, s.cols) + (halves ? " in one tensor" : ""),
                                typesText({from, to}));
                    const Matrix both = bench.numbers(s.rows, 2 * s.cols, from, 4);
                    Matrix g{s.rows, s.cols, {}}, u{s.rows, s.cols, {}};
                    for (std::int64_t r = 0; r < s.rows; ++r)
                        for (std::int64_t i = 0; i < s.cols; ++i) {
                            g.v.push_back(both.at(r, i));
                            u.v.push_back(both.at(r, s.cols + i));
                        }
                    const Tensor whole = halves ? bench.in(both, from) : Tensor{};
                    const Tensor gate = halves ? whole.columns(0, s.cols) : bench.in(g, from);
                    const Tensor up = halves ? whole.columns(s.cols, s.cols) : bench.in(u, from);
                    const bool inPlace = from == to && s.rows % 2 == 1;
                    const Tensor out = !inPlace          ? bench.out(s.rows, s.cols, to)
                                       : s.cols % 2 == 1 ? gate
                                                         : up;
                    if (!bench.run([&](Commands &c) { c.gate(gate, up, act, out); }))
                        continue;
                    std::vector<double> reference, magnitude;
                    for (std::size_t i = 0; i < g.v.size(); ++i) {
                        reference.push_back(
                            gated(act, static_cast<double>(g.v[i]), static_cast<double>(u.v[i])));
                        magnitude.push_back(static_cast<double>(g.v[i]) *
                                            static_cast<double>(u.v[i]));
                    }
                    bench.expect(out, std::move(reference), bench.target().tolerance({from, to}),
                                 std::move(magnitude));
                }
}

TEST_P(ElementwiseTest, Softcap)
{
    const bool half = bench.has(DType::F16);
    for (const Shape &s : kElementShapes)
        for (const auto &[from, to] : kElementTypes) {
            if (!half && (from == DType::F16 || to == DType::F16))
                continue;
            const bool inPlace = from == to && s.rows % 2 == 1;
            bench.start("softcap", shapeText(s.rows, s.cols), typesText({from, to}));
            Matrix x = bench.numbers(s.rows, s.cols, from, 20);
            if (!x.v.empty())
                x.v[0] = 5000;
            const Tensor input = bench.in(x, from);
            const Tensor out = inPlace ? input : bench.out(s.rows, s.cols, to);
            if (!bench.run([&](Commands &c) { c.softcap(input, 30, out); }))
                continue;
            std::vector<double> reference;
            for (const float v : x.v)
                reference.push_back(30 * std::tanh(static_cast<double>(v) / 30));
            bench.expect(out, std::move(reference), bench.target().tolerance({from, to}));
        }
}

TEST_P(ElementwiseTest, Softmax)
{
    const bool half = bench.has(DType::F16);
    for (const Shape &s : kElementShapes)
        for (const auto &[from, to] : kElementTypes)
            for (const bool masked : {false, true}) {
                if (!half && (from == DType::F16 || to == DType::F16))
                    continue;
                const bool inPlace = from == to && s.rows % 2 == 1;
                bench.start("softmax", shapeText(s.rows, s.cols) + (masked ? " masked" : ""),
                            typesText({from, to}));
                Matrix x = bench.numbers(s.rows, s.cols, from, 10);
                auto counts = bench.integers(s.rows, 0, static_cast<std::int32_t>(s.cols));
                if (!counts.empty())
                    counts[0] = 0;
                // What is not seen may be anything.
                for (std::int64_t r = 0; masked && r < s.rows; ++r)
                    for (std::int64_t i = counts[static_cast<std::size_t>(r)]; i < s.cols; ++i)
                        x.v[static_cast<std::size_t>(r * s.cols + i)] =
                            std::numeric_limits<float>::quiet_NaN();
                const Tensor input = bench.in(x, from);
                const Tensor visible = masked ? bench.ids(counts) : Tensor{};
                const Tensor out = inPlace ? input : bench.out(s.rows, s.cols, to);
                if (!bench.run([&](Commands &c) {
                        c.softmax(input, 0.25f, masked ? &visible : nullptr, out);
                    }))
                    continue;
                std::vector<double> reference(x.v.size(), 0.0);
                for (std::int64_t r = 0; r < s.rows; ++r) {
                    const std::int64_t seen = masked ? counts[static_cast<std::size_t>(r)] : s.cols;
                    double sum = 0, most = -HUGE_VAL;
                    for (std::int64_t i = 0; i < seen; ++i)
                        most = std::max(most, static_cast<double>(x.at(r, i)) * 0.25);
                    for (std::int64_t i = 0; i < seen; ++i)
                        sum += std::exp(static_cast<double>(x.at(r, i)) * 0.25 - most);
                    for (std::int64_t i = 0; i < seen; ++i)
                        reference[static_cast<std::size_t>(r * s.cols + i)] =
                            std::exp(static_cast<double>(x.at(r, i)) * 0.25 - most) / sum;
                }
                bench.expect(out, std::move(reference), bench.target().tolerance({from, to}));
            }
}

TEST_P(ElementwiseTest, SoftmaxOfHugeLogits)
{
    bench.start("softmax", "huge logits", "F32→F32");
    const Matrix x{2, 4, {1e30f, 1e30f, -1e30f, 0, -INFINITY, 3, 2, -INFINITY}};
    const Tensor input = bench.in(x, DType::F32), out = bench.out(2, 4, DType::F32);
    if (bench.run([&](Commands &c) { c.softmax(input, 1, nullptr, out); })) {
        const double e = std::exp(-1.0);
        bench.expect(out, {0.5, 0.5, 0, 0, 0, 1 / (1 + e), e / (1 + e), 0}, 1e-5);
    }
}

FIRESIDE_ON_EVERY_DEVICE(ElementwiseTest);

} // namespace
} // namespace fireside::conformance
