#include "engine/text/tokenizers/bpe_merge.h"

namespace fireside {

void MergeTable::reserve(std::size_t merges)
{
    std::size_t capacity = 16;
    while (capacity < 2 * merges)
        capacity *= 2;
    if (capacity <= m_slots.size())
        return;
    std::vector<Slot> old(capacity);
    old.swap(m_slots);
    for (const Slot &slot : old) {
        if (slot.key == kFree)
            continue;
        std::size_t i = slotOf(slot.key);
        while (m_slots[i].key != kFree)
            i = (i + 1) & (m_slots.size() - 1);
        m_slots[i] = slot;
    }
}

bool MergeTable::insert(TokenId left, TokenId right, Merge merge)
{
    reserve(m_used + 1);
    const std::uint64_t key = keyOf(left, right);
    std::size_t i = slotOf(key);
    for (; m_slots[i].key != kFree; i = (i + 1) & (m_slots.size() - 1))
        if (m_slots[i].key == key)
            return false;
    m_slots[i] = {key, merge};
    ++m_used;
    return true;
}

} // namespace fireside
