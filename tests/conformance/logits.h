#pragma once
#include "engine/backend/not_finite.h"
#include "tests/conformance/bench.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

// Rows of logits that choices are made from.
namespace fireside::conformance {

inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

inline bool isFinite(const Matrix &x, std::int64_t row)
{
    for (std::int64_t i = 0; i < x.cols; ++i)
        if (!std::isfinite(x.at(row, i)))
            return false;
    return true;
}

/// Columns by falling value, the first on a tie.
inline std::vector<std::int32_t> order(const Matrix &x, std::int64_t row)
{
    std::vector<std::int32_t> columns(static_cast<std::size_t>(x.cols));
    std::iota(columns.begin(), columns.end(), 0);
    std::stable_sort(columns.begin(), columns.end(),
                     [&](std::int32_t a, std::int32_t b) { return x.at(row, a) > x.at(row, b); });
    return columns;
}

/// What all rows of a case are like.
enum class Kind { Normal, Ties, Equal, OneNan, AllNan, Largest, LastLowest, SomeInfinite, Mixed };
inline constexpr Kind kKinds[] = {Kind::Normal,     Kind::Ties,        Kind::Equal,
                                  Kind::OneNan,     Kind::AllNan,      Kind::Largest,
                                  Kind::LastLowest, Kind::SomeInfinite};

inline Option<Kind> kindsOf(Cases &cases)
{
    std::vector<Kind> kinds(std::begin(kKinds), std::end(kKinds));
    kinds.push_back(Kind::Mixed);
    return cases.option("kind", std::move(kinds),
                        {"normal", "many ties", "all equal", "a NaN", "all NaN",
                         "the largest of F16", "-infinity at the end", "some infinite",
                         "of all kinds"});
}

inline Matrix awkward(Bench &bench, std::int64_t rows, std::int64_t cols, DType type, Kind kind)
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

} // namespace fireside::conformance
