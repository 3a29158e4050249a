#include "engine/movable_model.h"
#include "tests/support/golden.h"
#include "tests/support/scoped_env.h"
#include "tests/vulkan/fake_vulkan.h"

#include <gtest/gtest.h>

// The Vulkan backend on a driver that computes nothing and fails where it is told to
// (tests/vulkan/fake_loader.cpp), in the middle of loads and replies.
namespace fireside {
namespace {

using test::ScopedEnv;

class LostVulkanTest : public testing::Test
{
protected:
    void SetUp() override
    {
        const ScopedEnv sums("FIRESIDE_FAKE_VULKAN", "sums"); // so that the self-test passes
        m_reports = Engine().devices();
        ASSERT_EQ(m_reports.size(), 2U);
        ASSERT_TRUE(m_reports[1].available) << m_reports[1].reason;
        m_fake.alive();
    }

    struct Run
    {
        std::vector<TokenId> tokens;
        std::vector<std::string> problems; // of devices, in the middle of the reply
        BackendKind ended = BackendKind::Auto;
        std::string reason;
    };
    /// Loads the model and lets it speak; where a device fails, it goes on elsewhere.
    Run run(BackendKind backend = BackendKind::Auto) const
    {
        Run run;
        EngineOptions options;
        options.probe = [this] { return m_reports; };
        Engine engine(options);
        MovableModel model(engine);
        // The card by its name: its speed need not be measured for each run.
        model.load(test::goldenGguf("f16"), {.backend = backend,
                                             .context = 2048,
                                             .threads = 2,
                                             .devices = {{.id = m_reports[1].id}}});
        GenerateRequest request;
        request.prompt.assign(300, 5);
        request.maxTokens = kTokens;
        request.sampler.seed = 3;
        const auto moving = [&](const Error &error) { run.problems.push_back(error.what()); };
        run.tokens = model.reply(request, {}, {}, moving).tokens;
        run.ended = model.model()->selection().kind;
        run.reason = model.model()->selection().reason;
        return run;
    }

    static constexpr int kTokens = 12;
    const test::FakeVulkan m_fake;

private:
    const ScopedEnv m_loader{"FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER};
    const ScopedEnv m_idle{"FIRESIDE_FAKE_VULKAN", "idle"};
    std::vector<DeviceReport> m_reports;
};

TEST_F(LostVulkanTest, AReplyGoesOnWhereverTheDeviceIsLost)
{
    m_fake.submits();
    m_fake.waits();
    const Run whole = run();
    const int submits = m_fake.submits(), waits = m_fake.waits();
    ASSERT_EQ(whole.ended, BackendKind::Vulkan) << whole.reason;
    ASSERT_EQ(whole.tokens.size(), static_cast<std::size_t>(kTokens));
    ASSERT_GT(submits, kTokens);
    ASSERT_GT(waits, kTokens);
    EXPECT_EQ(m_fake.alive(), 0);
    int inReplies = 0;
    for (const auto &[event, count] : {std::pair{"submit", submits}, std::pair{"wait", waits}}) {
        for (int n = 1; n <= count; ++n) {
            const std::string when = event + std::string(" ") + std::to_string(n);
            SCOPED_TRACE(when);
            m_fake.submits();
            m_fake.waits();
            const ScopedEnv lose("FIRESIDE_FAKE_LOSE", when.c_str());
            const Run lost = run();
            if ((event[0] == 's' ? m_fake.submits() : m_fake.waits()) < n)
                continue; // how a prompt is cut follows the machine's pace: this one took fewer
            EXPECT_EQ(lost.tokens.size(), whole.tokens.size());
            EXPECT_NE(lost.reason.find("DEVICE_LOST"), std::string::npos) << lost.reason;
            if (lost.ended == BackendKind::Vulkan) {
                EXPECT_NE(lost.reason.find("Opened again"), std::string::npos) << lost.reason;
                EXPECT_EQ(lost.tokens, whole.tokens);
            } else { // while loading: the CPU took it, and says why
                EXPECT_TRUE(lost.problems.empty());
            }
            inReplies += lost.problems.empty() ? 0 : 1;
            EXPECT_LE(lost.problems.size(), 1U);
            EXPECT_EQ(m_fake.alive(), 0);
        }
    }
    EXPECT_GT(inReplies, 2 * kTokens);
}

TEST_F(LostVulkanTest, MemoryThatRunsOutAnywhereIsSurvived)
{
    m_fake.allocations();
    run();
    const int allocations = m_fake.allocations();
    ASSERT_GT(allocations, 5);
    EXPECT_EQ(m_fake.alive(), 0);
    for (int n = 1; n <= allocations; ++n) {
        const std::string when = "allocate " + std::to_string(n);
        SCOPED_TRACE(when);
        m_fake.allocations();
        const ScopedEnv lose("FIRESIDE_FAKE_LOSE", when.c_str());
        EXPECT_EQ(run().tokens.size(), static_cast<std::size_t>(kTokens));
        EXPECT_EQ(m_fake.alive(), 0);
    }
}

TEST_F(LostVulkanTest, ALoadOnTheChosenDeviceFailsAndTheNextWorks)
{
    for (const char *when : {"submit 1", "wait 1", "allocate 3", "allocate 6"}) {
        SCOPED_TRACE(when);
        m_fake.submits();
        m_fake.waits();
        m_fake.allocations();
        try {
            const ScopedEnv lose("FIRESIDE_FAKE_LOSE", when);
            run(BackendKind::Vulkan);
            EXPECT_EQ(when[0], 'a') << "was not told"; // memory of another kind may do instead
        } catch (const Error &error) {
            EXPECT_NE(std::string(error.what()).find("FFF"), std::string::npos) << error.what();
        }
        EXPECT_EQ(m_fake.alive(), 0);
        EXPECT_EQ(run(BackendKind::Vulkan).ended, BackendKind::Vulkan);
        EXPECT_EQ(m_fake.alive(), 0);
    }
}

} // namespace
} // namespace fireside
