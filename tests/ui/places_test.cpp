#include "tests/ui/program.h"

#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>

// Where somebody was in a chat: it is there again when the chat is, also after a restart.
namespace fireside::test {
namespace {

class PlacesTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        m_first = add("The first one");
        m_second = add("The second one");
        ASSERT_TRUE(waitFor([&] { return list()->model()->rowCount() == 2; }));
        chat().openConversation(m_first);
        ASSERT_TRUE(transcript()->followsEnd());
        ASSERT_EQ(transcript()->count(), 40);
    }
    qint64 add(const char *title)
    {
        ChatTree tree;
        tree.title = QLatin1String(title);
        tree.created = tree.updated = QDateTime::currentDateTimeUtc();
        for (int i = 0; i < 40; ++i) {
            Message message;
            message.id = i + 1;
            message.parentId = i;
            message.role = i % 2 ? QStringLiteral("assistant") : QStringLiteral("user");
            message.text = QStringLiteral("Message %1 ").arg(i) +
                           QStringLiteral("a line of *text*\n\n").repeated(i % 2 ? 9 : 1);
            message.created = tree.created;
            tree.messages.append(message);
        }
        tree.currentLeaf = 40;
        return store().addTrees({tree}).value(0);
    }
    void scrollTo(int message)
    {
        transcript()->focusMessage(message);
        transcript()->verticalScrollBar()->setValue(transcript()->verticalScrollBar()->value() +
                                                    57);
        ASSERT_FALSE(transcript()->followsEnd());
    }
    int topOf(int message) { return transcript()->messageRect(message).top(); }
    void restart()
    {
        start();
        ASSERT_EQ(transcript()->count(), 0);
        chat().openConversation(m_first);
        ASSERT_EQ(transcript()->count(), 40);
    }
    QString edited() { return transcript()->findChild<QPlainTextEdit *>()->toPlainText(); }
    /// Over the list, as a user does.
    void open(const char *title)
    {
        for (int row = 0; row < list()->model()->rowCount(); ++row) {
            const QModelIndex index = list()->model()->index(row, 0);
            if (index.data().toString() == QLatin1String(title))
                return QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                                         list()->visualRect(index).center());
        }
        FAIL() << title;
    }

    qint64 m_first = 0, m_second = 0;
};

TEST_F(PlacesTest, AChatOpensWhereItWasRead)
{
    ASSERT_NO_FATAL_FAILURE(scrollTo(11));
    const int top = topOf(12); // in view
    open("The second one");
    ASSERT_EQ(chat().currentConversation(), m_second);
    EXPECT_TRUE(transcript()->followsEnd()) << "another chat is another place";
    open("The first one");
    EXPECT_FALSE(transcript()->followsEnd());
    EXPECT_NEAR(topOf(12), top, 2);
    chat().newConversation();
    EXPECT_TRUE(store().conversation(m_first)->place.message > 0);
    open("The first one");
    EXPECT_NEAR(topOf(12), top, 2);

    ASSERT_NO_FATAL_FAILURE(restart());
    EXPECT_FALSE(transcript()->followsEnd());
    EXPECT_NEAR(topOf(12), top, 4);
    transcript()->scrollToEnd();
    open("The second one");
    open("The first one");
    EXPECT_TRUE(transcript()->followsEnd()) << "its end is a place, too";
}

TEST_F(PlacesTest, AnotherWidthKeepsWhatIsRead)
{
    ASSERT_NO_FATAL_FAILURE(scrollTo(11));
    ASSERT_TRUE(waitFor([&] { return store().conversation(m_first)->place.message > 0; }))
        << "stored without being asked: the program may be killed";
    const qint64 read = store().conversation(m_first)->place.message;
    open("The second one");
    window().resize(800, 500);
    ASSERT_TRUE(waitFor([&] { return window().width() == 800; }));
    open("The first one");
    for (int i = 0; i < transcript()->count(); ++i) {
        if (transcript()->messageAt(i).id == read) {
            EXPECT_TRUE(transcript()->messageRect(i).intersects(transcript()->viewport()->rect()));
        }
    }
}

