#include "app/chat/chat_controller.h"
#include "engine_fixture.h"

#include <memory>

namespace fireside::test {
namespace {

class ControllerTest : public EngineTest
{
protected:
    ControllerTest()
        : m_folder(newFolder())
        , store(m_folder)
        , chat(store, service)
    {}

    bool ask(const QString &question)
    {
        SamplingSettings sampling = chat.sampling();
        sampling.maxTokens = 8;
        chat.setSampling(sampling);
        chat.send(question);
        return waitFor([&] { return !chat.replying(); }, 60'000);
    }

    /// Sends a message whose reply never ends by itself: what would is not drawn.
    void talk()
    {
        SamplingSettings greedy = chat.sampling();
        greedy.temperature = 0;
        chat.setSampling(greedy);
        chat.send(QStringLiteral("talk"));
    }

    QString m_folder;
    ConversationStore store;
    ChatController chat;
};

TEST_F(ControllerTest, aConversationGrowsAndIsStored)
{
    ASSERT_TRUE(load(kStarter));
    EXPECT_TRUE(chat.canSend());
    QSignalSpy added(&chat, &ChatController::messageAdded);
    QSignalSpy canSend(&chat, &ChatController::canSendChanged);
    ASSERT_TRUE(
        ask(QStringLiteral("Who are you, and what can you do for me on a rainy day in autumn?")));
    EXPECT_EQ(added.size(), 2);
    EXPECT_GE(canSend.size(), 2);
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.currentTitle(), QStringLiteral("Who are you, and what can you do for me on a…"));
    const Message &reply = chat.messages().last();
    EXPECT_EQ(reply.state, Message::State::Complete);
    EXPECT_FALSE(reply.text.isEmpty());
    EXPECT_EQ(reply.record[QLatin1String("fingerprint")].toString(), service.model().fingerprint);
    EXPECT_EQ(reply.record[QLatin1String("backend")].toString(), QStringLiteral("cpu"));
    EXPECT_GE(reply.record[QLatin1String("seed")].toInteger(-1), 0);
    EXPECT_EQ(reply.record[QLatin1String("sampling")][QLatin1String("maxTokens")].toInt(), 8);

    const qint64 id = chat.currentConversation();
    chat.newConversation();
    EXPECT_EQ(chat.currentConversation(), 0);
    EXPECT_TRUE(chat.messages().isEmpty());
    chat.openConversation(id);
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages().last().text, textOf(chat.messages().last().id));
}

TEST_F(ControllerTest, editAndRegenerateMakeSiblings)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask(QStringLiteral("first question")));
    const qint64 question = chat.messages().first().id;
    const QString firstAnswer = chat.messages().last().text;
    chat.regenerate();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages().last().siblingCount, 2);
    EXPECT_EQ(chat.messages().last().siblingIndex, 1);
    chat.showSibling(chat.messages().last().id, -1);
    EXPECT_EQ(chat.messages().last().text, firstAnswer);
    EXPECT_EQ(chat.messages().last().siblingIndex, 0);
    chat.showSibling(chat.messages().last().id, -1); // no further one
    EXPECT_EQ(chat.messages().last().text, firstAnswer);

    chat.edit(question, QStringLiteral("second question"));
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("second question"));
    EXPECT_EQ(chat.messages().first().siblingCount, 2);
    chat.showSibling(chat.messages().first().id, -1);
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("first question"));
    ASSERT_EQ(chat.messages().size(), 2);
    chat.edit(12345, QStringLiteral("no such message"));
    chat.edit(chat.messages().last().id, QStringLiteral("not the user's"));
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("first question"));
}

TEST_F(ControllerTest, withoutAModelNothingIsLost)
{
    chat.send(QStringLiteral("is anybody there?"));
    EXPECT_FALSE(chat.replying());
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages().last().state, Message::State::Failed);
    EXPECT_FALSE(chat.messages().last().error.isEmpty());
    ASSERT_TRUE(load(kStarter));
    chat.regenerate();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    EXPECT_NE(chat.messages().last().state, Message::State::Failed);
    EXPECT_EQ(chat.messages().last().siblingCount, 2);
    chat.send(QStringLiteral("   \n"));
    EXPECT_EQ(chat.messages().size(), 2);
}

