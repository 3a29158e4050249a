#pragma once
#include "engine/core/error.h"
#include "engine/tensor/half.h"
#include "engine/vulkan/pass/vulkan_recorder.h"
#include "engine/vulkan/platform/gpu.h"
#include "engine/vulkan/platform/instance.h"
#include "engine/vulkan/platform/loader.h"
#include "engine/vulkan/probe/stderr_capture.h"
#include "engine/vulkan/vulkan_device.h"
#include "shaders/test_shaders.h"
#include "tests/vulkan/lavapipe.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fireside::test {

/// Lavapipe, for the functions of engine/vulkan/ops/ops.h themselves.
class RecorderDevice
{
public:
    explicit RecorderDevice(const VulkanOptions &options = {})
    {
        if (!m_lavapipe.present())
            return;
        m_environment = m_lavapipe.select();
        const vulkan::StderrCapture quiet;
        const auto instance = std::make_shared<vulkan::Instance>(vulkan::Loader::open());
        const auto devices = vulkan::physicalDevices(*instance);
        if (devices.empty())
            return;
        m_gpu = std::make_shared<vulkan::Gpu>(instance, devices.front(), options);
        m_device = std::make_unique<vulkan::VulkanDevice>(m_gpu, DeviceReport{});
        m_recorder = std::make_unique<vulkan::VulkanRecorder>(m_gpu, std::size_t{128} << 20, 4096);
    }
    explicit operator bool() const { return m_recorder != nullptr; }
    Device &device() { return *m_device; }
    vulkan::Gpu &gpu() { return *m_gpu; }
    vulkan::VulkanRecorder &recorder() { return *m_recorder; }

    void begin(std::int64_t rows)
    {
        const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        const std::vector<BatchItem> items = {{{}, 0, rows, 0}};
        m_recorder->begin({zeros, zeros, items}, {});
    }
    /// Between the rows lies NaN.
    Tensor put(const std::vector<float> &values, std::int64_t rows, std::int64_t cols, DType type,
               std::int64_t stride)
    {
        const Tensor tensor = m_recorder->scratch(rows, stride, type);
        std::vector<float> floats(static_cast<std::size_t>(rows * stride), NAN);
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(values.begin() + r * cols, cols, floats.begin() + r * stride);
        std::vector<std::uint16_t> halves(floats.size());
        std::transform(floats.begin(), floats.end(), halves.begin(), floatToHalf);
        m_recorder->upload(type == DType::F16 ? std::as_bytes(std::span(halves))
                                              : std::as_bytes(std::span(floats)),
                           tensor);
        return tensor.columns(0, cols);
    }
    /// Whether NaN still lies between its rows.
    bool isPoisonBetween(const Tensor &tensor)
    {
        if (tensor.stride == tensor.cols)
            return true;
        const auto between = get(Tensor(tensor).columns(tensor.cols, tensor.stride - tensor.cols));
        return std::all_of(between.begin(), between.end(), [](float v) { return std::isnan(v); });
    }
    Tensor put(const std::vector<std::int32_t> &values, std::int64_t rows, std::int64_t cols)
    {
        const Tensor tensor = m_recorder->scratch(rows, cols, DType::I32);
        m_recorder->upload(std::as_bytes(std::span(values)), tensor);
        return tensor;
    }
    std::vector<float> get(const Tensor &tensor)
    {
        const auto count = static_cast<std::size_t>(tensor.rows * tensor.cols);
        std::vector<float> floats(count);
        if (tensor.dtype == DType::F16) {
            std::vector<std::uint16_t> halves(count);
            m_recorder->read(tensor, std::as_writable_bytes(std::span(halves)));
            for (std::size_t i = 0; i < count; ++i)
                floats[i] = halfToFloat(halves[i]);
        } else {
            m_recorder->read(tensor, std::as_writable_bytes(std::span(floats)));
        }
        return floats;
    }

private:
    Lavapipe m_lavapipe;
    std::unique_ptr<Lavapipe::Selection> m_environment;
    std::shared_ptr<vulkan::Gpu> m_gpu;
    std::unique_ptr<vulkan::VulkanDevice> m_device;
    std::unique_ptr<vulkan::VulkanRecorder> m_recorder;
};

