#include "tests/ui/program.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/welcome.h"
#include "ui/help/help_dialog.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QUrl>

namespace fireside::test {
namespace {

/// Replies of 120 tokens at most.
class WindowTest : public ProgramTest
{
protected:
    void SetUp() override
    {
        start(120);
        engine().start();
    }
};

TEST_F(WindowTest, SaysWhyNothingCanBeSentYet)
{
    QTest::keyClicks(field(), "hello");
    QTest::keyClick(field(), Qt::Key_Return);
    EXPECT_EQ(window().chatPanel()->composer()->text(), QStringLiteral("hello"));
    EXPECT_TRUE(chat().messages().isEmpty());
    ASSERT_TRUE(waitFor([&] { return engine().state() == EngineState::NoModel; }));
    bool said = false;
    for (const QLabel *label : window().chatPanel()->composer()->findChildren<QLabel *>())
        said = said || label->text().contains(QStringLiteral("No model"));
    EXPECT_TRUE(said);
}

TEST_F(WindowTest, SendsStreamsAndShowsTheReply)
{
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    write("How do I add a model?");
    ASSERT_EQ(transcript()->count(), 2);
    EXPECT_EQ(transcript()->messageAt(0).text, QStringLiteral("How do I add a model?"));
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
    EXPECT_EQ(transcript()->messageAt(1).text, chat().messages().last().text);
    EXPECT_TRUE(
        transcript()->messageAt(1).text.contains(QStringLiteral("model"), Qt::CaseInsensitive));
    EXPECT_EQ(window().conversationList()->view()->model()->rowCount(), 1);
    EXPECT_TRUE(window().windowTitle().contains(QStringLiteral("Fireside")));
    EXPECT_FALSE(window().grab().isNull());

    press("Ctrl+Shift+C");
    EXPECT_EQ(QApplication::clipboard()->text(), chat().messages().last().text);

    press("Ctrl+R");
    ASSERT_TRUE(replied());
    EXPECT_EQ(transcript()->count(), 2);
    EXPECT_EQ(transcript()->messageAt(1).siblingCount, 2);
    emit transcript()->siblingRequested(transcript()->messageAt(1).id, -1);
    EXPECT_EQ(transcript()->messageAt(1).siblingIndex, 0);

    QTest::keyClick(field(), Qt::Key_Up);
    EXPECT_TRUE(transcript()->editing());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

    press("Ctrl+N");
    EXPECT_TRUE(chat().messages().isEmpty());
    EXPECT_TRUE(window().chatPanel()->welcome()->isVisible());
}

TEST_F(WindowTest, SwitchesModelsDuringAReply)
{
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    write("Tell me a long story");
    press("Ctrl+L");
    auto *picker = window().findChild<ModelPicker *>();
    ASSERT_NE(picker, nullptr);
    EXPECT_TRUE(picker->isVisible());
    LoadSettings load;
    load.context = 512;
    emit picker->loadRequested(ModelLibrary::starterModelPath(), load);
    ASSERT_TRUE(replied());
    ASSERT_TRUE(waitFor(
        [&] { return engine().state() == EngineState::Ready && engine().model().context == 512; }));
    picker->close();
    activate();
    write("Who are you?");
    ASSERT_TRUE(replied());
    EXPECT_EQ(chat().messages().last().state, Message::State::Complete);
}

TEST_F(WindowTest, LettersTypedInTheTranscriptGoToTheComposer)
{
    transcript()->setFocus();
    QTest::keyClicks(transcript(), "hi");
    EXPECT_EQ(window().chatPanel()->composer()->text(), QStringLiteral("hi"));
}

TEST_F(WindowTest, TheLastAnswerIsCopiedNotWhatFollowsIt)
{
    m_program.reset();
    {
        ConversationStore stored;
        const qint64 id = stored.addConversation(QStringLiteral("Open"), {});
        const auto add = [&](const QString &role, const QString &text, qint64 parent) {
            Message message;
            message.role = role;
            message.text = text;
            message.parentId = parent;
            message.created = QDateTime::currentDateTime();
            return stored.addMessage(id, message);
        };
        const QString user = QStringLiteral("user");
        const qint64 asked = add(user, QStringLiteral("First?"), 0);
        const qint64 answer = add(QStringLiteral("assistant"), QStringLiteral("An answer."), asked);
        add(user, QStringLiteral("Still open?"), answer);
    }
    start();
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {},
                      list()->visualRect(list()->model()->index(0, 0)).center());
    ASSERT_EQ(chat().messages().size(), 3);
    press("Ctrl+Shift+C");
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("An answer."));
}