TEST_F(ControllerTest, aReplyGoesOnWhileAnotherChatIsShown)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }, 60'000));
    const qint64 id = chat.currentConversation();
    const qint64 reply = chat.messages().last().id;
    chat.newConversation();
    const qsizetype before = text.size();
    ASSERT_TRUE(waitFor([&] { return text.size() > before; }, 60'000));
    EXPECT_TRUE(chat.replying());
    EXPECT_TRUE(chat.messages().isEmpty());
    chat.openConversation(id);
    EXPECT_EQ(chat.messages().last().text, textOf(reply));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    EXPECT_EQ(chat.messages().last().state, Message::State::Stopped);
    EXPECT_EQ(store.message(reply)->text, textOf(reply));
}

TEST_F(ControllerTest, aStoppedReplyGoesOnWhereItBrokeOff)
{
    ASSERT_TRUE(load(kStarter));
    SamplingSettings sampling = chat.sampling();
    sampling.temperature = 0;
    sampling.maxTokens = 24;
    chat.setSampling(sampling);
    chat.send(QStringLiteral("Who are you?"));
    EXPECT_FALSE(chat.canContinue());
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    const QString whole = chat.messages().last().text;

    sampling.maxTokens = 5;
    chat.setSampling(sampling);
    chat.regenerate();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    const Message begun = chat.messages().last();
    ASSERT_TRUE(whole.startsWith(begun.text) && begun.text.size() < whole.size())
        << qPrintable(begun.text) << " / " << qPrintable(whole);
    ASSERT_TRUE(chat.canContinue());
    QSignalSpy opened(&chat, &ChatController::conversationOpened);
    sampling.maxTokens = 6;
    chat.setSampling(sampling);
    chat.continueReply();
    EXPECT_TRUE(chat.replying());
    EXPECT_EQ(store.message(begun.id)->text, begun.text) << "kept while it goes on";
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    const Message after = chat.messages().last();
    EXPECT_EQ(after.id, begun.id);
    EXPECT_EQ(after.siblingCount, begun.siblingCount) << "the same reply, not another one";
    EXPECT_GT(after.text.size(), begun.text.size());
    EXPECT_TRUE(whole.startsWith(after.text))
        << qPrintable(after.text) << " / " << qPrintable(whole);
    EXPECT_EQ(store.message(begun.id)->text, after.text);
    EXPECT_EQ(after.record[QLatin1String("generatedTokens")].toInt(), 11);
    EXPECT_EQ(after.record[QLatin1String("continued")][QLatin1String("fingerprint")].toString(),
              service.model().fingerprint);
    EXPECT_TRUE(opened.isEmpty());
}

TEST_F(ControllerTest, whatIsQueuedIsSentAfterTheReply)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    QSignalSpy queued(&chat, &ChatController::queuedChanged);
    chat.queue(QStringLiteral("one"));
    chat.queue(QStringLiteral("two"));
    chat.queue(QStringLiteral("  "));
    EXPECT_EQ(chat.queued(), QStringLiteral("one\n\ntwo"));
    EXPECT_EQ(queued.size(), 2);
    chat.setDraft(QStringLiteral("three"));
    EXPECT_EQ(chat.messages().size(), 2);
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 4; }, 60'000));
    EXPECT_EQ(chat.messages()[2].text, QStringLiteral("one\n\ntwo"));
    EXPECT_EQ(chat.draft(), QStringLiteral("three"));
    EXPECT_TRUE(chat.queued().isEmpty());
    chat.queue(QStringLiteral("later"));
    EXPECT_EQ(chat.takeQueued(), QStringLiteral("later"));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    chat.queue(QStringLiteral("at once"));
    EXPECT_EQ(chat.messages().size(), 6) << "nothing to wait for";
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
}

TEST_F(ControllerTest, whatIsQueuedSurvivesTheProgram)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    const qint64 id = chat.currentConversation();
    chat.queue(QStringLiteral("queued"));
    const auto storedDraft = [&] { return store.conversation(id)->draft; };
    EXPECT_EQ(storedDraft(), QStringLiteral("queued")) << "as if the program was killed now";
    chat.setDraft(QStringLiteral("written"));
    chat.openConversation(id);
    EXPECT_EQ(storedDraft(), QStringLiteral("queued\n\nwritten"));
    EXPECT_EQ(chat.queued(), QStringLiteral("queued"));
    EXPECT_EQ(chat.draft(), QStringLiteral("written"));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 4; }, 60'000));
    EXPECT_EQ(chat.messages()[2].text, QStringLiteral("queued"));
    EXPECT_EQ(storedDraft(), QStringLiteral("written"));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
}

