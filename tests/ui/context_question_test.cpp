// Chats that outgrow the context, and how replies were made, as the user meets them.
#include "app/settings/setting_values.h"
#include "tests/ui/program.h"
#include "ui/backend/elided_text.h"
#include "ui/backend/meter_bar.h"
#include "ui/chat/context_question.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/reply_details.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QJsonArray>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QTest>
#include <QTimer>

#include <algorithm>

#include <QToolButton>
#include <algorithm>

namespace fireside::test {
namespace {

class ContextQuestionTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start(6);
        startEngine();
        LoadSettings small;
        small.context = 512;
        load(ModelLibrary::starterModelPath(), small);
    }
    ContextQuestion *question() { return window().findChild<ContextQuestion *>(); }
    QPushButton *button(const char *name)
    {
        return window().findChild<QPushButton *>(QLatin1String(name));
    }
    static int usedContext(MainWindow &shown)
    {
        const QString text =
            shown.findChild<MeterBar *>(QStringLiteral("statusContext"))->accessibleName();
        return text.section(u' ', 1, 1).toInt(); // "Context: 384 of 512"
    }
    /// Until a message no longer fits.
    void fill()
    {
        for (int i = 0; i < 20 && !question()->isVisible(); ++i) {
            write(
                "One two three four five six seven eight nine ten eleven twelve thirteen fourteen "
                "fifteen sixteen seventeen eighteen nineteen twenty and so on and so on and so on");
            ASSERT_TRUE(replied());
            ASSERT_TRUE(waitFor([&] { return chat().canSend(); }));
        }
        ASSERT_TRUE(question()->isVisible());
    }
};

TEST_F(ContextQuestionTest, LeavingOutIsAskedForAndSeen)
{
    ASSERT_NO_FATAL_FAILURE(fill());
    EXPECT_EQ(chat().firstSeenMessage(), 0);
    EXPECT_FALSE(question()->accessibleName().isEmpty());
    QTest::mouseClick(button("contextLeaveOut"), Qt::LeftButton);
    ASSERT_TRUE(replied());
    EXPECT_FALSE(question()->isVisible());
    EXPECT_GT(chat().firstSeenMessage(), 0);
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
    const qint64 id = chat().currentConversation();
    press("Ctrl+N");
    chat().openConversation(id);
    EXPECT_GT(chat().firstSeenMessage(), 0);
}

TEST_F(ContextQuestionTest, ASummaryStandsInTheChat)
{
    ASSERT_NO_FATAL_FAILURE(fill());
    window().findChild<QCheckBox *>(QStringLiteral("contextAlways"))->click();
    const int count = transcript()->count();
    QTest::mouseClick(button("contextSummarise"), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return transcript()->count() > count && chat().canSend(); }));
    EXPECT_EQ(transcript()->count(), count + 1);
    EXPECT_FALSE(transcript()->messageAt(count - 1).text.isEmpty());
    EXPECT_FALSE(transcript()->messageAt(count).text.isEmpty());
    EXPECT_EQ(chat().sampling().whenFull, "summarise");
    bool told = false;
    for (const QLabel *label : window().chatPanel()->notices()->findChildren<QLabel *>())
        told = told || label->text().startsWith(QStringLiteral("A summary stands for"));
    EXPECT_TRUE(told);
}

TEST_F(ContextQuestionTest, ItWaitsInAWindowThatIsOpenedLater)
{
    ASSERT_NO_FATAL_FAILURE(fill());
    EXPECT_FALSE(window()
                     .findChild<ElidedButton *>(QStringLiteral("statusReason"))
                     ->fullText()
                     .contains(QStringLiteral("failed")))
        << "to be asked is no failure";
    const int tokens = usedContext(window());
    EXPECT_GT(tokens, 300) << "what it had before the message that did not fit";
    const auto later = m_program->another(chat());
    EXPECT_TRUE(later->findChild<ContextQuestion *>()->isVisibleTo(later.get()));
    chat().newConversation();
    EXPECT_FALSE(question()->isVisible());
}

TEST_F(ContextQuestionTest, TheMessageCanBeEditedInstead)
{
    ASSERT_NO_FATAL_FAILURE(fill());
    QTest::mouseClick(button("contextEdit"), Qt::LeftButton);
    EXPECT_TRUE(transcript()->editing());
    press("Esc");
    EXPECT_TRUE(question()->isVisible()) << "it still waits";
}

/// As an edit, a queued message or a system prompt can make one: nothing counted it before.
TEST_F(ContextQuestionTest, AMessageThatIsTooLongCanBeEditedOrAnsweredInALargerContext)
{
    chat().send(QStringLiteral("a word and another ").repeated(150));
    ASSERT_TRUE(replied());
    ASSERT_TRUE(waitFor([&] { return chat().canSend(); }));
    ASSERT_TRUE(question()->isVisible());
    EXPECT_FALSE(button("contextSummarise")->isVisible()) << "nothing precedes it";
    EXPECT_FALSE(button("contextLeaveOut")->isVisible());
    QTest::mouseClick(button("contextEdit"), Qt::LeftButton);
    EXPECT_TRUE(transcript()->editing());
    press("Esc");
    const qint64 reply = chat().messages().last().id;
    ASSERT_TRUE(button("contextLarger")->isVisible());
    QTest::mouseClick(button("contextLarger"), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return !question()->isVisible() && chat().canSend(); }));
    EXPECT_GT(engine().model().context, 512);
    EXPECT_EQ(chat().messages().last().id, reply) << "it is that reply";
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
    EXPECT_FALSE(chat().messages().last().text.isEmpty());
}