TEST_F(WindowTest, OpensSettingsAndShortcuts)
{
    press("Ctrl+,");
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->isVisible());
    // The display may take its time to hand over the keyboard: until then Esc is the window's.
    ASSERT_TRUE(QTest::qWaitForWindowActive(dialog, kPatience));
    press("Esc");
    EXPECT_FALSE(dialog->isVisible());
    activate();
    press("F1");
    auto *help = window().findChild<HelpDialog *>();
    ASSERT_NE(help, nullptr);
    EXPECT_TRUE(
        help->findChild<QTextBrowser *>()->toPlainText().contains(QLatin1String("starter model")));
    press("Esc");
    activate();
    press("Ctrl+/");
    dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->isVisible());
    dialog->close();
    settings().setAppearance({.theme = "dark"});
    window().grab();
    settings().setAppearance({.theme = "light"});
}

TEST_F(WindowTest, DialogsClosedAndOpenedInOneGoStay)
{
    const auto count = [&] {
        int shown = 0;
        for (const QDialog *dialog : window().findChildren<QDialog *>())
            shown += dialog->isVisible();
        return shown;
    };
    for (const auto show : {&MainWindow::showModels, &MainWindow::showSettings}) {
        (window().*show)();
        window().findChild<QDialog *>()->close();
        (window().*show)(); // before the event loop has deleted the first one
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        EXPECT_EQ(count(), 1);
        window().findChild<QDialog *>()->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        EXPECT_EQ(count(), 0);
    }
}

TEST_F(WindowTest, TheNoticeOfAFailedLoadGoesWithTheNextTry)
{
    const NoticeBar *notices = window().chatPanel()->notices();
    const QString starter = ModelLibrary::starterModelPath(), other = QStringLiteral("/a/b.gguf");
    emit engine().loadFailed(other, QStringLiteral("gone"), false);
    emit engine().loadStarted(starter);
    EXPECT_FALSE(notices->textOf(QStringLiteral("load")).isEmpty()) << "a fallback hides nothing";
    emit engine().loadFailed(starter, QStringLiteral("too little memory"), false);
    emit engine().loadStarted(starter);
    EXPECT_EQ(notices->textOf(QStringLiteral("load")), QString());
}

TEST_F(WindowTest, AFailedLoadIsANotice)
{
    const QString path = home.path("broken.gguf");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("this is no model");
    file.close();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &drop);
    NoticeBar *notices = window().chatPanel()->notices();
    ASSERT_TRUE(waitFor([&] { return !notices->textOf("load").isEmpty(); }));
    EXPECT_TRUE(notices->textOf("load").contains(QStringLiteral("broken.gguf")));
    EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
}

TEST_F(WindowTest, ATooLongMessageIsKeptAndOffersALargerContext)
{
    LoadSettings small;
    small.context = 256;
    load(ModelLibrary::starterModelPath(), small);
    const QString text = QStringLiteral("a word and another ").repeated(80);
    QSignalSpy counted(&engine(), &EngineService::tokensCounted);
    composer()->setMessage(text);
    ASSERT_TRUE(waitFor([&] { return !counted.isEmpty(); }));
    EXPECT_GT(counted.first().at(1).toInt(), 256);
    QTest::keyClick(field(), Qt::Key_Return);
    EXPECT_TRUE(chat().messages().isEmpty());
    EXPECT_EQ(composer()->message(), text);
    NoticeBar *notices = window().chatPanel()->notices();
    EXPECT_TRUE(notices->textOf("length").contains(QStringLiteral("256")));
    composer()->setMessage(QStringLiteral("shorter"));
    EXPECT_TRUE(notices->textOf("length").isEmpty()) << "it is no longer so";
    composer()->setMessage(text);
    QTest::keyClick(field(), Qt::Key_Return);
    EXPECT_FALSE(notices->textOf("length").isEmpty());
    for (QPushButton *button : notices->findChildren<QPushButton *>()) {
        if (button->text() == QLatin1String("Reload with a larger context"))
            button->click();
    }
    ASSERT_TRUE(waitFor([&] { return engine().hasModel() && engine().model().context > 256; }));
    EXPECT_EQ(composer()->message(), text);
    QTest::keyClick(field(), Qt::Key_Return);
    ASSERT_TRUE(waitFor([&] { return !chat().messages().isEmpty(); })) << "once it is counted";
    chat().stop();
    EXPECT_TRUE(replied());
}

