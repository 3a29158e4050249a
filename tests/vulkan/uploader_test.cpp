#include "engine/core/error.h"
#include "engine/vulkan/platform/commands.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "engine/vulkan/weights/vulkan_weight.h"
#include "engine/vulkan/weights/weight_blocks.h"
#include "tests/support/require.h"
#include "tests/support/scoped_env.h"
#include "tests/vulkan/fake_vulkan.h"
#include "tests/vulkan/lavapipe_device.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

// Weights on their way to the device, on both ways.
namespace fireside {
namespace {

using test::LavapipeDevice;

#define REQUIRE_LAVAPIPE(device)                                                                   \
    if (!(device))                                                                                 \
    FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)")

VulkanOptions staged()
{
    VulkanOptions options;
    options.stagedUploads = true;
    return options;
}

/// Random bytes as a weight of this shape.
struct Source
{
    Source(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth = 1)
        : data(static_cast<std::size_t>(rows * depth) *
               rowBytes(type, static_cast<std::size_t>(cols)))
        , source{"weight", type, rows, cols, depth, {}, {}}
    {
        std::mt19937 random(static_cast<unsigned>(rows * 31 + cols));
        for (std::byte &byte : data)
            byte = static_cast<std::byte>(random() & 0x3b); // no NaN in any float type
        source.bytes = data;
    }
    std::vector<std::byte> data;
    WeightSource source;
};

std::vector<Source> sources()
{
    std::vector<Source> all;
    all.emplace_back(DType::F16, 1, 100);
    all.emplace_back(DType::Q4_K, 3000, 4096); // in several parts
    all.emplace_back(DType::F32, 33, 31);
    all.emplace_back(DType::F32, 1, 64, 5);
    all.emplace_back(DType::Q8_0, 257, 288, 3);
    for (int i = 0; i < 30; ++i)
        all.emplace_back(DType::F32, 1, 2048 + i);
    all.emplace_back(DType::Q6_K, 40, 512);
    return all;
}

std::vector<std::byte> contents(const Weight &weight, const Buffer &anyBuffer)
{
    const auto &own = vulkan::asVulkan(weight);
    vulkan::Gpu &gpu = *vulkan::asVulkan(&anyBuffer, "any buffer").shared();
    const auto back =
        gpu.memory.allocate(own.memory->size(), vulkan::Memory::Use::Readback, "a weight");
    vulkan::CommandRecording commands(gpu.device);
    commands.copy(own.memory->buffer(), own.memory->offset(), back->buffer(), 0,
                  own.memory->size());
    commands.run(std::chrono::seconds(30));
    return {back->mapped(), back->mapped() + own.memory->size()};
}

TEST(VulkanUploads, StagedIsTheSameAsDirect)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const std::vector<Source> all = sources();
    std::vector<std::vector<std::byte>> first;
    for (const bool throughStaging : {false, true}) {
        const auto device = opened.open(throughStaging ? staged() : VulkanOptions());
        const auto any = device->allocate(16, "any");
        std::vector<std::unique_ptr<Weight>> weights;
        for (const Source &source : all)
            weights.push_back(device->addWeight(source.source));
        device->finishWeights();
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(vulkan::asVulkan(*weights[i]).memory->mapped() == nullptr, throughStaging);
            // Between the planes there may be gaps of anything: compare plane by plane.
            const auto &own = vulkan::asVulkan(*weights[i]);
            std::vector<std::byte> bytes = contents(*weights[i], *any);
            if (all[i].source.rows > 1) {
                const PlaneLayout layout = planesOf(own.storage);
                const PlaneOffsets planes = planeOffsets(own.storage, own.groups);
                std::vector<std::byte> joined;
                for (std::size_t p = 0; p < layout.size(); ++p)
                    if (layout[p].elements != 0) {
                        const auto size = static_cast<std::size_t>(own.groups * 32) /
                                          layout[p].elements * layout[p].bytes;
                        const auto begin =
                            bytes.begin() + static_cast<std::ptrdiff_t>(planes.offset[p]);
                        joined.insert(joined.end(), begin,
                                      begin + static_cast<std::ptrdiff_t>(size));
                    }
                bytes = joined;
            }
            if (throughStaging)
                EXPECT_EQ(bytes == first[i], true) << i;
            else
                first.push_back(bytes);
        }
    }
}

