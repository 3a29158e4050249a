#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/chat/chat_texts.h"
#include "engine_fixture.h"
#include "tests/support/endless_model.h"

#include <QTemporaryDir>

#include <utility>

// Titles by the model.
namespace fireside::test {
namespace {

TEST(TitleInAnswerTest, IsCleanedOfWhatModelsWriteAroundIt)
{
    const auto title = [](const char *answer) {
        return titleInAnswer(QString::fromUtf8(answer)).toStdString();
    };
    EXPECT_EQ(title("Baking bread"), "Baking bread");
    EXPECT_EQ(title("\"Baking bread\""), "Baking bread");
    EXPECT_EQ(title("**Title: Baking bread**\n\nI hope you like it!"), "Baking bread");
    EXPECT_EQ(title("**Title:** “Baking bread”."), "“Baking bread”");
    EXPECT_EQ(title("\n\n# Baking\tbread\n"), "Baking bread");
    EXPECT_EQ(title("1. Baking bread"), "Baking bread");
    EXPECT_EQ(title("- `Baking bread`"), "Baking bread");
    EXPECT_EQ(title("Titel: „Brot backen“"), "Brot backen");
    EXPECT_EQ(title("«Печём хлеб»"), "Печём хлеб");
    EXPECT_EQ(title("「パンの焼き方」"), "パンの焼き方");
    EXPECT_EQ(title("如何烤面包。"), "如何烤面包");
    EXPECT_EQ(title("Baking bread."), "Baking bread");
    EXPECT_EQ(title("How is bread baked?"), "How is bread baked?");
    EXPECT_EQ(title("What does \"proofing\" mean"), "What does \"proofing\" mean");
    EXPECT_EQ(title("\xE2\x80\xAE"
                    "daerb\x07"),
              "daerb")
        << "nothing unseen";
    EXPECT_EQ(title("C++20"), "C++20");
    EXPECT_EQ(title("```python\nSorting a list\n```"), "Sorting a list");
    EXPECT_EQ(title("~~~\nSorting a list\n~~~"), "Sorting a list");
    EXPECT_EQ(title("3 ways to bake"), "3 ways to bake");
    const QString longer = titleInAnswer(
        QStringLiteral("Baking sourdough bread in a cold oven with little time to spare"));
    EXPECT_LE(longer.size(), 49);
    EXPECT_TRUE(longer.endsWith(QChar(0x2026)));
}

TEST(TitleInAnswerTest, AnUselessAnswerIsNone)
{
    for (const char *answer :
         {"", "\n \n", "***", "```python", "```python\n```", "\"\"", "…", "()", "Title:",
          "Of course! The conversation is about somebody who bakes bread in an oven and wants to "
          "know more about that."})
        EXPECT_EQ(titleInAnswer(QString::fromUtf8(answer)), QString()) << answer;
}

class AsideTest : public EngineTest
{
protected:
    AsideTest()
        : answered(&service, &EngineService::asideAnswered)
    {}
    ~AsideTest() override { service.shutdown(); }
    AsideAnswer answer() { return answered.takeFirst().at(1).value<AsideAnswer>(); }
    bool wait()
    {
        return waitFor([&] { return !answered.isEmpty(); }, 60'000);
    }

    QSignalSpy answered;
};

TEST_F(AsideTest, SaysWhatAReplyWouldSay)
{
    ASSERT_TRUE(load(kStarter));
    const ReplyJob asked = job(1, QStringLiteral("What is Fireside?"), 60);
    QSignalSpy states(&service, &EngineService::stateChanged);
    service.askAside(asked);
    EXPECT_EQ(service.state(), EngineState::Ready);
    ASSERT_TRUE(wait());
    const AsideAnswer said = answer();
    EXPECT_TRUE(states.isEmpty()) << "nobody notices";
    EXPECT_TRUE(text.isEmpty());
    service.reply(asked);
    ASSERT_TRUE(waitForReply(1));
    EXPECT_EQ(said.text, textOf(1));
    EXPECT_FALSE(said.text.isEmpty());
    const bool whole = statsOf(finished.last()).finish == QLatin1String("end");
    EXPECT_EQ(said.kind, whole ? AsideAnswer::Whole : AsideAnswer::CutShort);
    service.askAside(job(2, QStringLiteral("What is Fireside?"), 2));
    ASSERT_TRUE(wait());
    EXPECT_EQ(answer().kind, AsideAnswer::CutShort);
}

TEST_F(AsideTest, EveryRequestEndsIt)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("endless.gguf"));
    writeEndlessModel(path.toStdString());
    LoadSettings settings;
    settings.backend = "cpu";
    settings.context = kEndlessContext;
    service.loadModel(path, settings);
    ASSERT_TRUE(waitFor([&] { return service.state() == EngineState::Ready; }));
    service.reply(job(1, QStringLiteral("Tell me"), 24));
    ASSERT_TRUE(waitForReply(1));
    service.askAside(job(2, QStringLiteral("Tell me for ever"), 0));
    service.reply(job(3, QStringLiteral("Tell me"), 24)); // before it began, or into it
    ASSERT_TRUE(waitForReply(3));
    EXPECT_EQ(textOf(3), textOf(1));
    EXPECT_TRUE(failed.isEmpty());
    ASSERT_TRUE(waitFor([&] {
        service.countTokens(QStringLiteral("a message that is being written"));
        return !answered.isEmpty();
    }));
    EXPECT_EQ(answer().kind, AsideAnswer::Interrupted);
    service.reply(job(4, QStringLiteral("Tell me"), 24));
    ASSERT_TRUE(waitForReply(4));
    EXPECT_EQ(textOf(4), textOf(1));
}

TEST_F(AsideTest, WithoutAModelAndBeyondTheContextItFails)
{
    service.askAside(job(1, QStringLiteral("Hello")));
    ASSERT_TRUE(wait());
    AsideAnswer refused = answer();
    EXPECT_EQ(refused.kind, AsideAnswer::Failed);
    EXPECT_FALSE(refused.problem.isEmpty());
    ASSERT_TRUE(load(kStarter, 512));
    ReplyJob big = job(2, QStringLiteral("word ").repeated(900));
    big.dropOldest = false;
    service.askAside(big);
    ASSERT_TRUE(wait());
    refused = answer();
    EXPECT_EQ(refused.kind, AsideAnswer::Failed);
    EXPECT_TRUE(refused.problem.contains(QStringLiteral("512"))) << qPrintable(refused.problem);
    service.unload();
    service.askAside(job(3, QStringLiteral("Hello")));
    ASSERT_TRUE(wait());
    EXPECT_EQ(answer().kind, AsideAnswer::Failed) << "it does not bring a model back";
    service.reply(job(4, QStringLiteral("Hello")));
    ASSERT_TRUE(waitForReply(4));
    EXPECT_TRUE(failed.isEmpty());
}

class ChatNamerTest : public AsideTest
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(load(kStarter, 1024));
        SamplingSettings sampling = chat.sampling();
        sampling.maxTokens = 12;
        sampling.temperature = 0;
        chat.setSampling(sampling);
        chat.namer().setLeastParameters(0);
    }
    bool send(const char *question = "How do I add a model?")
    {
        chat.send(QString::fromUtf8(question));
        return waitFor([&] { return chat.canSend(); }, 60'000);
    }
    /// The number of the question that is being answered; 0: none is.
    qint64 ask() { return chat.namer().asking(); }
    /// An answer to it, before the model's own.
    void say(const char *words, AsideAnswer::Kind kind = AsideAnswer::Whole)
    {
        emit service.asideAnswered(ask(), {.kind = kind, .text = QString::fromUtf8(words)});
    }
    QString stored() { return store.conversation(chat.currentConversation())->title; }

    ConversationStore store{newFolder()};
    ChatController chat{store, service};
    QSignalSpy named{&chat.namer(), &ChatNamer::named};
    QSignalSpy refused{&chat.namer(), &ChatNamer::failed};
};

