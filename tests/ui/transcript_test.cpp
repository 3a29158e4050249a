#include "app/chat/text_attachment.h"
#include "ui/style/theme.h"
#include "ui/transcript/section_document.h"
#include "ui/transcript/transcript_view.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr int kFramePatience = 60'000; // ms; a busy machine is no failure

Message message(qint64 id, const char *role, const QString &text)
{
    Message result;
    result.id = id;
    result.role = QString::fromLatin1(role);
    result.text = text;
    return result;
}

QList<Message> longConversation(int count)
{
    QList<Message> messages;
    for (int i = 0; i < count; ++i) {
        messages += message(
            i + 1, i % 2 ? "assistant" : "user",
            i % 2 ? QStringLiteral("Answer **%1**\n\n- a\n- b\n\n```cpp\nint x = %1;\n```\n").arg(i)
                  : QStringLiteral("Question %1").arg(i));
    }
    return messages;
}

class TranscriptTest : public testing::Test
{
protected:
    TranscriptTest()
    {
        view.resize(800, 600);
        view.show();
        QApplication::processEvents();
    }

    void stream(int index, Message reply, const QString &text)
    {
        reply.text = text;
        view.updateMessage(index, reply);
        // Shown with the next frame, whenever that is.
        ASSERT_TRUE(
            QTest::qWaitFor([&] { return view.messageAt(index).text == text; }, kFramePatience));
    }

    TranscriptView view;
};

TEST_F(TranscriptTest, CallsOfToolsShowNameAndArguments)
{
    const Section section{.kind = Section::Kind::Code,
                          .length = 8,
                          .language = QStringLiteral("json"),
                          .call = QStringLiteral("look_up")};
    const RenderedSection rendered = renderSection(section, u"{\"a\": 1}", {});
    ASSERT_EQ(rendered.codeBlocks.size(), 1);
    EXPECT_EQ(rendered.codeBlocks[0].language, QStringLiteral("Tool call: look_up"));
    EXPECT_EQ(rendered.codeBlocks[0].code, QStringLiteral("{\"a\": 1}"));
}

TEST_F(TranscriptTest, LaysOutOnlyWhatIsVisible)
{
    view.setMessages(longConversation(10000));
    EXPECT_EQ(view.count(), 10000);
    EXPECT_TRUE(view.followsEnd());
    EXPECT_LT(view.laidOutMessages(), 40);
    EXPECT_TRUE(view.viewport()->rect().intersects(view.messageRect(9999)));
    QScrollBar *bar = view.verticalScrollBar();
    for (int i = 0; i <= 50; ++i) {
        bar->setValue(bar->maximum() / 50 * i);
        view.grab();
        EXPECT_LT(view.laidOutMessages(), 60);
    }
}

TEST_F(TranscriptTest, ScrollingUpKeepsWhatIsReadInPlace)
{
    view.setMessages(longConversation(400));
    QScrollBar *bar = view.verticalScrollBar();
    for (int i = 0; i < 60; ++i) {
        // The first message that is wholly in view moves exactly as far as the wheel.
        int seen = -1;
        for (int m = 0; m < view.count() && seen < 0; ++m) {
            if (view.messageRect(m).top() >= 0)
                seen = m;
        }
        const int before = view.messageRect(seen).top();
        const int value = bar->value();
        bar->setValue(value - 50);
        EXPECT_NEAR(view.messageRect(seen).top(), before + 50, 2) << "step " << i;
    }
}

TEST_F(TranscriptTest, AFoundWordIsBroughtIntoViewAndMarked)
{
    QList<Message> messages = longConversation(100);
    messages[41].text = QStringLiteral("line\n\n").repeated(200) +
                        QStringLiteral("the Heron flew\n\n") +
                        QStringLiteral("line\n\n").repeated(200);
    view.setMessages(messages);
    const QImage before = [&] {
        view.showFound({}, messages[41].id);
        return view.grab().toImage();
    }();
    view.showFound({QStringLiteral("heron")}, messages[41].id);
    EXPECT_FALSE(view.followsEnd());
    EXPECT_EQ(view.focusedMessage(), 41);
    const QRect rect = view.messageRect(41);
    EXPECT_LT(rect.top(), -1000) << "its beginning is far above";
    EXPECT_GT(rect.bottom(), view.height() + 1000);
    const QImage shown = view.grab().toImage();
    const QColor mark = Theme::current().match;
    const auto marked = [&](const QImage &image) {
        int found = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                found += image.pixelColor(x, y) == mark;
        }
        return found;
    };
    EXPECT_EQ(marked(before), 0);
    EXPECT_GT(marked(shown), 100);
    view.showFound({}, 0);
    EXPECT_EQ(marked(view.grab().toImage()), 0);
    view.showFound({QStringLiteral("heron")}, 4711); // no such message
    view.showFound({QStringLiteral("ostrich")}, messages[41].id);
    EXPECT_EQ(view.focusedMessage(), 41);
}

