// The states of a session and the copies it can go back to.
#include "engine/backend/backend.h"
#include "engine/backend/commands.h"
#include "engine/core/error.h"
#include "engine/generate/recurrent_states.h"
#include "tests/support/fake_device.h"

#include <gtest/gtest.h>

#include <array>

namespace fireside {
namespace {

/// Three layers on two devices, the one between them without a state.
class RecurrentStatesTest : public testing::Test
{
protected:
    RecurrentStates states(std::size_t most)
    {
        return {{{m_first.get(), 5}, {m_first.get(), 0}, {m_first.get(), 3}, {m_second.get(), 2}},
                most};
    }
    /// Sets all numbers of all states.
    void write(RecurrentStates &states, float value)
    {
        for (const std::size_t layer : {0, 2, 3})
            with(states, layer, [&](Commands &c, const Tensor &all) {
                c.upload(std::vector<float>(static_cast<std::size_t>(all.cols), value), all);
                c.sync();
            });
    }
    /// The number that all of them are; −1 where they differ.
    float read(const RecurrentStates &states)
    {
        std::vector<float> all;
        for (const std::size_t layer : {0, 2, 3})
            with(states, layer, [&](Commands &c, const Tensor &whole) {
                c.sync();
                std::vector<float> values(static_cast<std::size_t>(whole.cols));
                c.read(whole, values);
                all.insert(all.end(), values.begin(), values.end());
            });
        EXPECT_EQ(all.size(), 10U);
        return all == std::vector<float>(all.size(), all.front()) ? all.front() : -1;
    }
    template <class Use>
    void with(const RecurrentStates &states, std::size_t layer, const Use &use)
    {
        Buffer *const buffer = states.of(layer);
        const auto count = static_cast<std::int64_t>(buffer->size() / sizeof(float));
        const auto commands = (layer == 3 ? m_second : m_first)->commands(0, 1);
        const std::array<std::int32_t, 1> zero{0};
        const BatchItem item{{}, 0, 1, 0};
        commands->begin({zero, zero, {&item, 1}});
        use(*commands, Tensor{buffer, 0, DType::F32, 1, count, count});
    }
    /// Goes on to `tokens` tokens, after which all numbers are as many.
    void pass(RecurrentStates &states, std::size_t tokens)
    {
        states.begin();
        write(states, static_cast<float>(tokens));
    }

    std::shared_ptr<test::DeviceScript> m_script = std::make_shared<test::DeviceScript>();
    std::unique_ptr<Device> m_first = test::fakeDevice(openCpu({.threads = 1}), {}, m_script);
    std::unique_ptr<Device> m_second = openCpu({.threads = 1});
};

TEST_F(RecurrentStatesTest, GoBackToCopies)
{
    RecurrentStates s = states(8);
    EXPECT_TRUE(s.any());
    EXPECT_EQ(s.of(1), nullptr);
    EXPECT_EQ(s.bytes(), 40U);
    EXPECT_EQ(read(s), 0);
    for (const std::size_t tokens : {10, 20, 30}) {
        pass(s, tokens);
        s.save(tokens);
        s.save(tokens); // once is enough
    }
    EXPECT_EQ(s.bytes(), 4 * 40U);
    pass(s, 35);
    EXPECT_EQ(s.goBack(35), 30U);
    EXPECT_EQ(read(s), 35) << "nothing happens before it is needed";
    s.begin();
    EXPECT_EQ(read(s), 30);
    EXPECT_EQ(s.goBack(29), 20U);
    EXPECT_EQ(s.goBack(20), 20U);
    s.begin();
    EXPECT_EQ(read(s), 20);
    EXPECT_EQ(s.lastSaved(), 20U);
    pass(s, 22);
    s.begin();
    EXPECT_EQ(read(s), 22) << "once";
    s.save(22);
    EXPECT_EQ(s.bytes(), 4 * 40U) << "in the memory of the copy that was given up";
    EXPECT_EQ(s.goBack(9), 0U);
    s.begin();
    EXPECT_EQ(read(s), 0);
}

TEST_F(RecurrentStatesTest, OldCopiesAreThinnedOut)
{
    constexpr std::size_t kLast = 400, kMost = 4;
    RecurrentStates s = states(kMost);
    for (std::size_t tokens = 10; tokens <= kLast; tokens += 10) {
        pass(s, tokens);
        s.save(tokens);
        EXPECT_LE(s.bytes(), (1 + kMost) * 40U);
    }
    std::vector<std::size_t> kept;
    for (std::size_t tokens = kLast; tokens > 0; tokens = kept.back() - 1) {
        kept.push_back(s.goBack(tokens));
        if (kept.back() == 0)
            break;
        s.begin();
        EXPECT_EQ(read(s), static_cast<float>(kept.back()));
    }
    ASSERT_EQ(kept.size(), kMost + 1);
    EXPECT_EQ(kept[0], kLast);
    EXPECT_GE(kept[1], kLast - 50) << "close to the end";
    EXPECT_LE(kept[3], kLast - 50) << "and far from it";
}

TEST_F(RecurrentStatesTest, WithoutMemoryThereAreFewerCopies)
{
    RecurrentStates s = states(8);
    m_script->fail({.at = test::DeviceScript::At::Allocate, .kind = ErrorKind::Memory});
    pass(s, 10);
    s.save(10);
    EXPECT_EQ(s.lastSaved(), 0U);
    EXPECT_EQ(s.bytes(), 40U);
    EXPECT_EQ(s.goBack(10), 0U);
    s.begin();
    EXPECT_EQ(read(s), 0);
}

TEST_F(RecurrentStatesTest, WhatFailsIsTriedAgain)
{
    RecurrentStates s = states(8);
    pass(s, 10);
    s.save(10);
    pass(s, 20);
    s.goBack(20);
    m_script->fail({.at = test::DeviceScript::At::Copy, .kind = ErrorKind::Memory});
    EXPECT_THROW(s.begin(), Error);
    s.begin();
    EXPECT_EQ(read(s), 10);
    pass(s, 30);
    m_script->fail({.at = test::DeviceScript::At::Copy, .kind = ErrorKind::Memory});
    EXPECT_THROW(s.save(30), Error);
    EXPECT_EQ(s.lastSaved(), 10U);
    s.save(30);
    EXPECT_EQ(s.lastSaved(), 30U);
    EXPECT_EQ(s.bytes(), 3 * 40U);
}

TEST_F(RecurrentStatesTest, AreTakenOver)
{
    RecurrentStates s = states(8), same = states(8), before = states(8), fresh = states(8);
    pass(s, 10);
    s.save(10);
    pass(s, 15);
    same.copyFrom(s);
    EXPECT_EQ(read(same), 15);
    EXPECT_EQ(same.goBack(15), 0U) << "copies stay where they are";
    s.goBack(14);
    before.copyFrom(s);
    EXPECT_EQ(read(before), 10) << "where it is about to go";
    s.goBack(3);
    write(fresh, 7);
    fresh.copyFrom(s);
    EXPECT_EQ(read(fresh), 0);
}

TEST(RecurrentStates, NoneCostNothing)
{
    const auto device = openCpu({.threads = 1});
    RecurrentStates s({{device.get(), 0}}, 0);
    EXPECT_FALSE(s.any());
    EXPECT_EQ(s.bytes(), 0U);
    s.save(5);
    EXPECT_EQ(s.goBack(3), 3U);
    s.begin();
    EXPECT_EQ(s.bytes(), 0U);
}

} // namespace
} // namespace fireside