TEST_F(ContextQuestionTest, AGrownChatIsAnsweredInALargerContextAsAWhole)
{
    ASSERT_NO_FATAL_FAILURE(fill());
    ASSERT_TRUE(button("contextLarger")->isVisible());
    for (const int width : {1300, 800, 620}) { // the buttons are whole, whatever the width
        SCOPED_TRACE(width);
        window().resize(width, 700);
        EXPECT_TRUE(waitFor([&] {
            const auto names = {"contextSummarise", "contextLeaveOut", "contextLarger",
                                "contextEdit"};
            return std::all_of(names.begin(), names.end(), [&](const char *name) {
                const QPushButton *one = button(name);
                return one->width() >= one->sizeHint().width() &&
                       one->height() >= one->sizeHint().height() &&
                       one->parentWidget()->rect().contains(one->geometry());
            });
        }));
    }
    QTest::mouseClick(button("contextLarger"), Qt::LeftButton);
    ASSERT_TRUE(waitFor([&] { return !question()->isVisible() && chat().canSend(); }));
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
    EXPECT_EQ(chat().firstSeenMessage(), 0);
    LoadSettings whole;
    whole.context = engine().model().contextTrained;
    load(ModelLibrary::starterModelPath(), whole);
    EXPECT_TRUE(button("contextLarger")->isHidden()) << "the model knows no larger one";
}

TEST(LargerContextTest, IsOfferedOnlyWhereTheChatFitsIntoIt)
{
    ContextQuestion question;
    question.resize(900, 100);
    question.setLargestRoom(32'000);
    const auto *larger = question.findChild<QPushButton *>(QStringLiteral("contextLarger"));
    ASSERT_NE(larger, nullptr);
    question.setShortage(ContextShortage{30'000, 4000, 3});
    EXPECT_FALSE(larger->isHidden());
    question.setShortage(ContextShortage{2'400'000, 4000, 3});
    EXPECT_TRUE(larger->isHidden());
    question.setShortage(ContextShortage{30'000, 4000, 3});
    question.setLargestRoom(0);
    EXPECT_TRUE(larger->isHidden()) << "it has the largest one";
}

class ReplyDetailsTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start(16);
        startEngine();
        loadStarter();
        write("Who are you?");
        ASSERT_TRUE(replied());
    }
    ReplyDetailsDialog *open()
    {
        transcript()->setFocus();
        transcript()->focusMessage(1);
        auto *button = transcript()->findChild<QToolButton *>(QStringLiteral("replyDetails"));
        EXPECT_TRUE(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        return window().findChild<ReplyDetailsDialog *>();
    }
};

TEST_F(ReplyDetailsTest, SayHowItWasMadeAndReplayIt)
{
    ReplyDetailsDialog *const dialog = open();
    ASSERT_TRUE(dialog && dialog->isVisible());
    const QJsonObject record = chat().messages().last().record;
    QStringList shown;
    for (const auto &[name, value] : replyDetails(chat().messages().last())) {
        EXPECT_FALSE(name.isEmpty());
        EXPECT_FALSE(value.isEmpty()) << qPrintable(name);
        shown += value;
    }
    const QString all = shown.join(QLatin1Char('|'));
    for (const char *key : {"model", "path", "fingerprint", "device", "placement"})
        EXPECT_TRUE(all.contains(record[QLatin1String(key)].toString())) << key;
    EXPECT_TRUE(all.contains(QString::number(record[QLatin1String("seed")].toInteger())));
    EXPECT_TRUE(all.contains(QStringLiteral("reused 0 of "))) << qPrintable(all);
    EXPECT_TRUE(all.contains(QStringLiteral(" tokens in "))) << qPrintable(all);

    auto *replay = dialog->findChild<QPushButton *>(QStringLiteral("replay"));
    auto *result = dialog->findChild<QLabel *>(QStringLiteral("replayResult"));
    QTest::mouseClick(replay, Qt::LeftButton);
    EXPECT_FALSE(replay->isEnabled());
    ASSERT_TRUE(waitFor([&] { return replay->isEnabled(); }));
    EXPECT_TRUE(result->text().startsWith(QStringLiteral("The same")))
        << qPrintable(result->text());
    QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("copyDetails")),
                      Qt::LeftButton);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral("Seed: ")));
    press("Esc");
    EXPECT_TRUE(waitFor([&] { return !window().findChild<ReplyDetailsDialog *>(); }));
    EXPECT_EQ(chat().messages().size(), 2);
}

