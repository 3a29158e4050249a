#include "app/chat/chat_controller.h"
#include "app/chat/chat_texts.h"
#include "app/chat/message_parts.h"
#include "app/chat/reply_replay.h"
#include "engine_fixture.h"

#include <algorithm>

// How a reply was made, and whether it can be made again.
namespace fireside::test {
namespace {

class ReplayTest : public EngineTest
{
protected:
    ~ReplayTest() override { service.shutdown(); }
    bool rest()
    {
        return waitFor([&] { return chat.canSend(); }, 60'000);
    }
    bool ask(const char *question)
    {
        SamplingSettings sampling = chat.sampling();
        sampling.maxTokens = 24;
        sampling.temperature = 1.1;
        chat.setSampling(sampling);
        chat.send(QString::fromUtf8(question));
        return rest();
    }
    ReplayResult replay(const QList<Message> &path)
    {
        ReplyReplay once(service);
        QSignalSpy ended(&once, &ReplyReplay::finished);
        once.start(path);
        EXPECT_TRUE(waitFor([&] { return !ended.isEmpty(); }, 60'000));
        return ended.value(0).value(0).value<ReplayResult>();
    }
    const Message &last() const { return chat.messages().last(); }

    ConversationStore store{newFolder()};
    ChatController chat{store, service};
};

TEST_F(ReplayTest, theSameSeedGivesTheSameWordsAndNothingIsStored)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask("Tell me a story about a fox"));
    ASSERT_TRUE(ask("And then?"));
    const QList<Message> before = chat.messages();
    const ReplayResult second = replay(chat.messages()), first = replay(chat.messages().mid(0, 2));
    EXPECT_EQ(first.kind, ReplayResult::Same) << qPrintable(first.then + first.now);
    EXPECT_EQ(second.kind, ReplayResult::Same) << qPrintable(second.then + second.now);
    EXPECT_EQ(chat.messages().size(), 4);
    EXPECT_EQ(store.path(last().id).size(), 4);
    EXPECT_EQ(last().text, before.last().text);
    EXPECT_FALSE(chat.replying());
}

TEST_F(ReplayTest, aDifferenceIsShownWithWhatIsNotAsItWas)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask("Tell me a story about a fox"));
    QList<Message> path = chat.messages();
    path.last().text.insert(5, QLatin1Char('#'));
    path.last().record[QLatin1String("device")] = QStringLiteral("Some card");
    path.last().record[QLatin1String("version")] = QStringLiteral("0.0.1");
    const ReplayResult result = replay(path);
    EXPECT_EQ(result.kind, ReplayResult::Different);
    EXPECT_EQ(result.at, 5);
    EXPECT_TRUE(result.then.contains(QLatin1Char('#')));
    EXPECT_FALSE(result.now.contains(QLatin1Char('#')));
    const QString why = result.reasons.join(QLatin1Char('|'));
    EXPECT_TRUE(why.contains(QStringLiteral("Some card"))) << qPrintable(why);
    EXPECT_TRUE(why.contains(QStringLiteral("0.0.1"))) << qPrintable(why);
    EXPECT_FALSE(why.contains(QStringLiteral("the model"))) << qPrintable(why);
    // Another seed is another reply.
    path = chat.messages();
    path.last().record[QLatin1String("seed")] = 12345;
    EXPECT_EQ(replay(path).kind, ReplayResult::Different);
}

TEST_F(ReplayTest, whatCannotBeComputedAgainIsRefusedWithTheReason)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask("Who are you?"));
    EXPECT_EQ(replayRefusal(last()), QString());
    const auto refusal = [&](const std::function<void(Message &)> &change) {
        QList<Message> path = chat.messages();
        change(path.last());
        EXPECT_FALSE(replayRefusal(path.last()).isEmpty());
        const ReplayResult result = replay(path);
        EXPECT_EQ(result.kind, ReplayResult::Failed);
        return result.problem;
    };
    QStringList all;
    all += refusal([](Message &m) { m.role = QStringLiteral("user"); });
    all += refusal([](Message &m) { m.record[QLatin1String("continued")] = QJsonObject(); });
    all += refusal([](Message &m) { m.record[kSummaryBackKey] = 1; });
    all += refusal([](Message &m) { m.state = Message::State::Interrupted; });
    all.removeDuplicates();
    EXPECT_EQ(all.size(), 4);
    service.shutdown();
    EXPECT_EQ(replay(chat.messages()).kind, ReplayResult::Failed);
}

