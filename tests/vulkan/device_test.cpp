#include "engine/core/error.h"
#include "engine/vulkan/pass/vulkan_recorder.h"
#include "engine/vulkan/weights/vulkan_buffer.h"
#include "engine/vulkan/weights/vulkan_weight.h"
#include "shaders/common/self_test.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe_device.h"

#include <gtest/gtest.h>
#include <link.h>
#include <numeric>
#include <string>
#include <utility>

// Memory, weights and passes of an opened device.
namespace fireside {
namespace {

using test::LavapipeDevice;

#define REQUIRE_LAVAPIPE(device)                                                                   \
    if (!(device))                                                                                 \
    FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)")

std::vector<float> numbers(std::size_t count, float first = 0)
{
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

std::vector<float> readAll(Commands &commands, const Tensor &x)
{
    std::vector<float> values(static_cast<std::size_t>(x.rows * x.cols), -1);
    commands.read(x, std::span<float>(values));
    return values;
}

/// Whether a library whose path holds `name` is loaded.
bool isLoaded(const std::string &name)
{
    std::pair<const std::string *, bool> search{&name, false};
    ::dl_iterate_phdr(
        [](dl_phdr_info *library, std::size_t, void *data) {
            auto &[part, found] = *static_cast<std::pair<const std::string *, bool> *>(data);
            found = found || std::string(library->dlpi_name).find(*part) != std::string::npos;
            return 0;
        },
        &search);
    return search.second;
}

TEST(VulkanDevice, ItsDriverStaysLoaded)
{
    {
        const LavapipeDevice opened;
        REQUIRE_LAVAPIPE(opened);
        ASSERT_TRUE(isLoaded("vulkan_lvp"));
    }
    EXPECT_TRUE(isLoaded("vulkan_lvp"));
}

TEST(VulkanDevice, BuffersStartAsZerosAndCopy)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Device &device = *opened.device;
    const auto a = device.allocate(1000, "a"), b = device.allocate(1003, "b");
    EXPECT_EQ(a->size(), 1000U);
    const auto commands = device.commands(1 << 16, 4);
    commands->begin({});
    const Tensor x{a.get(), 0, DType::F32, 5, 50, 50};
    EXPECT_EQ(readAll(*commands, x), std::vector<float>(250, 0.0f));
    commands->upload(std::span<const float>(numbers(250)), x);
    commands->sync();
    device.copy(*a, 400, *b, 4, 600);
    device.copy(*a, 0, *a, 4, 996); // onto itself
    EXPECT_EQ(readAll(*commands, {b.get(), 4, DType::F32, 1, 150, 150}), numbers(150, 100));
    EXPECT_EQ(readAll(*commands, {a.get(), 4, DType::F32, 1, 249, 249}), numbers(249));
    EXPECT_THROW(device.copy(*a, 0, *b, 500, 504), Error);
}

TEST(VulkanDevice, TheHostReadsAndWritesPartsOfBuffers)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    Device &device = *opened.device;
    constexpr std::size_t kLarge = (std::size_t{70} << 20) + 5; // more than goes at once
    const auto a = device.allocate(kLarge, "a"), b = device.allocate(103, "b");
    std::vector<std::byte> large(kLarge), odd(51), back(kLarge), part(17), few(7);
    for (std::size_t i = 0; i < kLarge; ++i)
        large[i] = static_cast<std::byte>(i * 7 + i / 251);
    for (std::size_t i = 0; i < odd.size(); ++i)
        odd[i] = static_cast<std::byte>(200 - i);
    device.write(
        std::vector<BufferWrite>{{large, a.get(), 0}, {odd, b.get(), 3}, {{}, b.get(), 0}});
    device.read(std::vector<BufferRead>{
        {b.get(), 0, few}, {a.get(), 0, back}, {b.get(), 30, part}, {b.get(), 103, {}}});
    EXPECT_EQ(back, large);
    EXPECT_EQ(part, std::vector<std::byte>(odd.begin() + 27, odd.begin() + 44));
    EXPECT_EQ(few[2], std::byte{0});
    EXPECT_EQ(few[3], std::byte{200});
    EXPECT_THROW(device.write(std::vector<BufferWrite>{{odd, b.get(), 53}}), Error);
    EXPECT_THROW(device.read(std::vector<BufferRead>{{b.get(), 104, part}}), Error);
    EXPECT_THROW(device.read(std::vector<BufferRead>{{nullptr, 0, part}}), Error);
}

