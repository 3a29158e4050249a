// A model that gives its memory back and comes again: its card stays open, and what was computed is
// taken over.
#include "engine/movable_model.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
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

/// Several replies that are computed together, on a card of their own.
class SharedRestTest : public testing::Test
{
protected:
    static constexpr int kReplies = 3;
    SharedRestTest()
        : m_engine(test::fakeEngine(m_card))
        , m_model(m_engine, {.lost = [this](const Error &) { m_lost = true; },
                             .sleep = &m_sleep,
                             .paused = [this] { ++m_pauses; }})
    {
        load();
        Sharing sharing{.sequences = kReplies};
        sharing.closing = [this](bool moving) { m_stays = moving; };
        m_model.share(sharing);
    }
    // The cache in F32: what is computed again rounds as before.
    void load()
    {
        m_model.load(
            test::goldenGguf("f16"),
            {.context = 128, .kvType = DType::F32, .threads = 2, .devices = {{.id = "vulkan:0"}}});
    }
    struct Reply
    {
        std::vector<TokenId> tokens;
        std::string words;
        std::optional<FinishReason> finish;
        std::string failure;
        std::stop_source stop;
    };
    void begin(Reply &reply, int which)
    {
        GenerateRequest request;
        for (TokenId id = 0; id < 12 + 9 * which; ++id)
            request.prompt.push_back(40 + (id * (which + 3)) % 50);
        request.maxTokens = 8 + which;
        request.sampler.temperature = which == 1 ? 0.9F : 0.0F;
        request.sampler.seed = 5;
        SharedReply shared{.stop = reply.stop.get_token()};
        shared.events.text = [&reply](std::string_view more, const GenerateStats &) {
            reply.words += more;
        };
        shared.finished = [&reply](const GenerateResult &result) {
            reply.tokens = result.tokens;
            reply.finish = result.finish;
        };
        shared.failed = [&reply](const Error &error) { reply.failure = error.what(); };
        m_model.begin(request, std::move(shared));
    }
    std::vector<Reply> beginAll()
    {
        std::vector<Reply> replies(kReplies);
        for (int i = 0; i < kReplies; ++i)
            begin(replies[static_cast<std::size_t>(i)], i);
        return replies;
    }
    void finishAll()
    {
        while (m_model.step())
            ;
    }
    /// Steps, until the computer sleeps and the card is left.
    void fallAsleepAfter(int steps)
    {
        for (int i = 0; i < steps; ++i)
            ASSERT_TRUE(m_model.step());
        m_sleep.fallAsleep();
        ASSERT_TRUE(m_model.step());
        ASSERT_EQ(m_pauses, 1);
        EXPECT_EQ(m_model.model(), nullptr);
        EXPECT_TRUE(m_stays) << "whoever serves it waits for it";
    }
    static void expectSame(const std::vector<Reply> &replies, const std::vector<Reply> &whole)
    {
        for (std::size_t i = 0; i < whole.size(); ++i) {
            EXPECT_EQ(replies[i].failure, "") << i;
            EXPECT_EQ(replies[i].tokens, whole[i].tokens) << i;
            EXPECT_EQ(replies[i].words, whole[i].words) << i;
        }
    }

    const std::shared_ptr<test::DeviceScript> m_card = std::make_shared<test::DeviceScript>();
    Engine m_engine;
    SleepGate m_sleep;
    int m_pauses = 0;
    bool m_stays = false, m_lost = false;
    MovableModel m_model;
};

TEST_F(SharedRestTest, AllRepliesGoOnAfterSleep)
{
    const std::vector<Reply> whole = beginAll();
    finishAll();
    for (const int steps : {0, 1, 2, 5}) {
        m_pauses = 0;
        const int opened = m_card->count(At::Open), passes = m_card->count(At::Pass);
        const std::vector<Reply> replies = beginAll();
        fallAsleepAfter(steps);
        const int before = m_card->count(At::Pass);
        EXPECT_EQ(before > passes, steps > 0);
        EXPECT_TRUE(m_model.step()) << "it waits";
        EXPECT_EQ(m_card->count(At::Open), opened) << "nothing is opened while it sleeps";
        EXPECT_EQ(m_card->count(At::Pass), before);
        m_sleep.wake();
        finishAll();
        expectSame(replies, whole);
        EXPECT_EQ(m_card->count(At::Open), opened + 1);
        EXPECT_EQ(m_pauses, 1);
        EXPECT_EQ(m_model.model()->selection().kind, BackendKind::Vulkan)
            << "sleeping is no failure";
    }
}

