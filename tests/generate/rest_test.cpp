// A model that gives its memory back and comes again: its card stays open, and what was computed is
// taken over.
#include "engine/movable_model.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

using At = test::DeviceScript::At;

class RestTest : public testing::Test
{
protected:
    RestTest()
        : m_engine(test::fakeEngine(m_card))
        , m_cache({.always = true})
        , m_model(m_engine, {}, &m_cache)
    {
        m_model.load(test::goldenGguf("f16"),
                     {.context = 128, .threads = 2, .devices = {{.id = "vulkan:0"}}});
        m_whole = reply();
    }
    std::vector<TokenId> reply()
    {
        GenerateRequest request;
        for (TokenId id = 0; id < 40; ++id)
            request.prompt.push_back(40 + id % 50);
        request.maxTokens = 6;
        request.sampler.temperature = 0;
        const GenerateResult result = m_model.reply(request, {});
        m_reused = result.stats.reusedTokens;
        m_model.keep();
        return result.tokens;
    }
    bool onCard() const { return m_model.model()->selection().kind == BackendKind::Vulkan; }

    const std::shared_ptr<test::DeviceScript> m_card = std::make_shared<test::DeviceScript>();
    Engine m_engine;
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

TEST_F(RestTest, AnotherModelIsLoadedToACardOpenedAnew)
{
    m_model.rest();
    m_model.load(test::goldenGguf("f16"),
                 {.context = 128, .threads = 2, .devices = {{.id = "vulkan:0"}}});
    EXPECT_EQ(m_card->count(At::Open), 2);
}

} // namespace
} // namespace fireside
