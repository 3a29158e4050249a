#include "tests/ui/program.h"
#include "ui/chat/conversation_model.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QInputDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTest>

// Folders in the list of chats.
namespace fireside::test {
namespace {

class FoldersTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        m_newer = storeChats();
        start();
        chat().openConversation(m_newer);
        m_older = chat().conversations().last().id;
        activate();
    }

    /// "[Folder]" for a folder's own row, else the chat's id.
    QStringList rows()
    {
        QStringList rows;
        for (int i = 0; i < list()->model()->rowCount(); ++i) {
            const QModelIndex index = list()->model()->index(i, 0);
            rows += index.data(ConversationModel::HeaderRole).toBool()
                        ? QLatin1Char('[') + index.data().toString() + QLatin1Char(']')
                        : index.data(ConversationModel::IdRole).toString();
        }
        return rows;
    }
    QMenu *menuOf(int row)
    {
        const QPoint point = list()->visualRect(list()->model()->index(row, 0)).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, point,
                                list()->viewport()->mapToGlobal(point));
        QApplication::sendEvent(list()->viewport(), &event);
        return qobject_cast<QMenu *>(QApplication::activePopupWidget());
    }
    void choose(QMenu *menu, const char *text)
    {
        ASSERT_NE(menu, nullptr);
        for (QAction *action : menu->actions()) {
            if (plainText(*action) == QString::fromUtf8(text))
                action->trigger();
        }
        closeAll();
    }
    void name(const char *text)
    {
        auto *dialog = window().findChild<QInputDialog *>();
        ASSERT_NE(dialog, nullptr);
        dialog->setTextValue(QString::fromUtf8(text));
        dialog->accept();
        activate();
    }

    qint64 m_newer = 0, m_older = 0;
};

TEST_F(FoldersTest, AChatGoesIntoANewFolderAndOut)
{
    QMenu *menu = menuOf(1);
    ASSERT_NE(menu, nullptr);
    auto *folders = menu->findChild<QMenu *>();
    ASSERT_NE(folders, nullptr);
    for (QAction *action : folders->actions()) {
        if (plainText(*action).startsWith(QLatin1String("New folder")))
            action->trigger();
    }
    menu->close();
    name("Work");
    EXPECT_EQ(rows(), QStringList({"[Work]", QString::number(m_older), QString::number(m_newer)}));
    EXPECT_EQ(store().list().last().folder, QStringLiteral("Work"));
    choose(menuOf(0), "Dissolve the folder");
    EXPECT_EQ(rows(), QStringList({QString::number(m_newer), QString::number(m_older)}));
}

TEST_F(FoldersTest, AFolderClosesAndOpens)
{
    chat().moveToFolder({m_newer, m_older}, QStringLiteral("Both"));
    EXPECT_EQ(rows().size(), 3);
    const auto click = [&] {
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                          list()->visualRect(list()->model()->index(0, 0)).center());
    };
    click();
    EXPECT_EQ(rows(), QStringList("[Both]"));
    EXPECT_EQ(chat().currentConversation(), m_newer) << "it stays open";
    search()->setText(QStringLiteral("a"));
    EXPECT_TRUE(waitFor([&] { return !rows().contains(QStringLiteral("[Both]")); }));
    search()->clear();
    EXPECT_TRUE(waitFor([&] { return rows() == QStringList("[Both]"); }));
    click();
    EXPECT_EQ(rows().size(), 3);
}

TEST_F(FoldersTest, AClosedFolderIsClosedWhenTheProgramStartsAgain)
{
    chat().moveToFolder({m_newer}, QStringLiteral("Alike, \"ähnlich\""));
    chat().moveToFolder({m_older}, QStringLiteral("Work"));
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                      list()->visualRect(list()->model()->index(0, 0)).center());
    const QStringList closed = rows();
    EXPECT_EQ(closed.size(), 3);
    start();
    EXPECT_EQ(rows(), closed);
    chat().renameFolder(QStringLiteral("Alike, \"ähnlich\""), {});
    activate();
    list()->setFocus();
    list()->setCurrentIndex(list()->model()->index(0, 0));
    QTest::keyClick(list(), Qt::Key_Return);
    EXPECT_EQ(settings().closedFolders(), QStringList("Work")) << "of those that there are";
}

TEST_F(FoldersTest, PinnedChatsStandAboveTheFolders)
{
    chat().moveToFolder({m_newer, m_older}, QStringLiteral("Both"));
    chat().setPinned(m_older, true);
    EXPECT_EQ(rows(), QStringList({QString::number(m_older), "[Both · pinned above: 1]",
                                   QString::number(m_newer)}));
    chat().setPinned(m_newer, true);
    EXPECT_EQ(rows().last(), QStringLiteral("[Both · pinned above: 2]"))
        << "it does not look empty";
    chat().renameFolder(QStringLiteral("Both"), QStringLiteral("Other"));
    EXPECT_EQ(chat().folders(), QStringList("Other"));
}

TEST_F(FoldersTest, SeveralChatsArePinnedTogether)
{
    const auto pinned = [&] {
        int count = 0;
        for (const ConversationSummary &one : store().list())
            count += one.pinned ? 1 : 0;
        return count;
    };
    chat().setPinned(m_older, true);
    list()->selectAll();
    choose(menuOf(0), "Pin");
    EXPECT_EQ(pinned(), 2);
    list()->selectAll();
    choose(menuOf(1), "Unpin");
    EXPECT_EQ(pinned(), 0);
}

TEST_F(FoldersTest, AFolderIsNothingToDeleteOrRename)
{
    chat().moveToFolder({m_older}, QStringLiteral("Work"));
    list()->setFocus();
    list()->setCurrentIndex(list()->model()->index(0, 0));
    list()->selectionModel()->clearSelection();
    QTest::keyClick(list(), Qt::Key_Delete);
    QTest::keyClick(list(), Qt::Key_F2);
    EXPECT_EQ(list()->viewport()->findChild<QLineEdit *>(), nullptr);
    EXPECT_EQ(chat().conversations().size(), 2);
}

} // namespace
} // namespace fireside::test
