#include "ui/transcript/section_document.h"
#include "ui/transcript/section_painter.h"
#include "ui/transcript/transcript_view.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QPainter>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>
#include <QTextTable>
#include <QWheelEvent>

#include <gtest/gtest.h>

// Code and tables that are wider than the column.
namespace fireside {
namespace {

const QString kLongLine =
    QStringLiteral("value = \"") + QStringLiteral("word ").repeated(80) + QStringLiteral("end\"");

RenderedSection laidOut(const QString &text, double width,
                        Section::Kind kind = Section::Kind::Markdown)
{
    RenderedSection section =
        renderSection({.kind = kind, .start = 0, .length = text.size()}, text, {});
    layOutSection(section, width);
    return section;
}

QString wideTable()
{
    return QStringLiteral("| Name | Second | Third | Fourth |\n|---|---|---|---|\n") +
           QStringLiteral("| averylongidentifierwithoutspaces | anotherlongidentifierwithout "
                          "| athirdlongidentifierwithoutspaces | afourthlongidentifier |\n");
}

TEST(WideBlock, CodeKeepsItsLines)
{
    const RenderedSection section =
        laidOut("Text\n\n```python\n" + kLongLine + "\nb = 1\n```\n\nMore", 500);
    ASSERT_EQ(section.wide.size(), 1);
    EXPECT_GT(section.wide[0].reach(), 100);
    EXPECT_LE(section.wide[0].right, 500);
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next())
        EXPECT_LE(block.layout()->lineCount(), 1) << block.text().toStdString();
}

TEST(WideBlock, NarrowCodeAndTablesDoNotMove)
{
    const RenderedSection section =
        laidOut("```\nshort\n```\n\n| a | b |\n|---|---|\n| some words that wrap "
                "in a cell because they are prose, and prose may wrap | 2 |\n",
                300);
    ASSERT_EQ(section.wide.size(), 2);
    EXPECT_EQ(section.wide[0].reach(), 0);
    EXPECT_EQ(section.wide[1].reach(), 0);
}

TEST(WideBlock, ATableKeepsItsWordsWhole)
{
    RenderedSection section = laidOut(wideTable(), 400);
    ASSERT_EQ(section.wide.size(), 1);
    EXPECT_GT(section.wide[0].reach(), 100);
    EXPECT_LT(section.wide[0].top, 10) << "it begins above its first cell";
    EXPECT_LE(section.wide[0].bottom, section.document->size().height());
    for (QTextBlock block = section.document->begin(); block.isValid(); block = block.next())
        EXPECT_LE(block.layout()->lineCount(), 1) << block.text().toStdString();
    layOutSection(section, 4000); // the window became wide
    EXPECT_EQ(section.wide[0].reach(), 0);
    layOutSection(section, 400);
    EXPECT_GT(section.wide[0].reach(), 100);
}

TEST(WideBlock, AnArabicTableStandsAtTheRight)
{
    constexpr double kWidth = 600;
    const auto cell = [](const RenderedSection &section, int column) {
        const QTextTable *table = section.tables.first().table;
        const QTextBlock block = table->cellAt(0, column).firstCursorPosition().block();
        return section.document->documentLayout()->blockBoundingRect(block);
    };
    const RenderedSection arabic =
        laidOut(QStringLiteral("| الاسم | العدد |\n|---|---|\n| تفاح | 3 |\n"), kWidth);
    EXPECT_GT(cell(arabic, 0).left(), kWidth / 2);
    EXPECT_LE(cell(arabic, 1).right(), kWidth);
    EXPECT_EQ(arabic.tables.first().table->cellAt(1, 1).firstCursorPosition().block().text(),
              QStringLiteral("تفاح"))
        << "the first column stands at the right";
    const RenderedSection english =
        laidOut(QStringLiteral("| Name | Count |\n|---|---|\n| Apple | 3 |\n"), kWidth);
    EXPECT_LT(cell(english, 0).left(), 50);
}

TEST(WideBlock, TheNameOfALanguageReadsFromTheLeft)
{
    const RenderedSection section = laidOut(QStringLiteral("```cpp\nint a;\n```"), 400);
    const auto drawn = [&](Qt::LayoutDirection direction) {
        QGuiApplication::setLayoutDirection(direction);
        QImage image(200, 30, QImage::Format_RGB32); // what stands above the code, at the left
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setLayoutDirection(direction);
        paintSection(painter, section, QRectF(0, 0, 400, 400), {}, {}, {}, {});
        painter.end();
        QGuiApplication::setLayoutDirection(Qt::LeftToRight);
        return image;
    };
    const QImage usual = drawn(Qt::LeftToRight);
    EXPECT_EQ(drawn(Qt::RightToLeft), usual) << "C++, and not ++C";
}

TEST(WideBlock, ATableFromRightToLeftIsReadAndCopiedInItsOrder)
{
    // What decides is not the first column, and the word that is looked for is there twice.
    const RenderedSection section = laidOut(
        QStringLiteral("Before\n\n| # | **اسم** | c |\n|---|---|--:|\n| 1 | x | x |\n| 2 |\n"),
        400);
    const QTextDocument &document = *section.document;
    const QTextTable *table = section.tables.first().table;
    const auto text = [&](int row, int column) {
        return table->cellAt(row, column).firstCursorPosition().block().text();
    };
    EXPECT_EQ(text(0, 2), QStringLiteral("#"));
    EXPECT_EQ(text(0, 1), QStringLiteral("اسم"));
    EXPECT_EQ(table->cellAt(0, 1).firstCursorPosition().charFormat().fontWeight(), QFont::Bold);
    EXPECT_EQ(text(0, 0), QStringLiteral("c"));
    EXPECT_EQ(text(2, 2), QStringLiteral("2"));
    EXPECT_EQ(table->cellAt(1, 0).firstCursorPosition().blockFormat().alignment(), Qt::AlignRight);
    EXPECT_TRUE(documentText(document, 0, document.characterCount() - 1)
                    .contains(QStringLiteral("#\tاسم\tc\n1\tx\tx\n2\t\t")));
    const QString before = textBefore(document, table->cellAt(1, 0).firstPosition());
    EXPECT_TRUE(before.endsWith(QStringLiteral("c\n1\tx\t"))) << before.toStdString();

    const RenderedSection wide =
        laidOut(QStringLiteral("| اسم |") +
                    QStringLiteral(" averylongidentifierwithoutspaces |").repeated(4) +
                    QStringLiteral("\n|---|---|---|---|---|\n| 1 |\n"),
                300);
    ASSERT_EQ(wide.wide.size(), 1);
    EXPECT_TRUE(wide.wide[0].fromRight);
    EXPECT_GT(wide.wide[0].reach(), 100);
}

TEST(WideBlock, ATextWithoutEndIsNotATableWithoutEnd)
{
    const RenderedSection section =
        laidOut("| a | b |\n|---|---|\n| " + QString(5000, QLatin1Char('x')) + " | 2 |\n", 400);
    ASSERT_EQ(section.wide.size(), 1);
    EXPECT_LT(section.wide[0].content, 800);
}

class WideBlockTest : public testing::Test
{
protected:
    WideBlockTest()
    {
        view.resize(600, 500);
        view.show();
        Message question, reply;
        question.id = 1;
        question.role = QStringLiteral("user");
        question.text = QStringLiteral("Show me");
        reply.id = 2;
        reply.parentId = 1;
        reply.role = QStringLiteral("assistant");
        reply.text = "```python\n" + kLongLine + "\nlast\n```\n\n" + wideTable();
        view.setMessages({question, reply});
        QApplication::processEvents();
    }

