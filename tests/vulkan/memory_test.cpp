#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "tests/support/require.h"
#include "tests/support/scoped_env.h"
#include "tests/vulkan/fake_vulkan.h"
#include "tests/vulkan/lavapipe_device.h"

#include <gtest/gtest.h>
#include <optional>

// Memory that runs out, at every place where it can.
namespace fireside {
namespace {

using test::FakeVulkan;
using test::LavapipeDevice;
using test::ScopedEnv;

#define REQUIRE_LAVAPIPE(device)                                                                   \
    if (!(device))                                                                                 \
    FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)")

DeviceReport firstDevice()
{
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan:0";
    return report;
}

/// Everything a device does but computing: buffers, weights, a pass with values both ways.
void useDevice(Device &device)
{
    const auto cache = device.allocate(50'000, "a cache");
    const auto copy = device.allocate(50'000, "another");
    device.copy(*cache, 0, *copy, 100, 1000);
    const std::vector<float> values(300 * 1024, 0.5f);
    const auto matrix = device.addWeight(
        {"matrix", DType::F32, 300, 1024, 1, std::as_bytes(std::span(values)), {}});
    const auto vector = device.addWeight(
        {"vector", DType::F32, 1, 64, 1, std::as_bytes(std::span(values)).subspan(0, 256), {}});
    device.finishWeights();
    const auto commands = device.commands(100'000, 16);
    for (const std::uint64_t recording : {0, 1}) {
        PassOptions options;
        options.recording = recording;
        commands->begin({}, options);
        const Tensor x = commands->scratch(3, 100);
        commands->upload(std::span<const float>(values).subspan(0, 300), x);
        commands->keep(0, x);
        commands->sync();
        std::vector<float> back(300), large(10'000);
        commands->read(x, std::span<float>(back));
        commands->read(Tensor{copy.get(), 0, DType::F32, 100, 100, 100}, std::span<float>(large));
        EXPECT_EQ(back, std::vector<float>(300, 0.5f));
    }
}

/// Nothing, or how it failed; a failure of another kind than expected fails the test.
std::optional<std::string> failure(const VulkanOptions &options)
{
    try {
        const auto device = openVulkan(firstDevice(), options);
        useDevice(*device);
        return std::nullopt;
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Memory) << error.what();
        return error.what();
    }
}

TEST(VulkanMemory, TheFakeDeviceWorksAndLeavesNothing)
{
    const FakeVulkan fake;
    const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER);
    EXPECT_EQ(failure({}), std::nullopt);
    EXPECT_EQ(fake.alive(), 0);
}

TEST(VulkanMemory, EveryCallFailingInTurnLeavesNothingBehind)
{
    const FakeVulkan fake;
    const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER);
    failure({});
    const int calls = fake.calls();
    EXPECT_GT(calls, 100);
    int failed = 0;
    for (int n = 1; n <= calls + 10; ++n) {
        const ScopedEnv fail("FIRESIDE_FAKE_FAIL", std::to_string(n).c_str());
        if (const auto words = failure({})) {
            ++failed;
            EXPECT_NE(words->find("not enough memory"), std::string::npos) << *words;
        }
        EXPECT_EQ(fake.alive(), 0) << "call " << n;
        fake.calls();
    }
    EXPECT_GT(failed, calls * 2 / 3); // some only lose a figure, a time or a cache
}

TEST(VulkanMemory, EveryLimitIsToldOrEnough)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    int failed = 0, worked = 0;
    for (const bool staged : {false, true})
        for (std::size_t limit = 10'000; limit < 20'000'000; limit += limit / 3) {
            VulkanOptions options;
            options.memoryLimit = limit;
            options.stagedUploads = staged;
            if (const auto words = failure(options)) {
                ++failed;
                EXPECT_NE(words->find("free of"), std::string::npos) << *words;
            } else {
                ++worked;
            }
        }
    EXPECT_GT(failed, 10);
    EXPECT_GT(worked, 1);
}

TEST(VulkanMemory, WhatFitsNoAllocationIsNamed)
{
    VulkanOptions options;
    options.largestAllocation = 1'000'000;
    const LavapipeDevice opened(options);
    REQUIRE_LAVAPIPE(opened);
    const std::vector<float> values(512 * 1024);
    try {
        opened.device->addWeight({"blk.0.ffn_up.weight",
                                  DType::F32,
                                  512,
                                  1024,
                                  1,
                                  std::as_bytes(std::span(values)),
                                  {}});
        FAIL() << "2 MB in a piece of 1 MB";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Memory);
        for (const char *words : {"blk.0.ffn_up.weight", "2.1 MB", "1.0 MB"})
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    // Many that fit one by one.
    std::vector<std::unique_ptr<Weight>> weights;
    for (int i = 0; i < 10; ++i)
        weights.push_back(
            opened.device->addWeight({"part",
                                      DType::F32,
                                      200,
                                      1024,
                                      1,
                                      std::as_bytes(std::span(values)).subspan(0, 819'200),
                                      {}}));
    opened.device->finishWeights();
}

TEST(VulkanMemory, TwoOpeningsAtOnce)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto second = opened.open();
    const auto first = opened.open();
    useDevice(*second);
    useDevice(*first);
    const auto a = first->allocate(100, "a"), b = second->allocate(100, "b");
    EXPECT_THROW(first->copy(*a, 0, *b, 0, 100), Error);
}

TEST(VulkanMemory, BuffersOutliveTheirDevice)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    auto device = opened.open();
    const auto buffer = device->allocate(100, "a");
    const auto commands = device->commands(1000, 1);
    device.reset();
    commands->begin({});
    commands->sync();
    EXPECT_EQ(buffer->size(), 100U);
}