/// Makes ops believe in a device with cooperative matrices (or with other properties), and runs the
/// emulated form of their kernels.
class EmulatedMatrices : public vulkan::Recorder
{
public:
    explicit EmulatedMatrices(vulkan::Recorder &real)
        : device(real.capabilities())
        , m_real(real)
    {
        useTestShaders();
        device.subgroupSize = device.minSubgroup = device.maxSubgroup = 32;
        device.maxWorkgroupSize = 1024;
        device.sharedMemory = 48 << 10;
        device.matrixM = device.matrixN = device.matrixK = 16;
        device.matrixOrder = 0;
        device.computeUnits = 132;
    }
    vulkan::Capabilities device;
    std::vector<std::string> dispatched; // names of shaders

    const vulkan::Capabilities &capabilities() const override { return device; }
    void append(std::string_view shader, std::span<const std::uint32_t> constants, const void *push,
                std::size_t pushBytes, const vulkan::Workgroups &groups,
                std::span<const vulkan::Access> reads, std::span<const vulkan::Access> writes,
                const vulkan::Work &work) override
    {
        dispatched.emplace_back(shader);
        std::string name(shader);
        const std::size_t at = name.find(kMatrix);
        if (at != std::string::npos)
            name.replace(at, kMatrix.size(), "_emulated");
        m_real.append(name, constants, push, pushBytes, groups, reads, writes, work);
    }
    bool hasShader(std::string_view shader) const override
    {
        return shader.find(kMatrix) != std::string_view::npos || m_real.hasShader(shader);
    }
    std::int64_t rowsPerDispatch(const vulkan::Work &, std::int64_t rows,
                                 std::int64_t multiple) const override
    {
        return std::min(rows, 2 * multiple); // always cut
    }
    VkDeviceAddress address(const Tensor &tensor) const override { return m_real.address(tensor); }
    VkDeviceAddress table(std::span<const std::byte> contents) override
    {
        return m_real.table(contents);
    }
    Tensor scratch(std::int64_t rows, std::int64_t cols, DType type) override
    {
        return m_real.scratch(rows, cols, type);
    }
    std::size_t mark() const override { return m_real.mark(); }
    void release(std::size_t mark) override { m_real.release(mark); }
    std::size_t beginOp(const char *op, std::size_t scratchFrom) override
    {
        return m_real.beginOp(op, scratchFrom);
    }
    void endOp(std::size_t scratchFrom) override { m_real.endOp(scratchFrom); }
    vulkan::Q8Activations &q8Activations() override { return m_real.q8Activations(); }
    VkDeviceAddress idTable() const override { return m_real.idTable(); }
    VkDeviceAddress advanceState() const override { return m_real.advanceState(); }
    VkDeviceAddress advanceResults() const override { return m_real.advanceResults(); }
    std::int64_t rows() const override { return m_real.rows(); }
    std::span<const BatchItem> items() const override { return m_real.items(); }
    std::int64_t maxKeys() const override { return m_real.maxKeys(); }
    VkDeviceAddress positions() const override { return m_real.positions(); }
    VkDeviceAddress rowItems() const override { return m_real.rowItems(); }
    VkDeviceAddress itemTable() const override { return m_real.itemTable(); }
    VkDeviceAddress caches(std::int64_t layer) const override { return m_real.caches(layer); }
    const KvLayer &cache(std::int64_t layer) const override { return m_real.cache(layer); }
    vulkan::Access cacheAccess(std::int64_t layer) const override
    {
        return m_real.cacheAccess(layer);
    }
    VkDeviceAddress states(const char *op, const op::StatePart &part) const override
    {
        return m_real.states(op, part);
    }
    vulkan::Access stateAccess(const op::StatePart &part) const override
    {
        return m_real.stateAccess(part);
    }

private:
    static constexpr std::string_view kMatrix = "_matrix"; // in the names of such shaders
    vulkan::Recorder &m_real;
};

} // namespace fireside::test
