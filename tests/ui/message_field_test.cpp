#include "app/chat/call_messages.h"
#include "app/chat/long_lines.h"
#include "app/chat/text_attachment.h"
#include "tests/ui/private_home.h"
#include "tests/ui/program.h"
#include "ui/chat/attachment_list.h"
#include "ui/chat/composer.h"
#include "ui/transcript/message_editor.h"
#include "ui/transcript/message_item.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QInputMethodEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

// The fields of messages: lines that are too long, input methods, drops; and other text fields.
namespace fireside::test {
namespace {

class MessageFieldTest : public testing::Test
{
protected:
    MessageFieldTest()
    {
        composer.resize(600, 100);
        composer.show();
        composer.setSendable(true, {});
        edit()->setFocus();
    }
    ComposerEdit *edit() { return composer.findChild<ComposerEdit *>(); }
    QToolButton *send()
    {
        for (QToolButton *found : composer.findChildren<QToolButton *>()) {
            if (found->accessibleName() == QLatin1String("Send"))
                return found;
        }
        return nullptr;
    }
    void compose(const QString &preedit, const QString &committed = {})
    {
        QInputMethodEvent event(preedit, {});
        event.setCommitString(committed);
        QApplication::sendEvent(edit(), &event);
    }
    void paste(const QString &text)
    {
        QGuiApplication::clipboard()->setText(text);
        edit()->paste();
    }
    /// Nothing that is long is in the field, and the text is in the message.
    void expectAttached(const QString &text, const char *how)
    {
        EXPECT_FALSE(hasLongLine(composer.text())) << how;
        EXPECT_EQ(composer.attachments()->files().size(), 1) << how;
        EXPECT_TRUE(composer.message().contains(text)) << how;
        composer.setMessage({});
    }

