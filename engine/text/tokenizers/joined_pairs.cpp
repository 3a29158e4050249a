#include "engine/text/tokenizers/joined_pairs.h"

#include "engine/text/tokenizers/vocabulary.h"
#include "engine/text/unicode.h"

namespace fireside {
namespace {

constexpr char32_t kMarkOfSpace = 0x2581; // ▁
constexpr char32_t kBrokenCharacter = 0xFFFFFFFF;

} // namespace

void JoinedPairs::addTexts(const Vocabulary &vocabulary)
{
    for (std::size_t i = 0; i < vocabulary.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        const std::string_view text = vocabulary.text(id);
        if (!vocabulary.isReachable(id))
            continue;
        char32_t previous = kBrokenCharacter;
        for (std::size_t at = 0; at < text.size();) {
            const Utf8Step step = decodeUtf8(text, at);
            const char32_t next =
                step.state == Utf8State::Valid ? step.codepoint : kBrokenCharacter;
            if (at > 0)
                add(previous, next);
            previous = next;
            at += step.length;
        }
    }
}

std::vector<TextRange> JoinedPairs::cut(std::string_view text, const std::vector<TextRange> &pieces,
                                        bool anywhere) const
{
    std::vector<TextRange> finer;
    for (const TextRange piece : pieces) {
        std::size_t begin = piece.begin;
        Utf8Step previous = decodeUtf8(text, begin);
        for (std::size_t at = begin + previous.length; at < piece.end;) {
            const Utf8Step next = decodeUtf8(text, at);
            if ((anywhere || next.codepoint == kMarkOfSpace) &&
                !mayContain(previous.codepoint, next.codepoint)) {
                finer.push_back({begin, at});
                begin = at;
            }
            previous = next;
            at += next.length;
        }
        finer.push_back({begin, piece.end});
    }
    return finer;
}

} // namespace fireside
