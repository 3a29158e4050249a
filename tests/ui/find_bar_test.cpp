#include "tests/ui/program.h"
#include "ui/chat/find_bar.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>

// Finding a text in the open chat.
namespace fireside::test {
namespace {

class FindBarTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        ChatTree tree;
        tree.title = QStringLiteral("Birds");
        tree.created = tree.updated = QDateTime::currentDateTimeUtc();
        for (int i = 0; i < 60; ++i) {
            Message message;
            message.id = i + 1;
            message.parentId = i;
            message.role = i % 2 ? QStringLiteral("assistant") : QStringLiteral("user");
            message.text = QStringLiteral("Message %1\n\n").arg(i) +
                           QStringLiteral("a line of text\n\n").repeated(6);
            if (i % 20 == 5)
                message.text += QStringLiteral("a **Heron** and a heron, `heron`");
            message.created = tree.created;
            tree.messages.append(message);
        }
        tree.currentLeaf = 60;
        chat().importChats({tree});
        activate();
        press("Ctrl+F");
    }

    FindBar *bar() { return window().chatPanel()->findBar(); }
    QString count() { return bar()->findChild<QLabel *>()->text(); }
    void look(const char *text) { bar()->findChild<QLineEdit *>()->setText(QLatin1String(text)); }
    /// Whether what is chosen is in view.
    bool inView(int message)
    {
        return transcript()->messageRect(message).intersects(transcript()->viewport()->rect());
    }
};

TEST_F(FindBarTest, CountsAndGoesRoundFromTheNewest)
{
    ASSERT_TRUE(bar()->isVisible());
    look("heron");
    EXPECT_EQ(count(), QStringLiteral("9 of 9"));
    EXPECT_EQ(transcript()->selectedText(), QStringLiteral("heron"));
    EXPECT_TRUE(inView(45));
    press("Return");
    EXPECT_EQ(count(), QStringLiteral("1 of 9"));
    EXPECT_EQ(transcript()->selectedText(), QStringLiteral("Heron"));
    EXPECT_TRUE(inView(5));
    EXPECT_FALSE(inView(45));
    press("Shift+Return");
    EXPECT_EQ(count(), QStringLiteral("9 of 9"));
    press("Shift+F3");
    EXPECT_EQ(count(), QStringLiteral("8 of 9"));
    press("F3");
    EXPECT_EQ(count(), QStringLiteral("9 of 9"));
    EXPECT_TRUE(inView(45));
}

TEST_F(FindBarTest, WordsBelongTogether)
{
    look("a line of text");
    EXPECT_EQ(count(), QStringLiteral("360 of 360"));
    look("text line a");
    EXPECT_EQ(count(), QStringLiteral("Not found"));
    look("");
    EXPECT_EQ(count(), QString());
}

TEST_F(FindBarTest, EscapeClosesItAndTakesTheMarksAway)
{
    look("heron");
    const QImage marked = transcript()->viewport()->grab().toImage();
    press("Esc");
    EXPECT_FALSE(bar()->isVisible());
    EXPECT_EQ(transcript()->selectedText(), QStringLiteral("heron")) << "the place stays chosen";
    EXPECT_TRUE(field()->hasFocus());
    EXPECT_NE(transcript()->viewport()->grab().toImage(), marked);
}

TEST_F(FindBarTest, AnotherChatIsCountedAnew)
{
    look("heron");
    chat().newConversation();
    EXPECT_EQ(count(), QStringLiteral("Not found"));
    press("F3"); // nowhere to go
    press("Shift+F3");
    EXPECT_EQ(count(), QStringLiteral("Not found"));
}

} // namespace
} // namespace fireside::test
