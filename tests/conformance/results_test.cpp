#include "engine/backend/not_finite.h"
#include "tests/conformance/bench.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

// Choices from rows of logits.
namespace fireside::conformance {
namespace {

using ResultsTest = OpTest;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

bool isFinite(const Matrix &x, std::int64_t row)
{
    for (std::int64_t i = 0; i < x.cols; ++i)
        if (!std::isfinite(x.at(row, i)))
            return false;
    return true;
}

/// Columns by falling value, the first on a tie.
std::vector<std::int32_t> order(const Matrix &x, std::int64_t row)
{
    std::vector<std::int32_t> columns(static_cast<std::size_t>(x.cols));
    std::iota(columns.begin(), columns.end(), 0);
    std::stable_sort(columns.begin(), columns.end(),
                     [&](std::int32_t a, std::int32_t b) { return x.at(row, a) > x.at(row, b); });
    return columns;
}

/// What all rows of a case are like.
enum class Kind { Normal, Ties, Equal, OneNan, AllNan, Largest, LastLowest, SomeInfinite, Mixed };
constexpr Kind kKinds[] = {Kind::Normal, Kind::Ties,    Kind::Equal,      Kind::OneNan,
                           Kind::AllNan, Kind::Largest, Kind::LastLowest, Kind::SomeInfinite};

Option<Kind> kindsOf(Cases &cases)
{
    std::vector<Kind> kinds(std::begin(kKinds), std::end(kKinds));
    kinds.push_back(Kind::Mixed);
    return cases.option("kind", std::move(kinds),
                        {"normal", "many ties", "all equal", "a NaN", "all NaN",
                         "the largest of F16", "-infinity at the end", "some infinite",
                         "of all kinds"});
}

Matrix awkward(Bench &bench, std::int64_t rows, std::int64_t cols, DType type, Kind kind)
{
    Matrix x = bench.numbers(rows, cols, type);
    for (std::int64_t r = 0; r < rows; ++r) {
        const Kind own =
            kind == Kind::Mixed ? kKinds[static_cast<std::size_t>(r) % std::size(kKinds)] : kind;
        for (std::int64_t i = 0; i < cols; ++i) {
            float &v = x.v[static_cast<std::size_t>(r * cols + i)];
            switch (own) {
            case Kind::Normal:
            case Kind::Mixed:
                break;
            case Kind::Ties:
                v = std::floor(v);
                break;
            case Kind::Equal:
                v = -3;
                break;
            case Kind::OneNan:
                v = i == cols * 2 / 3 ? kNotANumber : v;
                break;
            case Kind::AllNan:
                v = kNotANumber;
                break;
            case Kind::Largest:
                v = i % 2 == 0 ? -65504.0f : 65504.0f;
                break;
            case Kind::LastLowest:
                v = i == cols - 1 ? -INFINITY : v;
                break;
            case Kind::SomeInfinite:
                v = i % 5 == 0 ? INFINITY : v;
                break;
            }
        }
    }
    return x;
}

TEST_P(ResultsTest, Argmax)
{
    Cases cases("argmax");
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 3, 9, 64});
    const auto cols = cases.option<std::int64_t>("cols", {1, 2, 3, 31, 32, 33, 257, 2048, 151936});
    const auto type = cases.option("type", bench.activations());
    const auto kind = kindsOf(cases);
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 500000; }, rows, cols);
    for (const Pick &pick : bench.draw(cases, 0)) {
        bench.start(pick);
        const Matrix x = awkward(bench, pick[rows], pick[cols], pick[type], pick[kind]);
        const Tensor input = bench.in(x, pick[type]), out = bench.idsOut(pick[rows]);
        if (!bench.run([&](Commands &c) { c.record(op::Argmax{input, out}); }))
            continue;
        std::vector<std::int32_t> reference;
        for (std::int64_t r = 0; r < x.rows; ++r)
            reference.push_back(isFinite(x, r) ? order(x, r)[0] : kNotFinite);
        bench.expectIds(out, std::move(reference));
    }
}