TEST_F(ControllerTest, whatIsQueuedStaysWithItsChat)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    const qint64 id = chat.currentConversation();
    chat.queue(QStringLiteral("queued"));
    chat.setDraft(QStringLiteral("written"));
    QSignalSpy shown(&chat, &ChatController::queuedChanged);
    chat.newConversation();
    EXPECT_TRUE(chat.queued().isEmpty());
    EXPECT_EQ(shown.last().first().toString(), QString());
    EXPECT_EQ(chat.queuedIn(id), QStringLiteral("queued"));
    EXPECT_EQ(store.conversation(id)->draft, QStringLiteral("queued\n\nwritten"))
        << "as if the program was killed now";
    chat.openConversation(id);
    EXPECT_EQ(chat.queued(), QStringLiteral("queued"));
    EXPECT_EQ(shown.last().first().toString(), QStringLiteral("queued"));
    EXPECT_EQ(chat.draft(), QStringLiteral("written"));
    chat.newConversation();
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return chat.queuedIn(id).isEmpty(); }, 60'000));
    EXPECT_TRUE(chat.messages().isEmpty()) << "another chat is in view";
    EXPECT_TRUE(chat.replying());
    chat.openConversation(id);
    ASSERT_EQ(chat.messages().size(), 4);
    EXPECT_EQ(chat.messages()[2].text, QStringLiteral("queued"));
    EXPECT_EQ(chat.messages()[3].state, Message::State::Streaming);
    EXPECT_EQ(chat.draft(), QStringLiteral("written"));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
}

TEST_F(ControllerTest, whatIsQueuedInANewChatMakesItAChat)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    const qint64 first = chat.currentConversation();
    chat.newConversation();
    chat.queue(QStringLiteral("A question of its own"));
    EXPECT_EQ(chat.conversations().size(), 1) << "it may still be taken back";
    chat.openConversation(first);
    ASSERT_EQ(chat.conversations().size(), 2);
    const ConversationSummary added =
        chat.conversations()[0].id == first ? chat.conversations()[1] : chat.conversations()[0];
    EXPECT_EQ(added.title, QStringLiteral("A question of its own"));
    EXPECT_EQ(chat.queuedIn(added.id), QStringLiteral("A question of its own"));
    EXPECT_TRUE(store.newChatDraft().isEmpty());
    chat.queue(QStringLiteral("after that"));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return chat.queuedIn(added.id).isEmpty(); }, 60'000));
    EXPECT_EQ(chat.queued(), QStringLiteral("after that")) << "one after the other";
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 4; }, 60'000));
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    chat.openConversation(added.id);
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.messages()[0].text, QStringLiteral("A question of its own"));
}

TEST_F(ControllerTest, whatIsQueuedInADeletedChatIsADraftWhenItComesBack)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    const qint64 id = chat.currentConversation();
    chat.queue(QStringLiteral("queued"));
    chat.deleteConversations({id}); // stops its reply
    ASSERT_TRUE(waitFor([&] { return chat.queuedIn(id).isEmpty(); }, 60'000));
    EXPECT_FALSE(chat.replying());
    chat.undoDelete();
    EXPECT_EQ(chat.currentConversation(), id);
    EXPECT_EQ(chat.messages().size(), 2);
    EXPECT_EQ(chat.draft(), QStringLiteral("queued"));
}

TEST_F(ControllerTest, undoingADeletionLeavesTheChatThatIsRead)
{
    const auto add = [&](const char *title) {
        const qint64 id = store.addConversation(QLatin1String(title), {});
        addChat(store, id, 2);
        return id;
    };
    const qint64 first = add("first"), second = add("second");
    chat.openConversation(first);
    chat.deleteConversations({first});
    chat.openConversation(second);
    chat.undoDelete();
    EXPECT_EQ(chat.conversations().size(), 2);
    EXPECT_EQ(chat.currentConversation(), second);
    // Where nothing else was opened it comes back into view.
    chat.deleteConversations({second});
    chat.undoDelete();
    EXPECT_EQ(chat.currentConversation(), second);
}

TEST_F(ControllerTest, whatIsQueuedBecomesADraftWhereItCannotBeSent)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    chat.queue(QStringLiteral("after a failure"));
    QSignalSpy changed(&chat, &ChatController::draftChanged);
    emit service.replyFailed(chat.messages().last().id, QStringLiteral("no more memory"));
    ASSERT_TRUE(waitFor([&] { return !changed.isEmpty(); }));
    EXPECT_EQ(chat.draft(), QStringLiteral("after a failure"));
    EXPECT_EQ(chat.messages().size(), 2);
    service.stop();
}

TEST_F(ControllerTest, aFoundMessageIsShownOnItsBranch)
{
    chat.send(QStringLiteral("the red fox"));
    const qint64 id = chat.currentConversation(), first = chat.messages().first().id;
    chat.edit(first, QStringLiteral("the blue fox"));
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("the blue fox"));
    const QList<ConversationSummary> found = chat.conversations(QStringLiteral("red"));
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found.first().match, first);
    chat.openConversation(id, found.first().match);
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("the red fox"));
    ASSERT_EQ(chat.messages().size(), 2);
    chat.openConversation(id, 4711);
    EXPECT_EQ(chat.messages().first().text, QStringLiteral("the red fox"));
}

