#pragma once
#include "engine/text/tokenizers/bpe_merge.h"
#include "engine/text/tokenizers/vocabulary.h"

#include <string>
#include <string_view>
#include <vector>

namespace fireside {

/// Makes a table of merges from their texts, a batch at a time: a file may hold half a million.
class MergeList
{
public:
    MergeList(const Vocabulary &tokens, std::size_t merges);

    /// The next merge in the order of ranks; `joined` is what the two become. Returns the first
    /// merge of those added so far that names a token which is not in the vocabulary, else -1.
    std::int64_t add(std::string_view left, std::string_view right, std::string_view joinedLeft,
                     std::string_view joinedRight);
    std::int64_t finish(); // the same, for the rest

    MergeTable take() { return std::move(m_merges); }

private:
    static constexpr std::size_t kBatch = 64;

    const Vocabulary &m_tokens;
    MergeTable m_merges;
    std::uint32_t m_rank = 0; // of the first in the batch
    std::string m_joined;     // the batch's, one behind the other
    std::vector<std::size_t> m_ends;
    std::vector<std::string_view> m_texts; // left, right and joined of each merge
    std::vector<TokenId> m_ids;
};

} // namespace fireside