TEST_F(WindowTest, StorageProblemsStayUntilTheyAreSolved)
{
    NoticeBar *notices = window().chatPanel()->notices();
    emit chat().storageProblem(QStringLiteral("disk <b>full</b>"));
    EXPECT_EQ(notices->textOf("storage"), QStringLiteral("disk <b>full</b>"));
    EXPECT_TRUE(notices->isVisible());
    emit chat().storageProblem({});
    EXPECT_TRUE(notices->textOf("storage").isEmpty());
    EXPECT_FALSE(notices->isVisible());
}

TEST_F(WindowTest, ALinkIsOpenedOnlyAfterTheUserSaidYes)
{
    emit transcript()->linkActivated(QStringLiteral("javascript:alert(1)"));
    EXPECT_EQ(window().findChild<QMessageBox *>(QStringLiteral("linkDialog")), nullptr);
    emit transcript()->linkActivated(QStringLiteral("https://ex\u00e4mple.org/a"));
    auto *box = window().findChild<QMessageBox *>(QStringLiteral("linkDialog"));
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->textFormat(), Qt::PlainText);
    EXPECT_EQ(box->informativeText(), QStringLiteral("https://xn--exmple-cua.org/a"));
    EXPECT_EQ(box->defaultButton(), box->button(QMessageBox::Cancel));
    box->close();
}

TEST_F(WindowTest, ConversationsCanBeSearchedRenamedDeletedAndRestored)
{
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    write("A question about zebras");
    ASSERT_TRUE(replied());
    press("Ctrl+N");
    EXPECT_FALSE(this->list()->selectionModel()->hasSelection()) << "the new chat is not there yet";
    write("Another one");
    ASSERT_TRUE(replied());
    QListView *list = window().conversationList()->view();
    ASSERT_EQ(list->model()->rowCount(), 2);

    press("Ctrl+K");
    auto *search = window().conversationList()->findChild<QLineEdit *>();
    EXPECT_TRUE(search->hasFocus());
    search->setText(QStringLiteral("zebras"));
    ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 1; }));
    QTest::keyClick(search, Qt::Key_Escape);
    ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 2; }));
    // Enter opens the newest hit, however soon it is pressed.
    press("Ctrl+K");
    type(QStringLiteral("zebras"));
    press("Return");
    EXPECT_EQ(chat().messages().first().text, QStringLiteral("A question about zebras"));
    EXPECT_TRUE(field()->hasFocus());
    press("Ctrl+K");
    press("Ctrl+E");
    EXPECT_TRUE(field()->hasFocus());
    EXPECT_EQ(list->selectionModel()->selectedRows().size(), 1);
    press("Ctrl+K");
    press("Esc");
    ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 2; }));
    chat().openConversation(list->model()->index(0, 0).data(Qt::UserRole).toLongLong());

    ASSERT_TRUE(list->model()->setData(list->model()->index(0, 0), QStringLiteral("Renamed"),
                                       Qt::EditRole));
    ASSERT_TRUE(waitFor(
        [&] { return list->model()->index(0, 0).data().toString() == QLatin1String("Renamed"); }));
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_Delete);
    EXPECT_EQ(list->model()->rowCount(), 1);
    for (QPushButton *button : window().conversationList()->findChildren<QPushButton *>()) {
        if (button->text() == QLatin1String("Undo")) {
            EXPECT_TRUE(button->isVisible()) << "it is offered";
            button->click();
        }
    }
    EXPECT_EQ(list->model()->rowCount(), 2);
    EXPECT_EQ(chat().currentTitle(), QStringLiteral("Renamed"));
}

