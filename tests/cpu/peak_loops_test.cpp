// The loops that show what a processor can do at best.
#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/peak_loops.h"

#include <gtest/gtest.h>

namespace fireside::cpu {
namespace {

TEST(PeakLoops, EveryInstructionSetOfTheComputerHasSome)
{
    for (const VectorKernels *level : availableVectorKernels()) {
        const PeakLoops &loops = peakLoops(level->isa);
        EXPECT_LE(loops.isa, level->isa);
        const std::int64_t bytes = loops.bytes(1000), floats = loops.floats(1000);
        EXPECT_EQ(loops.bytes(3000), 3 * bytes) << isaName(level->isa);
        EXPECT_EQ(loops.floats(3000), 3 * floats) << isaName(level->isa);
        EXPECT_GE(bytes, floats) << isaName(level->isa);
        EXPECT_EQ(loops.bytes(0), 0);
    }
    EXPECT_EQ(peakLoops(Isa::Baseline).isa, Isa::Baseline);
}

TEST(MeasureCpu, EndsWhenItIsStopped)
{
    std::stop_source stop;
    stop.request_stop();
    try {
        measureCpu({.threads = 1}, stop.get_token());
        FAIL() << "no error";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

TEST(MemoryReading, GivesARateEachTime)
{
    const auto reading = openMemoryReading({.threads = 2});
    for (int i = 0; i < 2; ++i) {
        EXPECT_GT(reading->rate(0), 1e6); // a megabyte a second
        EXPECT_LT(reading->rate(0), 1e14);
    }
}

} // namespace
} // namespace fireside::cpu