TEST_F(SharedRestTest, RepliesCanBeStoppedAndBegunWhileItSleeps)
{
    const std::vector<Reply> whole = beginAll();
    finishAll();
    std::vector<Reply> replies = beginAll();
    fallAsleepAfter(3);
    replies[1].stop.request_stop();
    EXPECT_TRUE(m_model.step());
    EXPECT_EQ(replies[1].finish, FinishReason::Stopped);
    EXPECT_EQ(replies[0].finish, std::nullopt);
    m_sleep.wake();
    finishAll();
    replies[1] = {};
    begin(replies[1], 1);
    finishAll();
    expectSame(replies, whole);
}

TEST_F(SharedRestTest, WhenAllAreStoppedTheModelRests)
{
    std::vector<Reply> replies = beginAll();
    fallAsleepAfter(2);
    for (Reply &reply : replies)
        reply.stop.request_stop();
    EXPECT_FALSE(m_model.step());
    for (const Reply &reply : replies)
        EXPECT_EQ(reply.finish, FinishReason::Stopped);
    EXPECT_TRUE(m_model.rests());
    m_sleep.wake();
    m_model.bringBack();
    const std::vector<Reply> again = beginAll();
    finishAll();
    EXPECT_EQ(again[0].finish, FinishReason::MaxTokens);
}

TEST_F(SharedRestTest, AnotherModelMayBeLoadedWhileItSleeps)
{
    const std::vector<Reply> replies = beginAll();
    fallAsleepAfter(2);
    load();
    for (const Reply &reply : replies)
        EXPECT_EQ(reply.finish, FinishReason::Stopped);
    m_sleep.wake();
    const std::vector<Reply> again = beginAll();
    finishAll();
    EXPECT_EQ(again[2].finish, FinishReason::MaxTokens);
}

TEST_F(SharedRestTest, ACardThatIsGoneAfterSleepIsDoneWithout)
{
    const std::vector<Reply> whole = beginAll();
    finishAll();
    const std::vector<Reply> replies = beginAll();
    fallAsleepAfter(4);
    m_card->fail({.at = At::Open, .times = 100});
    m_sleep.wake();
    finishAll();
    expectSame(replies, whole);
    EXPECT_EQ(m_model.model()->selection().kind, BackendKind::Cpu);
}

TEST_F(SharedRestTest, RepliesFailWithTheReasonWhereTheModelIsGone)
{
    const test::TempDir folder;
    const std::filesystem::path file = folder.path() / "model.gguf";
    std::filesystem::copy_file(test::goldenGguf("f16"), file);
    m_model.load(file, {.context = 128, .threads = 2, .devices = {{.id = "vulkan:0"}}});
    const std::vector<Reply> replies = beginAll();
    fallAsleepAfter(2);
    std::filesystem::remove(file);
    m_sleep.wake();
    EXPECT_FALSE(m_model.step());
    EXPECT_TRUE(m_lost);
    for (const Reply &reply : replies)
        EXPECT_NE(reply.failure.find("model.gguf"), std::string::npos) << reply.failure;
}

/// Memory for a further reply lacks where others run: all of them go on elsewhere.
TEST_F(SharedRestTest, AReplyThatFindsNoMemoryBeginsElsewhere)
{
    const std::vector<Reply> whole = beginAll();
    finishAll();
    for (const ErrorKind kind : {ErrorKind::Memory, ErrorKind::Device}) {
        load();
        const int before = m_card->count(At::Allocate);
        std::vector<Reply> replies = beginAll();
        m_model.step();
        const int all = m_card->count(At::Allocate) - before;
        finishAll();
        ASSERT_GT(all, 3);
        for (int in = 1; in <= all; in += 2) {
            load();
            m_card->fail({.at = At::Allocate, .in = in, .kind = kind});
            const std::vector<Reply> again = beginAll();
            finishAll();
            m_card->forget();
            expectSame(again, whole);
        }
    }
}

} // namespace
} // namespace fireside
