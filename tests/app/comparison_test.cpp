#include "app/chat/comparison.h"
#include "app/network/connections.h"
#include "engine/engine.h"
#include "engine_fixture.h"

// Two models answer the same messages.
namespace fireside::test {
namespace {

class ComparisonTest : public EngineTest
{
protected:
    ~ComparisonTest() override
    {
        both.reset();
        service.shutdown();
    }
    bool begin()
    {
        SamplingSettings brief;
        brief.temperature = 0;
        brief.maxTokens = 10;
        chat.setDefaultSampling(brief);
        if (!load(kStarter))
            return false;
        both = std::make_unique<Comparison>(chat, service, connections,
                                            std::make_unique<EngineService>(EngineOptions{}));
        both->secondEngine().setPatience(kPatience);
        LoadSettings settings;
        settings.threads = 2;
        both->load(kStarter, settings);
        return waitFor([&] { return both->secondEngine().hasModel(); });
    }
    bool done()
    {
        return waitFor([&] { return !chat.replying() && !both->busy(); });
    }

    ConversationStore store{newFolder()};
    Connections connections;
    ChatController chat{store, service};
    std::unique_ptr<Comparison> both;
};

TEST_F(ComparisonTest, BothAnswerAsVersionsOfOneChat)
{
    ASSERT_TRUE(begin());
    EXPECT_FALSE(both->turnsReason().isEmpty()) << "both run on the same processor";
    chat.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return both->busy(); }));
    ASSERT_TRUE(done());
    ASSERT_EQ(both->second().messages().size(), 2);
    EXPECT_EQ(both->second().currentConversation(), chat.currentConversation());
    EXPECT_EQ(both->second().messages()[0].id, chat.messages()[0].id) << "one question";
    EXPECT_NE(both->second().messages()[1].id, chat.messages()[1].id);
    EXPECT_EQ(both->second().messages()[1].text, chat.messages()[1].text) << "of the same model";
    ASSERT_TRUE(waitFor([&] { return chat.messages()[1].siblingCount == 2; }));

    // Each goes on behind its own answer.
    chat.send(QStringLiteral("And why?"));
    ASSERT_TRUE(waitFor([&] { return both->busy(); }));
    ASSERT_TRUE(done());
    ASSERT_EQ(chat.messages().size(), 4);
    ASSERT_EQ(both->second().messages().size(), 4);
    EXPECT_EQ(both->second().messages()[2].text, QStringLiteral("And why?"));
    EXPECT_EQ(both->second().messages()[2].parentId, both->second().messages()[1].id);
}

TEST_F(ComparisonTest, EitherIsKept)
{
    ASSERT_TRUE(begin());
    chat.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return both->busy(); }));
    ASSERT_TRUE(done());
    const qint64 id = chat.currentConversation(), first = chat.messages().last().id,
                 second = both->second().messages().last().id;
    both->keepFirst();
    EXPECT_EQ(store.conversation(id)->currentLeaf, first);
    const auto model = both->keepSecond();
    ASSERT_TRUE(model);
    EXPECT_EQ(model->path, kStarter);
    EXPECT_EQ(store.conversation(id)->currentLeaf, second);
    EXPECT_EQ(chat.messages().last().id, second);
}

TEST_F(ComparisonTest, AnotherChatIsFollowedAndStopEndsAll)
{
    const qint64 id = store.addConversation(QStringLiteral("older"), SamplingSettings());
    addChat(store, id, 2);
    ASSERT_TRUE(begin());
    chat.openConversation(id);
    EXPECT_EQ(both->second().currentConversation(), id);
    EXPECT_EQ(both->second().messages().size(), 2);
    chat.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return both->waiting(); }));
    both->stop();
    EXPECT_FALSE(both->waiting());
    ASSERT_TRUE(done());
    EXPECT_EQ(both->second().messages().size(), 2) << "it was not asked";
    chat.newConversation();
    EXPECT_TRUE(both->second().messages().isEmpty());
}

} // namespace
} // namespace fireside::test
