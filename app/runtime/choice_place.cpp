#include "app/runtime/choice_place.h"

#include "engine/text/tokenizer.h"
#include "engine/text/utf8_stream.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fireside {
namespace {

/// What tokens show, and where each of them begins in it.
struct ShownTokens
{
    std::string text;
    std::vector<std::size_t> begins;   // of each token, and the end
    std::vector<bool> insideCharacter; // that a token before it begins
};

/// As a reply shows them: bytes that are no character are U+FFFD.
ShownTokens shownTokens(const Tokenizer &tokenizer, const QList<int> &ids)
{
    ShownTokens shown;
    Utf8Stream characters;
    for (const int id : ids) {
        const std::string bytes = tokenizer.bytes(id, true);
        const bool continues =
            !bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xc0U) == 0x80U;
        if (!continues || tokenizer.isMarker(id))
            shown.text += characters.finish();
        shown.begins.push_back(shown.text.size());
        shown.insideCharacter.push_back(characters.waits());
        shown.text += characters.push(bytes);
    }
    shown.text += characters.finish();
    shown.begins.push_back(shown.text.size());
    shown.insideCharacter.push_back(false);
    return shown;
}

/// As choicePlace(), in UTF-8; nullopt where the tokens do not hold the answer.
std::optional<ChoicePlace> placeIn(const Tokenizer &tokenizer, const QList<int> &ids,
                                   const std::string &answer, std::size_t before)
{
    const ShownTokens shown = shownTokens(tokenizer, ids);
    const std::vector<std::size_t> &begins = shown.begins;
    const std::size_t start = shown.text.rfind(answer); // thoughts come first
    if (start == std::string::npos)
        return std::nullopt;
    const auto after = std::upper_bound(begins.begin(), begins.end(), start + before);
    std::size_t token = static_cast<std::size_t>(after - begins.begin()) - 1;
    while (token > 0 && shown.insideCharacter[token])
        --token;
    const std::size_t end = std::max(begins[token], start); // a first token may begin with a space
    return ChoicePlace{QString::fromStdString(shown.text.substr(start, end - start)),
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
