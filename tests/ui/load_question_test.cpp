#include "tests/support/require.h"
#include "tests/ui/program.h"
#include "ui/chat/notice_bar.h"

#include <QMessageBox>
#include <QPushButton>
#include <QTest>

// Another model is loaded while replies are written, or cannot be loaded.
namespace fireside::test {
namespace {

class LoadQuestionTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        if (ModelLibrary::starterModelPath().isEmpty())
            FIRESIDE_SKIP("the starter model is not here");
        start();
        startEngine();
    }
    QMessageBox *question() { return window().findChild<QMessageBox *>("loadQuestion"); }
    void talk()
    {
        loadEndless();
        chat().setDefaultSampling({});
        write("talk");
        ASSERT_TRUE(waitFor([&] { return chat().messages().last().text.size() > 10; }));
    }
    void loadAnother()
    {
        LoadSettings cpu;
        cpu.backend = "cpu";
        window().load(ModelLibrary::starterModelPath(), cpu);
    }
    bool isStarter() { return engine().hasModel() && engine().model().builtIn; }
};

TEST_F(LoadQuestionTest, LoadingAnotherModelAsksWhileAReplyIsWritten)
{
    talk();
    loadAnother();
    ASSERT_NE(question(), nullptr);
    EXPECT_TRUE(question()->isVisible());
    EXPECT_EQ(engine().state(), EngineState::Replying);
    question()->button(QMessageBox::Cancel)->click();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(question(), nullptr);
    const qsizetype before = chat().messages().last().text.size();
    ASSERT_TRUE(waitFor([&] { return chat().messages().last().text.size() > before; }));
    EXPECT_FALSE(isStarter());
    loadAnother();
    ASSERT_NE(question(), nullptr);
    question()->findChild<QPushButton *>(QStringLiteral("loadNow"))->click();
    ASSERT_TRUE(waitFor([&] { return isStarter(); }));
    EXPECT_EQ(chat().messages().last().state, Message::State::Stopped);
    EXPECT_GE(chat().messages().last().text.size(), before) << "its text stays";
}

TEST_F(LoadQuestionTest, TheModelIsLoadedWhenTheReplyEndsMeanwhile)
{
    talk();
    loadAnother();
    ASSERT_NE(question(), nullptr);
    chat().stop();
    ASSERT_TRUE(waitFor([&] { return isStarter(); }));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(question(), nullptr);
}

TEST_F(LoadQuestionTest, WithoutAReplyNothingIsAsked)
{
    loadEndless();
    loadAnother();
    EXPECT_EQ(question(), nullptr);
    ASSERT_TRUE(waitFor([&] { return isStarter(); }));
}

TEST_F(LoadQuestionTest, AfterAFailedLoadTheFormerModelIsThereAndTheNoticeStays)
{
    loadEndless();
    const QString former = engine().model().path;
    const LoadSettings asked = engine().model().asked;
    const auto ready = [&] {
        return engine().state() == EngineState::Ready && engine().model().path == former;
    };
    window().load(home.path("none.gguf"), {});
    ASSERT_TRUE(waitFor([&] { return !engine().loadFailure().path.isEmpty() && ready(); }));
    const auto notice = [&] {
        return window().chatPanel()->notices()->textOf(QStringLiteral("load"));
    };
    EXPECT_TRUE(notice().contains(QLatin1String("none"))) << qPrintable(notice());
    EXPECT_TRUE(notice().contains(QLatin1String("The previous model was loaded again")))
        << qPrintable(notice());
    window().load(former, asked); // a load that the user asks for takes it away
    ASSERT_TRUE(waitFor([&] { return notice().isEmpty() && ready(); }));
}

} // namespace
} // namespace fireside::test