TEST_F(TranscriptTest, JumpToLatestCoversNoMessage)
{
    view.setMessages(longConversation(40));
    auto *jump = view.findChild<QPushButton *>();
    ASSERT_NE(jump, nullptr);
    EXPECT_FALSE(jump->isVisible());
    const int height = view.viewport()->height();
    view.verticalScrollBar()->setValue(0);
    ASSERT_TRUE(jump->isVisible());
    EXPECT_GE(jump->geometry().top(), view.viewport()->geometry().bottom());
    // Where everything is in view there is nowhere to jump to.
    view.setMessages(longConversation(2));
    view.showFound({QStringLiteral("answer")}, 2);
    EXPECT_FALSE(jump->isVisible());
    view.setMessages(longConversation(40));
    view.verticalScrollBar()->setValue(0);
    QTest::mouseClick(jump, Qt::LeftButton);
    EXPECT_TRUE(view.followsEnd());
    EXPECT_FALSE(jump->isVisible());
    EXPECT_EQ(view.viewport()->height(), height);
}

TEST_F(TranscriptTest, LongMessagesOfOnesOwnAreFolded)
{
    const QString poem = QStringLiteral("a line of it\n").repeated(80);
    view.setMessages({message(1, "user", poem), message(2, "assistant", poem)});
    view.verticalScrollBar()->setValue(0);
    view.grab();
    const int folded = view.messageRect(0).height();
    EXPECT_LT(folded * 3, view.messageRect(1).height());
    // The pill below the text unfolds it.
    const QRect rect = view.messageRect(0);
    bool clicked = false;
    for (int y = rect.bottom() - 90; y < rect.bottom() && !clicked; y += 6) {
        for (int x = rect.right() - 620; x < rect.right() && !clicked; x += 40) {
            QTest::mouseMove(view.viewport(), QPoint(x, y));
            clicked = view.viewport()->cursor().shape() == Qt::PointingHandCursor;
            if (clicked)
                QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(x, y));
        }
    }
    ASSERT_TRUE(clicked);
    view.grab();
    EXPECT_GT(view.messageRect(0).height(), folded * 3);
}

TEST(FoldedLengthTest, FoldsAtALineOrWordAndNothingShort)
{
    const QString line = QStringLiteral("0123456789\n");
    EXPECT_EQ(foldedLength(line.repeated(kFoldedLines)), 11 * kFoldedLines);
    EXPECT_EQ(foldedLength(line.repeated(kFoldedLines + 3)), 11 * (kFoldedLines + 3));
    EXPECT_EQ(foldedLength(line.repeated(kFoldedLines + 4)), 11 * kFoldedLines);
    const QString words = QStringLiteral("word ").repeated(1000);
    EXPECT_LE(foldedLength(words), kFoldedCharacters);
    EXPECT_EQ(words[foldedLength(words)], QLatin1Char(' '));
    const QString unbroken = QString::fromUcs4(U"😀").repeated(2000);
    EXPECT_FALSE(unbroken[foldedLength(unbroken)].isLowSurrogate());
    EXPECT_EQ(foldedLength({}), 0);
}