TEST_F(ChatNamerTest, AfterTheFirstReplyTheModelIsAskedAndAUselessAnswerChangesNothing)
{
    ASSERT_TRUE(load(endlessModel(), kEndlessContext)); // whatever it is asked, it rambles on
    ASSERT_TRUE(send());
    ASSERT_TRUE(wait());
    EXPECT_EQ(answer().kind, AsideAnswer::CutShort);
    EXPECT_EQ(stored(), QStringLiteral("How do I add a model?"));
    EXPECT_TRUE(named.isEmpty());
    EXPECT_TRUE(refused.isEmpty()) << "nobody asked for it";
    EXPECT_EQ(chat.messages().size(), 2);
    ASSERT_TRUE(send("And then?"));
    service.countTokens(QStringLiteral("x"));
    QSignalSpy counted(&service, &EngineService::tokensCounted);
    ASSERT_TRUE(waitFor([&] { return !counted.isEmpty(); }));
    EXPECT_EQ(ask(), 0) << "it is not asked again";
    EXPECT_TRUE(answered.isEmpty());
    int problems = 0;
    for (const auto &[words, kind] : {std::pair("To add a model, one", AsideAnswer::CutShort),
                                      std::pair("\"\"", AsideAnswer::Whole)}) {
        chat.namer().nameAgain(chat.currentConversation());
        EXPECT_NE(ask(), 0);
        say(words, kind);
        EXPECT_EQ(refused.size(), ++problems) << words;
        EXPECT_EQ(stored(), QStringLiteral("How do I add a model?"));
    }
}

