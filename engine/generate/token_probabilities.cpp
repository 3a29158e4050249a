#include "engine/generate/token_probabilities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fireside {

TokenProbabilities probabilitiesOf(std::span<const float> logits, TokenId drawn, int count)
{
    const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit) - top);
    const double whole = top + std::log(sum);
    const auto one = [&](TokenId id) {
        return TokenProbabilities::One{
            id, static_cast<double>(logits[static_cast<std::size_t>(id)]) - whole};
    };
    TokenProbabilities result{.drawn = one(drawn)};
    std::vector<TokenId> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    const auto end = ids.begin() + std::min<std::ptrdiff_t>(count, std::ssize(ids));
    std::partial_sort(ids.begin(), end, ids.end(), [&](TokenId a, TokenId b) {
        const float x = logits[static_cast<std::size_t>(a)],
                    y = logits[static_cast<std::size_t>(b)];
        return x > y || (x == y && a < b);
    });
    std::transform(ids.begin(), end, std::back_inserter(result.best), one);
    return result;
}

} // namespace fireside
