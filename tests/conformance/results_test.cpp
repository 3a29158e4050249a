#include "engine/backend/not_finite.h"
#include "tests/conformance/bench.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

/// Ties, rows of one kind, the largest numbers and, somewhere in a row, NaN or an infinity.
Matrix awkward(Bench &bench, std::int64_t rows, std::int64_t cols, DType type)
{
    Matrix x = bench.numbers(rows, cols, type);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < cols; ++i) {
            float &v = x.v[static_cast<std::size_t>(r * cols + i)];
            switch (r % 7) {
            case 1: // many ties
                v = std::floor(v);
                break;
            case 2: // all equal
                v = -3;
                break;
            case 3:
                v = i == cols * 2 / 3 ? kNotANumber : v;
                break;
            case 4: // as large as F16 allows
                v = i % 2 == 0 ? -65504.0f : 65504.0f;
                break;
            case 5:
                v = i == cols - 1 ? -INFINITY : v;
                break;
            case 6:
                v = i % 5 == 0 ? INFINITY : v;
                break;
            default:
                break;
            }
        }
    return x;
}

TEST_P(ResultsTest, Argmax)
{
    const bool half = bench.has(DType::F16);
    for (const DType type : {DType::F32, DType::F16})
        for (const std::int64_t rows : {0, 1, 3, 9, 64})
            for (const std::int64_t cols : {1, 2, 3, 31, 32, 33, 257, 2048, 151936}) {
                if ((type == DType::F16 && !half) || (cols > 3000 && rows > 3))
                    continue;
                bench.start("argmax", shapeText(rows, cols), typesText({type}));
                const Matrix x = awkward(bench, rows, cols, type);
                const Tensor input = bench.in(x, type), out = bench.idsOut(rows);
                if (!bench.run([&](Commands &c) { c.argmax(input, out); }))
                    continue;
                std::vector<std::int32_t> reference;
                for (std::int64_t r = 0; r < rows; ++r) {
                    reference.push_back(isFinite(x, r) ? order(x, r)[0] : kNotFinite);
                }
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
        if (bench.run([&](Commands &c) { c.argmax(input, out); }))
            bench.expectIds(out, {static_cast<std::int32_t>(cols - 1), 1});
    }
}

TEST_P(ResultsTest, TopK)
{
    const bool half = bench.has(DType::F16);
    for (const DType type : {DType::F32, DType::F16})
        for (const std::int64_t k : {1, 2, 5, 8, 40, 64, 100})
            for (const std::int64_t rows : {0, 1, 9})
                for (const std::int64_t cols : {1, 3, 33, 257, 2048, 32000}) {
                    if ((type == DType::F16 && !half) || (cols > 3000 && rows > 1 && k != 8))
                        continue;
                    bench.start("topK", std::to_string(k) + " of " + shapeText(rows, cols),
                                typesText({type}));
                    const Matrix x = awkward(bench, rows, cols, type);
                    const Tensor input = bench.in(x, type);
                    const Tensor values = bench.out(rows, k, DType::F32);
                    const Tensor ids = bench.idsOut(rows, k);
                    if (!bench.run([&](Commands &c) { c.topK(input, values, ids); }))
                        continue;
                    std::vector<std::int32_t> columns;
                    std::vector<double> largest;
                    for (std::int64_t r = 0; r < rows; ++r) {
                        const bool finite = isFinite(x, r);
                        const auto sorted = finite ? order(x, r) : std::vector<std::int32_t>();
                        for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
                            columns.push_back(j < sorted.size() ? sorted[j]
                                              : finite          ? -1
                                                                : kNotFinite);
                            largest.push_back(j < sorted.size()
                                                  ? static_cast<double>(x.at(r, sorted[j]))
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
    constexpr std::int64_t kCols = 151936, kBest = 40;
    for (const float broken : {kNotANumber, INFINITY, -INFINITY})
        for (const std::int64_t at : {std::int64_t{0}, kCols / 2 + 1, kCols - 1}) {
            bench.start("topK", "with one that is not finite", "F32");
            Matrix x = bench.numbers(1, kCols, DType::F32);
            x.v[static_cast<std::size_t>(at)] = broken;
            const Tensor input = bench.in(x, DType::F32), best = bench.idsOut(1);
            const Tensor values = bench.out(1, kBest, DType::F32), ids = bench.idsOut(1, kBest);
            if (!bench.run([&](Commands &c) {
                    c.argmax(input, best);
                    c.topK(input, values, ids);
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
