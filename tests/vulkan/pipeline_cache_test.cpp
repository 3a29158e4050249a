#include "engine/vulkan/platform/pipeline_cache_file.h"
#include "engine/vulkan/platform/pipeline_library.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "shaders/common/self_test.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/vulkan/lavapipe_device.h"

#include <gtest/gtest.h>

// Compiled pipelines that survive in a file.
namespace fireside {
namespace {

using test::LavapipeDevice;

#define REQUIRE_LAVAPIPE(device)                                                                   \
    if (!(device))                                                                                 \
    FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)")

std::vector<std::filesystem::path> filesIn(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error))
        files.push_back(entry.path());
    return files;
}

/// Opens the device, makes a pipeline and closes it again; the cache's data as it was read.
std::vector<std::byte> makeOne(const LavapipeDevice &opened, const std::filesystem::path &folder,
                               std::uint32_t groupSize)
{
    VulkanOptions options;
    options.cacheFolder = folder;
    const auto device = opened.open(options);
    const auto buffer = device->allocate(16, "a buffer");
    vulkan::Gpu &gpu = *vulkan::asVulkan(buffer.get(), "a buffer").shared();
    const vulkan::PhysicalDevice &physical = gpu.device.physical();
    const std::vector<std::byte> read =
        vulkan::loadPipelineCache(folder / vulkan::pipelineCacheName(physical), physical);
    const std::uint32_t constants[] = {groupSize};
    const auto &first = gpu.pipelines.get("self_test", constants, sizeof(SelfTestPush));
    EXPECT_EQ(&first, &gpu.pipelines.get("self_test", constants, sizeof(SelfTestPush)));
    EXPECT_ANY_THROW(gpu.pipelines.get("no_such_shader", constants, 4));
    return read;
}

TEST(VulkanPipelineCache, IsWrittenAndRead)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const test::TempDir dir;
    const std::filesystem::path folder = dir / "a" / "cache";
    EXPECT_TRUE(makeOne(opened, folder, 64).empty());
    ASSERT_EQ(filesIn(folder).size(), 1U); // and nothing half-written beside it
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all)
        << "a driver runs what lies there";
    EXPECT_FALSE(makeOne(opened, folder, 128).empty());
    EXPECT_EQ(filesIn(folder).size(), 1U);
}

TEST(VulkanPipelineCache, ABrokenFileIsIgnoredAndReplaced)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const test::TempDir dir;
    makeOne(opened, dir / "cache", 64);
    const std::filesystem::path file = filesIn(dir / "cache").at(0);
    const std::vector<std::byte> good = test::readFile(file);
    for (const std::size_t damage : {std::size_t{0}, std::size_t{30}, good.size() - 1}) {
        std::vector<std::byte> bad = good;
        bad[damage] ^= std::byte{0xff};
        test::writeFile(file, bad);
        EXPECT_TRUE(makeOne(opened, dir / "cache", 64).empty()) << damage;
        EXPECT_FALSE(makeOne(opened, dir / "cache", 64).empty()) << damage;
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2}) {
        test::writeFile(file, std::vector<std::byte>(
                                  good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
        EXPECT_TRUE(makeOne(opened, dir / "cache", 64).empty()) << size;
    }
}

TEST(VulkanPipelineCache, AFolderThatCannotBeIsNoError)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const test::TempDir dir;
    test::writeFile(dir / "file", std::vector<std::byte>(3));
    EXPECT_TRUE(makeOne(opened, dir / "file" / "below", 64).empty());
}

} // namespace
} // namespace fireside
