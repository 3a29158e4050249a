#pragma once
#include "engine/core/error.h"
#include "engine/generate/generator.h"
#include <optional>
#include <string>
#include <vector>

namespace fireside::server {

/// What a reply consists of, piece by piece, in the order it was written.
struct ReplyPiece
{
    enum class Kind {
        Text,
        Reasoning,
        Call,     // begins; its text is the tool's name
        Arguments // of the call that began last
    };
    Kind kind = Kind::Text;
    std::string text{};
    std::string id{};       // of a Call, as what follows
    std::string space{};    // the tool's namespace
    bool takesText = false; // its arguments are one text, not JSON
};

/// How likely a token was; natural logarithms.
struct TokenChance
{
    std::string bytes{};
    double logProbability = 0;
};
struct DrawnToken
{
    TokenChance drawn{};
    std::vector<TokenChance> best{}; // the likeliest, in falling order
};

/// What happened to one of several replies.
struct ReplyEvent
{
    std::size_t choice = 0;
    std::vector<ReplyPiece> pieces{};
    bool allBeforeWasReasoning = false;
    int reasoned = 0; // tokens up to here, where the event ends in thoughts; else 0
    std::vector<DrawnToken> probabilities{}; // of the tokens since the event before
    std::optional<GenerateResult> finished{};
    std::optional<Error> failed{};
};

} // namespace fireside::server