TEST(ReplyDetailsOfServers, NameWhatWasSentAndWhatWasNot)
{
    SamplingSettings sampling;
    sampling.typicalP = 0.5;
    sampling.xtcProbability = 0.25;
    sampling.repeatPenalty = 1.5;
    Message reply;
    reply.record = {{QStringLiteral("backend"), QStringLiteral("server")},
                    {QStringLiteral("model"), QStringLiteral("big")},
                    {QStringLiteral("servedModel"), QStringLiteral("big-2026")},
                    {QStringLiteral("sampling"), toJson(sampling)},
                    {QStringLiteral("left"),
                     QJsonArray{QStringLiteral("typicalP"), QStringLiteral("xtcProbability"),
                                QStringLiteral("of an older version")}}};
    const auto row = [&](const char *name) {
        for (const auto &[title, value] : replyDetails(reply))
            if (title == QLatin1String(name))
                return value;
        return QString();
    };
    EXPECT_EQ(row("Not sent to the server"),
              QStringLiteral("Typical-p, XTC probability, of an older version"));
    const QString sent = row("Settings");
    EXPECT_TRUE(sent.contains(QLatin1String("Repetition penalty 1.5"))) << qPrintable(sent);
    EXPECT_FALSE(sent.contains(QLatin1String("Typical"))) << qPrintable(sent);
    EXPECT_FALSE(sent.contains(QLatin1String("XTC"))) << qPrintable(sent);
    EXPECT_EQ(row("Model"), QStringLiteral("big"));
    EXPECT_EQ(row("Model reported by the server"), QStringLiteral("big-2026"));
}

TEST_F(ReplyDetailsTest, OtherWordsBeginOtherVersions)
{
    const Message reply = chat().messages().last();
    emit transcript()->choicesRequested(reply.id, 0, transcript()->mapToGlobal(QPoint(60, 60)));
    ASSERT_TRUE(waitFor(
        [&] { return window().findChild<QMenu *>(QStringLiteral("tokenChoices")) != nullptr; }));
    auto *menu = window().findChild<QMenu *>(QStringLiteral("tokenChoices"));
    ASSERT_TRUE(waitFor([&] { return menu->isVisible(); }));
    QList<QAction *> words;
    for (QAction *action : menu->actions())
        if (!action->isSeparator())
            words += action;
    ASSERT_EQ(words.size(), 5);
    const auto *heading = menu->findChild<QLabel *>();
    ASSERT_NE(heading, nullptr);
    EXPECT_TRUE(heading->isVisible() && heading->height() >= heading->fontMetrics().height());
    QAction *other = nullptr;
    for (QAction *action : words)
        if (action->isEnabled() && action != words.first() && !other)
            other = action;
    ASSERT_NE(other, nullptr);
    clickIn(menu, other);
    ASSERT_TRUE(waitFor([&] { return chat().messages().last().id != reply.id; }));
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().siblingCount, 2);
    EXPECT_NE(chat().messages().last().text, reply.text);
}

TEST_F(ReplyDetailsTest, RestingOnAWordWithControlOrItsMenuKeyShowsOtherWords)
{
    const auto shown = [&] {
        return waitFor([&] {
            auto *menu = window().findChild<QMenu *>(QStringLiteral("tokenChoices"));
            return menu != nullptr && menu->isVisible();
        });
    };
    transcript()->setFocus();
    QWidget *const view = transcript()->viewport();
    const QRect reply = transcript()->messageRect(1);
    const auto move = [view](QPoint to, Qt::KeyboardModifiers modifiers) {
        QMouseEvent event(QEvent::MouseMove, to, view->mapToGlobal(to), Qt::NoButton, Qt::NoButton,
                          modifiers);
        QCoreApplication::sendEvent(view, &event);
    };
    QPoint word(-1, -1); // some letter of it
    for (int y = reply.top(); y < reply.bottom() && word.x() < 0; y += 4) {
        for (int x = reply.left(); x < reply.right() && word.x() < 0; x += 4) {
            move(QPoint(x, y), {});
            if (view->cursor().shape() == Qt::IBeamCursor)
                word = QPoint(x, y);
        }
    }
    ASSERT_GE(word.x(), 0);
    QTest::keyPress(window().windowHandle(), Qt::Key_Control, Qt::ControlModifier);
    move(word, Qt::ControlModifier);
    EXPECT_TRUE(shown());
    QTest::keyRelease(window().windowHandle(), Qt::Key_Control);
    closeAll();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    press("Ctrl+F");
    type(chat().messages().last().text.section(u' ', 0, 0));
    press("Esc");
    transcript()->setFocus();
    bool chosen = false;
    QTimer::singleShot(0, transcript(), [&] {
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        ASSERT_NE(menu, nullptr);
        for (QAction *action : menu->actions()) {
            if (action->text().startsWith(QStringLiteral("What else"))) {
                chosen = action->isEnabled();
                action->trigger();
            }
        }
        menu->close();
    });
    QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(view, &key);
    EXPECT_TRUE(chosen);
    EXPECT_TRUE(shown());
    closeAll();
}

} // namespace
} // namespace fireside::test
