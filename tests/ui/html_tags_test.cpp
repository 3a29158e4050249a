#include "ui/transcript/markdown_html.h"
#include "ui/transcript/markdown_tags.h"
#include "ui/transcript/section_document.h"

#include <QTextBlock>
#include <QTextTable>

#include <gtest/gtest.h>

// The few tags of HTML that replies are formatted with.
namespace fireside {
namespace {

RenderedSection withTags(const QString &text)
{
    return renderSection({.kind = Section::Kind::Markdown, .start = 0, .length = text.size()}, text,
                         {});
}

QString copiedText(const RenderedSection &section)
{
    return documentText(*section.document, 0, section.document->characterCount() - 1);
}

QString copiedText(const char *text)
{
    return copiedText(withTags(QString::fromUtf8(text)));
}

QTextCharFormat lookOf(const RenderedSection &section, const QString &word)
{
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it)
            if (it.fragment().text().contains(word))
                return it.fragment().charFormat();
    }
    ADD_FAILURE() << word.toStdString();
    return {};
}

TEST(HtmlTags, LineBreaks)
{
    EXPECT_EQ(copiedText("text<br>line two<br/>three<br />four"), "text\nline two\nthree\nfour");
    const RenderedSection table = withTags("| a | b |\n|---|---|\n| 1<br/>2<br />3 | x<br>y |\n");
    const QTextTable *cells = table.tables.first().table;
    EXPECT_EQ(cells->cellAt(1, 0).firstCursorPosition().block().text(),
              QStringLiteral("1\u20282\u20283"));
    EXPECT_TRUE(copiedText(table).endsWith("a\tb\n1 2 3\tx y")) << copiedText(table).toStdString();
}

TEST(HtmlTags, CharactersAreFormatted)
{
    const RenderedSection section = withTags(
        "<b>bold</b> <i>slanted</i> <u>under</u> <s>gone</s> <mark>seen</mark> <kbd>Ctrl</kbd> "
        "H<sub>2</sub>O e<sup>x</sup> <small>tiny</small> <code>x < y</code> **<b>both</b>**");
    EXPECT_EQ(copiedText(section),
              QStringLiteral("bold slanted under gone seen Ctrl H₂O e^x tiny x < y both"));
    EXPECT_EQ(lookOf(section, "bold").fontWeight(), QFont::Bold);
    EXPECT_TRUE(lookOf(section, "slanted").fontItalic());
    EXPECT_TRUE(lookOf(section, "under").fontUnderline());
    EXPECT_TRUE(lookOf(section, "gone").fontStrikeOut());
    EXPECT_EQ(lookOf(section, "seen").background().color(), Theme::current().match);
    EXPECT_EQ(lookOf(section, "Ctrl").fontFamilies(), lookOf(section, "x < y").fontFamilies());
    EXPECT_EQ(lookOf(section, "2").verticalAlignment(), QTextCharFormat::AlignSubScript);
    EXPECT_EQ(lookOf(section, "x").verticalAlignment(), QTextCharFormat::AlignSuperScript);
    EXPECT_LT(lookOf(section, "tiny").fontPointSize(),
              section.document->defaultFont().pointSizeF());
    EXPECT_EQ(lookOf(section, " ").fontWeight(), QFont::Normal);
}

TEST(HtmlTags, RaisedAndLoweredTextKeepsItsMeaningInACopy)
{
    EXPECT_EQ(copiedText("10<sup>-6</sup> m<sup>2</sup> x<sub>ij</sub> a<sup>n+1</sup>"),
              QStringLiteral("10⁻⁶ m² x_(ij) aⁿ⁺¹"));
}

TEST(HtmlTags, WhatIsNoTagOfOursIsText)
{
    for (const char *text :
         {"a <script>alert(1)</script> b", "<img src=\"file:///etc/hostname\"> x",
          "<iframe src=\"http://x/\"></iframe> x", "<a href=\"http://x/\">y</a> z", "a <b and c> d",
          "vector<b> is open", "x </b> y", "if a<b or b>c", "<style>b{}</style> t",
          "Use <details> to fold", "<b onclick> x</b>", "a <!-- comment --> b"})
        EXPECT_EQ(copiedText(text), QString::fromUtf8(text)) << text;
    EXPECT_EQ(copiedText("**a <b>x** y</b>"), QStringLiteral("a <b>x y</b>")) << "crossed";
    EXPECT_EQ(copiedText("<b><i>x</b></i>"), QStringLiteral("<i>x</i>")) << "crossed";
    EXPECT_EQ(copiedText("`<b>x</b>`"), QStringLiteral("<b>x</b>"));
}

