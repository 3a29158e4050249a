#include "tests/ui/situations.h"
#include "ui/transcript/message_toolbar.h"

#include <QListView>
#include <QTest>
#include <QToolButton>

// What a chat shows when it is opened again, in the same program and in the next one.
namespace fireside::test {
namespace {

class ReopenTest : public ProgramTest
{
protected:
    void open(int row)
    {
        const QModelIndex index = list()->model()->index(row, 0);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                          list()->visualRect(index).center());
        ASSERT_EQ(list()->currentIndex().row(), row);
    }

    /// The arrows below a message.
    void clickSibling(int message, const char *name)
    {
        transcript()->setFocus();
        transcript()->focusMessage(message);
        for (QToolButton *button :
             transcript()->findChild<MessageToolbar *>()->findChildren<QToolButton *>()) {
            if (button->accessibleName() == QLatin1String(name)) {
                ASSERT_TRUE(button->isVisible());
                ASSERT_TRUE(button->isEnabled());
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
        FAIL() << "there is no arrow " << name;
    }

    void expectShown(const char *question, const char *reply, int siblingIndex, int siblingCount)
    {
        ASSERT_EQ(transcript()->count(), 2);
        EXPECT_EQ(transcript()->messageAt(0).text, QString::fromUtf8(question));
        EXPECT_EQ(transcript()->messageAt(1).text, QString::fromUtf8(reply));
        EXPECT_EQ(transcript()->messageAt(1).siblingIndex, siblingIndex);
        EXPECT_EQ(transcript()->messageAt(1).siblingCount, siblingCount);
    }

    /// The same after another chat was shown, and in the next run of the program.
    void expectKept(const char *question, const char *reply, int siblingIndex, int siblingCount)
    {
        expectShown(question, reply, siblingIndex, siblingCount);
        ASSERT_NO_FATAL_FAILURE(open(1));
        EXPECT_EQ(transcript()->messageAt(1).text, QStringLiteral("Striped."));
        ASSERT_NO_FATAL_FAILURE(open(0));
        expectShown(question, reply, siblingIndex, siblingCount);
        ASSERT_NO_FATAL_FAILURE(start());
        ASSERT_NO_FATAL_FAILURE(open(0));
        expectShown(question, reply, siblingIndex, siblingCount);
    }
};

constexpr const char *kEdited = "The edited question";
constexpr const char *kReplyOne = "<think>Hm.</think>Reply one.";
constexpr const char *kReplyTwo = "Reply two with `code`.";

TEST_F(ReopenTest, ShowsTheReplyLastChosen)
{
    storeChats();
    start();
    open(0);
    clickSibling(1, "Previous version");
    expectKept(kEdited, kReplyTwo, 1, 3);
    clickSibling(1, "Previous version");
    expectKept(kEdited, kReplyOne, 0, 3);
    clickSibling(1, "Next version");
    expectKept(kEdited, kReplyTwo, 1, 3);
}

TEST_F(ReopenTest, ShowsTheQuestionLastChosen)
{
    storeChats();
    start();
    open(0);
    clickSibling(0, "Previous version");
    expectKept("The first question", "An old answer.", 0, 1);
    clickSibling(0, "Next version");
    expectKept(kEdited, "Reply three: [a link](https://example.org/a).", 2, 3);
}

TEST_F(ReopenTest, ShowsANewReplyAndANewQuestion)
{
    storeChats();
    start(8);
    startEngine();
    loadStarter();
    open(0);
    clickSibling(1, "Previous version");
    press("Ctrl+R");
    ASSERT_TRUE(replied());
    const QByteArray reply = chat().messages().last().text.toUtf8();
    expectKept(kEdited, reply.constData(), 3, 4);

    startEngine();
    loadStarter();
    clickMenu(QStringLiteral("Edit the last message"));
    press("Ctrl+A");
    type(QStringLiteral("Newest"));
    press("Return");
    ASSERT_TRUE(replied());
    const QByteArray newest = chat().messages().last().text.toUtf8();
    expectKept("Newest", newest.constData(), 0, 1);
    EXPECT_EQ(transcript()->messageAt(0).siblingCount, 3);
}

// Changes of the list while nothing can be written.
class ListOnAFullDiskTest : public ReopenTest
{
protected:
    QStringList titles()
    {
        QStringList found;
        for (int row = 0; row < list()->model()->rowCount(); ++row)
            found += list()->model()->index(row, 0).data(Qt::AccessibleTextRole).toString();
        return found;
    }

    void rename(int row, const char *name)
    {
        open(row);
        press("F2");
        press("Ctrl+A");
        type(QLatin1String(name));
        press("Return");
        EXPECT_TRUE(waitFor([&] { return chat().currentTitle() == QLatin1String(name); }));
    }
};

TEST_F(ListOnAFullDiskTest, NamesPinsAndDeletionsAreStoredWhenThereIsRoom)
{
    // Full while the program runs, and full already when it starts.
    for (const bool fromTheStart : {false, true}) {
        const PrivateHome another;
        storeChats(); // "About links", then "About zebras"
        std::optional<NoSpace> full;
        if (fromTheStart)
            full.emplace();
        start();
        full.emplace();
        rename(1, "Renamed");
        open(0);
        chat().setPinned(chat().conversations().last().id, true);
        EXPECT_TRUE(store().inMemory());
        const QStringList kept{QStringLiteral("Renamed, pinned"), QStringLiteral("About links")};
        EXPECT_EQ(titles(), kept);
        open(1);
        list()->setFocus();
        press("Del");
        EXPECT_EQ(titles(), kept.mid(0, 1));
        store().retryNow();
        EXPECT_TRUE(store().inMemory()) << "there is no room yet";

        full.reset();
        store().retryNow();
        EXPECT_FALSE(store().inMemory()) << qPrintable(store().problem());
        start();
        EXPECT_EQ(titles(), kept.mid(0, 1)) << fromTheStart;
        open(0);
        EXPECT_EQ(transcript()->messageAt(1).text, QStringLiteral("Striped."));
        end();
    }
}

} // namespace
} // namespace fireside::test
