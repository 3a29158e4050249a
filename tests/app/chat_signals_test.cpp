#include "app/chat/chat_controller.h"
#include "engine_fixture.h"

// What of the engine's signals belongs to the reply that is being written.
namespace fireside::test {
namespace {

class ChatSignalsTest : public EngineTest
{
protected:
    ~ChatSignalsTest() override { service.shutdown(); }
    /// A reply that goes on until it is stopped.
    bool startReply()
    {
        if (!load(endlessModel(), kEndlessContext))
            return false;
        SamplingSettings greedy = chat.sampling(); // never comes to the token that ends a reply
        greedy.temperature = 0;
        chat.setSampling(greedy);
        chat.send(QStringLiteral("talk"));
        return waitFor([&] { return !text.isEmpty(); }, 60'000);
    }
    bool stop()
    {
        chat.stop();
        return waitFor([&] { return !chat.replying(); }, 60'000);
    }
    qint64 reply() const { return chat.messages().last().id; }

    ConversationStore store{newFolder()};
    ChatController chat{store, service};
};

TEST_F(ChatSignalsTest, wordsOfAnotherReplyAreNotIts)
{
    ASSERT_TRUE(startReply());
    const qint64 other = reply() + 1;
    ReplyStats stats;
    emit service.textAdded(other, QStringLiteral("SOMEBODY ELSE'S"), stats);
    emit service.replyFinished(other, stats);
    emit service.replyFailed(other, QStringLiteral("not this one"));
    emit service.contextTrimmed(other, 1);
    EXPECT_TRUE(chat.replying());
    EXPECT_EQ(chat.firstSeenMessage(), 0);
    ASSERT_TRUE(stop());
    EXPECT_FALSE(chat.messages().last().text.contains(QStringLiteral("SOMEBODY")));
    EXPECT_EQ(chat.messages().last().text, textOf(reply()));
    EXPECT_TRUE(chat.messages().last().error.isEmpty());
}

TEST_F(ChatSignalsTest, whatTheModelStillSeesIsTold)
{
    SamplingSettings sampling;
    sampling.systemPrompt = "Be brief.";
    const qint64 id = store.addConversation(QStringLiteral("long"), sampling);
    addChat(store, id, 4);
    chat.openConversation(id);
    ASSERT_EQ(chat.messages().size(), 4);
    ASSERT_TRUE(startReply());
    QSignalSpy told(&chat, &ChatController::firstSeenChanged);
    emit service.contextTrimmed(reply(), 3); // of what the engine was told: the system prompt first
    EXPECT_EQ(chat.firstSeenMessage(), 2);
    EXPECT_EQ(told.size(), 1);
    ASSERT_TRUE(stop());
    chat.newConversation();
    EXPECT_EQ(chat.firstSeenMessage(), 0);
}

TEST_F(ChatSignalsTest, nothingIsSentOrChangedDuringAReply)
{
    ASSERT_TRUE(startReply());
    ASSERT_EQ(chat.messages().size(), 2);
    chat.send(QStringLiteral("more"));
    chat.regenerate();
    chat.edit(chat.messages().first().id, QStringLiteral("other"));
    EXPECT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("talk"));
    EXPECT_FALSE(chat.canSend());
    ASSERT_TRUE(stop());
    EXPECT_TRUE(chat.canSend());
}

TEST_F(ChatSignalsTest, namesOfTheUserAreMarkedAsTheirs)
{
    chat.send(QStringLiteral("first"));
    const qint64 id = chat.currentConversation();
    EXPECT_FALSE(store.conversation(id)->named);
    chat.renameConversation(id, QStringLiteral("Mine"));
    EXPECT_TRUE(store.conversation(id)->named);
}

TEST_F(ChatSignalsTest, theOtherBranchIsTheOneThatOpensAgain)
{
    chat.send(QStringLiteral("first"));
    chat.edit(chat.messages().first().id, QStringLiteral("second"));
    const qint64 id = chat.currentConversation();
    ASSERT_EQ(chat.messages().first().text, QStringLiteral("second"));
    chat.showSibling(chat.messages().first().id, -1);
    ASSERT_EQ(chat.messages().first().text, QStringLiteral("first"));
    chat.newConversation();
    chat.openConversation(id);
    ASSERT_FALSE(chat.messages().isEmpty());
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("first"));
}

} // namespace
} // namespace fireside::test
