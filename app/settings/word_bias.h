#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace fireside {

/// How much likelier a word becomes, as settings write it: "word=-5", " word=2.5", or with a
/// token's number "#1234=2".
struct WordBias
{
    std::string text;                  // that tokens stand for
    std::optional<std::int32_t> token; // instead of the text
    double bias = 0;                   // −100 to 100, added to logits
};

std::optional<WordBias> parseWordBias(const std::string &text);
inline bool isWordBias(const std::string &text)
{
    return parseWordBias(text).has_value();
}

} // namespace fireside
