#pragma once
#include "tests/support/require.h"
#include "tests/support/weight_reference.h"
#include "tests/vulkan/emulated_matrices.h"
#include "tests/vulkan/random_values.h"

#include <gtest/gtest.h>

#include <random>

namespace fireside::test {

/// Rows of a weight of random bytes on the device, and its values.
struct SomeWeight
{
    SomeWeight(Device &device, DType type, std::int64_t rows, std::int64_t cols, unsigned seed,
               std::int64_t depth = 1)
    {
        std::mt19937 generator(seed);
        for (std::int64_t r = 0; r < rows * depth; ++r) {
            const auto row = randomRow(type, static_cast<std::size_t>(cols), generator);
            for (std::int64_t c = 0; c < cols; ++c)
                values.push_back(weightAt(type, row.data(), static_cast<std::size_t>(c)));
            bytes.insert(bytes.end(), row.begin(), row.end());
        }
        WeightSource source;
        source.name = "weight";
        source.dtype = type;
        source.rows = rows;
        source.cols = cols;
        source.depth = depth;
        source.bytes = bytes;
        weight = device.addWeight(source);
        device.finishWeights();
    }
    std::vector<std::byte> bytes;
    std::vector<double> values;
    std::unique_ptr<Weight> weight;
};

/// Tests of ops on lavapipe.
class OnRecorder : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!device)
            FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
    }
    RecorderDevice device;
};

} // namespace fireside::test