TEST_F(ReplayTest, theJobIsThatOfTheReply)
{
    QList<Message> path;
    for (int i = 0; i < 6; ++i)
        path.append(makeMessage(i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"),
                                QStringLiteral("text %1").arg(i), 0));
    path.last().record = {{QStringLiteral("seed"), 7},
                          {QStringLiteral("generatedTokens"), 12},
                          {QStringLiteral("thoughtTokens"), 3},
                          {kSeenBackKey, 3},
                          {QStringLiteral("sampling"),
                           QJsonObject{{QStringLiteral("systemPrompt"), QStringLiteral("Be.")},
                                       {QStringLiteral("topK"), 5}}}};
    ReplyJob job = replayJob(path);
    ASSERT_EQ(job.messages.size(), 4);
    EXPECT_EQ(job.messages[0].text, QStringLiteral("Be."));
    EXPECT_EQ(job.messages[1].text, QStringLiteral("text 2")) << "what it saw";
    EXPECT_EQ(job.messages.last().text, QStringLiteral("text 4"));
    EXPECT_EQ(job.sampling.seed, 7);
    EXPECT_EQ(job.sampling.topK, 5);
    EXPECT_EQ(job.sampling.thinkingBudget, 3);
    EXPECT_EQ(job.sampling.maxTokens, 0);
    EXPECT_FALSE(job.dropOldest);
    path.last().state = Message::State::Stopped;
    EXPECT_EQ(replayJob(path).sampling.maxTokens, 12);
}

