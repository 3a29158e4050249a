#include "app/chat/message_parts.h"
#include "ui/transcript/spoken_sentences.h"

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

Message reply(const QString &text, Message::State state = Message::State::Streaming)
{
    Message message;
    message.role = QStringLiteral("assistant");
    message.text = text;
    message.state = state;
    return message;
}

/// What is said while `text` arrives by `step` characters.
QStringList said(const QString &text, qsizetype step)
{
    SpokenSentences sentences;
    QStringList all;
    const auto hear = [&](const Message &message) {
        if (const QString more = sentences.next(message); !more.isEmpty())
            all += more.split(QLatin1Char('\n'));
    };
    for (qsizetype end = step; end < text.size(); end += step)
        hear(reply(text.left(end)));
    hear(reply(text, Message::State::Complete));
    return all;
}

TEST(SpokenSentencesTest, TagsThatFormatAreNotSpoken)
{
    EXPECT_EQ(spokenLine(u"Press <kbd>Ctrl</kbd><br>or <b>this</b>, a <div> b"),
              QStringLiteral("Press Ctrl or this, a <div> b"));
    EXPECT_EQ(spokenLine(u"</details>"), QString());
}

TEST(SpokenSentencesTest, SentencesAreWholeHoweverTheTextArrives)
{
    const QString text =
        QStringLiteral("Rain falls. It is 3.5 mm today! Is that much?\n\nNo, it is not");
    const QStringList expected{"Rain falls.", "It is 3.5 mm today!", "Is that much?",
                               "No, it is not"};
    for (qsizetype step : {1, 2, 7})
        EXPECT_EQ(said(text, step), expected) << step;
    EXPECT_EQ(said(text, 1000).join(QLatin1Char(' ')), expected.join(QLatin1Char(' ')));
}

TEST(SpokenSentencesTest, ASentenceWaitsForItsEnd)
{
    SpokenSentences sentences;
    EXPECT_EQ(sentences.next(reply("Snow is wh")), QString());
    EXPECT_EQ(sentences.next(reply("Snow is white. ")), QString()) << "more may belong to it";
    EXPECT_EQ(sentences.next(reply("Snow is white. Co")), QStringLiteral("Snow is white."));
    EXPECT_EQ(sentences.next(reply("Snow is white. Coal", Message::State::Stopped)),
              QStringLiteral("Coal"));
    EXPECT_EQ(sentences.next(reply("Snow is white. Coal", Message::State::Stopped)), QString());
}

TEST(SpokenSentencesTest, MarksOfMarkdownAreNotRead)
{
    EXPECT_EQ(spokenLine(u"## **Bold** and `code`"), QStringLiteral("Bold and code"));
    EXPECT_EQ(spokenLine(u"- see [the page](https://example.org/a_b)"),
              QStringLiteral("see the page"));
    EXPECT_EQ(spokenLine(u"| a | b |"), QStringLiteral("a b"));
    EXPECT_EQ(spokenLine(u"|---|:--|"), QString());
    EXPECT_EQ(spokenLine(u"snake_case stays, *so* does 2 * 3"),
              QStringLiteral("snake_case stays, so does 2 3"));
}

TEST(SpokenSentencesTest, OfCodeItsLengthIsSaid)
{
    const QString text = QStringLiteral("Look:\n```python\nprint(1)\nprint(2)\n```\nDone.");
    for (qsizetype step : {1, 5, 1000})
        EXPECT_EQ(said(text, step), (QStringList{"Look:", "Code, lines: 2", "Done."})) << step;
    EXPECT_EQ(said("~~~\na\n```\nb", 1), QStringList{"Code, lines: 3"}) << "never closed";
}

TEST(SpokenSentencesTest, ThoughtsAreNotRead)
{
    Message message = reply("Hm. Let me see. It is four. Sure.", Message::State::Complete);
    message.record[kPartsKey] = toJson(
        {{MessagePart::Reasoning, 0, 16}, {MessagePart::Text, 16, message.text.size() - 16}});
    EXPECT_EQ(answerOf(message), QStringLiteral("It is four. Sure."));
    SpokenSentences sentences;
    EXPECT_EQ(sentences.next(message), QStringLiteral("It is four. Sure."));
}

TEST(SpokenSentencesTest, AShorterTextIsTakenCalmly)
{
    SpokenSentences sentences;
    EXPECT_EQ(sentences.next(reply("One. Two. Th")), QStringLiteral("One. Two."));
    EXPECT_EQ(sentences.next(reply("On")), QString());
    EXPECT_EQ(sentences.next(reply("", Message::State::Complete)), QString());
}

} // namespace
} // namespace fireside::test
