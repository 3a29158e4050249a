#include "tests/conformance/bench.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

// Choices from rows of logits.
namespace fireside::conformance {
namespace {

using ResultsTest = OpTest;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Columns by falling value, the first on a tie; without NaN.
std::vector<std::int32_t> order(const Matrix &x, std::int64_t row)
{
    std::vector<std::int32_t> columns;
    for (std::int64_t i = 0; i < x.cols; ++i)
        if (!std::isnan(x.at(row, i)))
            columns.push_back(static_cast<std::int32_t>(i));
    std::stable_sort(columns.begin(), columns.end(),
                     [&](std::int32_t a, std::int32_t b) { return x.at(row, a) > x.at(row, b); });
    return columns;
}

/// Ties, NaN, infinities and rows of one kind, over the rows.
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
                v = i % 3 == 0 ? kNan : v;
                break;
            case 4: // nothing to choose
                v = kNan;
                break;
            case 5:
                v = -INFINITY;
                break;
            case 6:
                v = i % 5 == 1 ? INFINITY : v;
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
                    const auto columns = order(x, r);
                    reference.push_back(columns.empty() ? -1 : columns[0]);
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
                        const auto sorted = order(x, r);
                        for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
                            columns.push_back(j < sorted.size() ? sorted[j] : -1);
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

FIRESIDE_ON_EVERY_DEVICE(ResultsTest);

} // namespace
} // namespace fireside::conformance
