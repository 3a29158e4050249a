#include "ui/chat/chat_pdf.h"
#include "ui/math/math_font.h"
#include "ui/transcript/formula_object.h"
#include "ui/transcript/section_document.h"

#include <QAbstractTextDocumentLayout>
#include <QImage>
#include <QPainter>
#include <QTextBlock>

#include <gtest/gtest.h>

namespace fireside {
namespace {

RenderedSection renderFormulas(const QString &text)
{
    return renderSection({.kind = Section::Kind::Markdown, .start = 0, .length = text.size()}, text,
                         {});
}

QString copied(const RenderedSection &section)
{
    return documentText(*section.document, 0, section.document->characterCount() - 1);
}

int typeset(const RenderedSection &section)
{
    return int(section.document->toPlainText().count(QChar::ObjectReplacementCharacter));
}

/// The section's document on nothing.
QImage drawn(const RenderedSection &section)
{
    QImage image(400, 200, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    section.document->drawContents(&painter);
    return image;
}

TEST(Formulas, AreTypesetAndCopiedAsTheirSource)
{
    const QString text =
        QStringLiteral("The **sum** $\\sum_i x_i$ and \\(y\\):\n$$\\frac12$$\nend.");
    const RenderedSection section = renderFormulas(text);
    EXPECT_EQ(typeset(section), 3);
    EXPECT_EQ(section.formulas.size(), 1);
    EXPECT_EQ(copied(section), "The sum $\\sum_i x_i$ and \\(y\\):\n$$\\frac12$$\nend.");
}

TEST(Formulas, WhatIsNotUnderstoodIsItsSource)
{
    for (const QString &text :
         {QStringLiteral("a $\\nosuch_x*y*$ b"), QStringLiteral("a \\[\\frac{1}\\] b"),
          QStringLiteral("$$x$"), QStringLiteral("costs $5 and $6")}) {
        const RenderedSection section = renderFormulas(text);
        EXPECT_EQ(typeset(section), 0) << text.toStdString();
        EXPECT_EQ(copied(section), text);
    }
}

TEST(Formulas, StayInTablesListsQuotesAndOutOfCode)
{
    const RenderedSection section = renderFormulas(
        "| a | b |\n|---|---|\n| $|x|$ | $$y$$ |\n\n1. $$z$$\n2. `$c$`\n\n> \\[a\n> = b\\]\n\n"
        "[link](https://example.org/$p$) ![$q$](x)");
    EXPECT_EQ(typeset(section), 5);
    EXPECT_TRUE(copied(section).contains("$|x|$\t$$y$$"));
    EXPECT_TRUE(copied(section).contains("2. $c$"));
    EXPECT_TRUE(copied(section).contains("\\[a\n= b\\]"));
    EXPECT_FALSE(section.document->toHtml().contains(QChar(0xFDE0)));
}

TEST(Formulas, MarksInAMessageAreNoFormulas)
{
    const RenderedSection section = renderFormulas(QStringLiteral("\uFDE00\uFDE1 7 $x$"));
    EXPECT_EQ(typeset(section), 1);
    EXPECT_TRUE(copied(section).contains("7"));
}

TEST(Formulas, AStreamNeverLosesOrReordersText)
{
    const QString text =
        QStringLiteral("So $a^2$ is \\(b\\), costs $5 and\n$$\n\\frac{1}{2}\n$$\nthen \\[x\\] and "
                       "\\begin{align} c &= d \\\\ e \\end{align} end $\\bad$ `$f$`.");
    const auto bare = [](QString s) {
        return s.remove(QLatin1Char('\n'))
            .remove(QLatin1Char(' '))
            .remove(QLatin1Char('\\'))
            .remove(QLatin1Char('`'));
    };
    for (qsizetype length = 0; length <= text.size(); ++length) {
        const QString part = text.left(length);
        EXPECT_EQ(bare(copied(renderFormulas(part))), bare(part)) << part.toStdString();
    }
}

TEST(Formulas, AWideOneIsMovedSideways)
{
    QString wide = QStringLiteral("a");
    for (int i = 0; i < 60; ++i)
        wide += QStringLiteral(" + x_{%1}").arg(i);
    RenderedSection section = renderFormulas(QStringLiteral("$$%1$$\n\n$$b$$").arg(wide));
    layOutSection(section, 400);
    ASSERT_EQ(section.wide.size(), 2);
    EXPECT_GT(section.wide[0].reach(), 400);
    EXPECT_EQ(section.wide[1].reach(), 0);
    layOutSection(section, 100000);
    EXPECT_EQ(section.wide[0].reach(), 0);
}

TEST(Formulas, LettersStandOnTheLinesBaseline)
{
    RenderedSection section = renderFormulas(QStringLiteral("x $\\frac{aaaa}{bbbb}$ x\n\nx x"));
    layOutSection(section, 400);
    const QTextLine line = section.document->firstBlock().layout()->lineAt(0);
    const QTextLine plain = section.document->lastBlock().layout()->lineAt(0);
    EXPECT_GT(line.descent(), plain.descent()) << "deep formulas have room";
    EXPECT_GE(line.ascent(), plain.ascent());
    EXPECT_LT(line.height(), 2 * plain.height());
    // Whatever stands above and below, figures end where the line's own do.
    for (const char *formula :
         {"$0$", "$\\phantom{\\Bigg(}0$", "$0^{\\phantom{2}}$", "$\\phantom{_{y_y}}0$"}) {
        RenderedSection one = renderFormulas(QString::fromLatin1(formula));
        layOutSection(one, 400);
        const QTextLine own = one.document->firstBlock().layout()->lineAt(0);
        const QImage image = drawn(one);
        int lowest = -1;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                lowest = qAlpha(image.pixel(x, y)) > 100 ? y : lowest;
        }
        EXPECT_NEAR(lowest + 1, own.y() + own.ascent(), 1) << formula;
    }
}

TEST(Formulas, AreFoundByTheirSource)
{
    const RenderedSection section = renderFormulas(QStringLiteral("ab $\\sum_i x$ sum"));
    const QTextBlock block = section.document->firstBlock();
    using Places = QList<std::pair<int, int>>;
    EXPECT_EQ(findInBlock(block, {QStringLiteral("sum")}), (Places{{3, 1}, {5, 3}}));
    EXPECT_EQ(findInBlock(block, {QStringLiteral("_i")}), (Places{{3, 1}}));
}

TEST(Formulas, AreDrawnInTheTextsColour)
{
    RenderedSection section = renderFormulas(QStringLiteral("$$\\frac{1}{2}$$"));
    layOutSection(section, 200);
    const QImage image = drawn(section);
    int dark = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            dark += qAlpha(image.pixel(x, y)) > 128;
    }
    EXPECT_GT(dark, 20);
}

TEST(Formulas, APdfHasThem)
{
    // Without formulas the file holds no font of formulas.
    const QByteArray family = QByteArray(MathFont::system().family().toLatin1()).replace(" ", "");
    const QByteArray with = toPdf(QStringLiteral("a $\\sum_i x$ `$y$`"), QStringLiteral("t"));
    const QByteArray without = toPdf(QStringLiteral("a \\$ `$y$`"), QStringLiteral("t"));
    EXPECT_TRUE(with.contains(family));
    EXPECT_FALSE(without.contains(family));
}

} // namespace
} // namespace fireside
