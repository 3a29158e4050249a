#include "engine/vulkan/probe/stderr_capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace fireside::vulkan {
namespace {

void say(const std::string &text)
{
    ASSERT_EQ(::write(STDERR_FILENO, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(StderrCapture, KeepsWhatIsPrintedAndGivesTheDescriptorBack)
{
    testing::internal::CaptureStderr();
    say("before ");
    {
        StderrCapture capture;
        say("MESA: chatter\n\n");
        EXPECT_EQ(capture.finish(), "MESA: chatter");
        say("between ");
    }
    {
        const StderrCapture unread;
        say("lost");
    }
    say("after");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "before between after");
}

TEST(StderrCapture, IsBounded)
{
    StderrCapture capture;
    say(std::string(10'000, 'x'));
    EXPECT_EQ(capture.finish(100), std::string(100, 'x'));
}

} // namespace
} // namespace fireside::vulkan
