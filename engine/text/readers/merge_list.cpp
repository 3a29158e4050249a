#include "engine/text/readers/merge_list.h"

namespace fireside {

MergeList::MergeList(const Vocabulary &tokens, std::size_t merges)
    : m_tokens(tokens)
{
    m_merges.reserve(merges);
}

std::int64_t MergeList::add(std::string_view left, std::string_view right,
                            std::string_view joinedLeft, std::string_view joinedRight)
{
    m_joined.append(joinedLeft).append(joinedRight);
    m_ends.push_back(m_joined.size());
    m_texts.insert(m_texts.end(), {left, right, {}});
    return m_ends.size() == kBatch ? finish() : -1;
}

std::int64_t MergeList::finish()
{
    const std::size_t count = m_ends.size();
    for (std::size_t i = 0, begin = 0; i < count; begin = m_ends[i++])
        m_texts[3 * i + 2] = std::string_view(m_joined).substr(begin, m_ends[i] - begin);
    m_ids.resize(m_texts.size());
    m_tokens.findAll(m_texts, m_ids);
    for (std::size_t i = 0; i < count; ++i)
        if (m_ids[3 * i] < 0 || m_ids[3 * i + 1] < 0 || m_ids[3 * i + 2] < 0)
            return m_rank + static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < count; ++i)
        m_merges.prefetch(m_ids[3 * i], m_ids[3 * i + 1]);
    for (std::size_t i = 0; i < count; ++i) {
        // A merge must not build a control token out of ordinary text.
        const TokenId result = m_ids[3 * i + 2];
        const auto rank = static_cast<std::uint32_t>(m_rank + i);
        if (m_tokens.isReachable(result))
            m_merges.insert(m_ids[3 * i], m_ids[3 * i + 1], {rank, result});
    }
    m_rank += static_cast<std::uint32_t>(count);
    m_joined.clear();
    m_ends.clear();
    m_texts.clear();
    return -1;
}

} // namespace fireside
