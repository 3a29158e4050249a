#include "engine/backend/device_report.h"

#include "engine/backend/speed_store.h"
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

TEST(DeviceReport, AlikeOnesAreToldApart)
{
    std::vector<DeviceReport> devices(4);
    devices[0].name = "Processor";
    devices[1].name = devices[3].name = "Card";
    devices[2].name = "Other card";
    devices[1].id = "vulkan:0";
    devices[3].id = "vulkan:2";
    tellApart(devices);
    EXPECT_EQ(devices[0].name, "Processor");
    EXPECT_EQ(devices[1].name, "Card (1)");
    EXPECT_EQ(devices[2].name, "Other card");
    EXPECT_EQ(devices[3].name, "Card (2)");
    EXPECT_EQ(modelOf(devices[0]), "Processor");
    EXPECT_EQ(modelOf(devices[3]), "Card");
    EXPECT_EQ(speedKey(devices[1]), speedKey(devices[3])) << "they are as fast";
    tellApart(devices);
    EXPECT_EQ(devices[3].name, "Card (2)");
}

} // namespace
} // namespace fireside