    const QString m_long = QString(10'000'000, u'x');
    Composer composer;
};

TEST_F(MessageFieldTest, LongLinesBecomeAttachmentsHoweverTheyCome)
{
    paste(m_long);
    EXPECT_EQ(composer.text(), QString());
    expectAttached(m_long, "pasted");
    paste(QStringLiteral("before\n%1\nafter").arg(m_long));
    EXPECT_TRUE(composer.text().startsWith(QLatin1String("before\n")));
    EXPECT_TRUE(composer.text().endsWith(QLatin1String("\nafter")));
    expectAttached(m_long, "pasted among lines");
    const QString emoji = QStringLiteral("🔥").repeated(300'000);
    paste(emoji);
    expectAttached(emoji, "emoji");
    composer.setMessage(m_long);
    expectAttached(m_long, "a draft that is restored");
    composer.insertPrompt(m_long);
    expectAttached(m_long, "a prompt");
    composer.typeText(m_long);
    expectAttached(m_long, "typed elsewhere");
    compose({}, m_long);
    expectAttached(m_long, "an input method");
    edit()->insertPlainText(QString(60'000, u'y'));
    expectAttached(QString(60'000, u'y'), "grown");
    paste(m_long);
    paste(m_long);
    EXPECT_EQ(composer.attachments()->files().size(), 2);
    EXPECT_NE(composer.attachments()->names()[0], composer.attachments()->names()[1]);
}

TEST_F(MessageFieldTest, TwoLinesThatAreJoinedAreOneFileAndUndoBringsNoSecondOne)
{
    const QString half(30'000, u'z');
    composer.setMessage(half + u'\n' + half);
    EXPECT_TRUE(composer.attachments()->files().isEmpty());
    edit()->moveCursor(QTextCursor::Start);
    edit()->moveCursor(QTextCursor::EndOfBlock);
    QTest::keyClick(edit(), Qt::Key_Delete);
    ASSERT_EQ(composer.attachments()->files().size(), 1);
    edit()->undo();
    EXPECT_EQ(composer.attachments()->files().size(), 1);
    EXPECT_FALSE(hasLongLine(composer.text()));
}

TEST_F(MessageFieldTest, AnEditedMessageKeepsItsLongLine)
{
    MessageEditor editor(QStringLiteral("Look:\n") + m_long, nullptr);
    editor.show();
    EXPECT_FALSE(hasLongLine(editor.findChild<MessageField *>()->toPlainText()));
    QSignalSpy accepted(&editor, &MessageEditor::accepted);
    QTest::keyClick(editor.findChild<MessageField *>(), Qt::Key_Return);
    ASSERT_EQ(accepted.size(), 1);
    EXPECT_TRUE(accepted[0][0].toString().contains(m_long));
}

TEST_F(MessageFieldTest, SendTakesWhatAnInputMethodComposes)
{
    QSignalSpy sent(&composer, &Composer::sendRequested);
    compose(QStringLiteral("です"));
    ASSERT_NE(send(), nullptr);
    EXPECT_TRUE(send()->isEnabled()) << "a composition alone can be sent";
    compose({}, QStringLiteral("日本語"));
    compose(QStringLiteral("です"));
    QTest::mouseClick(send(), Qt::LeftButton);
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0][0].toString(), QStringLiteral("日本語です"));
    EXPECT_TRUE(composer.message().isEmpty());
    EXPECT_FALSE(edit()->isComposing()) << "nothing stands before the next message";
    QSignalSpy queued(&composer, &Composer::queueRequested);
    composer.setReplying(true);
    compose(QStringLiteral("はい"));
    QTest::keyClick(edit(), Qt::Key_Return);
    ASSERT_EQ(queued.size(), 1);
    EXPECT_EQ(queued[0][0].toString(), QStringLiteral("はい"));
}

TEST_F(MessageFieldTest, AnEditAndAPromptTakeWhatIsComposed)
{
    MessageEditor editor(QStringLiteral("한"), nullptr);
    editor.show();
    auto *field = editor.findChild<MessageField *>();
    field->moveCursor(QTextCursor::End);
    QInputMethodEvent event(QStringLiteral("국"), {});
    QApplication::sendEvent(field, &event);
    QSignalSpy accepted(&editor, &MessageEditor::accepted);
    for (auto *button : editor.findChildren<QPushButton *>()) {
        if (button->text() == QLatin1String("Send new version"))
            button->click();
    }
    ASSERT_EQ(accepted.size(), 1);
    EXPECT_EQ(accepted[0][0].toString(), QStringLiteral("한국"));
    compose(QStringLiteral("です"));
    composer.insertPrompt(QStringLiteral("prompt"));
    EXPECT_EQ(composer.text(), QStringLiteral("ですprompt"));
}

TEST_F(MessageFieldTest, AFileIsAsLargeAsItIsOnTheDisk)
{
    const PrivateHome home;
    QFile file(home.path(QStringLiteral("a.txt")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("seventeen letters");
    file.close();
    composer.attachFiles({file.fileName()});
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return composer.attachments()->files().size() == 1; }, kPatience));
    QStringList labels;
    for (const QLabel *label : composer.attachments()->findChildren<QLabel *>())
        labels += label->text();
    EXPECT_TRUE(labels.contains(QStringLiteral("17 B"))) << qPrintable(labels.join(u','));
}

TEST(TextFieldTest, OtherFieldsStayUsable)
{
    LineField line;
    line.setText(QString(1'000'000, u'x'));
    EXPECT_EQ(line.text().size(), LineField::kMaxLength);
    PlainTextField field;
    QGuiApplication::clipboard()->setText(QString(1'000'000, u'x'));
    field.paste();
    EXPECT_FALSE(hasLongLine(field.toPlainText()));
    EXPECT_EQ(field.toPlainText().remove(u'\n').size(), 1'000'000);
}

TEST(TextFieldTest, TheButtonsHaveNamesOfTheirOwn)
{
    LineField field;
    field.setAccessibleName(QStringLiteral("Search all conversations"));
    field.addClearButton(QStringLiteral("Clear the search"));
    field.addSearchIcon();
    QStringList names;
    for (const QToolButton *button : field.findChildren<QToolButton *>())
        names += button->accessibleName();
    names.sort();
    EXPECT_EQ(names, QStringList({"Clear the search", "Search all conversations"}));
}

TEST(ShortTimesTest, NothingTakesZeroSeconds)
{
    Message call = callMessage({QStringLiteral("add"), QStringLiteral("1"), {}, {}}, 1);
    setCallResult(call, {ToolResult::Done, QStringLiteral("3")}, 0.01);
    CallRecord record = callRecordOf(call).value_or(CallRecord());
    EXPECT_EQ(MessageItem(call).callState(), QStringLiteral("Done"));
    record.seconds = 1.25;
    setCallRecord(call, record);
    EXPECT_TRUE(MessageItem(call).callState().startsWith(QLatin1String("Done in 1.")));
}

class WindowDropTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        m_chat = storeChats();
        start();
        chat().openConversation(m_chat);
        activate();
    }
    void drop(const QMimeData &data)
    {
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(&window(), &enter);
        ASSERT_TRUE(enter.isAccepted());
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window(), &drop);
    }

    qint64 m_chat = 0;
};

TEST_F(WindowDropTest, TextAndTextFilesBesideTheFieldGoIntoIt)
{
    QMimeData text;
    text.setText(QStringLiteral("dropped words"));
    drop(text);
    EXPECT_EQ(composer()->text(), QStringLiteral("dropped words"));
    QFile file(home.path(QStringLiteral("notes.txt")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("notes");
    file.close();
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(file.fileName())});
    drop(files);
    EXPECT_TRUE(waitFor([&] { return composer()->attachments()->files().size() == 1; }));
}

TEST_F(WindowDropTest, AfterTheMenuOfAnotherChatTheOpenOneIsHighlighted)
{
    const auto selected = [&] { return list()->selectionModel()->selectedRows().value(0).row(); };
    const int open = selected();
    const QPoint other = list()->visualRect(list()->model()->index(1, 0)).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, other,
                            list()->viewport()->mapToGlobal(other));
    QApplication::sendEvent(list()->viewport(), &event);
    auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    EXPECT_NE(selected(), open);
    press("Esc");
    EXPECT_TRUE(waitFor([&] { return selected() == open; }));
}

} // namespace
} // namespace fireside::test
