#include "tests/ui/situations.h"
#include "ui/chat/reply_details.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QTest>
#include <QTimer>

// Every entry of every context menu of the window, clicked, in every situation.
namespace fireside::test {
namespace {

class ContextMenuTest : public SituationTest
{
protected:
    /// Opens the menu at the point and has it used; nullptr: there was none.
    void withMenu(QWidget *widget, QPoint point, const std::function<void(QMenu *)> &use)
    {
        bool used = false;
        const auto inside = [&] {
            use(qobject_cast<QMenu *>(QApplication::activePopupWidget()));
            while (QWidget *popup = QApplication::activePopupWidget())
                popup->close();
            used = true;
        };
        // Some menus run a loop of their own until they are closed.
        QTimer::singleShot(0, &window(), inside);
        QContextMenuEvent event(QContextMenuEvent::Mouse, point, widget->mapToGlobal(point));
        QApplication::sendEvent(widget, &event);
        ASSERT_TRUE(waitFor([&] { return used; }));
        if (!QApplication::activeWindow())
            activate(); // a platform without a window manager forgets it with the popup
    }

    static QString nameOf(const QAction &action)
    {
        return plainText(action).section(QLatin1Char('\t'), 0, 0).remove(QStringLiteral("…"));
    }

    QStringList entries(QWidget *widget, QPoint point)
    {
        QStringList names;
        withMenu(widget, point, [&](QMenu *menu) {
            if (!menu)
                return;
            for (const QAction *action : menu->actions()) {
                if (!action->isSeparator())
                    names += nameOf(*action);
            }
        });
        return names;
    }

    /// Whether the entry was enabled; clicks it in any case.
    bool choose(QWidget *widget, QPoint point, const QString &name)
    {
        bool enabled = false, found = false;
        withMenu(widget, point, [&](QMenu *menu) {
            if (!menu)
                return;
            for (QAction *action : menu->actions()) {
                if (nameOf(*action) != name)
                    continue;
                found = true;
                enabled = action->isEnabled();
                clickIn(menu, action);
                return;
            }
        });
        EXPECT_TRUE(found) << name.toStdString();
        return enabled;
    }

    QPoint inMessage(int index)
    {
        transcript()->focusMessage(index);
        return transcript()
            ->messageRect(index)
            .intersected(transcript()->viewport()->rect())
            .center();
    }

    QPoint inRow(int row) { return list()->visualRect(list()->model()->index(row, 0)).center(); }

