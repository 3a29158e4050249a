#include "app/chat/comparison.h"
#include "app/network/connections.h"
#include "engine/engine.h"
#include "engine_fixture.h"

#include <QtConcurrentRun>

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

/// The engine of a computer with room for one model.
class SmallComputer : public EngineService
{
public:
    SmallComputer()
        : EngineService(EngineOptions{})
    {}
    QFuture<PlacementStatus> previewBeside(const QString &, const LoadSettings &,
                                           const QList<DeviceStatus> &,
                                           const ModelStatus &) const override
    {
        PlacementStatus none;
        none.reason = QStringLiteral("the model needs 9 GB, only 4 GB of RAM is free");
        return QtConcurrent::run([none] { return none; });
    }
};

TEST_F(ComparisonTest, ModelsWithoutRoomForBothAreLoadedInTurn)
{
    SamplingSettings brief;
    brief.temperature = 0;
    brief.maxTokens = 10;
    chat.setDefaultSampling(brief);
    service.start(); // looks for devices
    ASSERT_TRUE(waitFor([&] { return !service.devices().isEmpty(); }));
    ASSERT_TRUE(load(kStarter));
    both =
        std::make_unique<Comparison>(chat, service, connections, std::make_unique<SmallComputer>());
    EngineService &second = both->secondEngine();
    second.setPatience(kPatience);
    LoadSettings settings;
    settings.threads = 2;
    both->load(kStarter, settings);
    ASSERT_TRUE(waitFor([&] { return !both->turnsReason().isEmpty(); }));
    EXPECT_TRUE(both->turnsReason().contains(QStringLiteral("9 GB")));
    EXPECT_FALSE(second.hasModel()) << "not before its turn";
    int together = 0;
    const auto look = [&] {
        together +=
            service.hasModel() && !service.resting() && second.hasModel() && !second.resting();
    };
    for (EngineService *one : {&service, &second}) {
        QObject::connect(one, &EngineService::stateChanged, both.get(), look);
        QObject::connect(one, &EngineService::textAdded, both.get(), look);
    }
    for (int turn = 1; turn <= 2; ++turn) {
        chat.send(QStringLiteral("Who are you?"));
        ASSERT_TRUE(waitFor([&] { return both->busy(); }));
        ASSERT_TRUE(done());
        ASSERT_EQ(chat.messages().size(), 2 * turn);
        ASSERT_EQ(both->second().messages().size(), 2 * turn);
        EXPECT_EQ(chat.messages().last().state, Message::State::Complete);
        EXPECT_EQ(both->second().messages().last().state, Message::State::Complete);
        EXPECT_FALSE(both->second().messages().last().text.isEmpty());
        EXPECT_TRUE(waitFor([&] { return second.resting(); })) << "the first has room again";
    }
    EXPECT_EQ(together, 0) << "both models were in memory at once";
}

TEST(ComparisonTurns, AreTakenOnOneDeviceOnly)
{
    ModelStatus one, other;
    one.device = other.device = QStringLiteral("One GPU");
    EXPECT_TRUE(Comparison::turnsReason(one, other).contains(QStringLiteral("One GPU")));
    other.device = QStringLiteral("Another GPU");
    EXPECT_TRUE(Comparison::turnsReason(one, other).isEmpty());
    other.device = one.device;
    other.backend = QStringLiteral("server");
    EXPECT_TRUE(Comparison::turnsReason(one, other).isEmpty()) << "a server is in nobody's way";
}

TEST_F(ComparisonTest, AfterAStopBothColumnsHaveBothQuestions)
{
    ASSERT_TRUE(begin());
    for (const char *question : {"Who are you?", "And why?"}) { // each before the second's turn
        chat.send(QLatin1String(question));
        ASSERT_TRUE(waitFor([&] { return both->waiting(); }));
        both->stop();
        ASSERT_TRUE(done());
    }
    chat.send(QStringLiteral("What can you do?"));
    ASSERT_TRUE(waitFor([&] { return both->busy(); }));
    ASSERT_TRUE(done());
    const auto questions = [](const QList<Message> &path) {
        QStringList all;
        for (const Message &message : path)
            if (message.role == QLatin1String("user"))
                all += message.text;
        return all;
    };
    const QStringList all{QStringLiteral("Who are you?"), QStringLiteral("And why?"),
                          QStringLiteral("What can you do?")};
    EXPECT_EQ(questions(chat.messages()), all);
    EXPECT_EQ(questions(both->second().messages()), all);
    EXPECT_EQ(both->second().messages().last().state, Message::State::Complete);
    EXPECT_FALSE(both->second().messages().last().text.isEmpty());
}

TEST_F(ComparisonTest, AModelThatCannotBeLoadedLeavesTheQuestionInItsColumn)
{
    ASSERT_TRUE(begin());
    chat.send(QStringLiteral("Who are you?"));
    ASSERT_TRUE(waitFor([&] { return both->waiting(); }));
    emit both->secondEngine().loadFailed(kStarter, QStringLiteral("the file is gone"), false);
    EXPECT_FALSE(both->waiting());
    ASSERT_EQ(both->second().messages().size(), 2);
    EXPECT_EQ(both->second().messages()[1].state, Message::State::Failed);
    EXPECT_EQ(both->second().messages()[1].error, QStringLiteral("the file is gone"));
    ASSERT_TRUE(done());
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
    ASSERT_EQ(both->second().messages().size(), 4) << "the question stays in its column";
    EXPECT_EQ(both->second().messages()[2].id, chat.messages()[2].id);
    EXPECT_EQ(both->second().messages()[3].state, Message::State::Stopped);
    EXPECT_TRUE(both->second().messages()[3].text.isEmpty()) << "it was not asked";
    chat.newConversation();
    EXPECT_TRUE(both->second().messages().isEmpty());
}

} // namespace
} // namespace fireside::test
