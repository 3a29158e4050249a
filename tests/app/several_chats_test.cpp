#include "app/chat/chat_controller.h"
#include "engine_fixture.h"

// Several windows: each has a controller of its own, all have one store and one engine.
namespace fireside::test {
namespace {

class SeveralChatsTest : public EngineTest
{
protected:
    SeveralChatsTest()
    {
        service.setChats(2);
        for (ChatController *chat : {&one, &two}) {
            SamplingSettings brief;
            brief.temperature = 0;
            brief.maxTokens = 12;
            chat->setDefaultSampling(brief);
        }
    }
    ~SeveralChatsTest() override { service.shutdown(); }

    /// A reply of the first that goes on until it is stopped.
    bool talk()
    {
        if (!load(endlessModel(), kEndlessContext))
            return false;
        SamplingSettings greedy;
        greedy.temperature = 0;
        one.setDefaultSampling(greedy);
        one.send(QStringLiteral("talk"));
        return waitFor([&] { return one.messages().last().text.size() > 20; });
    }
    static QString last(const ChatController &chat) { return chat.messages().last().text; }

    ConversationStore store{newFolder()};
    ChatController one{store, service};
    ChatController two{store, service};
};

TEST_F(SeveralChatsTest, aReplyIsWrittenWhileAnotherOneIs)
{
    ASSERT_TRUE(talk());
    ASSERT_TRUE(two.canSend());
    QSignalSpy waits(&service, &EngineService::replyWaits);
    two.send(QStringLiteral("me, too"));
    EXPECT_TRUE(waits.isEmpty());
    ASSERT_TRUE(waitFor([&] { return !two.replying(); })) << "it does not wait for the first";
    EXPECT_TRUE(one.replying());
    EXPECT_EQ(service.state(), EngineState::Replying);
    EXPECT_EQ(two.messages().last().state, Message::State::Complete);
    EXPECT_FALSE(last(two).isEmpty());
    const qsizetype before = last(one).size();
    ASSERT_TRUE(waitFor([&] { return last(one).size() > before; }));
    one.stop();
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
    EXPECT_EQ(one.messages().last().state, Message::State::Stopped);
    EXPECT_EQ(service.state(), EngineState::Ready);
}

TEST_F(SeveralChatsTest, stoppingOneLeavesTheOther)
{
    ASSERT_TRUE(talk());
    two.setDefaultSampling(one.sampling());
    two.send(QStringLiteral("talk, too"));
    ASSERT_TRUE(waitFor([&] { return last(two).size() > 20; }));
    two.stop();
    ASSERT_TRUE(waitFor([&] { return !two.replying(); }));
    EXPECT_EQ(two.messages().last().state, Message::State::Stopped);
    const qsizetype before = last(one).size();
    ASSERT_TRUE(waitFor([&] { return last(one).size() > before; }));
    service.stop();
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
}

TEST_F(SeveralChatsTest, theSameQuestionGetsTheSameAnswerBesideAnother)
{
    ASSERT_TRUE(load(kStarter));
    one.send(QStringLiteral("Who are you?"));
    two.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return !one.replying() && !two.replying(); }));
    EXPECT_NE(one.currentConversation(), two.currentConversation());
    EXPECT_FALSE(last(one).isEmpty());
    EXPECT_EQ(last(one), last(two));
    service.setChats(1); // and alone, as without other windows
    two.newConversation();
    two.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return !two.replying(); }));
    EXPECT_EQ(last(one), last(two));
}

TEST_F(SeveralChatsTest, withOneWindowASecondReplyIsRefused)
{
    service.setChats(1);
    ASSERT_TRUE(talk());
    EXPECT_FALSE(two.canSend());
    one.stop();
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
}

TEST_F(SeveralChatsTest, aWindowThatComesWhileAReplyIsWrittenNeedNotWait)
{
    service.setChats(1);
    ASSERT_TRUE(talk()); // the only window
    service.setChats(2);
    QSignalSpy waits(&service, &EngineService::replyWaits);
    two.send(QStringLiteral("me, too"));
    EXPECT_TRUE(waits.isEmpty());
    ASSERT_TRUE(waitFor([&] { return !two.replying(); }));
    EXPECT_TRUE(one.replying());
    EXPECT_EQ(two.messages().last().state, Message::State::Complete);
    const qsizetype before = last(one).size();
    ASSERT_TRUE(waitFor([&] { return last(one).size() > before; }));
    one.stop();
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
}

TEST_F(SeveralChatsTest, manyWindowsAreAnsweredAtOnce)
{
    ASSERT_TRUE(talk());
    for (const qint64 id : {1001, 1002, 1003, 1004, 1005})
        service.reply(job(id, QStringLiteral("talk"), 0));
    two.send(QStringLiteral("me, too"));
    ASSERT_TRUE(waitFor([&] { return !two.replying(); })) << "none of the others has ended";
    EXPECT_EQ(two.messages().last().state, Message::State::Complete);
    EXPECT_TRUE(finished.size() == 1 && one.replying());
    service.stop();
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
}

