#include "tests/conformance/experts.h"
#include "tests/conformance/moved.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <numeric>

// Inputs in the order of a weight's columns, and products with such weights.
namespace fireside::conformance {
namespace {

constexpr int kFirstSalt = 70; // weights of our own: their columns are set

class GatherColumnsTest : public OpTest
{
protected:
    /// A permutation for each of `depth` experts, as a vector of the device.
    struct Columns
    {
        std::vector<float> numbers;
        std::shared_ptr<const Weight> weight;
        std::int64_t at(std::int64_t expert, std::int64_t column) const
        {
            return static_cast<std::int64_t>(
                numbers[static_cast<std::size_t>(expert * weight->cols + column)]);
        }
    };
    const Columns &columns(std::int64_t cols, std::int64_t depth = 1)
    {
        Columns &made = m_kept.emplace_back();
        for (std::int64_t e = 0; e < depth; ++e) {
            std::vector<float> one(static_cast<std::size_t>(cols));
            std::iota(one.begin(), one.end(), 0.0f);
            std::shuffle(one.begin(), one.end(), bench.random());
            made.numbers.insert(made.numbers.end(), one.begin(), one.end());
        }
        Device &device = bench.target().device();
        made.weight = device.addWeight({.name = "columns",
                                        .dtype = DType::F32,
                                        .rows = 1,
                                        .cols = cols,
                                        .depth = depth,
                                        .bytes = std::as_bytes(std::span(made.numbers))});
        device.finishWeights();
        return made;
    }
    /// A matrix whose columns are in this order; none: in their own.
    const TestWeight &ordered(std::int64_t rows, std::int64_t cols, std::int64_t depth, int salt,
                              const Columns *order)
    {
        const TestWeight &made = bench.weight(DType::Q4_0, rows, cols, depth, kFirstSalt + salt);
        made.weight->columns = order ? order->weight : nullptr;
        return made;
    }
    /// A row of x as a matrix of the weight takes it.
    static std::vector<double> inOrder(std::span<const double> x, const Columns *order,
                                       std::int64_t expert)
    {
        std::vector<double> out(x.begin(), x.end());
        for (std::size_t j = 0; order && j < out.size(); ++j)
            out[j] = x[static_cast<std::size_t>(order->at(expert, static_cast<std::int64_t>(j)))];
        return out;
    }
    std::list<Columns> m_kept; // until the bench has finished
};

TEST_P(GatherColumnsTest, OfEachRow)
{
    Cases cases("gatherColumns");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 33, 256, 2048});
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 3, 65});
    for (const Pick &pick : bench.draw(cases, 12)) {
        const Columns &order = columns(pick[cols]);
        bench.start(pick);
        const Matrix x = bench.numbers(pick[rows], pick[cols], pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = bench.out(pick[rows], pick[cols], pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::GatherColumns{input, order.weight.get(), {}, out});
            }))
            continue;
        std::vector<double> reference;
        for (std::int64_t r = 0; r < x.rows; ++r)
            for (std::int64_t j = 0; j < x.cols; ++j)
                reference.push_back(double{x.at(r, order.at(0, j))});
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

TEST_P(GatherColumnsTest, OfExperts)
{
    Cases cases("gatherColumns");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto cols = cases.option<std::int64_t>("cols", {1, 33, 256});
    const auto rows = cases.option<std::int64_t>("tokens", {0, 1, 9});
    const auto used = cases.option<std::int64_t>("used", {1, 3});
    const auto apart = cases.option("a row for each expert");
    const auto own = cases.option("own order");
    for (const Pick &pick : bench.draw(cases, 12)) {
        constexpr std::int64_t kExperts = 5;
        const std::int64_t T = pick[rows], k = pick[used];
        const Columns &order = columns(pick[cols], kExperts);
        // Some choose an expert that is not there.
        const auto ids = bench.integers(T * k, -1, kExperts);
        bench.start(pick);
        const Matrix x = bench.numbers(pick[apart] ? T * k : T, pick[cols], pick[from]);
        const Tensor input = bench.in(x, pick[from]), which = bench.ids(ids, k);
        const Tensor out = bench.out(T * k, pick[cols], pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(
                    op::GatherColumns{input, pick[own] ? nullptr : order.weight.get(), which, out});
            }))
            continue;
        std::vector<double> reference;
        for (std::int64_t r = 0; r < T * k; ++r) {
            const std::int64_t e = ids[static_cast<std::size_t>(r)];
            const std::int64_t row = pick[apart] ? r : r / k;
            for (std::int64_t j = 0; j < x.cols; ++j)
                reference.push_back(pick[own]                ? double{x.at(row, j)}
                                    : e < 0 || e >= kExperts ? 0
                                                             : double{x.at(row, order.at(e, j))});
        }
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

