#pragma once
#include "engine/core/error.h"
#include "engine/tensor/dtype.h"
#include "engine/vulkan/pass/vulkan_recorder.h"
#include "engine/vulkan/platform/gpu.h"
#include "engine/vulkan/platform/instance.h"
#include "engine/vulkan/platform/loader.h"
#include "engine/vulkan/vulkan_device.h"
#include "tests/support/weight_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace fireside::test {

/// A product of a real model.
struct BenchProduct
{
    const char *what;
    std::int64_t outs, cols;
    bool gated;
};
inline constexpr BenchProduct kBenchProducts[] = {
    {"4096 x 4096", 4096, 4096, false},   {"1024 x 4096", 1024, 4096, false},
    {"4096 x 14336", 4096, 14336, false}, {"gated 14336 x 4096", 14336, 4096, true},
    {"6144 x 4096", 6144, 4096, false},   {"128256 x 4096", 128256, 4096, false},
};

inline std::optional<DType> typeNamed(const char *wanted)
{
    for (const DType type : kWeightTypes)
        if (std::strcmp(name(type), wanted) == 0)
            return type;
    return std::nullopt;
}

/// ‖result − reference‖ / ‖reference‖
inline double relativeDifference(const std::vector<float> &result,
                                 const std::vector<float> &reference)
{
    double wrong = 0, size = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double expected = static_cast<double>(reference[i]);
        const double distance = static_cast<double>(result[i]) - expected;
        wrong += distance * distance;
        size += expected * expected;
    }
    return std::sqrt(wrong / size);
}

inline std::vector<float> benchInput(std::int64_t count)
{
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float &v : values)
        v = normal(random) / 64;
    return values;
}

/// A device with something to record on.
class BenchDevice
{
public:
    explicit BenchDevice(std::size_t index)
    {
        const auto instance = std::make_shared<vulkan::Instance>(vulkan::Loader::open());
        const auto devices = vulkan::physicalDevices(*instance);
        if (index >= devices.size())
            throwBadInput("there is no such device");
        m_gpu = std::make_shared<vulkan::Gpu>(instance, devices[index], VulkanOptions{});
        m_device = std::make_unique<vulkan::VulkanDevice>(m_gpu, DeviceReport{});
        m_recorder = std::make_unique<vulkan::VulkanRecorder>(m_gpu, std::size_t{512} << 20, 4096);
    }
    vulkan::Gpu &gpu() { return *m_gpu; }
    const vulkan::Capabilities &capabilities() const { return m_gpu->capabilities; }
    vulkan::VulkanRecorder &recorder() { return *m_recorder; }

    void begin(std::int64_t rows, const PassOptions &options = {})
    {
        const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        const std::vector<BatchItem> items = {{{}, 0, rows, 0}};
        m_recorder->begin({zeros, zeros, items}, options);
    }
    /// Rows of one random row that differ in where they begin to repeat, so that no two columns of
    /// a product are equal.
    std::unique_ptr<Weight> weight(DType type, std::int64_t rows, std::int64_t cols, unsigned seed)
    {
        const std::size_t bytes = rowBytes(type, static_cast<std::size_t>(cols));
        std::mt19937 random(seed);
        const auto row = randomRow(type, static_cast<std::size_t>(cols), random);
        m_bytes.clear();
        for (std::int64_t r = 0; r < rows; ++r)
            m_bytes.insert(m_bytes.end(), row.begin(), row.end());
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto begin = m_bytes.begin() + r * static_cast<std::int64_t>(bytes);
            std::rotate(begin, begin + r % 16 * std::int64_t{info(type).blockBytes},
                        begin + static_cast<std::int64_t>(bytes));
        }
        WeightSource source;
        source.name = "weight";
        source.dtype = type;
        source.rows = rows;
        source.cols = cols;
        source.bytes = m_bytes;
        auto result = m_device->addWeight(source);
        m_device->finishWeights({});
        return result;
    }
    /// Seconds spent in "linear" since the last call.
    double linearSeconds()
    {
        double seconds = 0;
        for (const OpTime &time : m_recorder->takeOpTimes())
            if (std::strcmp(time.op, "linear") == 0)
                seconds += time.seconds;
        return seconds;
    }
    std::vector<float> read(const Tensor &x)
    {
        std::vector<float> result(static_cast<std::size_t>(x.rows * x.cols));
        m_recorder->read(x, std::as_writable_bytes(std::span(result)));
        return result;
    }

private:
    std::shared_ptr<vulkan::Gpu> m_gpu;
    std::unique_ptr<vulkan::VulkanDevice> m_device;
    std::unique_ptr<vulkan::VulkanRecorder> m_recorder;
    std::vector<std::byte> m_bytes;
};

} // namespace fireside::test
