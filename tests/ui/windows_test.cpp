#include "app/chat/open_chats.h"
#include "tests/ui/program.h"
#include "ui/program_windows.h"

#include <QApplication>
#include <QListView>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

// Several windows of one program.
namespace fireside::test {
namespace {

class WindowsTest : public testing::Test
{
protected:
    void TearDown() override { end(); }

    void start()
    {
        m_parts = std::make_unique<Program>();
        m_chats = std::make_unique<OpenChats>(m_parts->settings, m_parts->store, m_parts->engine,
                                              &m_parts->tools);
        m_windows = std::make_unique<ProgramWindows>(
            m_parts->settings, *m_chats,
            [this](ChatController &chat) { return m_parts->another(chat); });
        m_windows->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_windows->at(0), kPatience));
    }
    void end()
    {
        if (!m_parts)
            return;
        m_windows.reset();
        m_chats.reset();
        m_parts->window.close();
        m_parts.reset();
    }
    static bool waitFor(const std::function<bool()> &condition)
    {
        return QTest::qWaitFor(condition, kPatience);
    }
    void press(MainWindow &window, Qt::Key key, Qt::KeyboardModifiers modifiers)
    {
        window.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window, kPatience));
        QTest::keyClick(window.windowHandle(), key, modifiers);
    }
    qint64 addChat(const char *title)
    {
        const qint64 id = m_parts->store.addConversation(QLatin1String(title), SamplingSettings());
        Message message;
        message.role = QStringLiteral("user");
        message.text = QLatin1String(title);
        message.created = QDateTime::currentDateTime();
        m_parts->store.addMessage(id, message);
        return id;
    }
    static int rows(MainWindow &window)
    {
        return window.conversationList()->view()->model()->rowCount();
    }

    PrivateHome m_home;
    std::unique_ptr<Program> m_parts;
    std::unique_ptr<OpenChats> m_chats;
    std::unique_ptr<ProgramWindows> m_windows;
};

TEST_F(WindowsTest, ASecondOneIsOpenedByKeysAndClosedAlone)
{
    start();
    press(m_windows->at(0), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_EQ(m_windows->count(), 2);
    MainWindow &second = m_windows->at(1);
    EXPECT_TRUE(second.isVisible());
    EXPECT_NE(second.pos(), m_windows->at(0).pos());
    press(second, Qt::Key_W, Qt::ControlModifier);
    ASSERT_TRUE(waitFor([&] { return m_windows->count() == 1; }));
    EXPECT_TRUE(m_windows->at(0).isVisible());
    m_parts->engine.start(); // it is not shut down with that window
    ASSERT_TRUE(waitFor([&] { return m_parts->engine.state() == EngineState::NoModel; }));
}

TEST_F(WindowsTest, AChatThatOneGetsIsInTheListOfAll)
{
    start();
    MainWindow &second = m_windows->open();
    const int before = rows(second);
    addChat("new here");
    EXPECT_TRUE(waitFor([&] { return rows(second) == before + 1; }));
    EXPECT_TRUE(waitFor([&] { return rows(m_windows->at(0)) == before + 1; }));
}

TEST_F(WindowsTest, TheDraftOfANewChatComesBackInTheSecondWindow)
{
    start();
    m_windows->at(0).chat().openConversation(addChat("in the first"));
    m_windows->open().chat().setDraft(QStringLiteral("half a thought"));
    EXPECT_EQ(m_windows->open().chat().draft(), QString()) << "the second window has it";
    m_windows->at(2).close();
    ASSERT_TRUE(waitFor([&] { return m_windows->count() == 2; }));
    press(m_windows->at(0), Qt::Key_Q, Qt::ControlModifier);
    end();

    start();
    ASSERT_EQ(m_windows->count(), 2);
    EXPECT_EQ(m_windows->at(1).chat().draft(), QStringLiteral("half a thought"));
}

TEST_F(WindowsTest, AllComeBackWithTheirChats)
{
    start();
    const qint64 first = addChat("in the first"), second = addChat("in the second");
    m_windows->open();
    m_windows->at(0).chat().openConversation(first);
    m_windows->at(1).chat().openConversation(second);
    m_windows->at(1).resize(760, 610); // newer Qt leaves none wider than the screen
    QSignalSpy over(qApp, &QGuiApplication::lastWindowClosed); // is told only while exec() runs
    QTimer::singleShot(0, qApp, [this] {
        press(m_windows->at(0), Qt::Key_Q, Qt::ControlModifier);
        QTimer::singleShot(0, qApp, &QCoreApplication::quit);
    });
    QApplication::exec();
    EXPECT_EQ(over.count(), 1) << "or the program would run on without a window";
    EXPECT_FALSE(m_windows->at(0).isVisible());
    EXPECT_EQ(m_windows->count(), 1) << "the others have gone";
    end();

    start();
    ASSERT_EQ(m_windows->count(), 2);
    EXPECT_EQ(m_windows->at(0).chat().currentConversation(), first);
    EXPECT_EQ(m_windows->at(1).chat().currentConversation(), second);
    EXPECT_EQ(m_windows->at(1).size(), QSize(760, 610));
    m_windows->at(1).close(); // and does not come back
    ASSERT_TRUE(waitFor([&] { return m_windows->count() == 1; }));
    end();
    start();
    EXPECT_EQ(m_windows->count(), 1);
    EXPECT_EQ(m_windows->at(0).chat().currentConversation(), first);
}

} // namespace
} // namespace fireside::test
