#include "tests/ui/program.h"
#include "ui/settings/settings_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTest>
#include <QUrl>

// Pasting and dropping where there is nothing to paste. The first test must see the clipboard as
// the session left it; ctest also runs it alone in a fresh X session, where nobody owns it.
namespace fireside::test {
namespace {

class ClipboardTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        storeChats();
        start();
        const QModelIndex newest = list()->model()->index(0, 0);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                          list()->visualRect(newest).center());
    }

    /// All ways to paste into the field that has the focus.
    void pasteInto(QWidget *target)
    {
        ASSERT_NE(target, nullptr);
        target->setFocus();
        for (const char *keys : {"Ctrl+V", "Shift+Ins", "Ctrl+Shift+Ins"})
            press(keys);
        auto *area = qobject_cast<QAbstractScrollArea *>(target);
        QWidget *inside = area ? area->viewport() : target;
        QTest::mouseClick(inside, Qt::MiddleButton, {}, inside->rect().center());
        pasteByMenu(inside);
        drop(inside);
    }

    void pasteByMenu(QWidget *inside)
    {
        const QPoint middle = inside->rect().center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, middle, inside->mapToGlobal(middle));
        QApplication::sendEvent(inside, &event);
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        ASSERT_NE(menu, nullptr);
        for (QAction *action : menu->actions()) {
            if (plainText(*action).startsWith(QLatin1String("Paste"))) {
                EXPECT_FALSE(action->isEnabled());
                clickIn(menu, action);
                break;
            }
        }
        while (QWidget *popup = QApplication::activePopupWidget())
            popup->close();
    }

    void drop(QWidget *inside)
    {
        const QMimeData nothing;
        const QPoint middle = inside->rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction, &nothing, Qt::LeftButton, {});
        QApplication::sendEvent(inside, &enter);
        QDropEvent dropped(middle, Qt::CopyAction, &nothing, Qt::LeftButton, {});
        QApplication::sendEvent(inside, &dropped);
    }

    void pasteEverywhere()
    {
        composer()->setMessage(QStringLiteral("draft"));
        pasteInto(field());
        EXPECT_EQ(composer()->text(), QStringLiteral("draft"));
        pasteInto(search());
        EXPECT_TRUE(search()->text().isEmpty());
        press("Alt+C");
        closeAll();

        clickMenu(QStringLiteral("Edit the last message"));
        auto *editor = transcript()->findChild<QPlainTextEdit *>();
        pasteInto(editor);
        EXPECT_EQ(editor->toPlainText(), QStringLiteral("The edited question"));
        press("Esc");

        press("F2");
        auto *name = list()->viewport()->findChild<QLineEdit *>();
        pasteInto(name);
        EXPECT_EQ(name->text(), QStringLiteral("About links"));
        press("Esc");

        press("Ctrl+,");
        auto *settings = window().findChild<SettingsDialog *>();
        ASSERT_NE(settings, nullptr);
        ASSERT_TRUE(waitFor([&] { return settings->isActiveWindow(); }));
        settings->showPage(SettingsDialog::Page::Generation);
        for (const char *each : {"systemPrompt", "stopStrings"}) {
            auto *field = settings->findChild<QPlainTextEdit *>(QLatin1String(each));
            pasteInto(field);
            EXPECT_TRUE(field->toPlainText().isEmpty()) << each;
        }
        pasteInto(settings->findChild<QLineEdit *>(QStringLiteral("seed")));
        press("Esc");
        EXPECT_EQ(composer()->text(), QStringLiteral("draft"));
    }
};

TEST_F(ClipboardTest, NobodyHasCopiedAnything)
{
    if (!QApplication::clipboard()->text().isEmpty())
        QApplication::clipboard()->clear(); // another test of this process has
    pasteEverywhere();
}

TEST_F(ClipboardTest, Cleared)
{
    QApplication::clipboard()->clear();
    pasteEverywhere();
}

// What X offers while nobody owns the clipboard, on every platform.
TEST_F(ClipboardTest, DataWithoutAFormat)
{
    QApplication::clipboard()->setMimeData(new QMimeData);
    pasteEverywhere();
}

TEST_F(ClipboardTest, WhatIsNoTextIsLeftAlone)
{
    auto *image = new QMimeData;
    image->setData(QStringLiteral("image/png"), QByteArray("\x89PNG", 4));
    QApplication::clipboard()->setMimeData(image);
    pasteEverywhere();
}

TEST_F(ClipboardTest, TextAndLinksArePasted)
{
    QApplication::clipboard()->setText(QStringLiteral("some\ntext"));
    field()->setFocus();
    press("Ctrl+V");
    EXPECT_EQ(composer()->text(), QStringLiteral("some\ntext"));
    // As browsers do it: an address, and its text.
    auto *link = new QMimeData;
    link->setUrls({QUrl(QStringLiteral("https://example.org/a"))});
    link->setText(QStringLiteral("https://example.org/a"));
    QApplication::clipboard()->setMimeData(link);
    press("Ctrl+A");
    press("Ctrl+V");
    EXPECT_EQ(composer()->text(), QStringLiteral("https://example.org/a"));
}

} // namespace
} // namespace fireside::test
