#include "ui/transcript/section_document.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>
#include <QUrl>

#include <gtest/gtest.h>

namespace fireside {
namespace {

RenderedSection render(const QString &text)
{
    return renderSection({.kind = Section::Kind::Markdown, .start = 0, .length = text.size()}, text,
                         {});
}

QString plain(const RenderedSection &section)
{
    return documentText(*section.document, 0, section.document->characterCount() - 1);
}

/// Calls visit(format, text) for every run of characters.
template <typename Visit>
void eachFragment(const RenderedSection &section, Visit visit)
{
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it)
            visit(it.fragment().charFormat(), it.fragment().text());
    }
}

QTextCharFormat formatOf(const RenderedSection &section, const QString &word)
{
    QTextCharFormat found;
    eachFragment(section, [&](const QTextCharFormat &format, const QString &text) {
        if (text.contains(word))
            found = format;
    });
    return found;
}

bool hasNoTable(const RenderedSection &section)
{
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next()) {
        if (QTextCursor(block).currentTable())
            return false;
    }
    return true;
}

TEST(Markdown, ListsAndQuotesAreIndentedWhereTheirTextBegins)
{
    const char *const texts[] = {"1. first", "- first", "> said", "1. أولا", "- أولا", "> قال"};
    for (const char *text : texts) {
        const bool fromRight = QString::fromUtf8(text).back().direction() == QChar::DirAL;
        const RenderedSection section = render(QString::fromUtf8(text));
        const QTextBlockFormat format = section.document->firstBlock().blockFormat();
        EXPECT_EQ(format.leftMargin() > 0, !fromRight) << text;
        EXPECT_EQ(format.rightMargin() > 0, fromRight) << text;
    }
}

TEST(Markdown, EmphasisHeadingsCodeAndLinks)
{
    const RenderedSection section = render(QStringLiteral(
        "## Head\n\n*em* **strong** ~~gone~~ `code` [link](https://example.org/x) &amp; &#65;"));
    EXPECT_EQ(plain(section), QStringLiteral("Head\nem strong gone code link & A"));
    EXPECT_TRUE(formatOf(section, "em").fontItalic());
    EXPECT_EQ(formatOf(section, "strong").fontWeight(), QFont::Bold);
    EXPECT_TRUE(formatOf(section, "gone").fontStrikeOut());
    EXPECT_GT(formatOf(section, "Head").fontPointSize(),
              section.document->defaultFont().pointSizeF());
    EXPECT_EQ(formatOf(section, "link").anchorHref(), QStringLiteral("https://example.org/x"));
    EXPECT_NE(formatOf(section, "code").background(), QBrush());
}

TEST(Markdown, EmphasisIsBoldInScriptsWithoutItalics)
{
    const RenderedSection section =
        render(QStringLiteral("*\u0646\u0635* *\u05d0\u05d1* *Qt \u0646* ***\u0647\u0648*** *em*"));
    for (const char *word : {"\u0646\u0635", "\u05d0\u05d1", "Qt \u0646"}) {
        EXPECT_FALSE(formatOf(section, word).fontItalic()) << word;
        EXPECT_EQ(formatOf(section, word).fontWeight(), QFont::DemiBold) << word;
    }
    EXPECT_FALSE(formatOf(section, "\u0647\u0648").fontItalic());
    EXPECT_EQ(formatOf(section, "\u0647\u0648").fontWeight(), QFont::Bold);
    EXPECT_TRUE(formatOf(section, "em").fontItalic());
}

TEST(Markdown, CommentsAreUprightInScriptsWithoutItalics)
{
    const RenderedSection section =
        render(QStringLiteral("```python\nx = 1  # \u0646\u0635\ny = 2  # plain\n```"));
    EXPECT_FALSE(formatOf(section, "\u0646\u0635").fontItalic());
    EXPECT_NE(formatOf(section, "\u0646\u0635").foreground(), formatOf(section, "x").foreground());
    EXPECT_TRUE(formatOf(section, "plain").fontItalic());
}

TEST(Markdown, ListsKeepNumbersNestingAndTasks)
{
    EXPECT_EQ(
        plain(render(QStringLiteral("3. three\n4. four\n   - sub\n\n- [x] done\n- [ ] open"))),
        QStringLiteral("3. three\n4. four\n   ◦ sub\n☑ done\n☐ open"));
}

TEST(Markdown, CopiesKeepTheNestingOfLists)
{
    const RenderedSection section =
        render(QStringLiteral("- a\n  - b\n    1. c\n\n       more\n\n       ```sh\n       ls\n    "
                              "     x\n       ```\n- d  \n  e"));
    EXPECT_EQ(plain(section), QStringLiteral("• a\n  ◦ b\n    1. c\n       more\n       ls\n"
                                             "         x\n• d\n  e"));
    // A part of it begins at the left.
    const QTextBlock third = section.document->findBlockByNumber(2);
    EXPECT_EQ(documentText(*section.document, third.position(), third.next().next().position()),
              QStringLiteral("1. c\n   more"));
}

