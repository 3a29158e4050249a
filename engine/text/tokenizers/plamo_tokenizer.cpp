#include "engine/text/tokenizers/plamo_tokenizer.h"

#include "engine/core/error.h"
#include "engine/text/unicode.h"

#include <cmath>
#include <limits>

namespace fireside {
namespace {

constexpr std::int64_t kUnknownCost = 10'000'000; // of a character, in ten-thousandths
constexpr std::int64_t kUnusable = std::numeric_limits<std::int64_t>::max();
constexpr double kLowestScore = -2000, kHighestScore = 200'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

} // namespace

PlamoTokenizer::PlamoTokenizer(Parts parts)
    : VocabularyTokenizer(std::move(parts.common))
    , m_bytes(vocabulary())
{
    if (!m_bytes.isComplete())
        throwBadInput("the vocabulary lacks a token for some byte");
    addReachable(m_trie);
    for (const double score : parts.scores)
        m_costs.push_back(score > kLowestScore && score < kHighestScore ? -std::llround(score * 1e4)
                                                                        : kUnusable);
}

void PlamoTokenizer::encodeWord(std::string_view word, MergeWorker &,
                                std::vector<TokenId> &out) const
{
    struct Best // way from here to the end, by its first piece
    {
        std::int64_t cost = 0;
        std::size_t end = 0;
        TokenId id = -1;
    };
    if (word.starts_with(kByteOrderMark))
        word.remove_prefix(kByteOrderMark.size());
    std::vector<Best> best(word.size() + 1);
    for (std::size_t at = word.size(); at-- > 0;) {
        if ((static_cast<unsigned char>(word[at]) & 0xC0) == 0x80)
            continue;
        Best own{kUnusable, 0, -1};
        TokenTrie::Node node = TokenTrie::kRoot;
        for (std::size_t end = at; end < word.size();) {
            node = m_trie.child(node, word[end++]);
            if (node == TokenTrie::kNone)
                break;
            const TokenId id = m_trie.token(node);
            if (id < 0 || m_costs[static_cast<std::size_t>(id)] == kUnusable)
                continue;
            const std::int64_t cost = best[end].cost + m_costs[static_cast<std::size_t>(id)];
            if (cost <= own.cost)
                own = {cost, end, id};
        }
        const std::size_t next = at + decodeUtf8(word, at).length;
        if (best[next].cost + kUnknownCost < own.cost)
            own = {best[next].cost + kUnknownCost, next, -1};
        best[at] = own;
    }
    for (std::size_t at = 0; at < word.size(); at = best[at].end) {
        if (best[at].id >= 0)
            out.push_back(best[at].id);
        else
            m_bytes.append(word.substr(at, best[at].end - at), out);
    }
}

} // namespace fireside
