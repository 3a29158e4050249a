#include "engine/generate/pass_times.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(PassTimesTest, RowsComeFromWhatPassesTook)
{
    PassTimes times;
    EXPECT_EQ(times.expected(8), 0);
    for (int i = 0; i < 10; ++i) {
        times.add(32, 0.005); // a device that 32 rows do not fill
        times.add(128, 0.008);
    }
    EXPECT_DOUBLE_EQ(times.expected(32), 0.005);
    EXPECT_DOUBLE_EQ(times.expected(20), 0.005);
    EXPECT_DOUBLE_EQ(times.expected(100), 0.008);
    EXPECT_DOUBLE_EQ(times.expected(256), 0.016); // not seen yet: as 128 twice
    EXPECT_DOUBLE_EQ(times.expected(64), 0.008);  // as 32 twice, but no more than 128
    EXPECT_EQ(times.rowsWithin(0.0079, 32, 512), 32);
    EXPECT_EQ(times.rowsWithin(0.01, 32, 512), 128);
    EXPECT_EQ(times.rowsWithin(0.016, 32, 512), 256);
    EXPECT_EQ(times.rowsWithin(1, 32, 500), 500);
    EXPECT_EQ(times.rowsWithin(0.001, 32, 512), 32); // the least, whatever it takes
    times.add(32, 4);                                // something was done for the first time
    EXPECT_LT(times.expected(32), 0.008);
    for (int i = 0; i < 40; ++i)
        times.add(32, 0.02); // the device has become slower
    EXPECT_NEAR(times.expected(32), 0.02, 0.001);
    times.forget();
    EXPECT_EQ(times.expected(32), 0);
}

} // namespace
} // namespace fireside
