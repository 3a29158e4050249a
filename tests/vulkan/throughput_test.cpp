#include "engine/backend/op.h"
#include "engine/vulkan/platform/op_times.h"
#include "engine/vulkan/platform/throughput.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe_device.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>

// How long work counts as taking, measured or told, and what follows: how much runs ahead.
namespace fireside {
namespace {

using vulkan::Throughput;

TEST(VulkanThroughput, IsLearntUpAtOnceAndDownSlowly)
{
    Throughput throughput(Throughput::Kind::Integrated);
    throughput.learn(0.01, 0.08);
    EXPECT_DOUBLE_EQ(throughput.factor(), 8);
    throughput.learn(0.01, 0.03);
    EXPECT_DOUBLE_EQ(throughput.factor(), 7);
    throughput.learn(1e-4, 9e-4); // too short to say anything
    EXPECT_DOUBLE_EQ(throughput.factor(), 7);
    EXPECT_DOUBLE_EQ(throughput.expected(0.01, 0), 0.07);
    EXPECT_DOUBLE_EQ(throughput.expected(0.01, 0.5), 0.5);
}

std::vector<OpTime> timesOf(double seconds)
{
    return {{.op = "linear", .calls = 2, .seconds = seconds, .dispatches = 3}};
}

/// Passes that are not timed count as the last timed one of their kind, of as many rows.
TEST(VulkanOpTimes, OnePassInManyStandsForTheOthers)
{
    vulkan::OpTimes times;
    times.add(1, 4, true, timesOf(0.5));
    times.add(1, 8, true, timesOf(7));
    times.add(1, 4, false, timesOf(0));
    times.add(1, 4, true, timesOf(0.25));
    times.add(1, 4, false, timesOf(0));
    const std::vector<OpTime> all = times.take();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_DOUBLE_EQ(all.front().seconds, 0.5 + 7 + 0.5 + 0.25 + 0.25);
    EXPECT_EQ(all.front().calls, 10);
    EXPECT_EQ(all.front().dispatches, 15);
    EXPECT_TRUE(times.take().empty());
}

TEST(VulkanOpTimes, TheFirstPassesAndOneInManyAreTimed)
{
    vulkan::OpTimes times;
    int timed = 0;
    for (int pass = 0; pass < 100; ++pass) {
        const bool now = times.timeNext(1, 4);
        if (pass < 4) {
            EXPECT_TRUE(now) << pass;
        }
        timed += now;
    }
    EXPECT_LE(timed, 10);
    EXPECT_GE(timed, 6);
    EXPECT_TRUE(times.timeNext(1, 5)) << "of another form";
    EXPECT_TRUE(times.timeNext(0, 4)) << "one that is not replayed";
    // A pass that does not come is not counted.
    vulkan::OpTimes again;
    for (int pass = 0; pass < 20; ++pass) {
        EXPECT_TRUE(again.timeNext(1, 4));
        again.takeBack(1, 4);
    }
}

TEST(VulkanThroughput, ThatIsToldLearnsNothing)
{
    Throughput throughput(Throughput::Kind::Software, 3);
    throughput.learn(0.01, 5);
    EXPECT_DOUBLE_EQ(throughput.factor(), 3);
    EXPECT_DOUBLE_EQ(throughput.expected(0.01, 0.5), 0.03);
}

/// A counter as a model: the table's row of an id is largest at the id after it.
class Counter
{
public:
    explicit Counter(Device &device)
        : m_table(device.allocate(kIds * kIds * sizeof(float), "a table"))
        , m_commands(device.commands(1 << 20, 4))
    {
        std::vector<float> values(kIds * kIds, 0.0f);
        for (std::size_t id = 0; id < kIds; ++id)
            values[id * kIds + (id + 1) % kIds] = 1;
        m_commands->begin({});
        m_commands->upload(std::span<const float>(values), table());
        m_commands->sync();
    }
    /// Counts on from `first`; returns how many passes ran ahead of the first one.
    std::size_t passesAhead(std::int32_t first)
    {
        const auto count = static_cast<std::size_t>(pass(first, 0, 10));
        for (std::size_t i = 1; i <= count; ++i)
            EXPECT_EQ(pass(first + static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), 0),
                      static_cast<std::int64_t>(count - i))
                << "taken from what runs";
        m_commands->settle();
        return count;
    }