TEST_P(ResultsTest, ArgmaxOfTheLastColumnAndOfZeros)
{
    for (const std::int64_t cols : {5, 1000, 32000}) {
        bench.start("argmax", "the last of " + std::to_string(cols), "F32");
        Matrix x{2, cols, std::vector<float>(static_cast<std::size_t>(2 * cols), -1.0f)};
        x.v[static_cast<std::size_t>(cols - 1)] = 0;
        // −0 and 0 are equal: the first wins.
        x.v[static_cast<std::size_t>(cols + 1)] = -0.0f;
        x.v[static_cast<std::size_t>(cols + 3)] = 0.0f;
        const Tensor input = bench.in(x, DType::F32), out = bench.idsOut(2);
        if (bench.run([&](Commands &c) { c.record(op::Argmax{input, out}); }))
            bench.expectIds(out, {static_cast<std::int32_t>(cols - 1), 1});
    }
}

TEST_P(ResultsTest, TopK)
{
    Cases cases("topK");
    const auto k = cases.option<std::int64_t>("k", {1, 2, 5, 8, 40, 64, 100, 513, 1024});
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 9});
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 33, 257, 2048, 32000});
    const auto type = cases.option("type", bench.activations());
    const auto kind = kindsOf(cases);
    for (const Pick &pick : bench.draw(cases, 24)) {
        bench.start(pick);
        const Matrix x = awkward(bench, pick[rows], pick[cols], pick[type], pick[kind]);
        const Tensor input = bench.in(x, pick[type]);
        const Tensor values = bench.out(pick[rows], pick[k], DType::F32);
        const Tensor ids = bench.idsOut(pick[rows], pick[k]);
        if (!bench.run([&](Commands &c) { c.record(op::TopK{input, values, ids}); }))
            continue;
        std::vector<std::int32_t> columns;
        std::vector<double> largest;
        for (std::int64_t r = 0; r < x.rows; ++r) {
            const bool finite = isFinite(x, r);
            const auto sorted = finite ? order(x, r) : std::vector<std::int32_t>();
            for (std::size_t j = 0; j < static_cast<std::size_t>(pick[k]); ++j) {
                columns.push_back(j < sorted.size() ? sorted[j] : finite ? -1 : kNotFinite);
                largest.push_back(j < sorted.size() ? static_cast<double>(x.at(r, sorted[j]))
                                                    : -HUGE_VAL);
            }
        }
        // Infinities must match exactly, so the norm of the rest is what counts.
        bench.expectIds(ids, std::move(columns));
        bench.expectExactly(values, std::move(largest));
    }
}

// Long rows are read by several groups: the one that meets it must be heard.
TEST_P(ResultsTest, OneBrokenValueInALongRow)
{
    constexpr std::int64_t kEntries = 151936, kBest = 40;
    for (const float broken : {kNotANumber, INFINITY, -INFINITY})
        for (const std::int64_t at : {std::int64_t{0}, kEntries / 2 + 1, kEntries - 1}) {
            bench.start("topK", "with one that is not finite", "F32");
            Matrix x = bench.numbers(1, kEntries, DType::F32);
            x.v[static_cast<std::size_t>(at)] = broken;
            const Tensor input = bench.in(x, DType::F32), best = bench.idsOut(1);
            const Tensor values = bench.out(1, kBest, DType::F32), ids = bench.idsOut(1, kBest);
            if (!bench.run([&](Commands &c) {
                    c.record(op::Argmax{input, best});
                    c.record(op::TopK{input, values, ids});
                }))
                continue;
            bench.expectIds(best, {kNotFinite});
            bench.expectIds(ids, std::vector<std::int32_t>(kBest, kNotFinite));
            bench.expectExactly(values, std::vector<double>(kBest, -HUGE_VAL));
        }
}

FIRESIDE_ON_EVERY_DEVICE(ResultsTest);

} // namespace
} // namespace fireside::conformance