TEST(VulkanDevice, ValuesCrossInBothTypesAndWithStrides)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto commands = opened.device->commands(1 << 16, 4);
    commands->begin({});
    const Tensor wide = commands->scratch(3, 20), half = commands->scratch(3, 7, DType::F16);
    const Tensor ids = commands->scratch(4, 1, DType::I32);
    commands->upload(std::span<const float>(numbers(60)), wide);
    commands->upload(std::span<const float>(numbers(21, 100)), wide.columns(5, 7));
    commands->upload(std::span<const float>(numbers(21)), half);
    const std::vector<std::int32_t> some{7, -1, 5, 3};
    commands->upload(std::span<const std::int32_t>(some), ids);
    commands->sync();
    EXPECT_EQ(readAll(*commands, wide.columns(5, 7)), numbers(21, 100));
    EXPECT_EQ(readAll(*commands, wide.columns(12, 1).rowRange(1, 1)), numbers(1, 32));
    EXPECT_EQ(readAll(*commands, half), numbers(21));
    std::vector<std::int32_t> back(4);
    commands->read(ids, std::span<std::int32_t>(back));
    EXPECT_EQ(back, some);
}

TEST(VulkanDevice, TablesOfThePassAreOnTheDevice)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const auto commands = opened.device->commands(1 << 16, 4);
    const std::vector<std::int32_t> ids{5, 6, 7}, positions{0, 1, 0}, rows{1, 2};
    const BatchItem items[] = {{{}, 0, 2, 0}, {{}, 2, 1, 0}};
    commands->begin({ids, positions, items, rows});
    commands->sync();
    const auto values = [&](const Tensor &x) {
        std::vector<std::int32_t> out(static_cast<std::size_t>(x.rows));
        commands->read(x, std::span<std::int32_t>(out));
        return out;
    };
    EXPECT_EQ(values(commands->ids()), ids);
    EXPECT_EQ(values(commands->positions()), positions);
    EXPECT_EQ(values(commands->outputRows()), rows);
    const BatchItem gap[] = {{{}, 0, 1, 0}, {{}, 2, 1, 0}};
    EXPECT_THROW(commands->begin({ids, positions, gap, rows}), Error);
}

TEST(VulkanDevice, VectorsLieAsFloats)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    const std::vector<std::uint16_t> halves{0x3c00, 0xc000, 0x3800};
    const auto weight = opened.device->addWeight(
        {"norm", DType::F16, 1, 3, 1, std::as_bytes(std::span<const std::uint16_t>(halves))});
    opened.device->finishWeights();
    EXPECT_EQ(vulkan::asVulkan(*weight).storage, DType::F32);
    EXPECT_NE(vulkan::asVulkan(*weight).address, 0U);
    EXPECT_THROW(opened.device->addWeight({"bad", DType::F16, 2, 3, 1,
                                           std::as_bytes(std::span<const std::uint16_t>(halves))}),
                 Error);
}

TEST(VulkanDevice, DispatchesRunInOrder)
{
    const LavapipeDevice opened;
    REQUIRE_LAVAPIPE(opened);
    constexpr std::uint32_t n = 1000;
    const auto a = opened.device->allocate(n * 4, "a");
    const auto gpuBuffer = &vulkan::asVulkan(a.get(), "a");
    vulkan::VulkanRecorder recorder(gpuBuffer->shared(), 1 << 20, 4);
    recorder.begin({}, {});
    const Tensor x = recorder.scratch(1, n, DType::F32), y = recorder.scratch(1, n, DType::F32);
    const Tensor q = recorder.scratch(1, n, DType::F32), h = recorder.scratch(1, n, DType::F16);
    const Tensor sum = recorder.scratch(1, 1, DType::I32);
    const std::vector<float> zeros(n, 0.0f), ones(n, 1.0f);
    recorder.upload(std::as_bytes(std::span<const float>(ones)), x);
    recorder.upload(std::as_bytes(std::span<const float>(zeros)), q);
    // y = 2x + 1, back and forth: a missing barrier shows as a wrong number.
    const std::uint32_t constants[] = {64};
    Tensor from = x, to = y;
    for (int i = 0; i < 8; ++i) {
        const SelfTestPush push{recorder.address(from),
                                recorder.address(q),
                                recorder.address(to),
                                recorder.address(h),
                                recorder.address(sum),
                                2,
                                1,
                                n};
        recorder.dispatch("self_test", constants, push, {vulkan::ceilDiv(n, 64)},
                          {vulkan::accessOf(from), vulkan::accessOf(q)},
                          {vulkan::accessOf(to), vulkan::accessOf(h), vulkan::accessOf(sum)}, {});
        std::swap(from, to);
    }
    recorder.sync();
    std::vector<float> values(n);
    recorder.read(from, std::as_writable_bytes(std::span<float>(values)));
    EXPECT_EQ(values, std::vector<float>(n, 511.0f)); // 2⁸·1 + 2⁸ − 1
}

TEST(VulkanDevice, SaysWhatDoesNotFit)
{
    VulkanOptions options;
    options.memoryLimit = 10'000'000;
    const LavapipeDevice opened(options);
    REQUIRE_LAVAPIPE(opened);
    try {
        opened.device->allocate(20'000'000, "the key-value cache");
        FAIL() << "20 MB of 10";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Memory);
        EXPECT_NE(std::string(error.what()).find("the key-value cache"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("20 MB"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("10 MB"), std::string::npos) << error.what();
    }
    EXPECT_NE(opened.device->allocate(5'000'000, "something smaller"), nullptr);
}

} // namespace
} // namespace fireside