    void wheel(QPoint point, QPoint angle, Qt::KeyboardModifiers keys = Qt::NoModifier)
    {
        QWheelEvent event(point, view.viewport()->mapToGlobal(point), {}, angle, Qt::NoButton, keys,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
    QImage shown() { return view.viewport()->grab().toImage(); }
    /// The middle of the code's first line.
    QPoint inCode()
    {
        return QPoint(300, view.messageRect(1).top() + 65 + view.fontMetrics().height());
    }

    TranscriptView view;
};

TEST_F(WideBlockTest, TheWheelMovesTheBlockUnderThePointerOnly)
{
    const QImage before = shown();
    wheel(inCode(), QPoint(-240, 0));
    const QImage moved = shown();
    EXPECT_NE(moved, before);
    const int below = view.messageRect(1).bottom() - 130; // the table
    EXPECT_EQ(moved.copy(0, below, 600, 40), before.copy(0, below, 600, 40));
    wheel(inCode(), QPoint(0, 240), Qt::ShiftModifier);
    EXPECT_EQ(shown(), before) << "and back to the beginning, not beyond";
    wheel(inCode(), QPoint(2400, 0));
    EXPECT_EQ(shown(), before);
}

TEST_F(WideBlockTest, ArrowKeysMoveTheBlocksOfTheFocusedMessage)
{
    view.setFocus();
    view.focusMessage(1);
    const QImage before = shown();
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_NE(shown(), before);
    QTest::keyClick(&view, Qt::Key_Left);
    EXPECT_EQ(shown(), before);
}

TEST_F(WideBlockTest, WhatIsUnderThePointerIsWhatIsSelected)
{
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, inCode());
    const QString first = view.selectedText();
    EXPECT_FALSE(first.isEmpty());
    wheel(inCode(), QPoint(-240000, 0)); // to the end
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {},
                       QPoint(view.messageRect(1).right() - 60, inCode().y()));
    EXPECT_TRUE(QStringLiteral("end word").contains(view.selectedText()))
        << view.selectedText().toStdString();
    EXPECT_FALSE(view.selectedText().isEmpty());
}

TEST_F(WideBlockTest, AFoundWordAtTheEndOfALineIsInView)
{
    const QImage before = shown();
    view.showFound({QStringLiteral("end")}, 2);
    view.showFound({}, 0);
    view.focusMessage(0);
    view.focusMessage(1);
    EXPECT_NE(shown(), before) << "the code was moved to the word";
}

TEST_F(WideBlockTest, AStreamKeepsWhereItsCodeStands)
{
    wheel(inCode(), QPoint(-240, 0));
    Message reply = view.messageAt(1);
    const QImage moved = shown();
    const QRect top(0, view.messageRect(1).top() + 30, 600, 60);
    reply.text += QStringLiteral("\nmore");
    view.updateMessage(1, reply);
    view.focusMessage(1);
    EXPECT_EQ(shown().copy(top).size(), moved.copy(top).size());
    wheel(inCode(), QPoint(240, 0));
    EXPECT_NE(shown().copy(top), moved.copy(top)) << "it was not at the beginning";
}

} // namespace
} // namespace fireside
