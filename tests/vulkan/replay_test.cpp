#include "engine/backend/op.h"
#include "engine/core/error.h"
#include "engine/vulkan/pass/vulkan_recorder.h"
#include "shaders/common/self_test.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe_device.h"

#include <chrono>
#include <gtest/gtest.h>
#include <numeric>

// Passes that are recorded once and replayed, cut into submissions, stopped, and timed.
namespace fireside {
namespace {

using test::LavapipeDevice;
using Begin = Commands::Begin;

#define REQUIRE_LAVAPIPE(device)                                                                   \
    if (!(device))                                                                                 \
    FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)")

/// A pass whose result depends on all that may change in a replay: rows of a table by the ids, plus
/// the rows by the positions, of which the output rows are kept.
class Sums
{
public:
    explicit Sums(Device &device)
        : m_table(device.allocate(16 * 8 * sizeof(float), "table"))
        , commands(device.commands(1 << 20, 8))
    {
        std::vector<float> values(16 * 8);
        std::iota(values.begin(), values.end(), 0.0f);
        commands->begin({});
        commands->upload(std::span<const float>(values), table());
        commands->sync();
    }
    Tensor table() const { return {m_table.get(), 0, DType::F32, 16, 8, 8}; }

    struct Result
    {
        Begin begin = Begin::Record;
        std::vector<float> values;
    };
    Result run(const std::vector<std::int32_t> &ids, const std::vector<std::int32_t> &positions,
               const std::vector<std::int32_t> &rows, std::uint64_t recording)
    {
        const auto T = static_cast<std::int64_t>(ids.size());
        const BatchItem items[] = {{{}, 0, T, 0}};
        PassOptions options;
        options.recording = recording;
        Result result;
        result.begin = commands->begin({ids, positions, items, rows}, options);
        if (result.begin == Begin::Record) {
            const Tensor a = commands->scratch(T, 8), b = commands->scratch(T, 8);
            commands->record(op::GatherRows{table(), commands->ids(), a});
            commands->record(op::GatherRows{table(), commands->positions(), b});
            commands->record(op::AddScaled{b, 1000, a});
            const Tensor out = commands->scratch(static_cast<std::int64_t>(rows.size()), 8);
            commands->record(op::GatherRows{a, commands->outputRows(), out});
            commands->keep(3, out);
        }
        commands->sync();
        const Tensor out = commands->kept(3);
        result.values.resize(static_cast<std::size_t>(out.rows * out.cols));
        commands->read(out, std::span<float>(result.values));
        return result;
    }
    static std::vector<float> expected(const std::vector<std::int32_t> &ids,
                                       const std::vector<std::int32_t> &positions,
                                       const std::vector<std::int32_t> &rows)
    {
        std::vector<float> values;
        for (const std::int32_t row : rows)
            for (int c = 0; c < 8; ++c)
                values.push_back(
                    static_cast<float>(ids[static_cast<std::size_t>(row)] * 8 + c) +
                    1000 * static_cast<float>(positions[static_cast<std::size_t>(row)] * 8 + c));
        return values;
    }

private:
    std::unique_ptr<Buffer> m_table;

public:
    std::unique_ptr<Commands> commands;
};

TEST(VulkanReplay, GivesWhatARecordingGives)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Sums sums(*opened.device);
    auto result = sums.run({1, 2, 3}, {4, 5, 6}, {0, 2}, 7);
    EXPECT_EQ(result.begin, Begin::Record);
    EXPECT_EQ(result.values, Sums::expected({1, 2, 3}, {4, 5, 6}, {0, 2}));
    for (std::int32_t i = 0; i < 5; ++i) { // once more without timestamps
        result = sums.run({9, i, 8}, {0, 15, i}, {1, 2}, 7);
        EXPECT_EQ(result.begin, i == 3 ? Begin::Record : Begin::Replay);
        EXPECT_EQ(result.values, Sums::expected({9, i, 8}, {0, 15, i}, {1, 2}));
    }
    // Another name, another form, or no name: recorded.
    EXPECT_EQ(sums.run({1, 2, 3}, {4, 5, 6}, {0, 2}, 8).begin, Begin::Record);
    EXPECT_EQ(sums.run({1, 2, 3}, {4, 5, 6}, {0}, 7).begin, Begin::Record);
    EXPECT_EQ(sums.run({1, 2}, {4, 5}, {0, 1}, 7).begin, Begin::Record);
    EXPECT_EQ(sums.run({1, 2, 3}, {4, 5, 6}, {0, 2}, 0).begin, Begin::Record);
    result = sums.run({3, 2, 1}, {6, 5, 4}, {2, 1}, 7);
    EXPECT_EQ(result.begin, Begin::Replay);
    EXPECT_EQ(result.values, Sums::expected({3, 2, 1}, {6, 5, 4}, {2, 1}));
}

