#include "engine/backend/measuring_device.h"

#include "engine/backend/op.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <array>

namespace fireside {
namespace {

class MeasuringDeviceTest : public testing::Test
{
protected:
    std::unique_ptr<Weight> matrix(std::int64_t rows, std::int64_t cols, std::int64_t depth = 1)
    {
        WeightSource source;
        source.name = "weight";
        source.rows = rows;
        source.cols = cols;
        source.depth = depth;
        return device.addWeight(source);
    }
    void begin(std::int64_t rows)
    {
        ids.assign(static_cast<std::size_t>(rows), 0);
        item.rows = rows;
        commands->begin({ids, ids, {&item, 1}});
    }

    MeasuringDevice device;
    std::unique_ptr<Commands> commands = device.commands(0, 64);
    std::vector<std::int32_t> ids;
    BatchItem item;
};

TEST_F(MeasuringDeviceTest, WhatIsGivenBackIsCountedOnce)
{
    begin(4);
    commands->scratch(4, 64);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 4);
    const std::size_t mark = commands->mark();
    commands->scratch(4, 64, DType::F16);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 6);
    commands->release(mark);
    commands->scratch(1, 1);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 6) << "it lies where the halves lay";
    commands->scratch(1, 1);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 4 + 2 * 256) << "each begins at 256 bytes";
    commands->scratch(1, 1);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 4 + 3 * 256);
    begin(4);
    commands->scratch(1, 1);
    EXPECT_EQ(device.needs().scratch, 4u * 64 * 4 + 3 * 256) << "the largest pass counts";
}

TEST_F(MeasuringDeviceTest, OpsTakeMemoryWhileTheyRun)
{
    const auto weight = matrix(512, 256), down = matrix(256, 512);
    begin(16);
    const Tensor x = commands->scratch(16, 256), y = commands->scratch(16, 512);
    const std::uint64_t own = device.needs().scratch;
    commands->record(op::Linear{x, {{weight.get(), y}}});
    const std::uint64_t once = device.needs().scratch;
    EXPECT_GE(once, own + 16 * 256 * 4) << "room for the input in another form";
    commands->record(op::Linear{x, {{weight.get(), y}}});
    EXPECT_EQ(device.needs().scratch, once) << "the op gave it back";
    commands->record(op::Linear{y, {{down.get(), x}}});
    EXPECT_EQ(device.needs().scratch, once) << "a wider input, but fewer sums";
    commands->scratch(16, 256);
    commands->record(op::Linear{x, {{weight.get(), y}}});
    EXPECT_EQ(device.needs().scratch, once + 16 * 256 * 4) << "beside what the caller holds";
}

TEST_F(MeasuringDeviceTest, ShapesAreCheckedAsOnAnyDevice)
{
    const auto weight = matrix(512, 256);
    begin(4);
    const Tensor x = commands->scratch(4, 256);
    EXPECT_THROW(commands->record(op::Linear{x, {{weight.get(), x}}}), Error);
    EXPECT_THROW(device.allocate(1, "anything", MemoryPurpose::Other), Error);
}

} // namespace
} // namespace fireside
