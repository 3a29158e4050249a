#pragma once
#include "engine/text/tokenizer.h"

#include <span>
#include <vector>

namespace fireside {

/// How likely the model itself held a drawn token: natural logarithms of softmax(logits), before
/// temperature, penalty and cuts of the sampler.
struct TokenProbabilities
{
    struct One
    {
        TokenId token = -1;
        double logProbability = 0;
    };
    One drawn{};
    std::vector<One> best{}; // the likeliest, in falling order, ties by lower id
};

/// Of the drawn one and the `count` likeliest. logits [vocab].
TokenProbabilities probabilitiesOf(std::span<const float> logits, TokenId drawn, int count);

} // namespace fireside
