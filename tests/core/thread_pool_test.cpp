#include "engine/core/thread_pool.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>
#include <vector>

namespace fireside {
namespace {

class ThreadPoolTest : public testing::TestWithParam<int>
{};

TEST_P(ThreadPoolTest, RunCallsEachThreadOnceAndWaits)
{
    ThreadPool pool(GetParam());
    std::vector<int> calls(pool.size(),
                           0); // plain ints: a missing wait is a race for the sanitizer
    for (int round = 0; round < 2000; ++round) {
        pool.run([&](int thread) { ++calls[thread]; });
        for (const int count : calls)
            ASSERT_EQ(count, round + 1);
    }
}

TEST_P(ThreadPoolTest, CallerIsThreadZero)
{
    ThreadPool pool(GetParam());
    std::vector<std::thread::id> ids(pool.size());
    pool.run([&](int thread) { ids[thread] = std::this_thread::get_id(); });
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    for (int i = 1; i < pool.size(); ++i)
        EXPECT_NE(ids[i], ids[0]);
}

TEST_P(ThreadPoolTest, ParallelForCoversEachIndexOnce)
{
    ThreadPool pool(GetParam());
    for (const std::ptrdiff_t count : {0, 1, 2, 7, 64, 1000, 1001}) {
        for (const std::ptrdiff_t grain : {0, 1, 3, 64, 5000}) {
            std::vector<int> hits(static_cast<std::size_t>(count), 0);
            pool.parallelFor(count, grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                ASSERT_LE(end - begin, std::max<std::ptrdiff_t>(grain, 1));
                for (std::ptrdiff_t i = begin; i < end; ++i)
                    ++hits[static_cast<std::size_t>(i)];
            });
            for (const int h : hits)
                ASSERT_EQ(h, 1) << count << " by " << grain;
        }
    }
}

TEST_P(ThreadPoolTest, SleepingWorkersWakeUp)
{
    ThreadPool pool(GetParam());
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> calls{0};
        pool.run([&](int) { ++calls; });
        EXPECT_EQ(calls, pool.size());
        std::this_thread::sleep_for(std::chrono::milliseconds(3)); // longer than the busy wait
    }
}

TEST_P(ThreadPoolTest, SlowWorkerIsWaitedFor)
{
    ThreadPool pool(GetParam());
    int finished = -1;
    pool.run([&](int thread) {
        if (thread == pool.size() - 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            finished = thread;
        }
    });
    EXPECT_EQ(finished, pool.size() - 1);
}

TEST_P(ThreadPoolTest, RegionsThatNeedNotAllThreadsAndSuchThatDo)
{
    ThreadPool pool(GetParam());
    std::vector<int> calls(pool.size(), 0), shared(pool.size(), 0);
    for (int round = 0; round < 5000; ++round) {
        // Plain numbers: who comes late must not touch them, or those of the next region.
        std::vector<int> now(pool.size(), 0);
        pool.share([&](int thread) { ++now[thread]; });
        EXPECT_EQ(now[0], 1);
        for (int t = 0; t < pool.size(); ++t) {
            ASSERT_LE(now[t], 1);
            shared[t] += now[t];
        }
        if (round % 3 == 0)
            pool.run([&](int thread) { ++calls[thread]; });
        for (const int count : calls)
            ASSERT_EQ(count, round / 3 + 1);
    }
    EXPECT_EQ(shared[0], 5000);
}

TEST_P(ThreadPoolTest, NobodyYieldsWhereAllAreWaitedForNorTheCaller)
{
    ThreadPool pool(GetParam());
    pool.run([&](int thread) { EXPECT_FALSE(pool.shouldYield(thread)); });
    pool.share([&](int thread) { EXPECT_FALSE(thread == 0 && pool.shouldYield(thread)); });
}

TEST_P(ThreadPoolTest, RegionsOfSeveralCallersAreSerialised)
{
    ThreadPool pool(GetParam());
    std::atomic<int> inside{0};
    long total = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c)
        callers.emplace_back([&] {
            for (int round = 0; round < 200; ++round)
                pool.run([&](int thread) {
                    if (thread == 0) {
                        EXPECT_EQ(++inside, 1);
                        ++total;        // guarded by the pool itself
                        if (round < 10) // long enough for another caller to come in
                            std::this_thread::sleep_for(std::chrono::milliseconds(2));
                        --inside;
                    }
                });
        });
    for (std::thread &c : callers)
        c.join();
    EXPECT_EQ(total, 600);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolTest, testing::Values(1, 2, 3, 8),
                         testing::PrintToStringParamName());

TEST(ThreadPool, SizeIsAtLeastOne)
{
    EXPECT_EQ(ThreadPool(0).size(), 1);
    EXPECT_EQ(ThreadPool(-5).size(), 1);
    EXPECT_EQ(ThreadPool(3).size(), 3);
}

TEST(ThreadPool, StartsAndStopsWithoutRegions)
{
    const auto threads = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    const auto before = threads();
    for (int i = 0; i < 200; ++i) {
        const ThreadPool pool(1 + i % 4);
        EXPECT_EQ(pool.size(), 1 + i % 4);
    }
    EXPECT_EQ(threads(), before);
}

} // namespace
} // namespace fireside