// Three products of one input: two in one order, one in its own or as it lies.
TEST_P(GatherColumnsTest, ProductsTakeTheirColumns)
{
    Cases cases("linear");
    const auto rows = cases.option<std::int64_t>("rows", {1, 3, 33});
    const auto normed = cases.option("normed");
    const auto third = cases.option("third in order");
    const auto add = cases.option("added");
    for (const Pick &pick : bench.draw(cases, 6)) {
        constexpr std::int64_t kCols = 256;
        const std::int64_t T = pick[rows];
        const Columns &one = columns(kCols), &two = columns(kCols);
        const std::array<const Columns *, 3> orders{&one, pick[third] ? nullptr : &two, &one};
        ProductOptions o;
        o.normed = pick[normed];
        const TestWeight *const norm = o.normWeight(bench, kCols);
        for (int i = 0; i < 3; ++i) // before the tensors of the case
            ordered(32 + i, kCols, 1, i, nullptr);
        bench.start(pick);
        const Matrix x = o.input(bench, T, kCols);
        const Tensor input = bench.in(x, DType::F32);
        std::vector<LinearTarget> targets;
        std::vector<Matrix> before;
        for (int i = 0; i < 3; ++i) {
            const std::int64_t outs = 32 + i;
            before.push_back(bench.numbers(T, outs));
            targets.push_back(
                {ordered(outs, kCols, 1, i, orders[static_cast<std::size_t>(i)]).weight.get(),
                 pick[add] ? bench.in(before.back(), DType::F32) : bench.out(T, outs, DType::F32)});
        }
        const LinearInput from = inputOf(input, norm, o.eps);
        const Accumulate mode = pick[add] ? Accumulate::AddToOutput : Accumulate::Overwrite;
        if (!bench.run([&](Commands &c) { c.record(op::Linear{from, targets, mode}); }))
            continue;
        const auto values = normedInput(x, norm, double{o.eps});
        for (std::size_t i = 0; i < 3; ++i) {
            const TestWeight &w =
                ordered(targets[i].weight->rows, kCols, 1, static_cast<int>(i), orders[i]);
            std::vector<double> reference, magnitude;
            for (std::int64_t t = 0; t < T; ++t) {
                const auto row =
                    inOrder(std::span(values).subspan(static_cast<std::size_t>(t * kCols), kCols),
                            orders[i], 0);
                for (std::int64_t r = 0; r < w.weight->rows; ++r) {
                    const Sum sum = product(row, 0, w, r);
                    reference.push_back(sum.value + (pick[add] ? double{before[i].at(t, r)} : 0));
                    magnitude.push_back(sum.magnitude);
                }
            }
            bench.expect(targets[i].out, std::move(reference),
                         bench.target().productTolerance(DType::Q4_0, {DType::F32}, T),
                         std::move(magnitude));
        }
    }
}