    void expectOfMessage(const QString &name, const Message &message, bool enabled);
    void expectOfConversation(const QString &name);
    void expectOfField(const QString &name, bool enabled);
};

void ContextMenuTest::expectOfMessage(const QString &name, const Message &message, bool enabled)
{
    const bool replying = GetParam().replying;
    if (name == QLatin1String("Copy selection")) {
        EXPECT_EQ(enabled, !transcript()->selectedText().isEmpty());
    } else if (name == QLatin1String("Copy message")) {
        EXPECT_TRUE(clipboardText().startsWith(message.text));
        EXPECT_FALSE(clipboardText().isEmpty());
    } else if (name == QLatin1String("Select message")) {
        EXPECT_FALSE(transcript()->selectedText().isEmpty());
        const QString selected = transcript()->selectedText();
        transcript()->setFocus();
        press("Ctrl+C");
        EXPECT_EQ(clipboardText(), selected);
    } else if (name == QLatin1String("Edit")) {
        EXPECT_EQ(enabled, !replying);
        EXPECT_EQ(transcript()->editing(), !replying);
        if (!replying)
            press("Esc");
        EXPECT_FALSE(transcript()->editing());
    } else if (name == QLatin1String("Regenerate")) {
        EXPECT_EQ(enabled, !replying);
        ASSERT_TRUE(replied());
        // Without a model the new one says why there is no reply; the others stay beside it.
        EXPECT_EQ(chat().messages().last().siblingCount, message.siblingCount + 1);
        EXPECT_EQ(chat().messages().last().state == Message::State::Failed, !GetParam().model);
    } else if (name == QLatin1String("How this reply was made")) {
        EXPECT_TRUE(enabled);
        auto *dialog = window().findChild<ReplyDetailsDialog *>();
        ASSERT_NE(dialog, nullptr);
        EXPECT_TRUE(dialog->isVisible());
        press("Esc");
        EXPECT_FALSE(window().findChild<ReplyDetailsDialog *>() &&
                     window().findChild<ReplyDetailsDialog *>()->isVisible());
        activate();
    } else if (name == QLatin1String("Copy message as") ||
               name == QLatin1String("Select all messages")) {
        EXPECT_TRUE(enabled);
    } else if (name == QLatin1String("What else might stand here")) {
        EXPECT_TRUE(!replying || !enabled);
    } else if (name == QLatin1String("Previous version")) {
        EXPECT_EQ(enabled, !replying && message.siblingIndex >= 0);
    } else if (name == QLatin1String("Next version")) {
        EXPECT_FALSE(enabled);
    } else {
        ADD_FAILURE() << "this test does not know the entry " << name.toStdString();
    }
}

TEST_P(ContextMenuTest, OfMessages)
{
    if (!GetParam().chats) {
        EXPECT_TRUE(transcript()->count() == 0);
        return;
    }
    for (const int index : {0, 1}) {
        const QStringList names = entries(transcript()->viewport(), inMessage(index));
        EXPECT_GE(names.size(), 4);
        for (const QString &name : names) {
            SCOPED_TRACE(name.toStdString());
            if (GetParam().replying && name == QLatin1String("Regenerate"))
                continue; // the last reply is the endless one
            const Message message = chat().messages()[index];
            const bool enabled = choose(transcript()->viewport(), inMessage(index), name);
            expectOfMessage(name, message, enabled);
            if (name.endsWith(QLatin1String("version")) || name == QLatin1String("Regenerate")) {
                ASSERT_NO_FATAL_FAILURE(enter()); // another branch is shown
            }
            closeAll();
            EXPECT_EQ(composer()->text(), draft());
            ASSERT_FALSE(HasFailure());
        }
    }
}

void ContextMenuTest::expectOfConversation(const QString &name)
{
    const auto summary = [&] {
        for (const ConversationSummary &each : chat().conversations()) {
            if (each.id == m_chat)
                return each;
        }
        return ConversationSummary();
    };
    if (name == QLatin1String("Pin")) {
        EXPECT_TRUE(summary().pinned);
        EXPECT_TRUE(choose(list()->viewport(), inRow(0), QStringLiteral("Unpin")));
        EXPECT_FALSE(summary().pinned);
    } else if (name == QLatin1String("Rename")) {
        auto *editor = list()->viewport()->findChild<QLineEdit *>();
        ASSERT_NE(editor, nullptr);
        ASSERT_TRUE(editor->hasFocus())
            << (QApplication::focusWidget() ? QApplication::focusWidget()->metaObject()->className()
                                            : "nothing has it");
        press("Ctrl+A");
        press("Ctrl+V"); // perhaps of nothing
        press("Ctrl+A");
        type(QStringLiteral("New name"));
        press("Return");
        EXPECT_TRUE(waitFor([&] { return summary().title == QLatin1String("New name"); }));
        EXPECT_EQ(chat().currentTitle(), QStringLiteral("New name"));
    } else if (name == QLatin1String("Let the model name it")) {
        EXPECT_NE(summary().title, QString()); // the loaded one is too small
    } else if (name == QLatin1String("Duplicate")) {
        EXPECT_NE(chat().currentConversation(), m_chat);
        EXPECT_EQ(chat().conversations().size(), 3);
        chat().deleteConversations({chat().currentConversation()});
        chat().openConversation(m_chat);
    } else if (name == QLatin1String("Move to folder")) {
        EXPECT_TRUE(summary().folder.isEmpty()); // its own entries say where
    } else if (name == QLatin1String("Delete")) {
        EXPECT_EQ(summary().id, 0);
        EXPECT_EQ(chat().currentConversation(), 0);
        clickMenu(QStringLiteral("Undo the deletion"));
        EXPECT_EQ(summary().id, m_chat);
        EXPECT_EQ(chat().currentConversation(), m_chat);
        EXPECT_FALSE(menuAction(QStringLiteral("Undo the deletion"))->isEnabled())
            << "there is nothing to undo any more";
    } else {
        ADD_FAILURE() << "this test does not know the entry " << name.toStdString();
    }
}

TEST_P(ContextMenuTest, OfConversations)
{
    if (!GetParam().chats) {
        EXPECT_FALSE(list()->isVisible());
        return;
    }
    const QStringList names = entries(list()->viewport(), inRow(0));
    EXPECT_EQ(names.size(), 6);
    for (const QString &name : names) {
        SCOPED_TRACE(name.toStdString());
        const bool can = name != QLatin1String("Let the model name it") ||
                         (GetParam().model && !chat().replying());
        EXPECT_EQ(choose(list()->viewport(), inRow(0), name), can);
        expectOfConversation(name);
        EXPECT_EQ(composer()->text(), draft());
        ASSERT_FALSE(HasFailure());
    }
    // Below the last row there is none.
    EXPECT_TRUE(
        entries(list()->viewport(), QPoint(20, list()->viewport()->height() - 4)).isEmpty());
}

void ContextMenuTest::expectOfField(const QString &name, bool enabled)
{
    const bool text = GetParam().clipboard == Situation::Text;
    if (name == QLatin1String("Paste")) {
        EXPECT_EQ(enabled, text);
        EXPECT_EQ(composer()->text(), draft() + (text ? QStringLiteral("copied") : QString()));
    } else if (name == QLatin1String("Select All")) {
        EXPECT_EQ(field()->textCursor().selectedText(), draft());
        EXPECT_EQ(composer()->text(), draft());
    } else {
        EXPECT_FALSE(enabled) << name.toStdString(); // nothing is selected, nothing was changed
        EXPECT_EQ(composer()->text(), draft());
    }
}

TEST_P(ContextMenuTest, OfFields)
{
    QWidget *inside = field()->viewport();
    const QStringList names = entries(inside, inside->rect().center());
    EXPECT_TRUE(names.contains(QStringLiteral("Paste")));
    for (const QString &name : names) {
        composer()->setMessage(draft());
        expectOfField(name, choose(inside, inside->rect().center(), name));
    }
    composer()->setMessage(draft());
    for (const QString &name : entries(search(), search()->rect().center()))
        choose(search(), search()->rect().center(), name);
    EXPECT_EQ(search()->text(),
              GetParam().clipboard == Situation::Text ? QStringLiteral("copied") : QString());
    EXPECT_EQ(composer()->text(), draft());
}

INSTANTIATE_TEST_SUITE_P(In, ContextMenuTest, testing::ValuesIn(kSituations),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace
} // namespace fireside::test
