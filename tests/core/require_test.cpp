#include "tests/support/require.h"

#include "tests/support/scoped_env.h"

#include <gtest/gtest-spi.h>

namespace fireside::test {
namespace {

void needsWhatIsNotListed()
{
    FIRESIDE_SKIP("the golden file x.gguf is not here");
    ADD_FAILURE() << "went on";
}

TEST(Require, SkipsAreFailuresInContinuousIntegrationAlone)
{
    for (const char *value : {"true", "1"}) {
        const ScopedEnv ci("CI", value);
        EXPECT_TRUE(skipsAreFailures()) << value;
        EXPECT_FATAL_FAILURE(needsWhatIsNotListed(), "x.gguf is not here");
    }
    for (const char *value : {"", "0", "false", static_cast<const char *>(nullptr)}) {
        const ScopedEnv ci("CI", value);
        EXPECT_FALSE(skipsAreFailures()) << (value == nullptr ? "unset" : value);
    }
}

TEST(Require, ListedSkipsAreAllowed)
{
    EXPECT_TRUE(skipAllowed("the full set of golden data is not here: /there"));
    EXPECT_FALSE(skipAllowed("lavapipe is not installed"));
    EXPECT_FALSE(skipAllowed(""));
}

} // namespace
} // namespace fireside::test