TEST_F(WindowTest, AnExampleOfTheWelcomeLeavesTheDraftAlone)
{
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    const QString draft = QStringLiteral("half a thought");
    field()->setFocus();
    type(draft);
    QPushButton *example = nullptr;
    for (QPushButton *button : window().chatPanel()->welcome()->findChildren<QPushButton *>()) {
        if (!example && button->isEnabled() && button->property("role") == QLatin1String("card"))
            example = button;
    }
    ASSERT_NE(example, nullptr);
    const QString question = example->text();
    QTest::mouseClick(example, Qt::LeftButton);
    ASSERT_TRUE(replied());
    ASSERT_EQ(chat().messages().size(), 2);
    EXPECT_EQ(chat().messages().first().text, question);
    EXPECT_EQ(composer()->text(), draft);
    // It belongs to the chat that the example began, and stays with it.
    ASSERT_EQ(chat().draft(), draft);
    const qint64 id = chat().currentConversation();
    ASSERT_TRUE(waitFor([&] { return store().conversation(id)->draft == draft; }));
    press("Ctrl+N");
    EXPECT_TRUE(composer()->text().isEmpty());
    start(120);
    EXPECT_TRUE(composer()->text().isEmpty());
    chat().openConversation(id);
    EXPECT_EQ(composer()->text(), draft);
}

TEST_F(WindowTest, TheListIsShownForWhatNeedsItAndThatIsRemembered)
{
    const auto expectShown = [&](bool shown) {
        EXPECT_EQ(window().conversationList()->isVisible(), shown);
        EXPECT_EQ(menuAction(QStringLiteral("Show the list"))->isChecked(), shown);
    };
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    write("A question about zebras");
    ASSERT_TRUE(replied());
    const qint64 id = chat().currentConversation();
    const int width = window().conversationList()->width();
    for (const char *keys : {"Ctrl+K", "F2"}) {
        SCOPED_TRACE(keys);
        press("Ctrl+B");
        expectShown(false);
        start(120);
        expectShown(false);
        chat().openConversation(id);
        press(keys);
        expectShown(true);
        auto *typed = qobject_cast<QLineEdit *>(QApplication::focusWidget());
        ASSERT_NE(typed, nullptr);
        EXPECT_TRUE(window().conversationList()->isAncestorOf(typed));
        EXPECT_EQ(typed == search(), keys[0] == 'C');
        press("Esc");
        start(120);
        expectShown(true);
        EXPECT_EQ(window().conversationList()->width(), width);
        chat().openConversation(id);
    }
}

TEST_F(WindowTest, ClosesDuringAReplyAndKeepsTheLayout)
{
    ASSERT_NO_FATAL_FAILURE(loadStarter());
    write("Tell me a long story");
    window().close();
    EXPECT_FALSE(window().isVisible());
    EXPECT_FALSE(chat().replying());
    EXPECT_NE(chat().messages().last().state, Message::State::Streaming);
    EXPECT_FALSE(settings().windowGeometry().isEmpty());
    EXPECT_FALSE(settings().splitterState().isEmpty());
}

TEST_F(WindowTest, EveryControlHasAName)
{
    for (const QWidget *widget : window().findChildren<QWidget *>()) {
        if (!widget->isVisibleTo(&window()) || widget->focusPolicy() == Qt::NoFocus ||
            qobject_cast<const QScrollArea *>(widget))
            continue;
        QAccessibleInterface *face =
            QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
        if (!face || widget->metaObject() == &QWidget::staticMetaObject)
            continue;
        EXPECT_FALSE(face->text(QAccessible::Name).isEmpty())
            << widget->metaObject()->className() << " in "
            << widget->parentWidget()->metaObject()->className();
    }
}

} // namespace
} // namespace fireside::test