TEST(VulkanOpen, SaysWhenTheDeviceIsGone)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    for (const char *id : {"vulkan:7", "vulkan", "vulkan:x", "cpu"}) {
        DeviceReport report = firstDevice();
        report.id = id;
        report.name = "GeForce 256";
        try {
            openVulkan(report);
            FAIL() << id;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Device);
            EXPECT_NE(std::string(error.what()).find("GeForce 256"), std::string::npos);
        }
    }
}

TEST(VulkanOpen, LeavesOutWhatItIsTold)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto capabilities = [&](std::vector<std::string> without) {
        VulkanOptions options;
        options.without = std::move(without);
        const auto device = opened.open(options);
        const auto buffer = device->allocate(16, "a buffer");
        return vulkan::asVulkan(buffer.get(), "a buffer").shared()->capabilities;
    };
    const vulkan::Capabilities without = capabilities({"integer dot", "cooperative matrix"});
    EXPECT_FALSE(without.integerDot);
    EXPECT_FALSE(without.cooperativeMatrix());
    const vulkan::Capabilities all = capabilities({});
    EXPECT_GE(all.maxWorkgroupSize, 128U);
    EXPECT_GE(all.sharedMemory, 16384U);
    EXPECT_LE(all.minSubgroup, all.subgroupSize);
    EXPECT_LE(all.subgroupSize, all.maxSubgroup);
    EXPECT_TRUE(all.software);
}

TEST(VulkanMemory, BuffersThatShareAnAllocation)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Device &device = *opened.device;
    const auto used = [&] { return device.memoryNow().use.at(MemoryPurpose::Cache); };
    constexpr std::size_t kLarge = std::size_t{65} << 20; // too large to share
    const std::size_t sizes[] = {1000, 70'000, kLarge, 256, 4096, 4};
    auto buffers = device.allocateAll(sizes, "a cache", MemoryPurpose::Cache);
    ASSERT_EQ(buffers.size(), std::size(sizes));
    const auto contents = [&](std::size_t i) {
        std::vector<std::byte> bytes(std::min<std::size_t>(buffers[i]->size(), 70'000));
        const BufferRead part{buffers[i].get(), 0, bytes};
        device.read({&part, 1});
        return bytes;
    };
    const auto all = [&](std::size_t i, int value) {
        return std::vector(std::min<std::size_t>(sizes[i], 70'000), static_cast<std::byte>(value));
    };
    const auto fill = [&](std::size_t i) {
        const std::vector<std::byte> bytes = all(i, static_cast<int>(i) + 1);
        const BufferWrite part{bytes, buffers[i].get(), 0};
        device.write({&part, 1});
    };
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        EXPECT_EQ(buffers[i]->size(), sizes[i]);
        EXPECT_EQ(contents(i), all(i, 0)) << i;
        fill(i);
    }
    for (std::size_t i = 0; i < buffers.size(); ++i)
        EXPECT_EQ(contents(i), all(i, static_cast<int>(i) + 1)) << i;

    Buffer *const middle = buffers[3].get();
    device.zero({&middle, 1});
    EXPECT_EQ(contents(0), all(0, 1));
    EXPECT_EQ(contents(3), all(3, 0));
    EXPECT_EQ(contents(4), all(4, 5));
    // One after the other where one reads what another wrote, or writes what it reads.
    const BufferCopy copies[] = {{buffers[4].get(), 0, buffers[3].get(), 0, 256},
                                 {buffers[3].get(), 0, buffers[1].get(), 60'000, 256},
                                 {buffers[0].get(), 0, buffers[4].get(), 0, 1000},
                                 {buffers[4].get(), 900, buffers[4].get(), 1000, 1000}};
    device.copy(copies);
    EXPECT_EQ(contents(3), all(3, 5));
    std::vector<std::byte> expected = all(1, 2);
    std::fill_n(expected.begin() + 60'000, 256, std::byte{5});
    EXPECT_EQ(contents(1), expected);
    expected = all(4, 5);
    std::fill_n(expected.begin(), 1100, std::byte{1});
    EXPECT_EQ(contents(4), expected);

    const std::uint64_t before = used();
    EXPECT_GE(before, kLarge + 70'000);
    buffers[2].reset();
    EXPECT_LE(used(), before - kLarge);
    buffers[0].reset();
    buffers[1].reset();
    EXPECT_EQ(contents(4), expected) << "the rest stays";
    buffers.clear();
    EXPECT_EQ(used(), 0U);
}

struct Fault
{
    const char *behaviour;
    std::vector<std::string> mentions;
};

TEST(VulkanOpen, ALostOrHangingDeviceIsTold)
{
    const FakeVulkan fake;
    const ScopedEnv loader("FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER);
    for (const Fault &fault : {Fault{"lost-at-submit", {"stopped working", "DEVICE_LOST"}},
                               Fault{"lost-at-wait", {"stopped working", "DEVICE_LOST"}},
                               Fault{"hang", {"did not finish", "VK_TIMEOUT"}}}) {
        const ScopedEnv scenario("FIRESIDE_FAKE_VULKAN", fault.behaviour);
        try {
            useDevice(*openVulkan(firstDevice()));
            FAIL() << fault.behaviour;
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Device);
            EXPECT_EQ(error.isHang(), std::string(fault.behaviour) == "hang");
            for (const std::string &words : fault.mentions)
                EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
        if (std::string(fault.behaviour) != "hang") {
            EXPECT_EQ(fake.alive(), 0) << fault.behaviour;
        }
    }
}

} // namespace
} // namespace fireside