TEST_F(SeveralChatsTest, whatOneWritesTheOtherShows)
{
    ASSERT_TRUE(talk());
    two.openConversation(one.currentConversation());
    ASSERT_EQ(two.messages().size(), 2);
    EXPECT_EQ(last(two), last(one)) << "up to this moment, not as it was stored last";
    EXPECT_TRUE(two.replying());
    EXPECT_FALSE(two.canSend());
    QSignalSpy appended(&two, &ChatController::textAppended);
    ASSERT_TRUE(waitFor([&] { return appended.size() > 3; }));
    EXPECT_EQ(last(two), last(one));
    two.stop(); // the reply is the first one's
    ASSERT_TRUE(waitFor([&] { return !one.replying() && !two.replying(); }));
    EXPECT_EQ(two.messages().last().state, Message::State::Stopped);
    EXPECT_EQ(last(two), last(one));
    EXPECT_TRUE(two.canSend());
}

TEST_F(SeveralChatsTest, whatIsQueuedForAReplyThatFailsOutOfViewComesBack)
{
    ASSERT_TRUE(talk());
    const qint64 chat = one.currentConversation();
    two.openConversation(chat);
    two.queue(QStringLiteral("queued"));
    ASSERT_EQ(two.queued(), QStringLiteral("queued"));
    two.newConversation();
    two.setDraft(QStringLiteral("something else"));
    emit service.replyFailed(one.messages().last().id, QStringLiteral("no more memory"));
    ASSERT_TRUE(waitFor([&] { return two.queuedIn(chat).isEmpty(); }));
    EXPECT_FALSE(two.replying()) << "as in the chat in view";
    EXPECT_EQ(one.messages().size(), 2);
    EXPECT_EQ(two.draft(), QStringLiteral("something else"));
    two.openConversation(chat);
    EXPECT_EQ(two.messages().size(), 2);
    EXPECT_EQ(two.draft(), QStringLiteral("queued"));
    service.stop();
}

TEST_F(SeveralChatsTest, whatIsQueuedForAReplyThatEndsOutOfViewIsSent)
{
    ASSERT_TRUE(talk());
    const qint64 chat = one.currentConversation();
    two.openConversation(chat);
    two.queue(QStringLiteral("queued"));
    two.newConversation();
    one.stop();
    ASSERT_TRUE(waitFor([&] { return two.queuedIn(chat).isEmpty() && !two.replying(); }));
    two.openConversation(chat);
    ASSERT_EQ(two.messages().size(), 4);
    EXPECT_EQ(two.messages()[2].text, QStringLiteral("queued"));
    EXPECT_EQ(two.draft(), QString());
}

TEST_F(SeveralChatsTest, messagesAndTitlesOfTheSameChatAppear)
{
    ASSERT_TRUE(load(kStarter));
    one.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return !one.replying(); }));
    two.openConversation(one.currentConversation());
    two.send(QStringLiteral("And why?"));
    ASSERT_TRUE(waitFor([&] { return !two.replying() && !one.replying(); }));
    ASSERT_TRUE(waitFor([&] { return one.messages().size() == 4; }));
    EXPECT_EQ(one.messages()[2].text, QStringLiteral("And why?"));
    EXPECT_EQ(last(one), last(two));

    // Another version stays out of view, and is counted.
    two.regenerate();
    ASSERT_TRUE(waitFor([&] { return !two.replying(); }));
    ASSERT_TRUE(waitFor([&] { return one.messages().last().siblingCount == 2; }));
    EXPECT_EQ(one.messages().last().siblingIndex, 0);
    EXPECT_EQ(two.messages().last().siblingIndex, 1);

    QSignalSpy changed(&one, &ChatController::conversationsChanged);
    two.renameConversation(two.currentConversation(), QStringLiteral("By the second"));
    ASSERT_TRUE(waitFor([&] { return !changed.isEmpty(); }));
    EXPECT_EQ(one.currentTitle(), QStringLiteral("By the second"));
}

TEST_F(SeveralChatsTest, aChatDeletedInOneIsGoneInTheOther)
{
    const qint64 id = store.addConversation(QStringLiteral("shared"), SamplingSettings());
    addChat(store, id, 2);
    one.openConversation(id);
    two.openConversation(id);
    two.deleteConversations({id});
    ASSERT_TRUE(waitFor([&] { return one.currentConversation() == 0; }));
    EXPECT_TRUE(one.messages().isEmpty());
    EXPECT_TRUE(one.conversations().isEmpty());
    QSignalSpy changed(&one, &ChatController::conversationsChanged);
    two.undoDelete();
    ASSERT_TRUE(waitFor([&] { return !changed.isEmpty(); }));
    EXPECT_EQ(one.conversations().size(), 1);
}

TEST_F(SeveralChatsTest, aControllerTellsItsOwnChangesOnce)
{
    const qint64 id = store.addConversation(QStringLiteral("mine"), SamplingSettings());
    waitFor([] { return false; }, 1); // what the store told so far
    QSignalSpy changed(&one, &ChatController::conversationsChanged);
    one.renameConversation(id, QStringLiteral("named"));
    EXPECT_EQ(changed.size(), 1);
    QSignalSpy other(&two, &ChatController::conversationsChanged);
    ASSERT_TRUE(waitFor([&] { return !other.isEmpty(); }));
    EXPECT_EQ(changed.size(), 1);
}

} // namespace
} // namespace fireside::test
