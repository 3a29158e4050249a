#pragma once
#include "engine/core/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fireside {

/// The items of a parallel region. Each thread has a stretch of them, its share, and takes from the
/// beginning of that, so that it goes through memory in one direction and, region after region,
/// through the same memory. Who has nothing left takes from the end of the longest share.
class WorkShares
{
public:
    static constexpr std::size_t kMost = 64; // shares; of more threads several have the same

    explicit WorkShares(int threads)
        : m_shares(std::clamp<std::size_t>(static_cast<std::size_t>(threads), 1, kMost))
    {}
    std::size_t size() const { return m_shares; }

    /// Before the region: so many items, fewer than 2³².
    void set(std::size_t share, std::size_t items)
    {
        m_left[share].range.store(std::uint64_t{items} << 32, std::memory_order_relaxed);
    }

    struct Item
    {
        std::size_t share = 0, index = 0; // index in the share
    };
    /// False when nothing is left.
    bool take(int thread, Item &item)
    {
        const std::size_t own = static_cast<std::size_t>(thread) % m_shares;
        if (takeFirst(own, item))
            return true;
        for (;;) {
            std::size_t longest = 0, most = 0;
            for (std::size_t s = 0; s < m_shares; ++s)
                if (const std::size_t left = leftOf(s); left > most) {
                    most = left;
                    longest = s;
                }
            if (most == 0)
                return false;
            if (takeLast(longest, item))
                return true;
        }
    }

private:
    // A range in one word: its begin in the low half, its end in the high one.
    static std::uint64_t begin(std::uint64_t range) { return range & 0xffffffff; }
    static std::uint64_t end(std::uint64_t range) { return range >> 32; }

    std::size_t leftOf(std::size_t share) const
    {
        const std::uint64_t range = m_left[share].range.load(std::memory_order_relaxed);
        return end(range) - begin(range);
    }
    bool takeFirst(std::size_t share, Item &item)
    {
        std::atomic<std::uint64_t> &left = m_left[share].range;
        for (std::uint64_t range = left.load(std::memory_order_relaxed); begin(range) < end(range);)
            if (left.compare_exchange_weak(range, range + 1, std::memory_order_relaxed)) {
                item = {share, begin(range)};
                return true;
            }
        return false;
    }
    bool takeLast(std::size_t share, Item &item)
    {
        std::atomic<std::uint64_t> &left = m_left[share].range;
        std::uint64_t range = left.load(std::memory_order_relaxed);
        if (begin(range) >= end(range) ||
            !left.compare_exchange_strong(range, range - (std::uint64_t{1} << 32),
                                          std::memory_order_relaxed))
            return false;
        item = {share, end(range) - 1};
        return true;
    }

    struct alignas(64) Left
    {
        std::atomic<std::uint64_t> range{0};
    };
    std::size_t m_shares;
    std::array<Left, kMost> m_left;
};

/// Where a share begins in `count` things in a row; that of share `shares` is the end.
constexpr std::size_t shareBegin(std::size_t count, std::size_t share, std::size_t shares)
{
    return count * share / shares;
}

/// Runs body(thread, list, index) for every index of several lists of items, whose lengths are
/// given. Each list is shared out, so that a thread has the same stretch of it however many there
/// are.
template <typename Body>
void distributeLists(ThreadPool &pool, std::span<const std::size_t> lists, const Body &body)
{
    std::size_t all = 0;
    for (const std::size_t count : lists)
        all += count;
    if (all <= 1 || pool.size() == 1) {
        for (std::size_t list = 0; list < lists.size(); ++list)
            for (std::size_t i = 0; i < lists[list]; ++i)
                body(0, list, i);
        return;
    }
    WorkShares shares(pool.size());
    const std::size_t n = shares.size();
    const auto lengthOf = [&](std::size_t list, std::size_t share) {
        return shareBegin(lists[list], share + 1, n) - shareBegin(lists[list], share, n);
    };
    for (std::size_t share = 0; share < n; ++share) {
        std::size_t items = 0;
        for (std::size_t list = 0; list < lists.size(); ++list)
            items += lengthOf(list, share);
        shares.set(share, items);
    }
    pool.share([&](int thread) {
        for (WorkShares::Item item; !pool.shouldYield(thread) && shares.take(thread, item);) {
            std::size_t list = 0;
            for (; item.index >= lengthOf(list, item.share); ++list)
                item.index -= lengthOf(list, item.share);
            body(thread, list, shareBegin(lists[list], item.share, n) + item.index);
        }
    });
}

/// Runs body(thread, index) for every index below count.
template <typename Body>
void distribute(ThreadPool &pool, std::size_t count, const Body &body)
{
    distributeLists(pool, std::span(&count, 1),
                    [&](int thread, std::size_t, std::size_t index) { body(thread, index); });
}

} // namespace fireside
