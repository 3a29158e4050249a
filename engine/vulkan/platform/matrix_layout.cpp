#include "engine/vulkan/platform/matrix_layout.h"

#include "engine/vulkan/platform/buffer.h"
#include "engine/vulkan/platform/commands.h"
#include "engine/vulkan/platform/device.h"
#include "engine/vulkan/platform/pipeline.h"
#include "shaders/embedded_shaders.h"
#include "shaders/probe/matrix_layout.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace fireside::vulkan {
namespace {

constexpr std::uint32_t kLayoutThreads = 32;
using LayoutElements = std::array<std::uint32_t, kLayoutThreads * kMatrixLayoutEach>;

LayoutElements elementsOf(LogicalDevice &device)
{
    constexpr std::chrono::seconds kLimit{5};
    LayoutElements found;
    found.fill(~0u);
    HostBuffer result(device, sizeof found);
    result.write(std::span<const std::uint32_t>(found));
    const ComputePipeline pipeline(device, embeddedShader("matrix_layout"),
                                   sizeof(MatrixLayoutPush), {});
    CommandRecording commands(device);
    commands.dispatch(pipeline, MatrixLayoutPush{result.address()}, 1);
    commands.makeVisibleToHost();
    commands.run(kLimit);
    for (std::uint32_t i = 0; i < found.size(); ++i)
        found[i] = result.read<std::uint32_t>(i);
    return found;
}

/// Element i of a thread in the given order.
std::uint32_t expectedA(std::uint32_t thread, std::uint32_t i, std::uint32_t order)
{
    const std::uint32_t pair = i / 2;
    const std::uint32_t lower = order == 0 ? pair % 2 : pair / 2; // row g + 8
    const std::uint32_t right = order == 0 ? pair / 2 : pair % 2; // columns from 8 on
    return (thread / 4 + 8 * lower) * 16 + 2 * (thread % 4) + i % 2 + 8 * right;
}
std::uint32_t expectedB(std::uint32_t thread, std::uint32_t i)
{
    return (2 * (thread % 4) + i % 2 + 8 * (i / 2)) * 8 + thread / 4;
}
std::uint32_t expectedSum(std::uint32_t thread, std::uint32_t i)
{
    return (thread / 4 + 8 * (i / 2)) * 8 + 2 * (thread % 4) + i % 2;
}

} // namespace

bool hasNarrowMatrix(const PhysicalDevice &device)
{
    return std::any_of(device.matrixShapes.begin(), device.matrixShapes.end(),
                       [](const PhysicalDevice::MatrixShape &shape) {
                           return shape.m == 16 && shape.n == 8 && shape.k == 16;
                       });
}

std::optional<std::uint32_t> matrixOrder(LogicalDevice &device)
{
    const LayoutElements found = elementsOf(device);
    for (std::uint32_t order = 0; order < 2; ++order) {
        bool all = true;
        for (std::uint32_t t = 0; t < kLayoutThreads; ++t) {
            const std::uint32_t *const own = &found[t * kMatrixLayoutEach];
            for (std::uint32_t i = 0; i < kMatrixLayoutA; ++i)
                all = all && own[i] == expectedA(t, i, order);
            for (std::uint32_t i = 0; i < kMatrixLayoutB; ++i)
                all = all && own[kMatrixLayoutA + i] == expectedB(t, i);
            constexpr std::uint32_t kSums = kMatrixLayoutA + kMatrixLayoutB;
            for (std::uint32_t i = 0; i < kMatrixLayoutSums; ++i)
                all = all && own[kSums + i] == expectedSum(t, i);
        }
        if (all)
            return order;
    }
    return std::nullopt;
}

std::string matrixLayoutText(LogicalDevice &device)
{
    const LayoutElements found = elementsOf(device);
    std::string text;
    for (const std::uint32_t t : {0u, 1u, 5u, 31u}) {
        text += "thread " + std::to_string(t) + ":";
        for (std::uint32_t i = 0; i < kMatrixLayoutEach; ++i) {
            const std::uint32_t n = found[t * kMatrixLayoutEach + i];
            const std::uint32_t width = i < kMatrixLayoutA ? 16 : 8;
            const bool next = i == kMatrixLayoutA || i == kMatrixLayoutA + kMatrixLayoutB;
            text += (next ? " |" : "") +
                    (" " + std::to_string(n / width) + "," + std::to_string(n % width));
        }
        text += "\n";
    }
    return text;
}

} // namespace fireside::vulkan