TEST_F(TranscriptTest, AStreamKeepsToTheBottomUnlessTheUserScrolledUp)
{
    view.setMessages(longConversation(20));
    Message reply = message(99, "assistant", {});
    reply.state = Message::State::Streaming;
    view.setReplying(true);
    view.appendMessage(reply);
    QString text;
    for (int i = 0; i < 12; ++i) {
        text += QStringLiteral("Paragraph %1 of the answer.\n\n").arg(i);
        stream(20, reply, text);
        EXPECT_EQ(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
    }
    EXPECT_EQ(view.messageAt(20).text, text);

    view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() - 200);
    EXPECT_FALSE(view.followsEnd());
    const int place = view.messageRect(20).top();
    for (int i = 0; i < 6; ++i) {
        text += QStringLiteral("More %1.\n\n").arg(i);
        stream(20, reply, text);
    }
    EXPECT_EQ(view.messageRect(20).top(), place);
    auto *jump = view.findChild<QPushButton *>();
    ASSERT_NE(jump, nullptr);
    EXPECT_TRUE(jump->isVisible());
    jump->click();
    EXPECT_TRUE(view.followsEnd());
    EXPECT_FALSE(jump->isVisible());

    reply.text = text;
    reply.state = Message::State::Complete;
    view.updateMessage(20, reply);
    EXPECT_EQ(view.messageAt(20).state, Message::State::Complete);
}

TEST_F(TranscriptTest, ManyFragmentsAreRenderedAFewTimes)
{
    Message reply = message(1, "assistant", {});
    reply.state = Message::State::Streaming;
    view.appendMessage(reply);
    // A thousand tokens without a turn of the event loop wait for one frame.
    for (int i = 0; i < 1000; ++i) {
        reply.text += QStringLiteral("token ");
        view.updateMessage(0, reply);
    }
    EXPECT_TRUE(view.messageAt(0).text.isEmpty());
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return view.messageAt(0).text == reply.text; }, kFramePatience));
}

TEST_F(TranscriptTest, TextCanBeSelectedAndCopied)
{
    view.setMessages(
        {message(1, "user", "Hello there"), message(2, "assistant", "One **two**\n\n- three")});
    view.setFocus();
    view.focusMessage(1);
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("One two\n\n• three"));
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("One two\n\n• three"));

    // Dragging from the first message into the second takes both.
    const QRect first = view.messageRect(0), second = view.messageRect(1);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {},
                      QPoint(first.left() + 20, first.top() + 30));
    QTest::mouseMove(view.viewport(), QPoint(second.right() - 60, second.bottom() - 40));
    QMouseEvent move(
        QEvent::MouseMove, QPointF(second.right() - 60, second.bottom() - 36),
        view.viewport()->mapToGlobal(QPointF(second.right() - 60, second.bottom() - 36)),
        Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &move);
    EXPECT_TRUE(view.selectedText().contains(QStringLiteral("Hello there")))
        << view.selectedText().toStdString();
    EXPECT_TRUE(view.selectedText().contains(QStringLiteral("One two")));
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {},
                        QPoint(second.right() - 60, second.bottom() - 36));
}

TEST_F(TranscriptTest, ALinkNeedsAClickAndOnlyAsks)
{
    view.setMessages(
        {message(1, "assistant", "[" + QString(60, 'w') + "](https://example.org/) ")});
    QSignalSpy asked(&view, &TranscriptView::linkActivated);
    view.grab();
    const QRect rect = view.messageRect(0);
    EXPECT_EQ(asked.count(), 0);
    for (int y = rect.top(); y < rect.bottom() && asked.isEmpty(); y += 4)
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(rect.left() + 60, y));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.first().first().toString(), QStringLiteral("https://example.org/"));
}

TEST_F(TranscriptTest, ALinkIsNotOpenedByLettingGoOnAnother)
{
    const QString words = QString(60, 'w');
    view.setMessages({message(1, "assistant",
                              "[" + words + "](https://example.org/a)\n\n[" + words +
                                  "](https://example.org/b)")});
    QSignalSpy asked(&view, &TranscriptView::linkActivated);
    view.grab();
    const QRect rect = view.messageRect(0);
    QStringList addresses;
    QList<QPoint> places; // of the first and of the second link
    for (int y = rect.top(); y < rect.bottom() && places.size() < 2; y += 4) {
        const QPoint place(rect.left() + 60, y);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place);
        if (asked.isEmpty() || addresses.contains(asked.last().first().toString()))
            continue;
        addresses += asked.last().first().toString();
        places += place;
    }
    ASSERT_EQ(places.size(), 2);
    asked.clear();
    QMouseEvent press(QEvent::MouseButtonPress, places[0], view.viewport()->mapToGlobal(places[0]),
                      Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(view.viewport(), &press);
    QMouseEvent release(QEvent::MouseButtonRelease, places[1],
                        view.viewport()->mapToGlobal(places[1]), Qt::LeftButton, Qt::NoButton, {});
    QApplication::sendEvent(view.viewport(), &release);
    EXPECT_TRUE(asked.isEmpty());
}

