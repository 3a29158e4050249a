#include "engine/vulkan/probe/self_test.h"

#include "engine/core/error.h"
#include "engine/vulkan/platform/buffer.h"
#include "engine/vulkan/platform/commands.h"
#include "shaders/common/self_test.h"
#include "shaders/embedded_shaders.h"

#include <cstdint>
#include <vector>

namespace fireside::vulkan {

namespace {

constexpr std::uint32_t kCount = 4099; // odd: the last group is partial
constexpr std::uint32_t kGroupSize = 64;
constexpr std::chrono::seconds kLimit{5};

// Small integers: exact in F32 in any order of operations, with or without fused multiply-add.
constexpr float kA = 3, kB = -7;

float inputX(std::uint32_t i)
{
    return static_cast<float>(i);
}
std::int8_t inputQ(std::uint32_t i)
{
    return static_cast<std::int8_t>(static_cast<int>(i * 37 % 256) - 128);
}

/// The F16 bits of q/4 for |q| ≤ 128: exact, so no rounding to agree on.
std::uint16_t halfOfQuarter(int q)
{
    if (q == 0)
        return 0;
    const auto sign = static_cast<std::uint32_t>(q < 0 ? 0x8000 : 0);
    auto mantissa = static_cast<std::uint32_t>(q < 0 ? -q : q);
    std::uint32_t exponent = 15 + 10 - 2; // value = mantissa · 2^(exponent − 25)
    while (mantissa < 1024) {
        mantissa *= 2;
        --exponent;
    }
    return static_cast<std::uint16_t>(sign | exponent << 10 | (mantissa & 1023));
}

template <typename T>
void expectEqual(const char *what, std::uint32_t index, T found, T expected)
{
    if (found != expected)
        throw Error(ErrorKind::Device, "wrong result: " + std::string(what) + " " +
                                           std::to_string(index) + " is " + std::to_string(found) +
                                           ", expected " + std::to_string(expected));
}

} // namespace

std::string runSelfTest(LogicalDevice &device)
{
    std::vector<float> x(kCount);
    std::vector<std::int8_t> q(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        x[i] = inputX(i);
        q[i] = inputQ(i);
    }
    HostBuffer xs(device, kCount * sizeof(float));
    HostBuffer qs(device, kCount);
    HostBuffer ys(device, kCount * sizeof(float));
    HostBuffer hs(device, kCount * sizeof(std::uint16_t));
    HostBuffer sum(device, sizeof(std::uint32_t));
    xs.write(std::span<const float>(x));
    qs.write(std::span<const std::int8_t>(q));

    const std::uint32_t constants[] = {kGroupSize};
    const ComputePipeline pipeline(device, embeddedShader("self_test"), sizeof(SelfTestPush),
                                   constants);
    const SelfTestPush push{xs.address(),  qs.address(), ys.address(), hs.address(),
                            sum.address(), kA,           kB,           kCount};
    CommandRecording commands(device);
    commands.dispatch(pipeline, push, (kCount + kGroupSize - 1) / kGroupSize);
    commands.makeVisibleToHost();
    commands.run(kLimit);

    std::uint32_t expectedSum = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
        expectedSum += i;
        expectEqual("value", i, ys.read<float>(i), kA * x[i] + kB + static_cast<float>(q[i]));
        expectEqual("16-bit value", i, hs.read<std::uint16_t>(i), halfOfQuarter(q[i]));
    }
    expectEqual("sum", 0, sum.read<std::uint32_t>(0), expectedSum);
    return "a compute shader gave " + std::to_string(kCount) + " right results";
}

} // namespace fireside::vulkan