TEST(VulkanUploads, AVectorEndsWithZerosAsARowDoes)
{
    // Products read groups of 32 columns: what follows must not be what other weights left there.
    for (const VulkanOptions &options : {VulkanOptions(), staged()}) {
        const LavapipeDevice opened(options);
        REQUIRE_LAVAPIPE(opened);
        const auto any = opened.device->allocate(256, "any buffer");
        for (const std::int64_t cols : {1, 5, 31, 32, 33, 257}) {
            {
                const std::vector<float> full(4096, std::numeric_limits<float>::quiet_NaN());
                const auto old = opened.device->addWeight(
                    {"old", DType::F32, 64, 64, 1, std::as_bytes(std::span(full)), {}});
                opened.device->finishWeights();
            }
            const Source vector(DType::F32, 1, cols);
            const auto weight = opened.device->addWeight(vector.source);
            opened.device->finishWeights();
            const std::vector<std::byte> there = contents(*weight, *any);
            ASSERT_EQ(there.size(), static_cast<std::size_t>((cols + 31) / 32 * 128)) << cols;
            EXPECT_EQ(std::memcmp(there.data(), vector.data.data(), vector.data.size()), 0) << cols;
            for (std::size_t i = vector.data.size(); i < there.size(); ++i)
                ASSERT_EQ(there[i], std::byte{0}) << cols << ", byte " << i;
        }
    }
}

TEST(VulkanUploads, AWeightMayGoBeforeItIsThere)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    for (const bool throughStaging : {false, true}) {
        const auto device = opened.open(throughStaging ? staged() : VulkanOptions());
        for (int i = 0; i < 4; ++i) {
            auto source = std::make_unique<Source>(DType::Q4_K, 4000, 4096);
            auto weight = device->addWeight(source->source);
            weight.reset();
            std::memset(source->data.data(), 0xff, source->data.size());
            source.reset(); // nothing reads it any more
        }
        device->finishWeights();
    }
}

TEST(VulkanUploads, CanBeStopped)
{
    const LavapipeDevice opened(staged());
    REQUIRE_LAVAPIPE(opened);
    const Source source(DType::Q4_K, 4000, 4096);
    std::stop_source stop;
    stop.request_stop();
    bool stopped = false;
    for (int i = 0; i < 200 && !stopped; ++i) { // unless all is there already, again and again
        const auto weight = opened.device->addWeight(source.source);
        try {
            opened.device->finishWeights(stop.get_token());
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Cancelled) << error.what();
            stopped = true;
        }
    }
    EXPECT_TRUE(stopped);
    const auto again = opened.device->addWeight(source.source);
    opened.device->finishWeights();
}

TEST(VulkanUploads, WhatFailsInAThreadIsTold)
{
    const test::FakeVulkan fake;
    const test::ScopedEnv loader("FIRESIDE_VULKAN_LOADER", FAKE_VULKAN_LOADER);
    DeviceReport report;
    report.kind = BackendKind::Vulkan;
    report.id = "vulkan:0";
    const auto device = openVulkan(report); // the host does not reach its memory
    const Source source(DType::F32, 300, 1024);
    const test::ScopedEnv lost("FIRESIDE_FAKE_VULKAN", "lost-at-submit");
    const auto weight = device->addWeight(source.source);
    try {
        device->finishWeights();
        ADD_FAILURE() << "was not told";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device) << error.what();
    }
}

TEST(VulkanUploads, EveryPartHasItsOwnRows)
{
    for (const VulkanOptions &options : {VulkanOptions(), staged()}) {
        const LavapipeDevice opened(options);
        REQUIRE_LAVAPIPE(opened);
        const auto any = opened.device->allocate(256, "any buffer");
        const Source matrix(DType::F32, 1500, 1024, 2); // 12 MB that lie as they came
        const auto weight = opened.device->addWeight(matrix.source);
        opened.device->finishWeights();
        const std::vector<std::byte> there = contents(*weight, *any);
        ASSERT_GE(there.size(), matrix.data.size());
        EXPECT_EQ(std::memcmp(there.data(), matrix.data.data(), matrix.data.size()), 0);
    }
}

TEST(VulkanUploads, ComesInPartsThatLieApart)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto any = opened.device->allocate(16, "any");
    const Source whole(DType::Q8_0, 64, 96, 2);
    WeightSource apart = whole.source;
    apart.parts = {whole.source.matrixBytes(0), whole.source.matrixBytes(1)};
    apart.bytes = {};
    const auto a = opened.device->addWeight(whole.source), b = opened.device->addWeight(apart);
    opened.device->finishWeights();
    EXPECT_EQ(contents(*a, *any).size(), contents(*b, *any).size());
    const auto both = [&](const Weight &weight) {
        std::vector<std::byte> bytes = contents(weight, *any);
        bytes.resize(64 * 2 * 96); // the first plane
        return bytes;
    };
    EXPECT_EQ(both(*a), both(*b));
    apart.parts.pop_back();
    EXPECT_THROW(opened.device->addWeight(apart), Error);
}

} // namespace
} // namespace fireside
