#include "engine/core/work_shares.h"

#include <gtest/gtest.h>
#include <mutex>
#include <utility>
#include <vector>

namespace fireside {
namespace {

using Order = std::vector<std::pair<std::size_t, std::size_t>>; // share, index

TEST(WorkSharesTest, OwnShareFromItsBeginningThenTheEndOfTheLongest)
{
    WorkShares shares(3);
    shares.set(0, 2);
    shares.set(1, 1);
    shares.set(2, 3);
    Order taken;
    for (WorkShares::Item item; shares.take(0, item);)
        taken.push_back({item.share, item.index});
    EXPECT_EQ(taken, (Order{{0, 0}, {0, 1}, {2, 2}, {2, 1}, {1, 0}, {2, 0}}));
    WorkShares::Item item;
    EXPECT_FALSE(shares.take(1, item));
}

TEST(WorkSharesTest, MoreThreadsThanSharesTakeFromTheSame)
{
    WorkShares shares(1000);
    ASSERT_EQ(shares.size(), WorkShares::kMost);
    shares.set(5, 2);
    shares.set(6, 9);
    WorkShares::Item item;
    ASSERT_TRUE(shares.take(5, item));
    EXPECT_EQ(item.share, 5u);
    ASSERT_TRUE(shares.take(5 + static_cast<int>(WorkShares::kMost), item));
    EXPECT_EQ(item.share, 5u);
    EXPECT_EQ(item.index, 1u);
}

TEST(WorkSharesTest, EachItemOfEachListOnce)
{
    for (const int threads : {1, 2, 3, 7}) {
        ThreadPool pool(threads);
        for (const std::vector<std::size_t> &lists :
             {std::vector<std::size_t>{}, {0}, {1}, {5}, {0, 1, 0}, {40, 3, 11}, {1, 1, 1, 1000}}) {
            std::vector<std::vector<int>> hits;
            for (const std::size_t count : lists)
                hits.emplace_back(count, 0);
            distributeLists(pool, lists, [&](int thread, std::size_t list, std::size_t index) {
                ASSERT_LT(thread, threads);
                ++hits[list][index]; // each is one thread's: a race for the sanitizer otherwise
            });
            for (const std::vector<int> &list : hits)
                for (const int hit : list)
                    ASSERT_EQ(hit, 1) << threads;
        }
    }
}

TEST(WorkSharesTest, AThreadBeginsWithItsStretchOfEachList)
{
    ThreadPool pool(2);
    const std::vector<std::size_t> lists{8, 2};
    std::mutex mutex;
    std::vector<std::vector<std::size_t>> first(2);
    distributeLists(pool, lists, [&](int thread, std::size_t list, std::size_t index) {
        const std::scoped_lock lock(mutex);
        if (first[static_cast<std::size_t>(thread)].empty())
            first[static_cast<std::size_t>(thread)] = {list, index};
    });
    // Who comes late may find its whole share taken; never does another thread begin with it.
    for (std::size_t thread = 0; thread < 2; ++thread) {
        const std::vector<std::size_t> own{0, 4 * thread}, others{0, 4 - 4 * thread};
        EXPECT_TRUE(first[thread].empty() || first[thread] == own || first[thread] != others);
    }
}

} // namespace
} // namespace fireside
