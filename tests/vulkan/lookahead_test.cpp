#include "engine/vulkan/pass/lookahead.h"

#include <gtest/gtest.h>

#include <array>

// Which pass is the one that was begun before it was asked for.
namespace fireside::vulkan {
namespace {

constexpr std::uint64_t kForm = 7;

/// A batch of two chats of one token each.
struct TwoChats
{
    std::array<KvLayer, 2> caches;
    std::array<std::int32_t, 2> ids{9, 8}, positions{21, 5};
    std::array<std::int64_t, 2> past{11, 5};
    std::array<BatchItem, 2> items;

    TwoChats()
    {
        caches[0].capacity = 64;
        caches[1].capacity = 32;
    }
    Batch batch()
    {
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i] = {{&caches[i], 1}, static_cast<std::int64_t>(i), 1, past[i]};
        return {ids, positions, items};
    }
};

TEST(LookaheadTest, OnlyTheVeryNextPassFollows)
{
    Lookahead lookahead;
    TwoChats before;
    before.positions = {20, 4};
    before.past = {10, 4};
    const NextIds choice;
    const PassOptions options{.recording = kForm, .next = &choice};
    lookahead.start(before.batch(), options);
    const TwoChats next;
    lookahead.advance(next.ids);
    const auto follows = [&](auto change) {
        TwoChats chats;
        change(chats);
        return lookahead.isNext(chats.batch(), options);
    };
    EXPECT_TRUE(follows([](TwoChats &) {}));
    EXPECT_FALSE(follows([](TwoChats &c) { c.ids[1] = 9; }));
    EXPECT_FALSE(follows([](TwoChats &c) { c.positions[0] = 20; }));
    EXPECT_FALSE(follows([](TwoChats &c) { c.past[0] = 10; }));
    EXPECT_FALSE(follows([](TwoChats &c) { c.past[1] = 6; }));
    EXPECT_FALSE(follows([](TwoChats &c) { c.caches[1].capacity = 64; }));
    TwoChats same;
    const NextIds hotter{.temperature = 1};
    PassOptions others[] = {options, options, options};
    others[0].recording = kForm + 1;
    others[1].next = nullptr;
    others[2].next = &hotter;
    for (const PassOptions &other : others)
        EXPECT_FALSE(lookahead.isNext(same.batch(), other));
    lookahead.stop();
    EXPECT_FALSE(lookahead.isNext(same.batch(), options));

    // The last row is nobody's: what was chosen for it does not matter.
    Batch padded = before.batch();
    padded.padding = 1;
    lookahead.start(padded, options);
    lookahead.advance(next.ids);
    TwoChats other;
    other.ids[1] = 3;
    other.past[1] = 0;
    Batch following = other.batch();
    EXPECT_FALSE(lookahead.isNext(following, options)) << "now it is somebody's";
    following.padding = 1;
    EXPECT_TRUE(lookahead.isNext(following, options));
}

} // namespace
} // namespace fireside::vulkan
