#include "engine/text/tokenizers/spm_tokenizer.h"

#include "engine/text/unicode.h"

namespace fireside {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81"; // ▁, U+2581
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
    , m_wholeLineBreaks(parts.wholeLineBreaks)
    , m_continuing(std::move(parts.continuing))
    , m_ending(std::move(parts.ending))
    , m_bytes(vocabulary())
{
    const bool hasBytes = m_byteFallback && m_bytes.isComplete();
    m_cutsAnywhere = !m_fuseUnknown || hasBytes;
    m_dropsUnknown = m_ranks.empty() && !unknown() && !hasBytes;
    m_joined.addTexts(vocabulary());
}

void SpmTokenizer::refine(PreTokenizer::Words &words) const
{
    // Parts of a word must not look like words, and merges may reach over what is dropped.
    if (m_continuing.empty() && m_ending.empty() && !m_wholeLineBreaks && !m_dropsUnknown)
        words.pieces = m_joined.cut(words.text, words.pieces, m_cutsAnywhere);
}

bool SpmTokenizer::takenWhole(std::string_view word) const
{
    return m_wholeWordsFirst ||
           (m_wholeLineBreaks && word.find_first_not_of('\n') == std::string_view::npos);
}

void SpmTokenizer::pushCharacters(std::string_view word, MergeWorker &worker) const
{
    std::string marked;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t length = decodeUtf8(word, at).length;
        std::string_view text = word.substr(at, length);
        const bool goesOn = at > 0 && !m_continuing.empty();
        const bool ends = at + length == word.size() && !m_ending.empty();
        if (goesOn || ends) {
            marked.assign(goesOn ? m_continuing : "").append(text).append(ends ? m_ending : "");
            text = marked;
        }
        const TokenId id = vocabulary().findReachable(text).value_or(-1);
        if (id >= 0 || !m_dropsUnknown || m_byteFallback)
            worker.push(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length), id);
        at += length;
    }
}

void SpmTokenizer::encodeWord(std::string_view word, MergeWorker &worker,
                              std::vector<TokenId> &out) const
{
    if (word.size() > kLongestSpmWord) {
        const std::size_t middle = middleOf(word);
        encodeWord(word.substr(0, middle), worker, out);
        encodeWord(word.substr(middle), worker, out);
        return;
    }
    if (takenWhole(word)) {
        if (const auto id = vocabulary().findReachable(word)) {
            out.push_back(*id);
            return;
        }
    }
    worker.clear();
    pushCharacters(word, worker);
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
    for (std::int32_t i = worker.symbols().empty() ? -1 : 0; i >= 0;) {
        const MergeSymbol &symbol = worker.symbols()[static_cast<std::size_t>(i)];
        i = symbol.next;
        if (symbol.id >= 0) {
            out.push_back(symbol.id);
            previousUnknown = false;
        } else if (m_byteFallback &&
                   m_bytes.append(word.substr(symbol.begin, symbol.length), out)) {
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
        if (!(m_byteFallback && m_bytes.append(bytes.substr(at, length), out)) && unknown())
            out.push_back(*unknown());
        at += length;
    }
}

std::string SpmTokenizer::ordinaryBytes(TokenId id) const
{
    if (!m_spacesAreMarked || vocabulary().kind(id) == TokenKind::Byte)
        return VocabularyTokenizer::ordinaryBytes(id);
    const std::string_view text = vocabulary().text(id);
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
