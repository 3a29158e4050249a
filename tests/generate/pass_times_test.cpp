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
    EXPECT_DOUBLE_EQ(times.expected(256), 0.016);         // not seen yet: as 128 twice
    EXPECT_DOUBLE_EQ(times.expected(64), 0.006);          // as far between the two as its rows
    EXPECT_EQ(times.rowsWithin(0.0059, 32, 33, 512), 32); // none beyond them
    EXPECT_EQ(times.rowsWithin(0.01, 32, 33, 512), 128);
    EXPECT_EQ(times.rowsWithin(0.016, 32, 33, 512), 128) << "256 take longer for each";
    EXPECT_EQ(times.rowsWithin(0.01, 32, 33, 100), 64) << "100 take as long as 128";
    EXPECT_EQ(times.rowsWithin(0.001, 32, 33, 512), 32); // the least, whatever it takes
    times.add(512, 0.02);
    EXPECT_EQ(times.rowsWithin(0.02, 32, 33, 512), 512) << "512 take less for each";
    PassTimes chats; // 31 chats and a prompt's beginning: up to 64 rows hardly take longer
    chats.add(31, 0.0045);
    chats.add(64, 0.0055);
    chats.add(128, 0.011);
    chats.add(512, 0.028);
    EXPECT_EQ(chats.rowsWithin(0.02, 31, 32, 512), 64);
    EXPECT_EQ(chats.rowsWithin(0.02, 31, 32, 40), 40);
    // Few of many generate yet: what their pass costs anyway is not theirs alone.
    EXPECT_EQ(chats.rowsWithin(0.02, 4, 32, 512), 256);
    times.add(32, 4); // something was done for the first time
    EXPECT_LT(times.expected(32), 0.008);
    for (int i = 0; i < 40; ++i)
        times.add(32, 0.02); // the device has become slower
    EXPECT_NEAR(times.expected(32), 0.02, 0.001);
    times.forget();
    EXPECT_EQ(times.expected(32), 0);
}

} // namespace
} // namespace fireside
