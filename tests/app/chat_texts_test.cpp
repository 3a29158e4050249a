#include "app/chat/chat_texts.h"

#include "app/chat/message_parts.h"
#include "app/settings/setting_values.h"
#include "support.h"

#include <cmath>

namespace fireside::test {
namespace {

const QString kUserRole = QStringLiteral("user");
const QString kAssistantRole = QStringLiteral("assistant");

TEST(TitleTest, isTheFirstLineWithWords)
{
    EXPECT_EQ(titleFrom(QStringLiteral("  \n\n  Hello   world \nmore")),
              QStringLiteral("Hello world"));
    EXPECT_EQ(titleFrom(QStringLiteral("\n \n")), QString());
}

TEST(TitleTest, hasNoMarks)
{
    const auto title = [](const char *text) {
        return titleFrom(QString::fromUtf8(text)).toStdString();
    };
    EXPECT_EQ(title("# Why is the **sky** `blue`?"), "Why is the sky blue?");
    EXPECT_EQ(title("> Read [the *paper*](https://example.org/a_b_c) ~~today~~"),
              "Read the paper today");
    EXPECT_EQ(title("```cpp\nint main()\n```"), "int main()");
    EXPECT_EQ(title("---\n| Name | Age |\n|---|---|"), "Name | Age");
    EXPECT_EQ(title("What does `a*b*c` or `__init__` do?"), "What does a*b*c or __init__ do?");
    EXPECT_EQ(title("**Use `x**y` and ``a ` b``**"), "Use x**y and a ` b");
    EXPECT_EQ(title("```print(1)``` fails"), "print(1) fails");
    EXPECT_EQ(title("Is 2*3*4 24, and __init__ a *method* or __Nothing__?"),
              "Is 2*3*4 24, and __init__ a method or Nothing?");
    EXPECT_EQ(title("2 * 3 * 4, snake_case_name and \\*stars\\*"),
              "2 * 3 * 4, snake_case_name and *stars*");
    EXPECT_EQ(title("[it](https://example.org/`x`) and `y`"), "[it](https://example.org/x) and y");
    EXPECT_EQ(title("\n```\n---\n"), "```") << "there is nothing else";
    EXPECT_EQ(title("```python\n```"), "python");
    EXPECT_EQ(title("**a very long message that is bold from its first word to its last one**"),
              "a very long message that is bold from its first…");
}

TEST(TitleTest, isCutAtAWord)
{
    const QString title =
        titleFrom(QStringLiteral("Please explain to me in detail how a heat pump works in winter"));
    EXPECT_LE(title.size(), 48);
    EXPECT_EQ(title, QStringLiteral("Please explain to me in detail how a heat pump…"));
}

TEST(TitleTest, cutsALongWordButNoCharacter)
{
    const QString smileys = QString::fromUcs4(U"😀").repeated(60);
    for (const QString &text : {smileys, QLatin1Char('a') + smileys}) {
        const QString title = titleFrom(text);
        EXPECT_LE(title.size(), 48);
        EXPECT_FALSE(title[title.size() - 2].isHighSurrogate());
        EXPECT_EQ(QString::fromUtf8(title.toUtf8()), title);
    }
}

TEST(TurnsTest, putTheSystemPromptFirstAndLeaveOutEmptyReplies)
{
    const QList<Message> path{makeMessage(kUserRole, QStringLiteral("one"), 0),
                              makeMessage(kAssistantRole, QString(), 0),
                              makeMessage(kUserRole, QStringLiteral("two"), 0),
                              makeMessage(kAssistantRole, QStringLiteral("answer"), 0),
                              makeMessage(kUserRole, QStringLiteral("three"), 0)};
    const Turns turns = turnsOf(path, QStringLiteral("be brief"));
    ASSERT_EQ(turns.messages.size(), 4);
    EXPECT_EQ(turns.messages[0].role, QStringLiteral("system"));
    EXPECT_EQ(turns.messages[0].text, QStringLiteral("be brief"));
    EXPECT_EQ(turns.messages[1].text, QStringLiteral("one\n\ntwo"));
    EXPECT_EQ(turns.messages[3].text, QStringLiteral("three"));
    EXPECT_EQ(turns.pathIndex, (QList<int>{-1, 0, 3, 4}));
    EXPECT_EQ(turnsOf(path, QStringLiteral("  ")).messages.size(), 3);
}

/// Of so many messages, alternately of user and assistant.
QList<Message> pathOf(int count)
{
    QList<Message> path;
    for (int i = 0; i < count; ++i)
        path.append(makeMessage(i % 2 == 0 ? kUserRole : kAssistantRole,
                                QStringLiteral("text %1").arg(i), 0));
    return path;
}

TEST(SummaryTest, standsForTheMessagesBeforeIt)
{
    QList<Message> path = pathOf(5); // the last is a question
    Message summary = makeMessage(kAssistantRole, QStringLiteral("They spoke."), 0);
    summary.record[kSummaryBackKey] = 3; // the second question is still seen
    path.append(summary);
    EXPECT_EQ(firstSeenIn(path), 2);
    for (const QString &prompt : {QString(), QStringLiteral("Be brief.")}) {
        const Turns turns = turnsOf(path, prompt);
        ASSERT_EQ(turns.messages.size(), 4);
        EXPECT_EQ(turns.messages[0].role, QStringLiteral("system"));
        EXPECT_TRUE(turns.messages[0].text.startsWith(prompt));
        EXPECT_TRUE(turns.messages[0].text.endsWith(QStringLiteral("They spoke.")));
        EXPECT_EQ(turns.messages[1].text, QStringLiteral("text 2"));
        EXPECT_EQ(turns.messages.last().text, QStringLiteral("text 4"));
        EXPECT_EQ(turns.pathIndex, (QList<int>{-1, 2, 3, 4}));
    }
    EXPECT_TRUE(unfinishedAnswer(path.last()).isEmpty());
    for (const auto &[state, back] : {std::pair{Message::State::Stopped, 3},
                                      {Message::State::Complete, 0},
                                      {Message::State::Complete, 6},
                                      {Message::State::Complete, -1}}) {
        path.last().state = state;
        path.last().record[kSummaryBackKey] = back;
        EXPECT_EQ(firstSeenIn(path), 0) << back;
        EXPECT_EQ(turnsOf(path, QString()).messages.size(), 5) << "half a summary is none";
        EXPECT_TRUE(unfinishedAnswer(path.last()).isEmpty());
    }
}

TEST(FirstSeenTest, isThatOfTheLastReplyOrSummary)
{
    QList<Message> path = pathOf(8);
    EXPECT_EQ(firstSeenIn(path), 0);
    EXPECT_EQ(firstSeenIn({}), 0);
    path[5].record[kSeenBackKey] = 3;
    EXPECT_EQ(firstSeenIn(path.mid(0, 7)), 2);
    EXPECT_EQ(firstSeenIn(path), 0) << "the last one saw all, with a larger context";
    path[7].record[kSeenBackKey] = 9;
    EXPECT_EQ(firstSeenIn(path), 0) << "no number of a whole chat";
    path[7].record[kSeenBackKey] = 1;
    EXPECT_EQ(firstSeenIn(path), 6);
    path[7].text.clear();
    EXPECT_EQ(firstSeenIn(path), 2) << "an empty one saw nothing";
}

TEST(AnswerUpToTest, isTextOfTheAnswerOnly)
{
    Message reply =
        makeMessage(kAssistantRole, QStringLiteral("<think>\nwell\n</think>\n\nThe sky"), 0);
    EXPECT_TRUE(answerUpTo(reply, 27).isNull()) << "where thoughts end is not known";
    reply.record[kPartsKey] = toJson({{MessagePart::Reasoning, 8, 4}, {MessagePart::Text, 23, 7}});
    EXPECT_EQ(answerUpTo(reply, 27), QStringLiteral("The "));
    EXPECT_EQ(answerUpTo(reply, 30), QStringLiteral("The sky"));
    EXPECT_EQ(answerAfter(reply, 27), QStringLiteral("sky"));
    EXPECT_EQ(answerAfter(reply, 30), QString());
    EXPECT_EQ(answerUpTo(reply, 23), QString());
    EXPECT_FALSE(answerUpTo(reply, 23).isNull());
    for (const qsizetype place : {-1, 9, 31})
        EXPECT_TRUE(answerUpTo(reply, place).isNull()) << place;
    reply.record[kPartsKey] = toJson(
        {{MessagePart::Call, 0, 4, QStringLiteral("f"), QString()}, {MessagePart::Text, 23, 7}});
    EXPECT_TRUE(answerUpTo(reply, 27).isNull()) << "a call cannot be told again";
    reply.record = {};
    reply.text = QStringLiteral("plain");
    EXPECT_EQ(answerUpTo(reply, 2), QStringLiteral("pl"));
    EXPECT_EQ(answerAfter(reply, 2), QStringLiteral("ain"));
    reply.role = kUserRole;
    EXPECT_TRUE(answerUpTo(reply, 2).isNull());
}

TEST(UnfinishedAnswerTest, isWhatAReplyCanGoOnFrom)
{
    Message reply =
        makeMessage(kAssistantRole, QStringLiteral("<think>\nwell\n</think>\n\nThe sky"), 0);
    const auto unfinished = [&](Message::State state) {
        reply.state = state;
        return unfinishedAnswer(reply);
    };
    const QList<MessagePart> thought{{MessagePart::Reasoning, 8, 4}};
    const QList<MessagePart> answered = thought + QList<MessagePart>{{MessagePart::Text, 23, 7}};
    EXPECT_EQ(unfinished(Message::State::Stopped), QString()) << "where thoughts end is not known";
    reply.record[kPartsKey] = toJson(answered);
    EXPECT_EQ(unfinished(Message::State::Stopped), QStringLiteral("The sky"));
    EXPECT_EQ(unfinished(Message::State::Interrupted), QStringLiteral("The sky"));
    EXPECT_EQ(unfinished(Message::State::Failed), QStringLiteral("The sky"));
    EXPECT_EQ(unfinished(Message::State::Streaming), QString());
    EXPECT_EQ(unfinished(Message::State::Complete), QString());
    reply.record[QLatin1String("finish")] = QStringLiteral("length");
    EXPECT_EQ(unfinished(Message::State::Complete), QStringLiteral("The sky"));
    reply.record[kPartsKey] = toJson(thought);
    EXPECT_EQ(unfinished(Message::State::Stopped), QString()) << "in the middle of a thought";
    reply.record[kPartsKey] = toJson(
        {{MessagePart::Call, 0, 4, QStringLiteral("f"), QString()}, {MessagePart::Text, 23, 7}});
    EXPECT_EQ(unfinished(Message::State::Stopped), QString()) << "a call cannot be told again";
    reply.record = {};
    reply.text = QStringLiteral("plain");
    EXPECT_EQ(unfinished(Message::State::Stopped), QStringLiteral("plain"));
    reply.role = kUserRole;
    EXPECT_EQ(unfinished(Message::State::Stopped), QString());
}

TEST(SamplingJsonTest, survivesTheRoundTrip)
{
    SamplingSettings sampling;
    sampling.temperature = 0.3;
    sampling.seed = (qint64{1} << 53) - 1;
    sampling.stopStrings = {"\n\n", "ende"};
    sampling.systemPrompt = "Sprich „deutsch“.";
    EXPECT_EQ(groupFromJson<SamplingSettings>(toJson(sampling)), sampling);
}

TEST(SamplingJsonTest, badValuesAreBroughtIntoRange)
{
    const QJsonObject json{{QStringLiteral("temperature"), QStringLiteral("hot")},
                           {QStringLiteral("topK"), -3},
                           {QStringLiteral("topP"), 7},
                           {QStringLiteral("seed"), -9},
                           {QStringLiteral("stopStrings"), 3}};
    const SamplingSettings sampling = groupFromJson<SamplingSettings>(json);
    EXPECT_EQ(sampling.temperature, SamplingSettings().temperature);
    EXPECT_EQ(sampling.topK, 0);
    EXPECT_EQ(sampling.topP, 1);
    EXPECT_EQ(sampling.seed, -1);
    EXPECT_TRUE(sampling.stopStrings.empty());
    SamplingSettings nan;
    nan.temperature = std::nan("");
    EXPECT_EQ(accepted(nan).temperature, SamplingSettings().temperature);
}

} // namespace
} // namespace fireside::test
