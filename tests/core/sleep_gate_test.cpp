#include "engine/core/sleep_gate.h"
#include "tests/support/told_clock.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

using std::chrono::milliseconds;
using test::ToldClock;

TEST(AwakeClock, GoesAsTheComputerDoes)
{
    const AwakeClock::time_point before = AwakeClock::now();
    EXPECT_LE(before, AwakeClock::now());
    const ToldClock clock;
    const AwakeClock::time_point start = AwakeClock::now();
    ToldClock::sleep(std::chrono::hours(8));
    EXPECT_EQ(AwakeClock::now(), start);
    ToldClock::pass(milliseconds(1500));
    EXPECT_EQ(AwakeClock::now() - start, milliseconds(1500));
}

TEST(SleepGate, WaitsForTheMorningButNotForEver)
{
    const ToldClock clock;
    SleepGate gate;
    EXPECT_TRUE(gate.wokenWithin(milliseconds(0)));
    gate.fallAsleep();
    EXPECT_TRUE(gate.asleep());
    ToldClock::sleep(std::chrono::hours(8)); // nobody has told yet that it is morning
    EXPECT_FALSE(gate.wokenWithin(milliseconds(0)));
    EXPECT_TRUE(gate.asleep());
    ToldClock::pass(std::chrono::seconds(59));
    EXPECT_FALSE(gate.wokenWithin(milliseconds(0)));
    ToldClock::pass(std::chrono::seconds(1));
    EXPECT_TRUE(gate.wokenWithin(milliseconds(0))) << "who was to tell is gone";
    EXPECT_FALSE(gate.asleep());
    gate.fallAsleep();
    gate.wake();
    EXPECT_TRUE(gate.wokenWithin(milliseconds(0)));
}

} // namespace
} // namespace fireside
