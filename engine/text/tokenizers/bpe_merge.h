#pragma once
#include "engine/text/tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace fireside {

/// Outcome of joining two neighbours: lower ranks go first, the leftmost of equals.
struct Merge
{
    std::uint32_t rank = 0;
    TokenId id = -1;
};

struct MergePair
{
    TokenId left = -1, right = -1;
    Merge merge;
};

/// (left token, right token) → Merge, made for tens of lookups per word: most find nothing, and
/// learn it from four bytes.
class MergeTable
{
public:
    static constexpr std::size_t kMaxMerges = (std::size_t{1} << 24) - 1;

    MergeTable() = default;
    /// At most kMaxMerges. Of equal pairs the first one counts; those with negative ids do not.
    explicit MergeTable(std::vector<MergePair> pairs);
    std::size_t size() const { return m_used; }

    const Merge *find(TokenId left, TokenId right) const
    {
        if (m_slots.empty() || left < 0 || right < 0)
            return nullptr;
        const std::uint64_t hash = hashOf(left, right);
        for (std::size_t i = slotOf(hash);; i = (i + 1) & (m_slots.size() - 1)) {
            const std::uint32_t slot = m_slots[i];
            if (slot == kFree)
                return nullptr;
            if ((slot & kTag) != tagOf(hash))
                continue;
            const MergePair &pair = m_pairs[slot & ~kTag];
            if (pair.left == left && pair.right == right)
                return &pair.merge;
        }
    }

private:
    /// A slot is an index of m_pairs with eight bits of the pair's hash above it.
    static constexpr std::uint32_t kFree = 0xFFFFFFFF, kTag = 0xFF000000;
    static std::uint64_t hashOf(TokenId left, TokenId right)
    {
        const std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(left))
                                      << 32 |
                                  static_cast<std::uint32_t>(right);
        return key * 0x9E3779B97F4A7C15u;
    }
    static std::uint32_t tagOf(std::uint64_t hash)
    {
        return static_cast<std::uint32_t>(hash >> 32) & kTag;
    }
    std::size_t slotOf(std::uint64_t hash) const { return hash >> 30 & (m_slots.size() - 1); }

    std::vector<MergePair> m_pairs;
    std::vector<std::uint32_t> m_slots; // power of two, at most half full
    std::size_t m_used = 0;
};

/// One symbol of the word being merged; merged-away symbols have length 0.
struct MergeSymbol
{
    std::uint32_t begin = 0, length = 0; // bytes of the word
    TokenId id = -1;                     // -1: no token yet
    std::int32_t previous = -1, next = -1;
};

/// Byte-pair merging of one word in O(n log n): a linked list of symbols and a heap of candidate
/// pairs. Keep one per thread; the buffers are reused from word to word.
class MergeWorker
{
public:
    std::vector<MergeSymbol> &symbols() { return m_symbols; }
    void clear() { m_symbols.clear(); }
    void push(std::uint32_t begin, std::uint32_t length, TokenId id)
    {
        const auto index = static_cast<std::int32_t>(m_symbols.size());
        if (index > 0)
            m_symbols.back().next = index;
        m_symbols.push_back({begin, length, id, index - 1, -1});
    }

    /// find(left symbol, right symbol) → std::optional<Merge>. Afterwards the symbols reachable
    /// from index 0 through `next` are the result.
    template <class Find>
    void run(Find find)
    {
        m_heap.clear();
        for (std::size_t i = 0; i + 1 < m_symbols.size(); ++i)
            offer(static_cast<std::int32_t>(i), find, false);
        std::make_heap(m_heap.begin(), m_heap.end(), later);
        while (!m_heap.empty()) {
            std::pop_heap(m_heap.begin(), m_heap.end(), later);
            const Candidate best = m_heap.back();
            m_heap.pop_back();
            MergeSymbol &left = m_symbols[static_cast<std::size_t>(best.left)];
            if (left.length == 0 || left.next < 0)
                continue;
            MergeSymbol &right = m_symbols[static_cast<std::size_t>(left.next)];
            // Borders between symbols only ever vanish, so an equal length means the same pair.
            if (left.length + right.length != best.length)
                continue;
            left.length = best.length;
            left.id = best.id;
            left.next = right.next;
            right.length = 0;
            if (left.next >= 0)
                m_symbols[static_cast<std::size_t>(left.next)].previous = best.left;
            if (left.previous >= 0)
                offer(left.previous, find, true);
            offer(best.left, find, true);
        }
    }

private:
    struct Candidate
    {
        std::uint32_t rank;
        std::int32_t left; // index of the left symbol
        std::uint32_t length;
        TokenId id;
    };
    static bool later(const Candidate &a, const Candidate &b)
    {
        return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
    }

    template <class Find>
    void offer(std::int32_t index, Find &find, bool sift)
    {
        const MergeSymbol &left = m_symbols[static_cast<std::size_t>(index)];
        if (left.next < 0)
            return;
        const MergeSymbol &right = m_symbols[static_cast<std::size_t>(left.next)];
        const std::optional<Merge> merge = find(left, right);
        if (!merge)
            return;
        m_heap.push_back({merge->rank, index, left.length + right.length, merge->id});
        if (sift)
            std::push_heap(m_heap.begin(), m_heap.end(), later);
    }

    std::vector<MergeSymbol> m_symbols;
    std::vector<Candidate> m_heap;
};

} // namespace fireside
