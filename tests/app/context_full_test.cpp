#include "app/chat/chat_controller.h"
#include "app/chat/chat_texts.h"
#include "engine_fixture.h"

// Chats that outgrow the context: nothing is left out unless the user said so.
namespace fireside::test {
namespace {

class ContextFullTest : public EngineTest
{
protected:
    ~ContextFullTest() override { service.shutdown(); }
    void SetUp() override
    {
        ASSERT_TRUE(load(kStarter, 512));
        SamplingSettings sampling = chat.sampling();
        sampling.maxTokens = 6;
        sampling.temperature = 0;
        chat.setSampling(sampling);
        const qint64 id = store.addConversation(QStringLiteral("long"), sampling);
        qint64 parent = 0;
        for (int i = 0; i < 8; ++i) {
            Message message =
                makeMessage(i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"),
                            QStringLiteral("word %1 ").arg(i).repeated(24), parent);
            parent = store.addMessage(id, message);
        }
        chat.openConversation(id);
        ASSERT_EQ(chat.messages().size(), 8);
    }
    bool rest()
    {
        return waitFor([&] { return chat.canSend(); }, 60'000);
    }
    bool send()
    {
        chat.send(QStringLiteral("And now?"));
        return rest();
    }
    const Message &last() const { return chat.messages().last(); }

    ConversationStore store{newFolder()};
    ChatController chat{store, service};
};

TEST_F(ContextFullTest, theUserIsAskedAndThenItIsLeftOutVisibly)
{
    QSignalSpy asked(&chat, &ChatController::contextShortageChanged);
    EXPECT_FALSE(chat.contextShortage());
    ASSERT_TRUE(send());
    ASSERT_EQ(chat.messages().size(), 10);
    EXPECT_EQ(last().state, Message::State::Failed);
    ASSERT_TRUE(chat.contextShortage());
    EXPECT_GT(chat.contextShortage()->tokens, chat.contextShortage()->room);
    EXPECT_GT(chat.contextShortage()->keepFrom, 1);
    EXPECT_FALSE(asked.isEmpty());
    EXPECT_EQ(chat.firstSeenMessage(), 0);
    const qint64 id = chat.currentConversation(), reply = last().id;
    chat.newConversation();
    EXPECT_FALSE(chat.contextShortage());
    chat.openConversation(id);
    ASSERT_TRUE(chat.contextShortage()) << "the question waits";

    chat.answerContextFull(ChatController::ContextChoice::LeaveOut, false);
    ASSERT_TRUE(rest());
    EXPECT_EQ(last().id, reply) << "it is that reply";
    EXPECT_EQ(last().state, Message::State::Complete);
    EXPECT_FALSE(last().text.isEmpty());
    EXPECT_FALSE(chat.contextShortage());
    const int seen = chat.firstSeenMessage();
    EXPECT_GT(seen, 0);
    EXPECT_EQ(chat.sampling().whenFull, "ask");
    chat.newConversation();
    EXPECT_EQ(chat.firstSeenMessage(), 0);
    chat.openConversation(id);
    EXPECT_EQ(chat.firstSeenMessage(), seen) << "also when it is opened again";
    ASSERT_TRUE(send());
    EXPECT_EQ(last().state, Message::State::Complete) << "it stays so in this branch";
    EXPECT_GE(chat.firstSeenMessage(), seen);
    chat.answerContextFull(ChatController::ContextChoice::Summarise, true); // nobody asked
    EXPECT_EQ(chat.sampling().whenFull, "ask");
}

TEST_F(ContextFullTest, aStandingChoiceIsThatChats)
{
    ASSERT_TRUE(send());
    chat.answerContextFull(ChatController::ContextChoice::LeaveOut, true);
    ASSERT_TRUE(rest());
    EXPECT_EQ(chat.sampling().whenFull, "drop");
    const qint64 id = chat.currentConversation();
    chat.newConversation();
    EXPECT_EQ(chat.sampling().whenFull, "ask");
    chat.openConversation(id);
    EXPECT_EQ(chat.sampling().whenFull, "drop");
}

TEST_F(ContextFullTest, aSummaryIsWrittenAndTakesTheirPlace)
{
    ASSERT_TRUE(send());
    const qint64 empty = last().id;
    chat.answerContextFull(ChatController::ContextChoice::Summarise, false);
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 11 && chat.canSend(); }, 60'000));
    const Message &summary = chat.messages()[9];
    EXPECT_EQ(summary.id, empty);
    EXPECT_TRUE(isSummary(summary));
    EXPECT_FALSE(summary.text.isEmpty());
    EXPECT_EQ(last().state, Message::State::Complete) << qPrintable(last().error);
    EXPECT_EQ(last().parentId, summary.id);
    EXPECT_FALSE(last().text.isEmpty());
    EXPECT_GT(chat.firstSeenMessage(), 1);
    EXPECT_EQ(store.path(last().id).size(), 11) << "nothing is lost";
    const auto turns = turnsOf(chat.messages(), QString());
    EXPECT_TRUE(turns.messages.first().text.contains(summary.text));
    ASSERT_TRUE(send());
    EXPECT_EQ(last().state, Message::State::Complete);
}

TEST_F(ContextFullTest, aStandingChoiceOfSummariesNeedsNoQuestion)
{
    SamplingSettings sampling = chat.sampling();
    sampling.whenFull = "summarise";
    chat.setSampling(sampling);
    chat.send(QStringLiteral("And now?"));
    ASSERT_TRUE(waitFor([&] { return chat.messages().size() == 11 && chat.canSend(); }, 60'000));
    EXPECT_TRUE(isSummary(chat.messages()[9]));
    EXPECT_EQ(last().state, Message::State::Complete);
}

TEST_F(ContextFullTest, aMessageThatIsTooLongByItselfNeedsAnotherContext)
{
    for (const char *whenFull : {"ask", "drop", "summarise"}) {
        SCOPED_TRACE(whenFull);
        SamplingSettings sampling = chat.sampling();
        sampling.whenFull = whenFull;
        chat.setSampling(sampling);
        const auto before = chat.messages().size();
        chat.send(QStringLiteral("word ").repeated(800));
        ASSERT_TRUE(rest());
        EXPECT_EQ(last().state, Message::State::Failed);
        ASSERT_TRUE(chat.contextShortage());
        EXPECT_EQ(chat.contextShortage()->keepFrom, -1) << "leaving out does not help";
        EXPECT_GT(chat.contextShortage()->tokens, chat.contextShortage()->room);
        chat.answerContextFull(ChatController::ContextChoice::Summarise, true);
        chat.answerContextFull(ChatController::ContextChoice::LeaveOut, true);
        EXPECT_TRUE(chat.canSend());
        EXPECT_EQ(chat.messages().size(), before + 2);
        EXPECT_EQ(chat.sampling().whenFull, whenFull);
        const qint64 reply = last().id;
        chat.answerContextFull(ChatController::ContextChoice::TryAgain, false);
        ASSERT_TRUE(rest());
        EXPECT_EQ(last().id, reply);
        EXPECT_EQ(last().state, Message::State::Failed) << "the context is the same";
        EXPECT_TRUE(chat.contextShortage());
        chat.openConversation(chat.currentConversation()); // and it waits
        EXPECT_TRUE(chat.contextShortage());
        chat.newConversation();
    }
    ASSERT_TRUE(load(kStarter, 4096));
    chat.send(QStringLiteral("word ").repeated(800));
    ASSERT_TRUE(rest());
    EXPECT_EQ(last().state, Message::State::Complete);
}

} // namespace
} // namespace fireside::test
