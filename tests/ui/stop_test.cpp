#include "tests/support/endless_model.h"
#include "tests/ui/program.h"

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTest>

#include <algorithm>

// Esc, compared with the same reply not stopped. The model talks for many seconds; how far it came
// when the key arrived is read from the reply itself, so that nothing depends on speed.
namespace fireside::test {
namespace {

class StopTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start();
        startEngine();
        loadEndless();
    }

    /// A new chat whose reply is always the same, of at most so many tokens (0: no end).
    void ask(int maxTokens)
    {
        SamplingSettings sampling;
        sampling.temperature = 0; // it never comes to the token that ends a reply
        sampling.maxTokens = maxTokens;
        chat().setDefaultSampling(sampling);
        press("Ctrl+N");
        write("talk");
    }

    Message reply(int maxTokens)
    {
        ask(maxTokens);
        EXPECT_TRUE(replied());
        return chat().messages().last();
    }

    bool hasText()
    {
        return waitFor([&] { return !chat().messages().last().text.isEmpty(); });
    }

    static int tokensOf(const Message &message)
    {
        return message.record[QLatin1String("generatedTokens")].toInt();
    }
};

TEST_F(StopTest, TheTextSoFarIsABeginningOfTheWholeReply)
{
    reply(1); // as for all that follow, the prompt is in the cache: sums are rounded alike
    const Message whole = reply(300);
    ASSERT_EQ(whole.state, Message::State::Complete);
    ASSERT_EQ(tokensOf(whole), 300);
    QWidget *const focus[] = {field(), transcript(), list(), search()};
    for (QWidget *where : focus) {
        SCOPED_TRACE(where->metaObject()->className());
        ask(0);
        ASSERT_TRUE(hasText());
        where->setFocus();
        const QString shown = chat().messages().last().text;
        press("Esc");
        ASSERT_TRUE(replied());
        const Message stopped = chat().messages().last();
        EXPECT_EQ(stopped.state, Message::State::Stopped);
        EXPECT_EQ(stopped.record[QLatin1String("finish")].toString(), QStringLiteral("stopped"));
        EXPECT_TRUE(stopped.text.startsWith(shown));
        EXPECT_EQ(transcript()->messageAt(1).text, stopped.text);
        EXPECT_EQ(store().message(stopped.id)->text, stopped.text);
        EXPECT_EQ(store().message(stopped.id)->state, Message::State::Stopped);
        // It could have gone on to the end of the context.
        ASSERT_GT(tokensOf(stopped), 0);
        ASSERT_LT(tokensOf(stopped), kEndlessContext - 100);
        // The tokens are bytes: the last character of the shorter one may lack some.
        const qsizetype common = std::min(stopped.text.size(), whole.text.size()) - 1;
        EXPECT_EQ(stopped.text.left(common), whole.text.left(common));
        // No word too many or too few: what so many tokens say without a stop.
        const Message same = reply(tokensOf(stopped));
        EXPECT_EQ(same.state, Message::State::Complete);
        EXPECT_EQ(same.text, stopped.text);
    }
}

TEST_F(StopTest, TheNextReplyIsWholeAgain)
{
    const Message whole = reply(60);
    ask(0);
    ASSERT_TRUE(hasText());
    press("Esc");
    ASSERT_TRUE(replied());
    const qint64 stopped = chat().messages().last().id;
    SamplingSettings sampling = chat().sampling();
    sampling.maxTokens = 60;
    chat().setSampling(sampling);
    press("Ctrl+R");
    ASSERT_TRUE(replied());
    EXPECT_NE(chat().messages().last().id, stopped);
    EXPECT_EQ(chat().messages().last().text, whole.text);
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
}

// Escape belongs to what is in front.
TEST_F(StopTest, EscapeClosesAMenuOrADialogFirst)
{
    ask(0);
    ASSERT_TRUE(hasText());
    press("Alt+F");
    ASSERT_NE(QApplication::activePopupWidget(), nullptr);
    press("Esc");
    closeAll();
    EXPECT_TRUE(chat().replying());
    press("Ctrl+L");
    ASSERT_TRUE(waitFor([&] { return QApplication::activeModalWidget() != nullptr; }));
    press("Esc");
    EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
    EXPECT_TRUE(chat().replying());
    activate();
    press("Esc");
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().state, Message::State::Stopped);
    press("Esc"); // nothing to stop any more
    EXPECT_EQ(chat().messages().size(), 2);
}

} // namespace
} // namespace fireside::test