TEST(VulkanReplay, ForgetsTheOldest)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Sums sums(*opened.device);
    for (std::uint64_t name = 1; name <= 60; ++name)
        EXPECT_EQ(sums.run({1}, {2}, {0}, name).begin, Begin::Record);
    EXPECT_EQ(sums.run({3}, {2}, {0}, 60).begin, Begin::Replay);
    EXPECT_EQ(sums.run({3}, {2}, {0}, 20).begin, Begin::Replay);
    EXPECT_EQ(sums.run({3}, {2}, {0}, 1).begin, Begin::Record);
    EXPECT_EQ(sums.run({5}, {2}, {0}, 1).values, Sums::expected({5}, {2}, {0}));
}

TEST(VulkanReplay, NotWithValuesOfTheHost)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto commands = opened.device->commands(1 << 16, 4);
    PassOptions options;
    options.recording = 5;
    for (float i = 0; i < 3; ++i) {
        EXPECT_EQ(commands->begin({}, options), Begin::Record);
        const Tensor x = commands->scratch(1, 1);
        commands->upload(std::span<const float>(&i, 1), x);
        commands->sync();
        float value = -1;
        commands->read(x, std::span<float>(&value, 1));
        EXPECT_EQ(value, i);
    }
}

TEST(VulkanReplay, ReadsLargeResultsTheSame)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto table = opened.device->allocate(40000 * 4, "table");
    const Tensor x{table.get(), 0, DType::F32, 2, 20000, 20000};
    const auto commands = opened.device->commands(1 << 20, 4);
    std::vector<float> values(40000);
    std::iota(values.begin(), values.end(), 0.0f);
    commands->begin({});
    commands->upload(std::span<const float>(values), x);
    commands->sync();
    PassOptions options;
    options.recording = 1;
    // 80 kB: fetched the first time, then recorded anew with its copy, then replayed.
    for (const Begin expected : {Begin::Record, Begin::Record, Begin::Replay, Begin::Replay}) {
        const std::int32_t row = expected == Begin::Replay ? 1 : 0;
        const BatchItem items[] = {{{}, 0, 1, 0}};
        EXPECT_EQ(commands->begin({{&row, 1}, {&row, 1}, items, {&row, 1}}, options), expected);
        if (expected == Begin::Record) {
            const Tensor out = commands->scratch(1, 20000);
            commands->record(op::GatherRows{x, commands->ids(), out});
            commands->keep(0, out);
        }
        commands->sync();
        std::vector<float> back(20000);
        commands->read(commands->kept(0), std::span<float>(back));
        EXPECT_EQ(back[7], 20000.0f * static_cast<float>(row) + 7);
        float one = 0;
        commands->read(commands->kept(0).columns(19999, 1), std::span<float>(&one, 1));
        EXPECT_EQ(one, 20000.0f * static_cast<float>(row) + 19999);
    }
}

/// n dispatches of y = 2x + 1, each said to be so long that it becomes a submission of its own.
class LongPass
{
public:
    explicit LongPass(Device &device)
        : m_buffer(device.allocate(64, "a buffer"))
        , recorder(vulkan::asVulkan(m_buffer.get(), "a buffer").shared(), 1 << 20, 4)
    {}
    void begin(const PassOptions &options)
    {
        recorder.begin({}, options);
        for (Tensor *x : {&m_x, &m_y, &m_q, &m_h, &m_sum})
            *x = recorder.scratch(1, kCount, DType::F32);
        const std::vector<float> ones(kCount, 1.0f), zeros(kCount, 0.0f);
        const vulkan::OpScope scope(recorder, "upload", recorder.mark());
        recorder.upload(std::as_bytes(std::span<const float>(ones)), m_x);
        recorder.upload(std::as_bytes(std::span<const float>(zeros)), m_q);
    }
    void step(double multiplyAdds)
    {
        const std::uint32_t constants[] = {64};
        Tensor h = m_h;
        h.dtype = DType::F16;
        const SelfTestPush push{recorder.address(m_x),
                                recorder.address(m_q),
                                recorder.address(m_y),
                                recorder.address(h),
                                recorder.address(m_sum),
                                2,
                                1,
                                kCount};
        const vulkan::OpScope scope(recorder, "linear", recorder.mark());
        recorder.dispatch("self_test", constants, push, {vulkan::ceilDiv(kCount, 64)},
                          {vulkan::accessOf(m_x), vulkan::accessOf(m_q)},
                          {vulkan::accessOf(m_y), vulkan::accessOf(h), vulkan::accessOf(m_sum)},
                          {multiplyAdds, 0});
        std::swap(m_x, m_y);
    }
    float value()
    {
        std::vector<float> values(kCount);
        recorder.read(m_x, std::as_writable_bytes(std::span<float>(values)));
        EXPECT_EQ(values, std::vector<float>(kCount, values[0]));
        return values[0];
    }

private:
    static constexpr std::uint32_t kCount = 300;
    std::unique_ptr<Buffer> m_buffer;
    Tensor m_x, m_y, m_q, m_h, m_sum;

public:
    vulkan::VulkanRecorder recorder;
};

