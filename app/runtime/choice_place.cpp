#include "app/runtime/choice_place.h"

#include "engine/text/tokenizer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fireside {
namespace {

bool isInsideCharacter(const std::string &text, std::size_t at)
{
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

/// As choicePlace(), in UTF-8; nullopt where the tokens do not hold the answer.
std::optional<ChoicePlace> placeIn(const Tokenizer &tokenizer, const QList<int> &ids,
                                   const std::string &answer, std::size_t before)
{
    std::string text;
    std::vector<std::size_t> begins; // of each token
    for (const int id : ids) {
        begins.push_back(text.size());
        text += tokenizer.bytes(id, true);
    }
    const std::size_t start = text.rfind(answer); // thoughts come first
    if (start == std::string::npos)
        return std::nullopt;
    begins.push_back(text.size());
    const auto after = std::upper_bound(begins.begin(), begins.end(), start + before);
    std::size_t token = static_cast<std::size_t>(after - begins.begin()) - 1;
    while (token > 0 && isInsideCharacter(text, begins[token]))
        --token;
    const std::size_t end = std::max(begins[token], start); // a first token may begin with a space
    return ChoicePlace{QString::fromStdString(text.substr(start, end - start)),
                       {ids.first(static_cast<qsizetype>(token)), false}};
}

QList<int> encoded(const Tokenizer &tokenizer, const std::string &text)
{
    const std::vector<TokenId> ids = tokenizer.encode(MarkedText::fromUser(text), false);
    return {ids.begin(), ids.end()};
}

} // namespace

ChoicePlace choicePlace(const Tokenizer &tokenizer, const QString &before, const QString &after,
                        const QList<int> &written)
{
    const std::string begun = before.toStdString();
    const std::string answer = begun + after.toStdString();
    if (!written.isEmpty()) {
        if (auto place = placeIn(tokenizer, written, answer, begun.size())) {
            place->tokens.whole = true;
            return *place;
        }
    }
    if (const auto place = placeIn(tokenizer, encoded(tokenizer, answer), answer, begun.size()))
        return *place;
    // A tokenizer that changes text: at least no space is cut off its word.
    std::string trimmed = begun;
    while (!trimmed.empty() && trimmed.back() == ' ')
        trimmed.pop_back();
    return {QString::fromStdString(trimmed), {encoded(tokenizer, trimmed), false}};
}

} // namespace fireside
