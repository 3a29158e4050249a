// A model that gives its memory back and comes again: its card stays open, and what was computed is
// taken over.
#include "engine/movable_model.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace fireside {
namespace {

using At = test::DeviceScript::At;

class RestTest : public testing::Test
{
protected:
    RestTest()
        : m_engine(test::fakeEngine(m_card))
        , m_cache({.always = true})
        , m_model(m_engine, {.sleep = &m_sleep, .paused = [this] { m_paused = true; }}, &m_cache)
    {
        m_model.load(test::goldenGguf("f16"),
                     {.context = 128, .threads = 2, .devices = {{.id = "vulkan:0"}}});
        m_whole = reply();
    }
    std::vector<TokenId> reply(const GenerateEvents &events = {}, const std::stop_token &stop = {})
    {
        GenerateRequest request;
        for (TokenId id = 0; id < 40; ++id)
            request.prompt.push_back(40 + id % 50);
        request.maxTokens = 6;
        request.sampler.temperature = 0;
        const GenerateResult result = m_model.reply(request, events, stop);
        m_finish = result.finish;
        m_reused = result.stats.reusedTokens;
        m_model.keep();
        return result.tokens;
    }
    bool onCard() const { return m_model.model()->selection().kind == BackendKind::Vulkan; }

    const std::shared_ptr<test::DeviceScript> m_card = std::make_shared<test::DeviceScript>();
    Engine m_engine;
    SleepGate m_sleep;
    std::atomic<bool> m_paused = false;
    FinishReason m_finish = FinishReason::Stopped;
    PrefixCache m_cache;
    MovableModel m_model;
    std::vector<TokenId> m_whole;
    int m_reused = 0;
};

TEST_F(RestTest, TheCardStaysOpenAndThePromptIsNotReadAgain)
{
    ASSERT_TRUE(onCard());
    ASSERT_EQ(m_card->count(At::Open), 1);
    m_model.rest();
    EXPECT_EQ(m_model.model(), nullptr);
    m_model.bringBack();
    EXPECT_EQ(m_card->count(At::Open), 1);
    EXPECT_EQ(reply(), m_whole);
    EXPECT_EQ(m_reused, 39);
    EXPECT_TRUE(onCard());
}

TEST_F(RestTest, ACardThatIsNotToStayIsOpenedAnew)
{
    m_model.rest(false);
    m_model.bringBack();
    EXPECT_EQ(m_card->count(At::Open), 2);
    m_model.rest();
    m_model.rest(false); // also when it rests already
    m_model.bringBack();
    EXPECT_EQ(m_card->count(At::Open), 3);
    EXPECT_EQ(reply(), m_whole);
}

TEST_F(RestTest, ACardLostMeanwhileIsOpenedAnewWithoutAWord)
{
    const std::string reason = m_model.model()->selection().reason;
    for (const At at : {At::Weight, At::Finish, At::Allocate}) {
        const int opened = m_card->count(At::Open);
        m_model.rest();
        m_card->fail({.at = at});
        m_model.bringBack();
        EXPECT_EQ(m_card->count(At::Open), opened + 1);
        EXPECT_EQ(m_model.model()->selection().reason, reason);
        EXPECT_EQ(reply(), m_whole);
    }
}

TEST_F(RestTest, ACardThatHangsMeanwhileIsNotAskedAgain)
{
    m_model.rest();
    m_card->fail({.at = At::Weight, .hangs = true});
    m_model.bringBack();
    EXPECT_EQ(m_card->count(At::Open), 1);
    EXPECT_FALSE(onCard());
    EXPECT_EQ(reply(), m_whole);
}

TEST_F(RestTest, AReplyGoesOnAfterSleep)
{
    int pieces = 0;
    std::jthread other;
    GenerateEvents events;
    events.text = [&](std::string_view, const GenerateStats &) {
        if (++pieces != 2)
            return;
        m_sleep.fallAsleep();
        other = std::jthread([this] {
            while (!m_paused)
                std::this_thread::yield();
            EXPECT_EQ(m_card->count(At::Open), 1) << "nothing is opened while it sleeps";
            m_sleep.wake();
        });
    };
    EXPECT_EQ(reply(events), m_whole);
    EXPECT_TRUE(m_paused);
    EXPECT_EQ(m_card->count(At::Open), 2);
    EXPECT_TRUE(onCard()) << "sleeping is no failure";
    EXPECT_EQ(reply(), m_whole);
}

TEST_F(RestTest, AReplyThatIsStoppedWhileItSleepsEnds)
{
    std::stop_source stop;
    std::jthread other;
    GenerateEvents events;
    events.text = [&](std::string_view, const GenerateStats &) {
        if (other.joinable())
            return;
        m_sleep.fallAsleep();
        other = std::jthread([&] {
            while (!m_paused)
                std::this_thread::yield();
            stop.request_stop();
        });
    };
    const std::vector<TokenId> begun = reply(events, stop.get_token());
    EXPECT_EQ(m_finish, FinishReason::Stopped);
    EXPECT_LT(begun.size(), m_whole.size());
    EXPECT_TRUE(m_model.rests());
    m_sleep.wake();
    m_model.bringBack();
    EXPECT_EQ(reply(), m_whole);
}

TEST_F(RestTest, AnotherModelIsLoadedToACardOpenedAnew)
{
    m_model.rest();
    m_model.load(test::goldenGguf("f16"),
                 {.context = 128, .threads = 2, .devices = {{.id = "vulkan:0"}}});
    EXPECT_EQ(m_card->count(At::Open), 2);
}

} // namespace
} // namespace fireside
