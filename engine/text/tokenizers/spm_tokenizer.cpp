#include "engine/text/tokenizers/spm_tokenizer.h"

#include "engine/text/unicode.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81"; // ▁, U+2581
constexpr char32_t kSpaceMarkCodepoint = 0x2581;
constexpr char32_t kBrokenCharacter = 0xFFFFFFFF;
constexpr std::size_t kLongestSpmWord = std::size_t{1} << 30;

} // namespace

SpmTokenizer::SpmTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_merges(std::move(parts.merges))
    , m_ranks(std::move(parts.ranks))
    , m_byteFallback(parts.byteFallback)
    , m_fuseUnknown(parts.fuseUnknown)
    , m_wholeWordsFirst(parts.wholeWordsFirst)
    , m_spacesAreMarked(parts.spacesAreMarked)
{
    m_byteTokens.fill(-1);
    for (std::size_t i = 0; i < vocabulary().size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        if (vocabulary().kind(id) == TokenKind::Byte)
            if (const auto byte = parseByteToken(vocabulary().text(id)))
                m_byteTokens[*byte] = id;
    }
    const bool allBytes =
        std::all_of(m_byteTokens.begin(), m_byteTokens.end(), [](TokenId id) { return id >= 0; });
    m_cutsAnywhere = !m_fuseUnknown || (m_byteFallback && allBytes);
    collectJoinedPairs();
}

void SpmTokenizer::collectJoinedPairs()
{
    for (std::size_t i = 0; i < vocabulary().size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        const std::string_view text = vocabulary().text(id);
        if (!vocabulary().isReachable(id))
            continue;
        char32_t previous = kBrokenCharacter;
        for (std::size_t at = 0; at < text.size();) {
            const Utf8Step step = decodeUtf8(text, at);
            const char32_t next =
                step.state == Utf8State::Valid ? step.codepoint : kBrokenCharacter;
            if (at > 0)
                m_joined.add(previous, next);
            previous = next;
            at += step.length;
        }
    }
}

void SpmTokenizer::refine(PreTokenizer::Words &words) const
{
    std::vector<TextRange> finer;
    for (const TextRange piece : words.pieces) {
        const std::string_view text = std::string_view(words.text).substr(0, piece.end);
        std::size_t begin = piece.begin;
        Utf8Step previous = decodeUtf8(text, begin);
        for (std::size_t at = begin + previous.length; at < piece.end;) {
            const Utf8Step next = decodeUtf8(text, at);
            if ((m_cutsAnywhere || next.codepoint == kSpaceMarkCodepoint) &&
                !m_joined.mayContain(previous.codepoint, next.codepoint)) {
                finer.push_back({begin, at});
                begin = at;
            }
            previous = next;
            at += next.length;
        }
        finer.push_back({begin, piece.end});
    }
    words.pieces = std::move(finer);
}

void SpmTokenizer::encodeWord(std::string_view word, MergeWorker &worker,
                              std::vector<TokenId> &out) const
{
    if (word.size() > kLongestSpmWord) {
        std::size_t middle = word.size() / 2;
        while ((static_cast<unsigned char>(word[middle]) & 0xC0) == 0x80)
            ++middle;
        encodeWord(word.substr(0, middle), worker, out);
        encodeWord(word.substr(middle), worker, out);
        return;
    }
    if (m_wholeWordsFirst) {
        if (const auto id = vocabulary().findReachable(word)) {
            out.push_back(*id);
            return;
        }
    }
    worker.clear();
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t length = decodeUtf8(word, at).length;
        const auto id = vocabulary().findReachable(word.substr(at, length));
        worker.push(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length),
                    id.value_or(-1));
        at += length;
    }
    if (m_ranks.empty()) {
        worker.run(
            [this](const MergeSymbol &left, const MergeSymbol &right) -> std::optional<Merge> {
                const Merge *merge = m_merges.find(left.id, right.id);
                return merge ? std::optional<Merge>(*merge) : std::nullopt;
            });
    } else {
        worker.run([this, word](const MergeSymbol &left,
                                const MergeSymbol &right) -> std::optional<Merge> {
            const auto id =
                vocabulary().findReachable(word.substr(left.begin, left.length + right.length));
            return id ? std::optional<Merge>({m_ranks[static_cast<std::size_t>(*id)], *id})
                      : std::nullopt;
        });
    }
    bool previousUnknown = false;
    for (std::int32_t i = 0; i >= 0;) {
        const MergeSymbol &symbol = worker.symbols()[static_cast<std::size_t>(i)];
        i = symbol.next;
        if (symbol.id >= 0) {
            out.push_back(symbol.id);
            previousUnknown = false;
        } else if (appendByteTokens(word.substr(symbol.begin, symbol.length), out)) {
            previousUnknown = false;
        } else if (unknown() && !(m_fuseUnknown && previousUnknown)) {
            out.push_back(*unknown());
            previousUnknown = true;
        }
    }
}

void SpmTokenizer::encodeInvalid(std::string_view bytes, MergeWorker &,
                                 std::vector<TokenId> &out) const
{
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = decodeUtf8(bytes, at).length;
        if (!appendByteTokens(bytes.substr(at, length), out) && unknown())
            out.push_back(*unknown());
        at += length;
    }
}

bool SpmTokenizer::appendByteTokens(std::string_view bytes, std::vector<TokenId> &out) const
{
    if (!m_byteFallback)
        return false;
    for (const char byte : bytes)
        if (m_byteTokens[static_cast<unsigned char>(byte)] < 0)
            return false;
    for (const char byte : bytes)
        out.push_back(m_byteTokens[static_cast<unsigned char>(byte)]);
    return true;
}

std::string SpmTokenizer::ordinaryBytes(TokenId id) const
{
    const std::string_view text = vocabulary().text(id);
    if (vocabulary().kind(id) == TokenKind::Byte) {
        const auto byte = parseByteToken(text);
        return byte ? std::string(1, static_cast<char>(*byte)) : std::string(kReplacementCharacter);
    }
    if (!m_spacesAreMarked)
        return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t mark = text.find(kSpaceMark, at);
        out.append(text.substr(at, mark - at));
        if (mark == std::string_view::npos)
            break;
        out.push_back(' ');
        at = mark + kSpaceMark.size();
    }
    return out;
}

} // namespace fireside