TEST(HtmlTags, AttributesMeanNothing)
{
    const RenderedSection section =
        withTags("<b style=\"background: url(http://127.0.0.1:9/x)\" onclick='f()'>bold</b> x");
    EXPECT_EQ(copiedText(section), QStringLiteral("bold x"));
    EXPECT_EQ(lookOf(section, "bold").background(), QBrush());
    EXPECT_FALSE(lookOf(section, "bold").isAnchor());
}

TEST(HtmlTags, DetailsAreUnfolded)
{
    const RenderedSection begin = withTags("<details>\n<summary>More</summary>\n\nHidden **text**");
    EXPECT_EQ(copiedText(begin), QStringLiteral("More\nHidden text"));
    EXPECT_EQ(lookOf(begin, "More").fontWeight(), QFont::Bold);
    EXPECT_EQ(copiedText("<details open><summary>A</summary>text</details>"),
              QStringLiteral("A\ntext"));
    EXPECT_EQ(copiedText("one\n</details>\n\ntwo"), QStringLiteral("one\ntwo"));
    EXPECT_EQ(copiedText("text\n\n</details>\n\nafter"), QStringLiteral("text\nafter"));
    RenderedSection alone = withTags("</details>");
    alone.document->setTextWidth(300);
    EXPECT_LT(alone.height(), 8) << "it takes no room";
}

TEST(HtmlTags, TagsAreFoundInTheirOrder)
{
    EXPECT_EQ(parseTag(u"<BR />"), (HtmlTag{Tag::Break, false}));
    EXPECT_EQ(parseTag(u"</kbd>"), (HtmlTag{Tag::Keys, true}));
    EXPECT_EQ(parseTag(u"<sup class=\"x\">"), (HtmlTag{Tag::Superscript, false}));
    for (const char16_t *text : {u"<b x>", u"<>", u"<bold>", u"</b x=\"y\">", u"b", u"<sup open>"})
        EXPECT_EQ(parseTag(text).tag, Tag::None);
    EXPECT_EQ(readTags("<b>x</i></b> </u>"),
              (QList<HtmlTag>{{Tag::Bold, false}, {}, {Tag::Bold, true}, {}}));
}

/// The same however deep: nothing is nested for what does not end, and no step is taken twice.
TEST(HtmlTags, HostileTagsAreHarmless)
{
    for (const QString &text :
         {QStringLiteral("<details>\n").repeated(1500),
          QStringLiteral("<details><summary>").repeated(800), QStringLiteral("<b>").repeated(5000),
          QStringLiteral("<b>").repeated(2000) + QStringLiteral("</i>").repeated(2000),
          QStringLiteral("<sub>").repeated(1000) + "x" + QStringLiteral("</sub>").repeated(1000),
          QStringLiteral("<b a=\"").repeated(2000), QStringLiteral("<br>").repeated(4000)}) {
        RenderedSection section = withTags(text);
        section.document->setTextWidth(400);
        EXPECT_GT(section.document->blockCount(), 0);
    }
    const QByteArray many =
        QByteArray("<b>").repeated(100000) + QByteArray("</i>").repeated(100000);
    EXPECT_EQ(readTags(many).size(), 200000);
    const QByteArray deep = QByteArray("<details>\n\n").repeated(10000);
    EXPECT_EQ(readTags(deep).size(), 10000);
}

TEST(HtmlTags, CopiesAsHtmlHaveThem)
{
    EXPECT_EQ(markdownToHtml("a<br>b <kbd class='k'>X</kbd> H<sub>2</sub> <div>y</div>"),
              "<p>a<br>b <kbd>X</kbd> H<sub>2</sub> &lt;div&gt;y&lt;/div&gt;</p>\n");
    EXPECT_EQ(markdownToHtml("<details>\n<summary>S</summary>\n\nx\n\n</details>"),
              "<p>\n<b>S</b><br></p>\n<p>x</p>\n");
}

TEST(HtmlTags, AStreamNeverLosesText)
{
    const QString text = QStringLiteral("A <b>bold</b> H<sub>2</sub>O<br>and <kbd>K</kbd> end");
    for (qsizetype length = 0; length <= text.size(); ++length) {
        QString shown = copiedText(withTags(text.left(length)));
        for (const char *word : {"A", "bold", "and", "K", "end"})
            EXPECT_EQ(shown.contains(word), text.left(length).contains(word))
                << text.left(length).toStdString();
    }
}

} // namespace
} // namespace fireside
