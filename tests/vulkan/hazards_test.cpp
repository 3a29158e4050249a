#include "engine/vulkan/pass/hazards.h"

#include <gtest/gtest.h>

// Software devices run one dispatch after the other, so a missing barrier does not show in results.
namespace fireside::vulkan {
namespace {

class SomeBuffer final : public Buffer
{
public:
    std::size_t size() const override { return 1024; }
};

class HazardsTest : public testing::Test
{
protected:
    using Parts = std::vector<Access>;
    Access part(std::size_t begin, std::size_t end) const { return {&m_buffer, begin, end}; }
    Access other(std::size_t begin, std::size_t end) const { return {&m_other, begin, end}; }
    bool add(const Parts &reads, const Parts &writes) { return hazards.add(reads, writes); }

    Hazards hazards;

private:
    SomeBuffer m_buffer, m_other;
};

TEST_F(HazardsTest, ReadersWaitForTheWriter)
{
    EXPECT_FALSE(add({part(0, 64)}, {part(64, 128)}));
    EXPECT_FALSE(add({part(0, 64)}, {part(128, 192)})) << "two readers of one part";
    EXPECT_TRUE(add({part(127, 130)}, {part(256, 260)}));
}

TEST_F(HazardsTest, WritersWaitForTheWriter)
{
    EXPECT_FALSE(add({}, {part(0, 64)}));
    EXPECT_TRUE(add({}, {part(63, 65)}));
}

TEST_F(HazardsTest, WritersWaitForReaders)
{
    EXPECT_FALSE(add({part(0, 64)}, {part(512, 600)}));
    EXPECT_TRUE(add({part(300, 310)}, {part(0, 4)}));
}

TEST_F(HazardsTest, EveryPartOfADispatchCounts)
{
    EXPECT_FALSE(add({part(0, 8), part(8, 16)}, {part(16, 24), part(24, 32)}));
    EXPECT_TRUE(add({part(100, 104), part(24, 28)}, {part(200, 204)}));
    EXPECT_FALSE(add({part(0, 8)}, {part(300, 304), part(400, 404)}));
    EXPECT_TRUE(add({part(500, 504)}, {part(600, 604), part(400, 404)}));
}

TEST_F(HazardsTest, NeighboursAndOtherBuffersAreNoHazard)
{
    EXPECT_FALSE(add({}, {part(64, 128)}));
    EXPECT_FALSE(add({part(0, 64), part(128, 192)}, {}));
    EXPECT_FALSE(add({other(64, 128)}, {other(128, 192)}));
}

TEST_F(HazardsTest, ABarrierCoversWhatCameBefore)
{
    EXPECT_FALSE(add({part(0, 8)}, {part(8, 16)}));
    EXPECT_TRUE(add({part(8, 16)}, {part(16, 24)}));
    EXPECT_FALSE(add({part(8, 16)}, {part(0, 8)})) << "from before the barrier";
    EXPECT_TRUE(add({part(16, 24)}, {})) << "from behind it";
    EXPECT_FALSE(add({part(16, 24)}, {}));
    hazards.clear();
    EXPECT_FALSE(add({}, {part(16, 24)}));
}

} // namespace
} // namespace fireside::vulkan
