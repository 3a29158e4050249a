#include "engine/text/tokenizers/unigram_tokenizer.h"

#include "engine/text/unicode.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr std::string_view kUnigramSpace = "\xE2\x96\x81"; // ▁
constexpr std::size_t kLongestUnigramWord = std::size_t{1} << 28;
constexpr TokenId kUnknownPiece = -1, kNoPiece = -2;

} // namespace

/// The best way to the end of a prefix of the word, by its last piece.
struct UnigramTokenizer::Best
{
    double score = 0;
    std::uint32_t begin = 0;
    TokenId id = kNoPiece;
};

UnigramTokenizer::UnigramTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_scores(std::move(parts.scores))
    , m_unknownScore(parts.unknownScore)
    , m_byteFallback(parts.byteFallback)
    , m_bytes(vocabulary())
{
    addReachable(m_trie);
    m_joined.addTexts(vocabulary());
    m_cutsAtMarks = vocabulary().findReachable(kUnigramSpace).has_value();
}

void UnigramTokenizer::refine(PreTokenizer::Words &words) const
{
    if (m_cutsAtMarks)
        words.pieces = m_joined.cut(words.text, words.pieces, false);
}

std::vector<UnigramTokenizer::Best> UnigramTokenizer::bestPaths(std::string_view word) const
{
    std::vector<Best> best(word.size() + 1);
    const auto offer = [&best](std::size_t begin, std::size_t end, double score, TokenId id) {
        Best &place = best[end];
        if (place.id == kNoPiece || score > place.score)
            place = {score, static_cast<std::uint32_t>(begin), id};
    };
    for (std::size_t at = 0; at < word.size();) {
        const double score = best[at].score;
        const std::size_t next = at + decodeUtf8(word, at).length;
        bool hasSingle = false;
        TokenTrie::Node node = TokenTrie::kRoot;
        for (std::size_t end = at; end < word.size();) {
            node = m_trie.child(node, word[end++]);
            if (node == TokenTrie::kNone)
                break;
            const TokenId id = m_trie.token(node);
            if (id < 0)
                continue;
            offer(at, end, score + m_scores[static_cast<std::size_t>(id)], id);
            hasSingle = hasSingle || end == next;
        }
        if (!hasSingle)
            offer(at, next, score + m_unknownScore, kUnknownPiece);
        at = next;
    }
    return best;
}

void UnigramTokenizer::encodeWord(std::string_view word, MergeWorker &worker,
                                  std::vector<TokenId> &out) const
{
    if (word.size() > kLongestUnigramWord) {
        const std::size_t middle = middleOf(word);
        encodeWord(word.substr(0, middle), worker, out);
        encodeWord(word.substr(middle), worker, out);
        return;
    }
    const std::vector<Best> best = bestPaths(word);
    const std::size_t before = out.size();
    // From the end to the beginning, runs of unknown characters as one.
    for (std::size_t end = word.size(); end > 0;) {
        std::size_t begin = best[end].begin;
        if (best[end].id >= 0) {
            out.push_back(best[end].id);
            end = begin;
            continue;
        }
        while (begin > 0 && best[begin].id == kUnknownPiece)
            begin = best[begin].begin;
        const std::size_t first = out.size();
        if (m_byteFallback && m_bytes.append(word.substr(begin, end - begin), out))
            std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
        else if (unknown())
            out.push_back(*unknown());
        end = begin;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
}

void UnigramTokenizer::encodeInvalid(std::string_view bytes, MergeWorker &,
                                     std::vector<TokenId> &out) const
{
    if (!(m_byteFallback && m_bytes.append(bytes, out)) && unknown())
        out.push_back(*unknown());
}

} // namespace fireside