TEST_F(PlacesTest, NearItsEndAChatComesToRest)
{
    QScrollBar *const bar = transcript()->verticalScrollBar();
    for (int above = 0; above < 60; above += 3) {
        SCOPED_TRACE(above);
        transcript()->scrollToEnd();
        bar->setValue(bar->maximum() - above);
        const ChatPlace place = transcript()->place();
        open("The second one");
        open("The first one");
        EXPECT_EQ(transcript()->place(), place);
        EXPECT_EQ(transcript()->followsEnd(), place.message == 0);
    }
}

TEST_F(PlacesTest, AFoundWordIsTheNewPlace)
{
    ASSERT_NO_FATAL_FAILURE(scrollTo(11));
    open("The second one");
    search()->setText(QStringLiteral("\"Message 31\""));
    QTest::keyClick(search(), Qt::Key_Return);
    EXPECT_TRUE(transcript()->messageRect(31).intersects(transcript()->viewport()->rect()));
}

TEST_F(PlacesTest, ANewVersionThatWasNotSentIsThereAgain)
{
    transcript()->editMessage(38);
    ASSERT_TRUE(transcript()->editing());
    transcript()->findChild<QPlainTextEdit *>()->setPlainText(QStringLiteral("Half a question"));
    open("The second one");
    EXPECT_FALSE(transcript()->editing());
    open("The first one");
    ASSERT_TRUE(transcript()->editing());
    EXPECT_EQ(edited(), QStringLiteral("Half a question"));
    EXPECT_FALSE(transcript()->findChild<QPlainTextEdit *>()->hasFocus()) << "nobody asked for it";

    ASSERT_NO_FATAL_FAILURE(restart());
    ASSERT_TRUE(transcript()->editing());
    EXPECT_EQ(edited(), QStringLiteral("Half a question"));
    transcript()->findChild<QPlainTextEdit *>()->setFocus();
    press("Esc");
    EXPECT_FALSE(transcript()->editing());
    open("The second one");
    open("The first one");
    EXPECT_FALSE(transcript()->editing()) << "it was given up";
    EXPECT_EQ(transcript()->messageAt(38).text.left(10), QStringLiteral("Message 38"));
}

TEST_F(PlacesTest, ANewVersionThatIsSentLeadsBackToTheComposer)
{
    transcript()->editMessage(38);
    for (QPushButton *button : transcript()->findChildren<QPushButton *>()) {
        if (button->text() == QLatin1String("Send new version"))
            QTest::mouseClick(button, Qt::LeftButton);
    }
    EXPECT_FALSE(transcript()->editing());
    EXPECT_TRUE(field()->hasFocus());
    EXPECT_EQ(chat().messages().value(38).siblingCount, 2);
    chat().newConversation();
    EXPECT_EQ(store().conversation(m_first)->place.edited, 0);
}

TEST_F(PlacesTest, DraftsOfAllChatsAreThereAgain)
{
    composer()->setMessage(QStringLiteral("for the first"));
    open("The second one");
    EXPECT_TRUE(composer()->message().isEmpty());
    composer()->setMessage(QStringLiteral("for the second"));
    press("Ctrl+N");
    composer()->setMessage(QStringLiteral("for a new one"));
    open("The first one");
    EXPECT_EQ(composer()->message(), QStringLiteral("for the first"));
    ASSERT_NO_FATAL_FAILURE(restart());
    EXPECT_EQ(composer()->message(), QStringLiteral("for the first"));
    open("The second one");
    EXPECT_EQ(composer()->message(), QStringLiteral("for the second"));
    press("Ctrl+N");
    EXPECT_EQ(composer()->message(), QStringLiteral("for a new one"));
}

TEST_F(PlacesTest, UndoingADeletionLeavesWhatIsReadInView)
{
    chat().deleteConversations({m_second});
    EXPECT_EQ(chat().currentConversation(), m_first);
    clickMenu(QStringLiteral("Undo the deletion"));
    EXPECT_EQ(chat().currentConversation(), m_first);
    EXPECT_EQ(chat().conversations().size(), 2);
    chat().deleteConversations({m_second, m_first});
    EXPECT_EQ(chat().currentConversation(), 0);
    clickMenu(QStringLiteral("Undo the deletion"));
    EXPECT_EQ(chat().currentConversation(), m_first) << "that one was in view";
}

} // namespace
} // namespace fireside::test