// Gate and up in one order, each in its own, and one of them as it lies; dense, and of experts.
TEST_P(GatherColumnsTest, GatedProductsTakeTheirColumns)
{
    enum class Orders { Same, Own, UpOnly };
    Cases cases("gatedLinear");
    const auto rows = cases.option<std::int64_t>("rows", {1, 3, 33});
    const auto normed = cases.option("normed");
    const auto orders = cases.option<std::int64_t>("orders", {0, 1, 2});
    const auto experts = cases.option("experts");
    const auto biased = cases.option("biased");
    for (const Pick &pick : bench.draw(cases, 8)) {
        constexpr std::int64_t kCols = 256, kFfn = 48, kUsed = 2;
        const auto kind = static_cast<Orders>(pick[orders]);
        const std::int64_t T = pick[rows], E = pick[experts] ? 4 : 1, k = pick[experts] ? kUsed : 1;
        const Columns &one = columns(kCols, E), &two = columns(kCols, E);
        const Columns *const ofUp = &one;
        const Columns *const ofGate = kind == Orders::Same  ? &one
                                      : kind == Orders::Own ? &two
                                                            : nullptr;
        ProductOptions o;
        o.normed = pick[normed];
        const TestWeight *const norm = o.normWeight(bench, kCols);
        const TestWeight &gate = ordered(kFfn, kCols, E, 3, ofGate);
        const TestWeight &up = ordered(kFfn, kCols, E, 4, ofUp);
        const TestWeight *const gateBias = biasOf(bench, pick[biased], o, kFfn, E, 5);
        const TestWeight *const upBias = biasOf(bench, pick[biased], o, kFfn, E, 6);
        const std::vector<std::int32_t> ids =
            pick[experts] ? chosen(bench, T, k, E)
                          : std::vector<std::int32_t>(static_cast<std::size_t>(T), 0);
        bench.start(pick, pick[experts] ? "expertGatedLinear" : "gatedLinear");
        const Matrix x = o.input(bench, T, kCols, inputScale(gate));
        const Tensor input = bench.in(x, DType::F32);
        const Tensor which = pick[experts] ? bench.ids(ids, k) : Tensor{};
        const Tensor out = bench.out(T * k, kFfn, DType::F32);
        const LinearInput from = inputOf(input, norm, o.eps);
        const GatedWeights weights{gate.weight.get(), up.weight.get(), weightOf(gateBias),
                                   weightOf(upBias)};
        if (!bench.run([&](Commands &c) {
                if (pick[experts])
                    c.record(op::ExpertGatedLinear{from, which, weights, Activation::SiLU, out});
                else
                    c.record(op::GatedLinear{from, weights, Activation::SiLU, out});
            }))
            continue;
        const auto values = normedInput(x, norm, double{o.eps});
        std::vector<double> reference, magnitude;
        for (std::int64_t i = 0; i < T * k; ++i) {
            const std::int64_t e = ids[static_cast<std::size_t>(i)];
            const auto row =
                std::span(values).subspan(static_cast<std::size_t>(i / k * kCols), kCols);
            const auto gateRow = inOrder(row, ofGate, e), upRow = inOrder(row, ofUp, e);
            for (std::int64_t r = 0; r < kFfn; ++r) {
                Sum g = product(gateRow, 0, gate, r, e), u = product(upRow, 0, up, r, e);
                g.value += gateBias ? gateBias->at(0, r, e) : 0;
                u.value += upBias ? upBias->at(0, r, e) : 0;
                const Sum sum = gatedSum(Activation::SiLU, g, u);
                reference.push_back(sum.value);
                magnitude.push_back(sum.magnitude);
            }
        }
        bench.expect(out, std::move(reference),
                     2 * bench.target().productTolerance(DType::Q4_0, {DType::F32}, T),
                     std::move(magnitude));
    }
}

TEST_P(GatherColumnsTest, SumsOfExpertsTakeTheirColumns)
{
    for (const std::int64_t T : {1, 3, 33}) {
        constexpr std::int64_t kFfn = 256, kSums = 40, kUsed = 2, kExperts = 4;
        const Columns &order = columns(kFfn, kExperts);
        const TestWeight &down = ordered(kSums, kFfn, kExperts, 7, &order);
        const auto ids = chosen(bench, T, kUsed, kExperts);
        bench.start("expertLinear", "columns in another order, rows " + std::to_string(T));
        const Matrix x = bench.numbers(T * kUsed, kFfn), share = bench.numbers(T, kUsed);
        const Tensor input = bench.in(x, DType::F32), which = bench.ids(ids, kUsed);
        const Tensor weights = bench.in(share, DType::F32, {0, 0});
        const Tensor out = bench.out(T, kSums, DType::F32);
        if (!bench.run([&](Commands &c) {
                c.record(op::ExpertLinear{input, which, weights, *down.weight, nullptr, out});
            }))
            continue;
        const auto values = doubles(x);
        std::vector<double> reference, magnitude;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t r = 0; r < kSums; ++r) {
                double value = 0, squares = 0;
                for (std::int64_t j = 0; j < kUsed; ++j) {
                    const std::int64_t i = t * kUsed + j, e = ids[static_cast<std::size_t>(i)];
                    const auto row =
                        inOrder(std::span(values).subspan(static_cast<std::size_t>(i * kFfn), kFfn),
                                &order, e);
                    const Sum sum = product(row, 0, down, r, e);
                    const double w = double{share.at(t, j)};
                    value += w * sum.value;
                    squares += w * sum.magnitude * w * sum.magnitude;
                }
                reference.push_back(value);
                magnitude.push_back(std::sqrt(squares));
            }
        bench.expect(out, std::move(reference),
                     bench.target().productTolerance(DType::Q4_0, {DType::F32}, T),
                     std::move(magnitude));
    }
}

FIRESIDE_ON_EVERY_DEVICE(GatherColumnsTest);

} // namespace
} // namespace fireside::conformance
