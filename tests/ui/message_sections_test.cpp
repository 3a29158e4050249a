#include "ui/transcript/message_sections.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

QStringList textsOf(const QString &text, const SplitMessage &split)
{
    QStringList texts;
    for (const Section &section : split.sections)
        texts += text.mid(section.start, section.length).trimmed();
    return texts;
}

TEST(MessageSections, ParagraphsListsAndFencesAreSectionsOfTheirOwn)
{
    const QString text =
        QStringLiteral("# Title\n\nFirst\nline\n\n- one\n\n- two\n\n  more of two\n\nAfter\n\n"
                       "```python\na = 1\n\nb = 2\n```\nEnd");
    const SplitMessage split = splitMessage(text, TextStyle::Reply);
    EXPECT_EQ(textsOf(text, split),
              (QStringList{"# Title", "First\nline", "- one\n\n- two\n\n  more of two", "After",
                           "a = 1\n\nb = 2", "End"}));
    EXPECT_EQ(split.sections.at(4).kind, Section::Kind::Code);
    EXPECT_EQ(split.sections.at(4).language, QStringLiteral("python"));
    EXPECT_FALSE(split.hasReasoning);
}

TEST(MessageSections, AFenceThatIsNotClosedYetIsCode)
{
    for (const QString &text :
         {QStringLiteral("Look:\n```cpp\nint a;\n"), QStringLiteral("Look:\n```cpp\nint a;\n``")}) {
        const SplitMessage split = splitMessage(text, TextStyle::Reply);
        ASSERT_EQ(split.sections.size(), 2);
        EXPECT_EQ(split.sections.last().kind, Section::Kind::Code);
    }
    // An opening fence whose code has not come yet.
    EXPECT_EQ(splitMessage(QStringLiteral("Look:\n```cpp"), TextStyle::Reply).sections.last().kind,
              Section::Kind::Code);
}

TEST(MessageSections, ALongerFenceHoldsAShorterOne)
{
    const QString text = QStringLiteral("````\n```\ninside\n```\n````\nout");
    EXPECT_EQ(textsOf(text, splitMessage(text, TextStyle::Reply)),
              (QStringList{"```\ninside\n```", "out"}));
}

TEST(MessageSections, AFenceHoldsOneOfTheOtherMark)
{
    const QString text = QStringLiteral("```\n~~~\ninside\n~~~\n```\nout");
    EXPECT_EQ(textsOf(text, splitMessage(text, TextStyle::Reply)),
              (QStringList{"~~~\ninside\n~~~", "out"}));
}

TEST(MessageSections, AFenceInsideAListItemStaysWithTheList)
{
    const QString text =
        QStringLiteral("1. one\n\n   ```sh\n   ls\n\n   pwd\n   ```\n\n2. two\n\nAfter");
    EXPECT_EQ(splitMessage(text, TextStyle::Reply).sections.size(), 2);
}

TEST(MessageSections, ReasoningIsSetApart)
{
    const QString text = QStringLiteral("<think>\nhm\n\nso\n</think>\n\nAnswer");
    const SplitMessage split = splitMessage(text, TextStyle::Reply);
    EXPECT_TRUE(split.hasReasoning);
    EXPECT_FALSE(split.reasoningOpen);
    ASSERT_EQ(textsOf(text, split), (QStringList{"hm", "so", "Answer"}));
    EXPECT_TRUE(split.sections.at(1).reasoning);
    EXPECT_FALSE(split.sections.at(2).reasoning);

    EXPECT_TRUE(splitMessage(QStringLiteral("<think>hm"), TextStyle::Reply).reasoningOpen);
    // The block was opened by the template, so that the reply only closes it.
    const SplitMessage closing = splitMessage(QStringLiteral("hm</think>Answer"), TextStyle::Reply);
    EXPECT_TRUE(closing.hasReasoning);
    EXPECT_FALSE(closing.sections.last().reasoning);
    // A person may write the word.
    EXPECT_FALSE(splitMessage(text, TextStyle::Verbatim).hasReasoning);
}

TEST(MessageSections, PartsSayWhatIsWhat)
{
    // Marks in the text mean nothing where the parts are known.
    const QString text = QStringLiteral("<think>\nhm\n</think>\n\nSay <think> or\n\n```f\n{}\n```");
    const auto part = [&](MessagePart::Kind kind, const char *of, const char *name = "") {
        const QString piece = QString::fromUtf8(of);
        return MessagePart{kind, text.indexOf(piece), piece.size(), QString::fromUtf8(name)};
    };
    QList<MessagePart> parts{part(MessagePart::Reasoning, "hm"),
                             part(MessagePart::Text, "Say <think> or"),
                             part(MessagePart::Call, "{}", "f")};
    const SplitMessage split = splitMessage(text, TextStyle::Reply, parts);
    ASSERT_EQ(textsOf(text, split), (QStringList{"hm", "Say <think> or", "{}"}));
    EXPECT_TRUE(split.hasReasoning);
    EXPECT_FALSE(split.reasoningOpen);
    EXPECT_TRUE(split.sections[0].reasoning);
    EXPECT_FALSE(split.sections[1].reasoning);
    EXPECT_EQ(split.sections[2].kind, Section::Kind::Code);
    EXPECT_EQ(split.sections[2].call, QStringLiteral("f"));
    EXPECT_EQ(splitMessage(text, TextStyle::PlainText, parts).sections.size(), 1);
    EXPECT_TRUE(splitMessage(text, TextStyle::Reply, parts.mid(0, 1)).reasoningOpen);
    // Ahead of the text, and longer than a section.
    parts.last().length = 1000000;
    EXPECT_EQ(splitMessage(text, TextStyle::Reply, parts).sections.size(), 3);
    const QString big(3 * kPlainSection, QLatin1Char('x'));
    const SplitMessage call =
        splitMessage(big, TextStyle::Reply, {{MessagePart::Call, 0, big.size(), "f"}});
    ASSERT_EQ(call.sections.size(), 3);
    EXPECT_TRUE(call.sections[0].continues);
    EXPECT_TRUE(call.sections[2].continued);
}

