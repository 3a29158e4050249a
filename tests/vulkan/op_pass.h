#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/op.h"
#include "engine/tensor/half.h"
#include "tests/support/reference_ops.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe.h"
#include "tests/vulkan/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// Ops on a Vulkan device: matrices of any type and layout in poisoned memory, and what came out.
namespace fireside::test {

inline constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

/// How a matrix of a test lies in memory.
struct Layout
{
    DType dtype = DType::F32;
    std::int64_t gap = 0;   // elements between rows
    std::int64_t shift = 0; // elements before the first row
};
/// Both types, packed and aligned, and at odd places.
inline constexpr Layout kLayouts[] = {
    {DType::F32, 0, 0}, {DType::F16, 0, 0}, {DType::F32, 3, 1}, {DType::F16, 5, 3}};

/// Lavapipe where it is installed, else the first Vulkan device there is; null without any.
inline Device *vulkanDevice()
{
    static const Lavapipe lavapipe;
    static const auto environment = lavapipe.present() ? lavapipe.select() : nullptr;
    static const std::unique_ptr<Device> device = []() -> std::unique_ptr<Device> {
        [[maybe_unused]] const IgnoreDriverLeaks leaks;
        for (const DeviceReport &report : probeVulkan())
            if (report.available)
                return openVulkan(report, {.throughput = 1});
        return nullptr;
    }();
    return device.get();
}

inline std::vector<float> rounded(std::vector<float> values, DType dtype)
{
    if (dtype == DType::F16)
        for (float &v : values)
            v = halfToFloat(floatToHalf(v));
    return values;
}

/// One pass over items of the given numbers of rows.
class OpPass
{
public:
    explicit OpPass(Device &device, std::vector<std::int64_t> itemRows = {1})
        : m_device(device)
        , m_commands(device.commands(std::size_t{96} << 20, 4096))
    {
        std::vector<BatchItem> items;
        std::int64_t rows = 0;
        for (const std::int64_t count : itemRows) {
            items.push_back({{}, rows, count, 0});
            rows += count;
        }
        const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        m_commands->begin({zeros, zeros, items, {}});
    }
    Commands &commands() { return *m_commands; }

    /// A matrix with these values, NaN all around it.
    Tensor in(const std::vector<float> &values, std::int64_t rows, std::int64_t cols,
              const Layout &layout = {})
    {
        Tensor tensor = place(rows, cols, layout);
        std::vector<float> all(static_cast<std::size_t>(m_whole.back().cols), kPoison);
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(values.begin() + r * cols, cols,
                        all.begin() + layout.shift + r * tensor.stride);
        m_commands->upload(all, m_whole.back());
        return tensor;
    }
    /// A matrix to be written: all NaN.
    Tensor out(std::int64_t rows, std::int64_t cols, const Layout &layout = {})
    {
        return in(std::vector<float>(static_cast<std::size_t>(rows * cols), kPoison), rows, cols,
                  layout);
    }
    Tensor integers(const std::vector<std::int32_t> &values, std::int64_t rows, std::int64_t cols)
    {
        const Tensor tensor = m_commands->scratch(rows, cols, DType::I32);
        if (!values.empty())
            m_commands->upload(values, tensor);
        return tensor;
    }
    /// A vector or matrix of weights.
    const Weight &weight(const std::vector<float> &values, std::int64_t rows, std::int64_t cols)
    {
        m_values.push_back(std::make_unique<std::vector<float>>(values));
        WeightSource source{"test", DType::F32, rows,
                            cols,   1,          std::as_bytes(std::span(*m_values.back()))};
        m_weights.push_back(m_device.addWeight(source));
        m_device.finishWeights();
        return *m_weights.back();
    }

    void run() { m_commands->sync(); }

    /// The values after run(); what lies around the matrix must still be NaN.
    std::vector<float> get(const Tensor &tensor)
    {
        std::vector<float> values(static_cast<std::size_t>(tensor.rows * tensor.cols));
        m_commands->read(tensor, values);
        for (std::size_t i = 0; i < m_whole.size(); ++i) {
            if (m_placed[i].buffer != tensor.buffer || m_placed[i].offset != tensor.offset)
                continue;
            std::vector<float> all(static_cast<std::size_t>(m_whole[i].cols));
            m_commands->read(m_whole[i], all);
            const std::int64_t shift = m_shift[i];
            for (std::int64_t e = 0; e < m_whole[i].cols; ++e) {
                const bool inside = e >= shift && e < shift + tensor.rows * tensor.stride &&
                                    (e - shift) % tensor.stride < tensor.cols;
                if (!inside && !std::isnan(all[static_cast<std::size_t>(e)])) {
                    ADD_FAILURE() << "wrote beside the matrix, element " << e - shift;
                    break;
                }
            }
        }
        return values;
    }
    std::vector<std::int32_t> getIntegers(const Tensor &tensor)
    {
        std::vector<std::int32_t> values(static_cast<std::size_t>(tensor.rows * tensor.cols));
        m_commands->read(tensor, values);
        return values;
    }

private:
    Tensor place(std::int64_t rows, std::int64_t cols, const Layout &layout)
    {
        const std::int64_t stride = cols + layout.gap;
        Tensor whole = m_commands->scratch(1, layout.shift + rows * stride + 7, layout.dtype);
        m_whole.push_back(whole);
        Tensor tensor = whole.columns(layout.shift, cols);
        tensor.rows = rows;
        tensor.stride = stride;
        m_placed.push_back(tensor);
        m_shift.push_back(layout.shift);
        return tensor;
    }

    Device &m_device;
    std::unique_ptr<Commands> m_commands;
    std::vector<Tensor> m_whole, m_placed;
    std::vector<std::int64_t> m_shift;
    std::vector<std::unique_ptr<std::vector<float>>> m_values;
    std::vector<std::unique_ptr<Weight>> m_weights;
};

/// ‖actual − expected‖ / ‖expected‖ within what the type allows.
inline void expectClose(const std::vector<float> &actual, const std::vector<double> &expected,
                        DType dtype, const std::string &where)
{
    ASSERT_EQ(actual.size(), expected.size()) << where;
    const double bound = dtype == DType::F16 ? 2e-3 : 1e-5;
    EXPECT_LE(reference::relativeError(actual, expected), bound) << where;
}

/// Skips where there is no device.
class OnVulkan : public ::testing::Test
{
protected:
    void SetUp() override
    {
        if (vulkanDevice() == nullptr)
            FIRESIDE_SKIP("needs a Vulkan device (apt install mesa-vulkan-drivers)");
    }
    Device &device() { return *vulkanDevice(); }
};

inline std::string text(std::int64_t rows, std::int64_t cols, const Layout &layout)
{
    return std::to_string(rows) + " x " + std::to_string(cols) + " " + name(layout.dtype) +
           (layout.gap > 0 ? " with gaps" : "");
}

struct Shape
{
    std::int64_t rows, cols;
};
inline constexpr Shape kShapes[] = {{0, 32}, {1, 1},   {3, 3},   {33, 31},
                                    {2, 33}, {3, 257}, {1, 2048}};
/// A layout of the other type.
inline const Layout &otherType(const Layout &layout)
{
    return layout.dtype == DType::F32 ? kLayouts[3] : kLayouts[2];
}

} // namespace fireside::test
