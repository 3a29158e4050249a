#include "ui/transcript/section_document.h"
#include "ui/transcript/text_direction.h"

#include <QTextBlock>
#include <QTextTable>

#include <gtest/gtest.h>

// Arabic and Hebrew with code, paths and numbers in them.
namespace fireside {
namespace {

RenderedSection rtlSection(const QString &text)
{
    RenderedSection section = renderSection(
        {.kind = Section::Kind::Markdown, .start = 0, .length = text.size()}, text, {});
    layOutSection(section, 600);
    return section;
}

Qt::LayoutDirection wayOf(const QString &text)
{
    return rtlSection(text).document->lastBlock().textDirection();
}

QString copyOf(const RenderedSection &section)
{
    return documentText(*section.document, 0, section.document->characterCount() - 1);
}

TEST(TextDirection, WordsDecideNotCodeOrFormulas)
{
    for (const char *text :
         {"`npm run build` هو الأمر.", "- `ls` يعرض الملفات", "> `x` قيمة", "$x$ متغير في",
          "## `main` الدالة", "**`a`** و`b`", "1. `git` أداة", "`שלום` `x` עולם"})
        EXPECT_EQ(wayOf(QString::fromUtf8(text)), Qt::RightToLeft) << text;
    for (const char *text : {"`مرحبا` is a greeting", "Run `x` هنا", "`only code`", "123", "a"})
        EXPECT_EQ(wayOf(QString::fromUtf8(text)), Qt::LeftToRight) << text;
}

TEST(TextDirection, SignsOfPathsStandAtTheirLeft)
{
    const RenderedSection section =
        rtlSection(QStringLiteral("شغل /usr/local/bin/tool ثم C++ و`./run.sh --all` الآن."));
    const QString shown = section.document->firstBlock().text();
    for (const char *part :
         {"\u200e/usr/local/bin/tool", "C++\u200e", "\u200e./run.sh --all\u200e"})
        EXPECT_TRUE(shown.contains(QString::fromUtf8(part))) << part << '\n' << shown.toStdString();
    EXPECT_EQ(copyOf(section),
              QStringLiteral("شغل /usr/local/bin/tool ثم C++ و./run.sh --all الآن."))
        << "marks are not copied";
    EXPECT_FALSE(rtlSection(QStringLiteral("Run /usr/bin/x and C++ with `./y`."))
                     .document->toPlainText()
                     .contains(QChar(0x200E)));
    // The first slash is drawn left of the path.
    const QTextBlock block = section.document->firstBlock();
    const qsizetype slash = block.text().indexOf(QLatin1Char('/'));
    const QTextLine line = block.layout()->lineForTextPosition(int(slash));
    EXPECT_LT(line.cursorToX(int(slash)), line.cursorToX(int(slash) + 4));
}

TEST(TextDirection, CodeBlocksReadFromTheLeft)
{
    const RenderedSection section =
        rtlSection(QStringLiteral("```python\n# تعليق بالعربية\nx = 1\n```"));
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next())
        EXPECT_EQ(block.textDirection(), Qt::LeftToRight);
}

TEST(TextDirection, NumbersOfAnArabicTableStandAtTheRight)
{
    const RenderedSection section = rtlSection(
        QStringLiteral("| `id` الاسم | العدد |\n|---|---|\n| تفاح | 3.5 |\n| `x` | -7 |\n"));
    const QTextTable *table = section.tables.first().table;
    const auto alignment = [&](int row, int column) {
        return table->cellAt(row, column).firstCursorPosition().blockFormat().alignment();
    };
    EXPECT_TRUE(section.tables.first().rightToLeft) << "code in its header does not decide";
    EXPECT_EQ(table->cellAt(1, 0).firstCursorPosition().block().text(), QStringLiteral("3.5"));
    EXPECT_EQ(alignment(1, 0), Qt::AlignRight | Qt::AlignAbsolute);
    EXPECT_EQ(alignment(2, 1), Qt::AlignRight | Qt::AlignAbsolute);
    const RenderedSection english = rtlSection(QStringLiteral("| a | b |\n|---|---|\n| x | 3 |\n"));
    const QTextTable *other = english.tables.first().table;
    EXPECT_EQ(other->cellAt(1, 1).firstCursorPosition().blockFormat().alignment(), Qt::AlignLeft);
}

} // namespace
} // namespace fireside
