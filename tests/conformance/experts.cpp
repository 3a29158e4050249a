#include "tests/conformance/experts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fireside::conformance {
namespace {

/// Whether the first `count` of the values, by size, differ by more than F32 may blur.
bool areApart(std::vector<double> values, std::size_t count)
{
    std::sort(values.rbegin(), values.rend());
    for (std::size_t i = 0; i + 1 < values.size() && i < count; ++i)
        if (values[i] - values[i + 1] < 1e-5 * (std::abs(values[i]) + std::abs(values[i + 1])))
            return false;
    return true;
}

/// Whether the choice for a row does not hang on the last bit: sigmoids of 4.500203 and 4.500209,
/// say, are the same in F32.
bool isClear(std::span<const float> logits, const Routing &routing, std::span<const float> biases)
{
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    std::vector<double> values(logits.begin(), logits.end());
    for (double &v : values) {
        if (routing.score == Routing::Score::SoftmaxAll)
            sum += v = std::exp(v - largest);
        else if (routing.score == Routing::Score::Sigmoid)
            v = 1 / (1 + std::exp(-v));
    }
    for (std::size_t e = 0; e < values.size(); ++e)
        values[e] = values[e] / (sum > 0 ? sum : 1) + (biases.empty() ? 0.0 : double{biases[e]});
    const auto groups = static_cast<std::size_t>(routing.groups);
    const std::size_t each = values.size() / groups;
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<double> scores;
    for (std::size_t g = 0; g < groups; ++g) {
        std::vector<double> own(values.begin() + static_cast<std::ptrdiff_t>(g * each),
                                values.begin() + static_cast<std::ptrdiff_t>((g + 1) * each));
        std::sort(own.rbegin(), own.rend());
        scores.push_back(own[0] + (routing.groupByBestTwo && each > 1 ? own[1] : 0));
        order.emplace_back(scores.back(), g);
    }
    std::sort(order.rbegin(), order.rend());
    std::vector<double> left;
    for (std::size_t i = 0; i < static_cast<std::size_t>(routing.usedGroups); ++i)
        for (std::size_t e = 0; e < each; ++e)
            left.push_back(values[order[i].second * each + e]);
    return areApart(scores, static_cast<std::size_t>(routing.usedGroups)) &&
           areApart(left, static_cast<std::size_t>(routing.used));
}

} // namespace

Matrix clearLogits(Bench &bench, std::int64_t T, std::int64_t experts, DType type,
                   const Routing &routing, std::span<const float> biases)
{
    Matrix logits = bench.numbers(T, experts, type, 2);
    for (std::int64_t t = 0; t < T; ++t) {
        const std::span<float> row(logits.v.data() + t * experts,
                                   static_cast<std::size_t>(experts));
        for (int tries = 0; tries < 100 && !isClear(row, routing, biases); ++tries) {
            const Matrix other = bench.numbers(1, experts, type, 2);
            std::copy(other.v.begin(), other.v.end(), row.begin());
        }
    }
    return logits;
}

Option<Routing::Score> scoresOf(Cases &cases)
{
    using Score = Routing::Score;
    return cases.option<Score>("score", {Score::SoftmaxAll, Score::SoftmaxChosen, Score::Sigmoid},
                               {"softmax of all", "softmax of chosen", "sigmoid"});
}

std::vector<std::int32_t> chosen(Bench &bench, std::int64_t T, std::int64_t k, std::int64_t live)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t t = 0; t < T; ++t) {
        std::vector<std::int32_t> all;
        for (std::int64_t e = 0; e < live; ++e)
            all.push_back(static_cast<std::int32_t>(e));
        std::shuffle(all.begin(), all.end(), bench.random());
        ids.insert(ids.end(), all.begin(), all.begin() + k);
    }
    return ids;
}

std::string valueText(const ExpertCase &c)
{
    return std::to_string(c.T) + " rows, " + std::to_string(c.k) + " of " +
           std::to_string(c.experts) + ", live " + std::to_string(c.live);
}
const std::vector<std::vector<ExpertCase>> kExpertCases{
    {{1, 1, 4, 4}, {1, 8, 16, 16}, {2, 2, 4, 2}}, // few enough to be multiplied one by one
    {{5, 4, 8, 8}, {33, 2, 8, 3}, {65, 1, 4, 1}},
    {{0, 2, 4, 4}}};

const TestWeight *biasOf(Bench &bench, bool there, const ProductOptions &o, std::int64_t cols,
                         std::int64_t experts, int salt)
{
    return there ? &bench.weight(o.bias, 1, cols, experts, salt) : nullptr;
}

} // namespace fireside::conformance