TEST_F(TranscriptTest, TheCopyButtonCopiesTheWholeBlock)
{
    const QString code = QStringLiteral("int a = 1;\n").repeated(900).trimmed();
    view.setMessages({message(1, "assistant", "Code:\n\n```cpp\n" + code + "\n```\n")});
    view.verticalScrollBar()->setValue(0);
    view.grab();
    QApplication::clipboard()->setText(QStringLiteral("before"));
    const QRect rect = view.messageRect(0);
    for (int y = 0; y < 200 && QApplication::clipboard()->text() == QLatin1String("before"); y += 4)
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          QPoint(rect.right() - 50, rect.top() + y));
    EXPECT_EQ(QApplication::clipboard()->text(), code);
}

TEST_F(TranscriptTest, ReasoningIsHiddenUntilAskedFor)
{
    view.setMessages({message(1, "assistant", "<think>secret thoughts</think>\n\nThe answer")});
    view.setFocus();
    view.focusMessage(0);
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("The answer"));
    QTest::keyClick(&view, Qt::Key_Space);
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(view.selectedText(), QStringLiteral("secret thoughts\n\nThe answer"));
}

TEST_F(TranscriptTest, TheKeyboardWalksTheMessagesAndAScreenReaderHearsThem)
{
    QList<Message> messages = {message(1, "user", "First question"),
                               message(2, "assistant", "Half an answ")};
    messages[1].state = Message::State::Stopped;
    view.setMessages(messages);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(view.focusedMessage(), 0);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(view.focusedMessage(), 1);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(view.focusedMessage(), 1);
    QTest::keyClick(&view, Qt::Key_Up);
    EXPECT_EQ(view.focusedMessage(), 0);

    QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->role(), QAccessible::List);
    ASSERT_EQ(list->childCount(), 2);
    EXPECT_EQ(list->child(0)->role(), QAccessible::ListItem);
    EXPECT_EQ(list->child(0)->text(QAccessible::Name), QStringLiteral("You: First question"));
    EXPECT_EQ(list->child(1)->text(QAccessible::Name),
              QStringLiteral("Stopped reply: Half an answ"));
    EXPECT_EQ(list->indexOfChild(list->child(1)), 1);
    EXPECT_TRUE(list->child(0)->rect().isValid());
    view.setMessages({});
    EXPECT_EQ(list->childCount(), 0);
    EXPECT_EQ(list->child(0), nullptr);
}

