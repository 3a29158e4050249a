#include "ui/transcript/markdown_html.h"
#include "ui/transcript/markdown_slice.h"
#include "ui/transcript/transcript_view.h"

#include <QApplication>
#include <QClipboard>
#include <QJsonArray>
#include <QMimeData>
#include <QTest>

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(MarkdownHtml, HoldsWhatIsShown)
{
    EXPECT_EQ(
        markdownToHtml(QStringLiteral("## A *b*\n\n1. **c**\n2. `d<`")),
        QStringLiteral("<h2>A <em>b</em></h2>\n<ol start=\"1\">\n<li><strong>c</strong></li>\n"
                       "<li><code>d&lt;</code></li>\n</ol>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("```c\na<b\n```")),
              QStringLiteral("<pre><code class=\"language-c\">a&lt;b\n</code></pre>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("|a|b|\n|---|---:|\n|1|2|")),
              QStringLiteral("<table>\n<tr><th>a</th><th align=\"right\">b</th></tr>\n"
                             "<tr><td>1</td><td align=\"right\">2</td></tr>\n</table>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("- [x] a\n- [ ] b")),
              QStringLiteral("<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("> a ~~b~~")),
              QStringLiteral("<blockquote>\n<p>a <del>b</del></p>\n</blockquote>\n"));
}

TEST(MarkdownHtml, NothingInItActs)
{
    EXPECT_EQ(markdownToHtml(QStringLiteral("<script>x</script> &amp; &")),
              QStringLiteral("<p>&lt;script&gt;x&lt;/script&gt; &amp; &amp;</p>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("[a](javascript:b) [c](https://d/?\"e) ![f](g)")),
              QStringLiteral("<p>a <a href=\"https://d/?&quot;e\">c</a> f</p>\n"));
    EXPECT_EQ(plainToHtml(QStringLiteral("a\n<b>")),
              QStringLiteral("<p style=\"white-space:pre-wrap\">a\n&lt;b&gt;</p>\n"));
}

TEST(MarkdownHtml, FormulasAreTheirSource)
{
    EXPECT_EQ(
        markdownToHtml(QStringLiteral("So $a_1 * b_2 * c_1$ and \\(x*y*z\\)\n\n$$\na < b\n$$")),
        QStringLiteral("<p>So $a_1 * b_2 * c_1$ and \\(x*y*z\\)</p>\n"
                       "<p>$$\na &lt; b\n$$</p>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("`$a_1$` [l](https://x/?a=1&amp;b=$y$)")),
              QStringLiteral("<p><code>$a_1$</code> "
                             "<a href=\"https://x/?a=1&amp;b=$y$\">l</a></p>\n"));
    EXPECT_EQ(markdownToHtml(QStringLiteral("|a|\n|---|\n|`1 \\| g`|")),
              QStringLiteral("<table>\n<tr><th>a</th></tr>\n"
                             "<tr><td><code>1 | g</code></td></tr>\n</table>\n"));
}

TEST(MarkdownHtml, TildesFenceCode)
{
    EXPECT_EQ(markdownToHtml(QStringLiteral("~~~md\n```\n*x*\n```\n~~~")),
              QStringLiteral("<pre><code class=\"language-md\">```\n*x*\n```\n</code></pre>\n"));
}

TEST(MarkdownSlice, MeansAloneWhatItMeantThere)
{
    const QString source =
        QStringLiteral("## A title\n\nSome **bold words** and `code here`.\n\n- one\n- two");
    const auto slice = [&](const char *from, const char *to) {
        const qsizetype begin = source.indexOf(QLatin1String(from));
        const qsizetype end = source.indexOf(QLatin1String(to)) + qsizetype(qstrlen(to));
        return markdownSlice(source, begin, end);
    };
    EXPECT_EQ(slice("title", "Some"), QStringLiteral("title\n\nSome"));
    EXPECT_EQ(slice("A", "Some"), QStringLiteral("## A title\n\nSome"));
    EXPECT_EQ(slice("words", "and"), QStringLiteral("**words** and"));
    EXPECT_EQ(slice("Some", "bold"), QStringLiteral("Some **bold**"));
    EXPECT_EQ(slice("here", "two"), QStringLiteral("`here`.\n\n- one\n- two"));
    EXPECT_EQ(slice("two", "two"), QStringLiteral("- two"));
    EXPECT_EQ(markdownSlice(source, 5, 3), QString());
    EXPECT_EQ(markdownSlice(source, -5, 1 << 30), source);
}

class CopyTest : public testing::Test
{
protected:
    CopyTest()
    {
        view.resize(700, 900);
        view.show();
        Message question, answer, more;
        question.id = 1;
        question.role = QStringLiteral("user");
        question.text = QStringLiteral("What is *it*?");
        answer.id = 2;
        answer.role = QStringLiteral("assistant");
        answer.text =
            QStringLiteral("It is **very bold**.\n\n```c\nint a;\n```\n\n- one\n- [b](https://c)");
        more = question;
        more.id = 3;
        more.text = QStringLiteral("And?");
        view.setMessages({question, answer, more});
    }
    static QString text() { return QApplication::clipboard()->text(); }
    static QString html() { return QApplication::clipboard()->mimeData()->html(); }
    TranscriptView view;
};

TEST_F(CopyTest, AMessageInEachForm)
{
    using enum TranscriptView::CopyFormat;
    view.copyAs(Markdown, 1);
    EXPECT_EQ(text(), view.messageAt(1).text);
    view.copyAs(Plain, 1);
    EXPECT_TRUE(text().startsWith(QStringLiteral("It is very bold.\n\nint a;")))
        << qPrintable(text());
    EXPECT_FALSE(text().contains(QStringLiteral("**")));
    view.copyAs(Html, 1);
    EXPECT_TRUE(html().contains(QStringLiteral("<strong>very bold</strong>")));
    EXPECT_TRUE(html().contains(QStringLiteral("<code class=\"language-c\">int a;")));
    EXPECT_TRUE(html().contains(QStringLiteral("<a href=\"https://c\">b</a>")));
    view.copyAs(Html, 0);
    EXPECT_TRUE(html().contains(QStringLiteral("What is *it*?"))) << "typed, no Markdown";
    view.setCopyNames(true);
    view.copyAs(Markdown, 2);
    EXPECT_TRUE(text().startsWith(QStringLiteral("**"))) << qPrintable(text());
    EXPECT_TRUE(text().endsWith(QStringLiteral(":**\n\nAnd?")));
}

TEST_F(CopyTest, FencesHoldTheirCode)
{
    using enum TranscriptView::CopyFormat;
    Message reply;
    reply.id = 1;
    reply.role = QStringLiteral("assistant");
    reply.text = QStringLiteral("Write:\n\n~~~md\n```\n*x*\n```\n~~~\n\nDone.");
    view.setMessages({reply});
    view.copyAs(Markdown, 0);
    EXPECT_EQ(text(), QStringLiteral("Write:\n\n````md\n```\n*x*\n```\n````\n\nDone."));
    view.copyAs(Html, 0);
    EXPECT_TRUE(html().contains(QStringLiteral(
        "<pre><code class=\"language-md\">```\n*x*\n```\n</code></pre>\n<p>Done.</p>")))
        << qPrintable(html());
}

TEST_F(CopyTest, DefinitionsAreCopiedOnce)
{
    using enum TranscriptView::CopyFormat;
    Message reply;
    reply.id = 1;
    reply.role = QStringLiteral("assistant");
    reply.text = QStringLiteral("One[^1].\n\nTwo.\n\n[^1]: A note.\n\n[Note]: this matters.");
    view.setMessages({reply});
    view.copyAs(Plain, 0);
    EXPECT_EQ(text().count(QStringLiteral("A note.")), 1) << qPrintable(text());
    EXPECT_EQ(text().count(QStringLiteral("this matters")), 1) << qPrintable(text());
}

TEST_F(CopyTest, ThoughtsAreNoPartOfTheAnswer)
{
    Message older, newer;
    older.id = 1;
    older.role = newer.role = QStringLiteral("assistant");
    older.text = QStringLiteral("<think>Hm.</think>\n\nSeven.");
    newer.id = 2;
    newer.text = QStringLiteral("<think>\nHm.\n</think>\n\nEight.");
    newer.record[QStringLiteral("parts")] = QJsonArray{
        QJsonObject{{"kind", "reasoning"}, {"start", 8}, {"length", 3}},
        QJsonObject{{"kind", "text"}, {"start", newer.text.indexOf(u'E')}, {"length", 6}}};
    view.setMessages({older, newer});
    for (const auto &[index, answer] : {std::pair(0, "Seven."), std::pair(1, "Eight.")}) {
        view.focusMessage(index);
        view.copySelection();
        EXPECT_EQ(text(), QLatin1String(answer));
    }
    newer.text = QStringLiteral("<think>\nHm.");
    view.setMessages({newer});
    view.focusMessage(0);
    view.copySelection();
    EXPECT_EQ(text(), newer.text) << "there is nothing else";
}

TEST_F(CopyTest, KeysSelectOverMessages)
{
    using enum TranscriptView::CopyFormat;
    view.focusMessage(0);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("What is *it*?")) << "first the focused one";
    QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_TRUE(view.selectedText().contains(QStringLiteral("very bold")));
    EXPECT_FALSE(view.selectedText().contains(QStringLiteral("And?")));
    view.copyAs(Markdown, 0);
    EXPECT_EQ(text(), view.messageAt(0).text + QStringLiteral("\n\n") + view.messageAt(1).text);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("What is *it*?"));
    QTest::keyClick(&view, Qt::Key_End, Qt::ShiftModifier);
    EXPECT_TRUE(view.selectedText().endsWith(QStringLiteral("And?")));

    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("And?"));
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    EXPECT_TRUE(view.selectedText().startsWith(QStringLiteral("What is")));
    view.setCopyNames(true);
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(text().endsWith(QStringLiteral(":\nAnd?"))) << qPrintable(text());
    EXPECT_TRUE(html().contains(QStringLiteral("<strong>very bold</strong>")));
}

} // namespace
} // namespace fireside