TEST(MessageSections, OnlyAddressesAreReferences)
{
    const auto references = [](const char *text) {
        return splitMessage(QString::fromUtf8(text), TextStyle::Reply).references;
    };
    EXPECT_EQ(references("[a]: https://x/ \"T\"\n[b]: <https://y/>\n\n[a]"),
              QStringLiteral("[a]: https://x/ \"T\"\n[b]: <https://y/>\n"));
    for (const char *text : {"[^1]: A note", "[^1]: https://x/", "[Note]: this matters", "[a]: b(",
                             "[a]:", "[a]: x y", "[a]: x \"open"})
        EXPECT_EQ(references(text), QString()) << text;
}

TEST(MessageSections, GrowingTextChangesOnlyTheEnd)
{
    const QString text = QStringLiteral(
        "Intro\n\n- a\n- b\n\n- c\n\n1. x\n\nText *with* marks\n\n```js\nlet a = 1;\n\nlet b;\n"
        "```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd of it");
    SplitMessage before;
    for (qsizetype length = 1; length <= text.size(); ++length) {
        const SplitMessage now = splitMessage(text.left(length), TextStyle::Reply);
        // All but the last two sections are final: the last grows, the one before may still join
        // it.
        for (qsizetype i = 0; i + 2 < before.sections.size(); ++i)
            EXPECT_EQ(now.sections.value(i), before.sections.at(i))
                << "length " << length << ", section " << i;
        before = now;
    }
}

TEST(MessageSections, EverySectionIsShortWhateverTheInput)
{
    const QStringList hostile = {
        QString(200000, 'x'),
        QStringLiteral("word ").repeated(40000),
        QStringLiteral("```\n") + QString(200000, 'y'),
        QStringLiteral("```\n") + QStringLiteral("line of code\n").repeated(15000) +
            QStringLiteral("```"),
        QStringLiteral("|a|b|\n|-|-|\n") + QStringLiteral("|1|2|\n").repeated(30000),
        QString::fromUtf8("😀").repeated(60000),
        QLatin1Char('x') + QString::fromUtf8("😀").repeated(60000),
    };
    for (const QString &text : hostile) {
        for (const TextStyle style :
             {TextStyle::Reply, TextStyle::Verbatim, TextStyle::PlainText}) {
            const SplitMessage split = splitMessage(text, style);
            qsizetype covered = 0, end = 0;
            for (const Section &section : split.sections) {
                EXPECT_LE(section.length, kMarkdownSection);
                EXPECT_GE(section.start, end);
                end = section.start + section.length;
                covered += section.length;
                ASSERT_LE(end, text.size());
                if (end < text.size() && end > 0) {
                    EXPECT_FALSE(text.at(end).isLowSurrogate() &&
                                 text.at(end - 1).isHighSurrogate());
                }
            }
            EXPECT_GT(covered, text.size() - 64) << "nothing may get lost";
        }
    }
}

TEST(MessageSections, ALongMessageIsCutUntilAllOfItIsWanted)
{
    const QString text(10 * 1024 * 1024, 'z');
    const SplitMessage cut = splitMessage(text, TextStyle::Reply);
    EXPECT_TRUE(cut.cut);
    qsizetype shown = 0;
    for (const Section &section : cut.sections)
        shown += section.length;
    EXPECT_EQ(shown, kShownOfLong);

    const SplitMessage all = splitMessage(text, TextStyle::PlainText);
    EXPECT_FALSE(all.cut);
    shown = 0;
    for (const Section &section : all.sections)
        shown += section.length;
    EXPECT_EQ(shown, text.size());
}

TEST(MessageSections, PiecesOfALongCodeBlockKnowTheirNeighbours)
{
    const QString text = QStringLiteral("```c\n") + QStringLiteral("int a;\n").repeated(3000) +
                         QStringLiteral("```\n");
    const SplitMessage split = splitMessage(text, TextStyle::Reply);
    ASSERT_GT(split.sections.size(), 3);
    QString code;
    for (qsizetype i = 0; i < split.sections.size(); ++i) {
        const Section &section = split.sections.at(i);
        EXPECT_EQ(section.continued, i > 0);
        EXPECT_EQ(section.continues, i + 1 < split.sections.size());
        code += text.mid(section.start, section.length);
    }
    EXPECT_EQ(code, QStringLiteral("int a;\n").repeated(3000).chopped(1));
}

TEST(MessageSections, LinkDefinitionsReachEverySection)
{
    const SplitMessage split = splitMessage(
        QStringLiteral("See [this][1].\n\n[1]: https://example.org\n"), TextStyle::Reply);
    EXPECT_EQ(split.references, QStringLiteral("[1]: https://example.org\n"));
}

} // namespace
} // namespace fireside