/// Of a reply that took the likeliest token everywhere, the likeliest choice at every place is the
/// token that stands there; where text was cut before a space, it would be another.
TEST_F(ReplayTest, choicesAreThoseThatTheReplyHad)
{
    ASSERT_TRUE(load(kStarter));
    for (const char *question : {"Tell me a story about a fox", "Schreibe einen Satz auf Deutsch",
                                 "Write a Python function in a code block"}) {
        SCOPED_TRACE(question);
        chat.newConversation();
        SamplingSettings sampling = chat.sampling();
        sampling.maxTokens = 40;
        sampling.temperature = 0;
        sampling.repeatPenalty = 1;
        chat.setSampling(sampling);
        chat.send(QString::fromUtf8(question));
        ASSERT_TRUE(rest());
        const Message reply = last();
        ASSERT_FALSE(reply.record[kTokensKey].toString().isEmpty());
        for (const bool known : {true, false}) {
            if (!known) { // a reply of an earlier version
                Message older = reply;
                older.record.remove(kTokensKey);
                store.updateMessage(reply.id, reply.text, reply.state, {}, older.record);
                const qint64 id = chat.currentConversation();
                chat.newConversation();
                chat.openConversation(id);
            }
            for (qsizetype at = 0; at < reply.text.size(); at += 3) {
                SCOPED_TRACE(reply.text.left(at).toStdString() + "|");
                QSignalSpy found(&chat, &ChatController::choicesFound);
                chat.findChoices(reply.id, at);
                ASSERT_TRUE(waitFor([&] { return !found.isEmpty(); }, 60'000));
                ASSERT_EQ(found[0][3].toString(), QString());
                const QString begun = found[0][1].toString();
                const auto choices = found[0][2].value<QList<TokenChoice>>();
                ASSERT_FALSE(choices.isEmpty());
                EXPECT_LE(begun.size(), at);
                if (known && choices[0].whole) { // else the reply may have been divided otherwise
                    EXPECT_TRUE(reply.text.startsWith(begun + choices[0].text))
                        << qPrintable(choices[0].text);
                }
            }
        }
    }
}

/// It goes on behind the very tokens that the reply had, and the chosen one.
TEST_F(ReplayTest, aChoiceGoesOnFromItsPlace)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask("Tell me a story about a fox"));
    const Message reply = last();
    const QList<int> written = unpackedTokens(reply.record[kTokensKey].toString());
    ASSERT_EQ(written.size(), reply.record[QLatin1String("generatedTokens")].toInt());
    QSignalSpy found(&chat, &ChatController::choicesFound);
    chat.findChoices(reply.id, reply.text.size() / 2);
    ASSERT_TRUE(waitFor([&] { return !found.isEmpty(); }, 60'000));
    const QString begun = found[0][1].toString();
    const auto choices = found[0][2].value<QList<TokenChoice>>();
    const auto other = std::find_if(choices.begin(), choices.end(), [&](const TokenChoice &one) {
        return one.whole && !one.text.isEmpty() && !reply.text.startsWith(begun + one.text);
    });
    ASSERT_NE(other, choices.end());
    chat.choose(reply.id, begun, *other);
    ASSERT_TRUE(rest());
    EXPECT_NE(last().id, reply.id);
    EXPECT_TRUE(last().text.startsWith(begun + other->text));
    const QList<int> now = unpackedTokens(last().record[kTokensKey].toString());
    const auto same = std::mismatch(now.begin(), now.end(), written.begin(), written.end());
    const qsizetype at = same.first - now.begin();
    ASSERT_LT(at, now.size() - 1);
    EXPECT_EQ(now[at], other->token);
    // And it is a reply like any other: its own choices are found at its tokens.
    found.clear();
    chat.findChoices(last().id, last().text.size() - 1);
    ASSERT_TRUE(waitFor([&] { return !found.isEmpty(); }, 60'000));
    EXPECT_TRUE(last().text.startsWith(found[0][1].toString()));
}

TEST_F(ReplayTest, anotherWordBeginsAnotherVersion)
{
    ASSERT_TRUE(load(kStarter));
    ASSERT_TRUE(ask("Tell me a story about a fox"));
    const QString whole = last().text;
    const qint64 first = last().id;
    ASSERT_GT(whole.size(), 10);
    QSignalSpy found(&chat, &ChatController::choicesFound);
    chat.findChoices(first, 6);
    ASSERT_TRUE(waitFor([&] { return !found.isEmpty(); }, 60'000));
    EXPECT_EQ(found[0][0].toLongLong(), first);
    const QString begun = found[0][1].toString();
    EXPECT_TRUE(whole.left(6).startsWith(begun));
    const auto choices = found[0][2].value<QList<TokenChoice>>();
    EXPECT_EQ(found[0][3].toString(), QString());
    ASSERT_EQ(choices.size(), 5);
    double sum = 0;
    for (qsizetype i = 0; i < choices.size(); ++i) {
        EXPECT_GT(choices[i].probability, 0);
        EXPECT_TRUE(i == 0 || choices[i].probability <= choices[i - 1].probability);
        sum += choices[i].probability;
    }
    EXPECT_LE(sum, 1.0001);
    EXPECT_GT(sum, 0.05);

    chat.branch(first, whole.left(6) + QStringLiteral("#"));
    ASSERT_TRUE(rest());
    ASSERT_EQ(chat.messages().size(), 2);
    EXPECT_NE(last().id, first);
    EXPECT_EQ(last().siblingCount, 2);
    EXPECT_TRUE(last().text.startsWith(whole.left(6) + QStringLiteral("#")));
    EXPECT_GT(last().text.size(), 7);
    EXPECT_EQ(last().state, Message::State::Complete);
    EXPECT_EQ(store.message(first)->text, whole);
    // A user's message has no other words, nor a place that is none.
    chat.findChoices(chat.messages().first().id, 1);
    chat.findChoices(first, 1); // not in view
    chat.findChoices(last().id, 1000);
    chat.branch(first, QString());
    EXPECT_FALSE(chat.replying());
    EXPECT_EQ(found.size(), 1);
}

} // namespace
} // namespace fireside::test