TEST(Markdown, BarsOfNestedQuotesHaveTheirPlaces)
{
    const RenderedSection section = render(QStringLiteral("> a\n> > b\n>\n> c\n\n- x\n\n  > y"));
    const auto bars = [&](int block) {
        return section.document->findBlockByNumber(block)
            .blockFormat()
            .property(kBlockQuote)
            .toList();
    };
    ASSERT_EQ(bars(0).size(), 1);
    ASSERT_EQ(bars(1).size(), 2);
    EXPECT_EQ(bars(1)[0], bars(0)[0]) << "the outer bar goes on";
    EXPECT_GT(bars(1)[1].toDouble(), bars(1)[0].toDouble());
    EXPECT_EQ(bars(2), bars(0));
    ASSERT_EQ(bars(4).size(), 1);
    EXPECT_GT(bars(4)[0].toDouble(), bars(0)[0].toDouble()) << "within its list";
}

TEST(Markdown, CodeInATableEscapesItsBars)
{
    const RenderedSection section =
        render(QStringLiteral("| a |\n|---|\n| `1 \\| g` |\n\n`1 \\| g`"));
    EXPECT_TRUE(plain(section).endsWith(QStringLiteral("1 | g\n1 \\| g")))
        << plain(section).toStdString();
}

TEST(Markdown, FootnotesStayWhereTheyAre)
{
    EXPECT_EQ(plain(render(QStringLiteral("Text[^1]\n\n[^1]: https://example.org/"))),
              QStringLiteral("Text[^1]\n[^1]: https://example.org/"));
    EXPECT_EQ(plain(render(QStringLiteral("```\n[^1]: x\n```"))), QStringLiteral("[^1]: x"));
}

TEST(Markdown, TablesHaveCellsAndAlignment)
{
    const RenderedSection section =
        render(QStringLiteral("| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 |\n"));
    QTextTable *table = nullptr;
    for (QTextFrame *frame : section.document->rootFrame()->childFrames())
        table = qobject_cast<QTextTable *>(frame);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->rows(), 3);
    EXPECT_EQ(table->columns(), 2);
    EXPECT_EQ(table->cellAt(1, 1).firstCursorPosition().block().text(), QStringLiteral("2"));
    EXPECT_EQ(table->cellAt(1, 1).firstCursorPosition().blockFormat().alignment(), Qt::AlignRight);
    EXPECT_TRUE(plain(section).contains(QStringLiteral("a\tb\n1\t2\n3")));
}

TEST(Markdown, CodeInAListItemHasItsBoxAndItsText)
{
    const RenderedSection section =
        render(QStringLiteral("1. do\n\n   ```sh\n   ls  # all\n   pwd\n   ```\n"));
    ASSERT_EQ(section.codeBlocks.size(), 1);
    EXPECT_EQ(section.codeBlocks.first().code, QStringLiteral("ls  # all\npwd"));
    EXPECT_EQ(section.codeBlocks.first().language, QStringLiteral("Shell"));
}

TEST(Markdown, ImagesAreNeverLoaded)
{
    const QStringList sources = {
        "http://127.0.0.1:9/x.png",   "file:///etc/hostname", "/dev/zero",
        "data:image/png;base64,AAAA", "qrc:/x.png",           "relative.png"};
    for (const QString &source : sources) {
        const RenderedSection section =
            render(QStringLiteral("![a *cat*](%1 \"title\") ![](%1)").arg(source));
        EXPECT_EQ(plain(section), QStringLiteral("[image: a cat] [image: ]"));
        eachFragment(section, [](const QTextCharFormat &format, const QString &) {
            EXPECT_FALSE(format.isImageFormat());
        });
        for (const int type : {QTextDocument::ImageResource, QTextDocument::StyleSheetResource,
                               QTextDocument::HtmlResource})
            EXPECT_FALSE(section.document->resource(type, QUrl(source)).isValid());
    }
}