TEST_F(TranscriptTest, EditingSendsTheNewVersion)
{
    view.setMessages({message(7, "user", "Old text"), message(8, "assistant", "Answer")});
    QSignalSpy accepted(&view, &TranscriptView::editAccepted);
    view.editMessage(1); // a reply cannot be edited
    EXPECT_FALSE(view.editing());
    view.editMessage(0);
    ASSERT_TRUE(view.editing());
    auto *field = view.findChild<QPlainTextEdit *>();
    ASSERT_NE(field, nullptr);
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(view.editing());
    view.editMessage(0);
    for (QPlainTextEdit *candidate : view.findChildren<QPlainTextEdit *>()) {
        if (candidate->isVisible())
            field = candidate;
    }
    field->setPlainText(QStringLiteral("New text"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_FALSE(view.editing());
    ASSERT_EQ(accepted.count(), 1);
    EXPECT_EQ(accepted.first().at(0).toLongLong(), 7);
    EXPECT_EQ(accepted.first().at(1).toString(), QStringLiteral("New text"));
}

TEST_F(TranscriptTest, WhatIsEditedComesIntoView)
{
    constexpr int kCount = 60;
    view.setMessages(longConversation(kCount));
    for (const int index : {0, kCount - 2, 30}) {
        view.verticalScrollBar()->setValue(index == 0 ? view.verticalScrollBar()->maximum() : 0);
        view.editMessage(index);
        ASSERT_TRUE(view.editing());
        const QPlainTextEdit *field = nullptr;
        for (const QPlainTextEdit *each : view.findChildren<QPlainTextEdit *>())
            if (each->isVisible())
                field = each;
        ASSERT_NE(field, nullptr);
        const QRect place(field->mapTo(view.viewport(), QPoint(0, 0)), field->size());
        EXPECT_TRUE(view.viewport()->rect().contains(place)) << index << " at " << place.y();
    }
}

TEST_F(TranscriptTest, FilesOfAnEditedMessageStandBesideItsText)
{
    const TextAttachment one{
        QStringLiteral("a.txt:\n```txt\n1\n```\n"), {}, QStringLiteral("a.txt")};
    const TextAttachment two{
        QStringLiteral("b.txt:\n```txt\n2\n```\n"), {}, QStringLiteral("b.txt")};
    view.setMessages(
        {message(7, "user", ComposedText{QStringLiteral("Compare"), {one, two}}.whole())});
    QSignalSpy accepted(&view, &TranscriptView::editAccepted);
    view.editMessage(0);
    auto *field = view.findChild<QPlainTextEdit *>();
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->toPlainText(), QStringLiteral("Compare"));
    const auto remove = [&](const QString &name) {
        for (QToolButton *button : view.findChildren<QToolButton *>()) {
            if (button->accessibleName() == QStringLiteral("Remove “%1”").arg(name))
                return button->click();
        }
        FAIL() << qPrintable(name);
    };
    remove(QStringLiteral("a.txt"));
    field->setPlainText(QStringLiteral("Explain"));
    EXPECT_EQ(view.place().edited, 7);
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(accepted.count(), 1);
    EXPECT_EQ(accepted.first().at(1).toString(),
              (ComposedText{QStringLiteral("Explain"), {two}}.whole()));
    EXPECT_EQ(view.place().edited, 0);
}

TEST_F(TranscriptTest, HugeMessagesAreVirtualisedToo)
{
    view.setMessages({message(1, "assistant", QString(10 * 1024 * 1024, 'x'))});
    view.grab();
    // The offer to show all of it stands at the end.
    const QRect rect = view.messageRect(0);
    const int before = view.verticalScrollBar()->maximum();
    for (int y = view.viewport()->height() - 1;
         y > 0 && view.verticalScrollBar()->maximum() == before; y -= 4)
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(rect.left() + 40, y));
    EXPECT_GT(view.verticalScrollBar()->maximum(), before * 100);
    for (int i = 0; i < 20; ++i) {
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() / 20 * i);
        view.grab();
    }
}

TEST_F(TranscriptTest, HostileMessagesAreShown)
{
    for (const QString &text :
         {QStringLiteral("![x](file:///dev/zero) ![x](http://127.0.0.1:9/) <img src=/dev/zero>"),
          QStringLiteral("|a|b|\n|-|-|\n") + QStringLiteral("|1|2|\n").repeated(50000),
          QString(20000, '>') + "x", QString('a') + QString(20000, QChar(0x301)), QString(QChar(0)),
          QStringLiteral("\r\r\n\v\f")}) {
        for (const char *role : {"user", "assistant", "system", "tool"}) {
            view.setMessages({message(1, role, text)});
            EXPECT_FALSE(view.grab().isNull());
        }
    }
}

TEST_F(TranscriptTest, AnotherBranchKeepsWhatIsInView)
{
    QList<Message> messages = longConversation(60);
    view.setMessages(messages);
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() / 2);
    int seen = 0;
    while (view.messageRect(seen).top() < 0)
        ++seen;
    const int place = view.messageRect(seen).top();
    messages.resize(seen + 3);
    messages += longConversation(20);
    messages.last().id = 1000;
    view.setMessages(messages, true);
    EXPECT_EQ(view.messageRect(seen).top(), place);
    view.setMessages(messages);
    EXPECT_TRUE(view.followsEnd());
}

TEST_F(TranscriptTest, AnyWidthWorks)
{
    view.setMessages(longConversation(50));
    for (const int width : {2000, 100, 40, 700, 1}) {
        view.resize(width, 400);
        QApplication::processEvents();
        view.grab();
        EXPECT_TRUE(view.followsEnd());
    }
}

} // namespace
} // namespace fireside
