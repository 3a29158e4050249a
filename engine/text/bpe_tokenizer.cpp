#include "engine/text/bpe_tokenizer.h"

#include "engine/text/byte_level.h"
#include "engine/text/unicode.h"
#include "engine/text/word_cache.h"

namespace fireside {
namespace {

// Longer words are encoded in parts; symbols count bytes in 32 bits.
constexpr std::size_t kLongestWord = std::size_t{1} << 30;

} // namespace

BpeTokenizer::BpeTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_merges(std::move(parts.merges))
    , m_normalizer(std::move(parts.normalizer))
    , m_preTokenizer(std::move(parts.preTokenizer))
    , m_wholeWordsFirst(parts.wholeWordsFirst)
{
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<std::uint8_t>(byte)));
        m_byteTokens[byte] = vocabulary().findReachable(character).value_or(-1);
    }
}

void BpeTokenizer::encodeOrdinary(std::string_view text, bool first,
                                  std::vector<TokenId> &out) const
{
    MergeWorker worker;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t validEnd = validUtf8End(text, at);
        if (validEnd > at) {
            std::string normalized = m_normalizer.apply(text.substr(at, validEnd - at), at == 0);
            const PreTokenizer::Words words =
                m_preTokenizer.split(std::move(normalized), at == 0, first && at == 0);
            WordCache cache;
            for (const TextRange piece : words.pieces)
                cache.append(std::string_view(words.text).substr(piece.begin, piece.size()), out,
                             [&](std::string_view word, std::vector<TokenId> &ids) {
                                 encodeWord(word, worker, ids);
                             });
            at = validEnd;
        }
        // Bytes that are no UTF-8 have no character classes to split by: each run is one word.
        std::size_t invalidEnd = at;
        while (invalidEnd < text.size()) {
            const Utf8Step step = decodeUtf8(text, invalidEnd);
            if (step.state == Utf8State::Valid)
                break;
            invalidEnd += step.length;
        }
        if (invalidEnd > at)
            encodeWord(text.substr(at, invalidEnd - at), worker, out);
        at = invalidEnd;
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
