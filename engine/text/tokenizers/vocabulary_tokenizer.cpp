#include "engine/text/tokenizers/vocabulary_tokenizer.h"

#include "engine/text/tokenizers/token_trie.h"
#include "engine/text/tokenizers/word_cache.h"
#include "engine/text/unicode.h"

namespace fireside {

std::size_t VocabularyTokenizer::middleOf(std::string_view word)
{
    std::size_t middle = word.size() / 2;
    while ((static_cast<unsigned char>(word[middle]) & 0xC0) == 0x80)
        ++middle;
    return middle;
}

VocabularyTokenizer::VocabularyTokenizer(TokenizerCommon common)
    : m_common(std::move(common))
    , m_ends(m_common.vocabulary.size())
{
    const Vocabulary &tokens = m_common.vocabulary;
    // In gpt-oss's format <|end|> closes a message inside a reply and <|return|> ends the reply.
    const bool innerEnd = tokens.find("<|return|>") && tokens.find("<|channel|>");
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        const std::string_view text = tokens.text(id);
        const bool ends =
            tokens.isControl(id) && (isEndMarkerText(text) || text == "</s>" || text == "<eos>");
        m_ends[i] = ends && !(innerEnd && text == "<|end|>");
    }
    for (const TokenId id : m_common.endMarkers)
        m_ends[static_cast<std::size_t>(id)] = true;
    if (m_common.eos)
        m_ends[static_cast<std::size_t>(*m_common.eos)] = true;
}

std::vector<TokenId> VocabularyTokenizer::encode(const MarkedText &text, bool addSpecial) const
{
    std::vector<TokenId> out;
    out.reserve(text.text.size() / 3 + 8);
    if (addSpecial)
        out = m_common.prefix;
    // Between special tokens the same few words often stand again and again.
    WordCache cache;
    for (const SpecialTokens::Piece &piece : m_common.special.split(text)) {
        const std::string_view all = text.text;
        const bool first = piece.range.begin == 0;
        const auto encodePiece = [&](std::string_view ordinary, std::vector<TokenId> &ids) {
            encodeOrdinary(ordinary, first, ids);
        };
        if (piece.token)
            out.push_back(*piece.token);
        else if (first)
            encodePiece(all.substr(0, piece.range.end), out);
        else
            cache.append(all.substr(piece.range.begin, piece.range.size()), out, encodePiece);
    }
    if (addSpecial)
        out.insert(out.end(), m_common.suffix.begin(), m_common.suffix.end());
    return out;
}

void VocabularyTokenizer::encodeValid(std::string_view text, bool atStart, bool first,
                                      MergeWorker &worker, std::vector<TokenId> &out) const
{
    std::string normalized = m_common.normalizer.apply(text, atStart);
    PreTokenizer::Words words =
        m_common.preTokenizer.split(std::move(normalized), atStart, first && atStart);
    refine(words);
    WordCache cache;
    for (const TextRange piece : words.pieces)
        cache.append(std::string_view(words.text).substr(piece.begin, piece.size()), out,
                     [&](std::string_view word, std::vector<TokenId> &ids) {
                         encodeWord(word, worker, ids);
                     });
}

void VocabularyTokenizer::encodeOrdinary(std::string_view text, bool first,
                                         std::vector<TokenId> &out) const
{
    MergeWorker worker;
    if (m_common.invalid == InvalidBytes::Within)
        return encodeWord(text, worker, out);
    if (m_common.invalid == InvalidBytes::Replaced)
        return encodeValid(isValidUtf8(text) ? std::string(text) : replaceInvalidUtf8(text), true,
                           first, worker, out);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t validEnd = validUtf8End(text, at);
        if (validEnd > at)
            encodeValid(text.substr(at, validEnd - at), at == 0, first, worker, out);
        at = validEnd;
        // Bytes that are no UTF-8 have no character classes to split by.
        std::size_t invalidEnd = at;
        while (invalidEnd < text.size()) {
            const Utf8Step step = decodeUtf8(text, invalidEnd);
            if (step.state == Utf8State::Valid)
                break;
            invalidEnd += step.length;
        }
        if (invalidEnd > at)
            encodeInvalid(text.substr(at, invalidEnd - at), worker, out);
        at = invalidEnd;
    }
}

std::string VocabularyTokenizer::bytes(TokenId id, bool control) const
{
    const Vocabulary &tokens = m_common.vocabulary;
    if (!tokens.contains(id))
        return std::string(kReplacementCharacter);
    if (tokens.isControl(id))
        return control ? std::string(tokens.text(id)) : std::string();
    return m_common.decoder ? m_common.decoder->middle(std::string(tokens.text(id)))
                            : ordinaryBytes(id);
}

std::string VocabularyTokenizer::ordinaryBytes(TokenId id) const
{
    const std::string_view text = vocabulary().text(id);
    if (vocabulary().kind(id) != TokenKind::Byte)
        return std::string(text);
    const auto byte = parseByteToken(text);
    return byte ? std::string(1, static_cast<char>(*byte)) : std::string(kReplacementCharacter);
}

void VocabularyTokenizer::addReachable(TokenTrie &trie) const
{
    for (std::size_t i = 0; i < vocabulary().size(); ++i)
        if (const auto id = static_cast<TokenId>(i); vocabulary().isReachable(id))
            trie.insert(vocabulary().text(id), id);
}

std::string VocabularyTokenizer::decode(std::span<const TokenId> ids, bool control) const
{
    if (m_common.decoder) {
        std::vector<std::string> texts;
        for (const TokenId id : ids) {
            const bool isKnown = vocabulary().contains(id);
            if (!isKnown || control || !vocabulary().isControl(id))
                texts.emplace_back(isKnown ? vocabulary().text(id) : kReplacementCharacter);
        }
        return replaceInvalidUtf8(m_common.decoder->decode(std::move(texts)));
    }
    std::string joined;
    for (const TokenId id : ids)
        joined.append(bytes(id, control));
    if (m_common.stripFirstSpace && joined.starts_with(' '))
        joined.erase(0, 1);
    return replaceInvalidUtf8(joined);
}

std::optional<TokenId> VocabularyTokenizer::find(std::string_view tokenText) const
{
    return m_common.vocabulary.find(tokenText);
}

bool VocabularyTokenizer::isControl(TokenId id) const
{
    return m_common.vocabulary.contains(id) && m_common.vocabulary.isControl(id);
}

bool VocabularyTokenizer::isMarker(TokenId id) const
{
    const Vocabulary &tokens = m_common.vocabulary;
    return tokens.contains(id) && !tokens.isReachable(id) && tokens.kind(id) != TokenKind::Byte;
}

bool VocabularyTokenizer::endsGeneration(TokenId id) const
{
    return m_common.vocabulary.contains(id) && m_ends[static_cast<std::size_t>(id)];
}

std::string VocabularyTokenizer::bosText() const
{
    return m_common.bos ? std::string(m_common.vocabulary.text(*m_common.bos)) : std::string();
}

std::string VocabularyTokenizer::eosText() const
{
    return m_common.eos ? std::string(m_common.vocabulary.text(*m_common.eos)) : std::string();
}

} // namespace fireside