TEST_F(ControllerTest, aGrowingReplyIsStoredWhileItGrows)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    talk();
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 2; }));
    const qint64 reply = chat.messages().last().id;
    ASSERT_TRUE(
        waitFor([&] { return !store.message(reply)->text.isEmpty() || !chat.replying(); }, 60'000));
    EXPECT_FALSE(store.message(reply)->text.isEmpty());
    EXPECT_TRUE(chat.replying()) << "stored at its end only";
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
}

TEST_F(ControllerTest, theTimeOfThoughtsIsRecorded)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    chat.send(QStringLiteral("think"));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }, 60'000));
    const qint64 reply = chat.messages().last().id;
    ReplyStats stats;
    const auto say = [&](const char *words, double seconds) {
        stats.generateSeconds = seconds;
        emit service.textAdded(reply, QString::fromLatin1(words), stats);
    };
    say("<think>well", 1);
    say("</thi", 2);
    say("nk>yes", 2.5);
    say("</think>", 4); // only the first end counts
    chat.stop();
    ASSERT_TRUE(waitFor([&] { return !chat.replying(); }, 60'000));
    const QJsonObject record = chat.messages().last().record;
    EXPECT_EQ(record.value(QLatin1String("reasoningSeconds")).toDouble(), 2.5);
}

TEST_F(ControllerTest, deleteAndUndo)
{
    chat.send(QStringLiteral("keep me"));
    const qint64 id = chat.currentConversation();
    QSignalSpy deleted(&chat, &ChatController::conversationsDeleted);
    chat.deleteConversations({id});
    ASSERT_EQ(deleted.size(), 1);
    EXPECT_EQ(deleted.first().first().toString(), QStringLiteral("keep me"));
    EXPECT_EQ(chat.currentConversation(), 0);
    EXPECT_TRUE(chat.conversations().isEmpty());
    chat.undoDelete();
    EXPECT_EQ(chat.currentConversation(), id);
    EXPECT_EQ(chat.messages().size(), 2);
    chat.undoDelete(); // nothing more to undo
    chat.deleteConversations({4711});
    EXPECT_EQ(deleted.size(), 1);
}

TEST_F(ControllerTest, aDraftIsStoredBeforeTheUserLeavesIt)
{
    chat.setDraft(QStringLiteral("half a thought"));
    EXPECT_TRUE(waitFor([&] { return store.newChatDraft() == QLatin1String("half a thought"); }));
    chat.newConversation();
    EXPECT_EQ(chat.draft(), QStringLiteral("half a thought"));
    chat.setDraft({});
    EXPECT_TRUE(waitFor([&] { return store.newChatDraft().isEmpty(); }));
}

TEST_F(ControllerTest, titlesDraftsAndSamplingBelongToTheirChat)
{
    SamplingSettings usual;
    usual.temperature = 0.1;
    chat.setDefaultSampling(usual);
    EXPECT_EQ(chat.sampling().temperature, 0.1);
    chat.setDraft(QStringLiteral("not sent yet"));
    chat.send(QStringLiteral("first"));
    const qint64 first = chat.currentConversation();
    EXPECT_TRUE(chat.draft().isEmpty());
    chat.renameConversation(first, QStringLiteral("  My   name "));
    EXPECT_EQ(chat.currentTitle(), QStringLiteral("My name"));
    chat.renameConversation(first, QStringLiteral("  "));
    EXPECT_EQ(chat.currentTitle(), QStringLiteral("My name"));
    SamplingSettings own = usual;
    own.temperature = 1.5;
    chat.setSampling(own);
    chat.setDraft(QStringLiteral("half a thought"));
    chat.newConversation();
    EXPECT_TRUE(chat.draft().isEmpty());
    EXPECT_EQ(chat.sampling().temperature, 0.1);
    chat.setDraft(QStringLiteral("new chat's"));
    chat.openConversation(first);
    EXPECT_EQ(chat.draft(), QStringLiteral("half a thought"));
    EXPECT_EQ(chat.sampling().temperature, 1.5);
    chat.send(QStringLiteral("second"));
    EXPECT_EQ(chat.currentTitle(), QStringLiteral("My name"));
    chat.newConversation();
    EXPECT_EQ(chat.draft(), QStringLiteral("new chat's"));
    chat.setPinned(first, true);
    EXPECT_TRUE(chat.conversations().first().pinned);
}

TEST_F(ControllerTest, leavingInTheMiddleOfAReplyStoresIt)
{
    qint64 reply = 0;
    auto other = std::make_unique<ChatController>(store, service);
    ASSERT_TRUE(load(endlessModel(), kEndlessContext));
    other->send(QStringLiteral("talk"));
    ASSERT_TRUE(waitFor([&] { return !text.isEmpty(); }, 60'000));
    reply = other->messages().last().id;
    service.shutdown();
    other.reset();
    EXPECT_EQ(store.message(reply)->state, Message::State::Stopped);
    EXPECT_EQ(store.message(reply)->text, textOf(reply));
}

} // namespace
} // namespace fireside::test
