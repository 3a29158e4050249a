#include "engine/backend/device_report.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(BackendKind, ParsesAnyCaseAndPrintsLowerCase)
{
    for (const char *word : {"auto", "AUTO", "Auto"})
        EXPECT_EQ(parseBackendKind(word), BackendKind::Auto);
    for (const char *word : {"cpu", "CPU", "cPu"})
        EXPECT_EQ(parseBackendKind(word), BackendKind::Cpu);
    for (const char *word : {"vulkan", "Vulkan", "VULKAN"})
        EXPECT_EQ(parseBackendKind(word), BackendKind::Vulkan);
    for (const BackendKind kind : {BackendKind::Auto, BackendKind::Cpu, BackendKind::Vulkan})
        EXPECT_EQ(parseBackendKind(toString(kind)), kind);
    EXPECT_STREQ(toString(BackendKind::Vulkan), "vulkan");
}

TEST(BackendKind, QuotesWhatItDoesNotKnow)
{
    for (const std::string word : {"x", "", "cpu ", "vulka", "vulkann", "cuda", "@uto"}) {
        try {
            parseBackendKind(word);
            ADD_FAILURE() << word;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::BadInput);
            EXPECT_EQ(error.what(), "unsupported backend '" + word + "'");
        }
    }
}

} // namespace
} // namespace fireside
