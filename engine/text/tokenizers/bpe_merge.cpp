#include "engine/text/tokenizers/bpe_merge.h"

namespace fireside {

MergeTable::MergeTable(std::vector<MergePair> pairs)
    : m_pairs(std::move(pairs))
{
    constexpr std::size_t kAhead = 16; // slots that are asked for early
    if (m_pairs.empty())
        return;
    std::size_t capacity = 16;
    while (capacity < 2 * m_pairs.size())
        capacity *= 2;
    m_slots.assign(capacity, kFree);
    for (std::size_t index = 0; index < m_pairs.size(); ++index) {
        if (index + kAhead < m_pairs.size()) {
            const MergePair &later = m_pairs[index + kAhead];
            __builtin_prefetch(m_slots.data() + slotOf(hashOf(later.left, later.right)));
        }
        const MergePair &pair = m_pairs[index];
        if (pair.left < 0 || pair.right < 0 || find(pair.left, pair.right))
            continue;
        const std::uint64_t hash = hashOf(pair.left, pair.right);
        std::size_t slot = slotOf(hash);
        while (m_slots[slot] != kFree)
            slot = (slot + 1) & (capacity - 1);
        m_slots[slot] = tagOf(hash) | static_cast<std::uint32_t>(index);
        ++m_used;
    }
}

} // namespace fireside