    /// The most that ran ahead while 12 passes were computed one after another, each of which may
    /// be followed while `goesOn`; and how often that was asked.
    std::pair<std::int64_t, int> mostAhead(bool goesOn)
    {
        int asked = 0;
        std::int64_t most = 0;
        const std::function<bool()> answer = [&] {
            ++asked;
            return goesOn;
        };
        for (std::int32_t i = 0; i < 12; ++i)
            most = std::max(most, pass(i, i, 4, &answer));
        m_commands->settle();
        return {most, asked};
    }

private:
    /// A pass of one row; returns how many run behind it.
    std::int64_t pass(std::int32_t id, std::int32_t past, std::int64_t maxAhead,
                      const std::function<bool()> *goesOn = nullptr)
    {
        const NextIds next;
        const BatchItem items[] = {{{}, 0, 1, past}};
        const PassOptions options{
            .recording = 1, .next = &next, .maxAhead = maxAhead, .goesOn = goesOn};
        if (m_commands->begin({{&id, 1}, {&past, 1}, items, {}}, options) ==
            Commands::Begin::Record) {
            const Tensor logits = m_commands->scratch(1, kIds);
            const Tensor best = m_commands->scratch(1, 1, DType::I32);
            const Tensor chosen = m_commands->scratch(1, 1, DType::I32);
            m_commands->record(op::GatherRows{table(), m_commands->ids(), logits});
            m_commands->record(op::Argmax{logits, best});
            m_commands->record(op::Advance{{}, best, chosen});
            m_commands->keep(0, chosen);
        }
        m_commands->sync();
        std::int32_t got = 0;
        m_commands->read(m_commands->kept(0), std::span(&got, 1));
        EXPECT_EQ(got, id + 1);
        return m_commands->ahead();
    }

    static constexpr std::size_t kIds = 32;
    Tensor table() const { return {m_table.get(), 0, DType::F32, kIds, kIds, kIds}; }
    std::unique_ptr<Buffer> m_table;
    std::unique_ptr<Commands> m_commands;
};

TEST(VulkanThroughput, FiftyMillisecondsRunAheadAndFourPassesAtMost)
{
    const test::LavapipeDevice opened;
    if (!opened)
        FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
    // The pass is three dispatches of next to nothing: about 2 µs each by the first guess.
    struct RunAhead
    {
        double milliseconds; // that each dispatch counts as
        std::size_t least, most;
    };
    for (const RunAhead &c : {RunAhead{0.1, 4, 4}, RunAhead{6.5, 1, 2}, RunAhead{30, 0, 0}}) {
        VulkanOptions options;
        options.throughput = c.milliseconds * 500;
        const auto device = opened.open(options);
        Counter counter(*device);
        counter.passesAhead(3); // the first passes are timed: see recordings_test.cpp
        counter.passesAhead(3);
        counter.passesAhead(3);
        const std::size_t count = counter.passesAhead(3);
        EXPECT_GE(count, c.least) << c.milliseconds << " ms a dispatch";
        EXPECT_LE(count, c.most) << c.milliseconds << " ms a dispatch";
    }
}

TEST(VulkanThroughput, OthersAreAskedBeforeAPassIsBegunAhead)
{
    const test::LavapipeDevice opened;
    if (!opened)
        FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
    const auto device = opened.open({});
    Counter counter(*device);
    for (int i = 0; i < 3; ++i)
        counter.passesAhead(3);
    const auto [refused, askedInVain] = counter.mostAhead(false);
    EXPECT_EQ(refused, 0);
    EXPECT_GE(askedInVain, 12) << "for each pass";
    const auto [allowed, asked] = counter.mostAhead(true);
    EXPECT_EQ(allowed, 1);
    EXPECT_GE(asked, 11);
}

} // namespace
} // namespace fireside
