#include "engine/text/tokenizers/bpe_tokenizer.h"

#include "engine/text/rules/byte_level.h"
#include "engine/text/unicode.h"

namespace fireside {
namespace {

// Longer words are encoded in parts; symbols count bytes in 32 bits.
constexpr std::size_t kLongestWord = std::size_t{1} << 30;

} // namespace

BpeTokenizer::BpeTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_merges(std::move(parts.merges))
    , m_wholeWordsFirst(parts.wholeWordsFirst)
{
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<std::uint8_t>(byte)));
        m_byteTokens[byte] = vocabulary().findReachable(character).value_or(-1);
    }
}

void BpeTokenizer::encodeWord(std::string_view word, MergeWorker &worker,
                              std::vector<TokenId> &out) const
{
    if (word.size() > kLongestWord) {
        for (std::size_t at = 0; at < word.size(); at += kLongestWord)
            encodeWord(word.substr(at, kLongestWord), worker, out);
        return;
    }
    if (m_wholeWordsFirst && word.size() <= vocabulary().longestText()) {
        if (const auto id = vocabulary().findReachable(toByteLevel(word))) {
            out.push_back(*id);
            return;
        }
    }
    worker.clear();
    for (std::size_t i = 0; i < word.size(); ++i) {
        TokenId id = m_byteTokens[static_cast<unsigned char>(word[i])];
        if (id < 0 && unknown())
            id = *unknown();
        if (id >= 0) // a byte that no token can express is left out
            worker.push(static_cast<std::uint32_t>(i), 1, id);
    }
    if (worker.symbols().empty())
        return;
    worker.run([this](const MergeSymbol &left, const MergeSymbol &right) -> std::optional<Merge> {
        const Merge *merge = m_merges.find(left.id, right.id);
        return merge ? std::optional<Merge>(*merge) : std::nullopt;
    });
    for (std::int32_t i = 0; i >= 0; i = worker.symbols()[static_cast<std::size_t>(i)].next)
        out.push_back(worker.symbols()[static_cast<std::size_t>(i)].id);
}

std::string BpeTokenizer::ordinaryBytes(TokenId id) const
{
    const std::string_view text = vocabulary().text(id);
    // Added tokens are written as themselves, the others in byte-level characters.
    return vocabulary().kind(id) == TokenKind::UserDefined ? std::string(text)
                                                           : fromByteLevel(text);
}

} // namespace fireside