TEST(VulkanSegments, ManySubmissionsAreAsOne)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    LongPass pass(*opened.device);
    for (const double work : {0.0, 1e9}) {
        pass.begin({});
        for (int i = 0; i < 12; ++i)
            pass.step(work);
        pass.recorder.sync();
        EXPECT_EQ(pass.value(), 8191.0f);
    }
}

TEST(VulkanSegments, AStopEndsThePassBetweenThem)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    LongPass pass(*opened.device);
    std::stop_source source;
    PassOptions options;
    options.stop = source.get_token();
    pass.begin(options);
    for (int i = 0; i < 12; ++i) {
        if (i == 6)
            source.request_stop();
        pass.step(1e9);
    }
    try {
        pass.recorder.sync();
        FAIL() << "was not stopped";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    EXPECT_LT(pass.value(), 8191.0f); // but the first ones ran
    pass.begin({});
    pass.step(0);
    pass.recorder.sync();
    EXPECT_EQ(pass.value(), 3.0f);
}

TEST(VulkanSegments, OpsAreTimedAndCounted)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    LongPass pass(*opened.device);
    pass.recorder.takeOpTimes();
    const auto before = std::chrono::steady_clock::now();
    pass.begin({});
    for (int i = 0; i < 5; ++i)
        pass.step(i == 3 ? 1e9 : 0);
    pass.recorder.sync();
    const auto all = std::chrono::steady_clock::now() - before;
    bool found = false;
    for (const OpTime &time : pass.recorder.takeOpTimes())
        if (std::string(time.op) == "linear") {
            found = true;
            EXPECT_EQ(time.calls, 5);
            EXPECT_EQ(time.dispatches, 5);
            EXPECT_GT(time.seconds, 0);
            EXPECT_LE(time.seconds, 1.01 * std::chrono::duration<double>(all).count());
        }
    EXPECT_TRUE(found);
    EXPECT_TRUE(pass.recorder.takeOpTimes().empty());
}

TEST(VulkanSegments, ReplaysAreTimedBySample)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Sums sums(*opened.device);
    sums.commands->takeOpTimes();
    for (int i = 0; i < 70; ++i)
        sums.run({1, 2}, {3, 4}, {0}, 5);
    int found = 0;
    for (const OpTime &time : sums.commands->takeOpTimes()) {
        const bool gather = std::string(time.op) == "gatherRows";
        if (!gather && std::string(time.op) != "addScaled")
            continue;
        ++found;
        EXPECT_EQ(time.calls, gather ? 210 : 70);
        EXPECT_EQ(time.dispatches, gather ? 210 : 70);
        EXPECT_GT(time.seconds, 0);
    }
    EXPECT_EQ(found, 2);
}

TEST(VulkanSegments, LongOpsAreDispatchedInParts)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    LongPass pass(*opened.device);
    pass.begin({});
    EXPECT_EQ(pass.recorder.rowsPerDispatch({1e6, 1e6}, 100, 8), 100);
    const std::int64_t rows = pass.recorder.rowsPerDispatch({1e11, 1e6}, 1000, 8);
    EXPECT_LT(rows, 100);
    EXPECT_EQ(rows % 8, 0);
    EXPECT_EQ(pass.recorder.rowsPerDispatch({1e15, 1e6}, 1000, 8), 8);
}

TEST(VulkanPasses, PreparingCompilesAndComputesNothing)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    LongPass pass(*opened.device);
    PassOptions options;
    options.prepareOnly = true;
    pass.begin(options);
    pass.step(0);
    pass.recorder.sync();
    pass.begin({});
    pass.step(0);
    pass.recorder.sync();
    EXPECT_EQ(pass.value(), 3.0f);
}

TEST(VulkanPasses, AFailedOneLeavesNoTrace)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Sums sums(*opened.device);
    const std::vector<std::int32_t> one{1};
    const BatchItem items[] = {{{}, 0, 1, 0}};
    PassOptions options;
    options.recording = 9;
    sums.commands->begin({one, one, items, one}, options);
    const Tensor a = sums.commands->scratch(1, 8), wrong = sums.commands->scratch(2, 8);
    sums.commands->record(op::GatherRows{sums.table(), sums.commands->ids(), a});
    EXPECT_THROW(sums.commands->record(op::GatherRows{sums.table(), sums.commands->ids(), wrong}),
                 Error);
    EXPECT_THROW(sums.commands->scratch(1 << 20, 1 << 20), Error);
    const auto result = sums.run({4}, {2}, {0}, 9);
    EXPECT_EQ(result.begin, Begin::Record);
    EXPECT_EQ(result.values, Sums::expected({4}, {2}, {0}));
    EXPECT_THROW(sums.run({4}, {2}, {1}, 9), Error); // output row 1 of 1, also in a replay
}

} // namespace
} // namespace fireside