TEST_F(ChatNamerTest, WhatItAnswersIsTheTitle)
{
    chat.namer().setOn(false);
    ASSERT_TRUE(send());
    const qint64 id = chat.currentConversation();
    chat.namer().consider(id);
    EXPECT_EQ(ask(), 0) << "it is switched off";
    chat.namer().setOn(true);
    QSignalSpy changed(&chat, &ChatController::conversationsChanged);
    chat.namer().consider(id);
    say("Title: **Adding models**\n");
    EXPECT_EQ(stored(), QStringLiteral("Adding models"));
    EXPECT_FALSE(store.conversation(id)->named);
    EXPECT_EQ(chat.currentTitle(), QStringLiteral("Adding models"));
    EXPECT_EQ(changed.size(), 1);
    chat.namer().consider(id);
    EXPECT_EQ(named.size(), 1);
    say("Something else");
    EXPECT_EQ(stored(), QStringLiteral("Adding models")) << "once is enough";
    chat.namer().nameAgain(id);
    say("Models of one's own");
    EXPECT_EQ(stored(), QStringLiteral("Models of one's own")) << "but for the user's wish";
    ASSERT_TRUE(send("And then?"));
    EXPECT_EQ(stored(), QStringLiteral("Models of one's own"));
}

TEST_F(ChatNamerTest, TitlesOfTheUserStay)
{
    chat.namer().setOn(false);
    ASSERT_TRUE(send());
    chat.namer().setOn(true);
    const qint64 id = chat.currentConversation();
    chat.namer().consider(id);
    chat.renameConversation(id, QStringLiteral("Mine")); // while it is asked
    say("Adding models");
    EXPECT_EQ(stored(), QStringLiteral("Mine"));
    chat.namer().consider(id);
    say("Adding models");
    EXPECT_EQ(stored(), QStringLiteral("Mine"));
    chat.renameConversation(id, QStringLiteral("How do I add a model?")); // on purpose
    chat.namer().consider(id);
    EXPECT_EQ(ask(), 0);
    chat.namer().nameAgain(id);
    chat.renameConversation(id, QStringLiteral("Mine again"));
    say("Adding models");
    EXPECT_EQ(stored(), QStringLiteral("Mine again"));
    chat.namer().nameAgain(id);
    say("\"\"");
    EXPECT_EQ(stored(), QStringLiteral("Mine again"));
    EXPECT_EQ(refused.size(), 1);
    chat.namer().nameAgain(id);
    chat.deleteConversations({id});
    say("Adding models");
    EXPECT_TRUE(named.isEmpty());
}

TEST_F(ChatNamerTest, AnInterruptedAnswerIsAskedForAgain)
{
    chat.namer().setOn(false);
    ASSERT_TRUE(send());
    chat.namer().setOn(true);
    chat.namer().consider(chat.currentConversation());
    const qint64 first = ask();
    EXPECT_GT(first, 0);
    say("Adding mod", AsideAnswer::Interrupted);
    EXPECT_EQ(stored(), QStringLiteral("How do I add a model?"));
    ASSERT_TRUE(waitFor([&] { return ask() == first + 1; }));
    say("Adding models");
    EXPECT_EQ(stored(), QStringLiteral("Adding models"));
}

TEST_F(ChatNamerTest, SmallModelsAreNotAsked)
{
    chat.namer().setLeastParameters(ChatNamer::kLeastParameters);
    ASSERT_TRUE(send());
    chat.namer().consider(chat.currentConversation());
    EXPECT_EQ(ask(), 0);
    EXPECT_TRUE(refused.isEmpty());
    chat.namer().nameAgain(chat.currentConversation());
    EXPECT_EQ(ask(), 0);
    EXPECT_EQ(refused.size(), 1);
    chat.newConversation();
    chat.namer().nameAgain(0); // no chat
    EXPECT_EQ(ask(), 0);
}

TEST_F(ChatNamerTest, TheNextReplyTakesOverAsMuchAsWithoutIt)
{
    const auto reusedOf = [&](bool on) {
        chat.newConversation();
        SamplingSettings sampling = chat.sampling();
        sampling.systemPrompt = on ? "You are brief." : "You are short."; // alike, not the same
        sampling.maxTokens = 12;
        sampling.temperature = 0;
        chat.setSampling(sampling);
        chat.namer().setOn(on);
        answered.clear();
        EXPECT_TRUE(send());
        if (on) {
            EXPECT_TRUE(wait());
        }
        EXPECT_TRUE(send("And then?"));
        return chat.messages().last().record[QLatin1String("reusedTokens")].toInt();
    };
    const int without = reusedOf(false);
    EXPECT_GT(without, 12);
    EXPECT_GE(reusedOf(true), without); // or more: it has read the answer as the next one does
}

} // namespace
} // namespace fireside::test