TEST(Markdown, OnlyHttpAndHttpsAreLinks)
{
    const QStringList bad = {"javascript:alert(1)",
                             "file:///etc/passwd",
                             "data:text/html,x",
                             "vbscript:x",
                             "ftp://x.org/",
                             "JaVaScRiPt:alert(1)",
                             "http:",
                             "https://",
                             "//example.org/",
                             "mailto:a@b.c",
                             "qrc:/x"};
    for (const QString &address : bad) {
        EXPECT_FALSE(isSafeLink(address)) << address.toStdString();
        const RenderedSection section = render(QStringLiteral("[click](%1)").arg(address));
        eachFragment(section, [&](const QTextCharFormat &format, const QString &) {
            EXPECT_FALSE(format.isAnchor()) << address.toStdString();
            EXPECT_EQ(format.anchorHref(), QString());
        });
    }
    EXPECT_TRUE(isSafeLink(QStringLiteral("https://example.org/a?b=c#d")));
    EXPECT_EQ(formatOf(render(QStringLiteral("see https://example.org/a now")), "example.org")
                  .anchorHref(),
              QStringLiteral("https://example.org/a"));
}

TEST(Markdown, HtmlIsText)
{
    const QString html =
        QStringLiteral("<img src=\"file:///etc/hostname\"> <div>x</div> <script>alert(1)</script>");
    const RenderedSection inlineHtml = render(QStringLiteral("a ") + html);
    EXPECT_EQ(plain(inlineHtml), QStringLiteral("a ") + html);
    const RenderedSection block = render(QStringLiteral("<div>\n<iframe src=x>\n</div>"));
    EXPECT_TRUE(plain(block).contains(QStringLiteral("<iframe src=x>")));
    EXPECT_TRUE(formatOf(render(QStringLiteral("<div>\nsome **bold** words\n</div>")), "bold")
                    .fontWeight() > QFont::Normal)
        << "and Markdown goes on between its lines";
    eachFragment(inlineHtml, [](const QTextCharFormat &format, const QString &) {
        EXPECT_FALSE(format.isImageFormat());
    });
}

TEST(Markdown, HugeTablesBecomeText)
{
    QString cells = QStringLiteral("|a|b|c|d|e|f|g|h|\n|---|---|---|---|---|---|---|---|\n") +
                    QStringLiteral("|1|2|3|4|5|6|7|8|\n").repeated(800);
    QString columns = QStringLiteral("|a").repeated(3000) + "|\n" +
                      QStringLiteral("|---").repeated(3000) + "|\n" +
                      QStringLiteral("|\n").repeated(1500);
    for (const QString &table : {cells, columns}) {
        const RenderedSection section = render(table.left(kMarkdownSection));
        EXPECT_TRUE(hasNoTable(section));
        EXPECT_TRUE(plain(section).startsWith(QStringLiteral("|a")))
            << plain(section).left(40).toStdString();
    }
    // Many that are each small enough.
    const QString small = QStringLiteral("|a|b|c|d|e|f|g|h|\n|---|---|---|---|---|---|---|---|\n") +
                          QStringLiteral("|1|2|3|4|5|6|7|8|\n").repeated(20) + "\nand\n\n";
    EXPECT_FALSE(hasNoTable(render(small.repeated(2))));
    EXPECT_TRUE(hasNoTable(render(small.repeated(12))));
}

TEST(Markdown, HostileNestingIsHarmless)
{
    const QStringList hostile = {
        QString(10000, '>') + "x",
        QStringLiteral("- ").repeated(5000) + "x",
        QString(8000, '['),
        QStringLiteral("*a_").repeated(4000),
        QStringLiteral("[a](").repeated(3000),
        QStringLiteral("![").repeated(5000),
        QStringLiteral("`").repeated(8000),
        QStringLiteral("&#x110000;&#0;&bogus;").repeated(500),
        QString(QChar(0)) + "x",
        QString(QChar(0xd800)) + "x",
        QStringLiteral("\u202e\u2066abc").repeated(1000),
        QString('a') + QString(15000, QChar(0x301)),
        QStringLiteral("| a |\n|---|\n| ``` |\n\n> - 1. > - x\n```"),
    };
    for (const QString &text : hostile) {
        RenderedSection section = render(text);
        section.document->setTextWidth(400);
        EXPECT_GT(section.height(), 0);
        for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next())
            EXPECT_LE(block.blockFormat().leftMargin(), 400);
    }
}

TEST(Markdown, ALetterKeepsAFewOfItsMarks)
{
    EXPECT_EQ(plain(render(QString('a') + QString(15000, QChar(0x301)) + 'b')).size(), 2 + 16);
}

TEST(Markdown, HalfWrittenMarkdownKeepsItsText)
{
    for (const char *text : {"**bo", "`co", "[li", "[link](htt", "| a |", "| a |\n|--", "- ", "1.",
                             "#", "> ", "~~x", "![al"}) {
        const RenderedSection section = render(QString::fromLatin1(text));
        EXPECT_GE(section.document->blockCount(), 1) << text;
    }
    EXPECT_EQ(plain(render(QStringLiteral("**bo"))), QStringLiteral("**bo"));
}

} // namespace
} // namespace fireside
