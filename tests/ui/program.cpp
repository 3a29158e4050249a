#include "tests/ui/program.h"

#include "tests/support/endless_model.h"

#include <QApplication>
#include <QCursor>
#include <QDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QTest>

#include <QRegularExpression>

namespace fireside::test {

bool ProgramTest::waitFor(const std::function<bool()> &condition)
{
    return QTest::qWaitFor(condition, kPatience);
}

void ProgramTest::start(int maxTokens)
{
    end();
    m_program = std::make_unique<Program>();
    SamplingSettings sampling;
    sampling.temperature = 0;
    sampling.maxTokens = maxTokens;
    chat().setDefaultSampling(sampling);
    chat().newConversation();
    window().show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window(), kPatience));
    // Somewhere: newer Qt closes menus at a click where it knows of no place the mouse was before.
    QCursor::setPos(0, 0);
    activate();
}

void ProgramTest::end()
{
    if (!m_program)
        return;
    closeAll();
    window().close();
    m_program.reset();
}

void ProgramTest::startEngine()
{
    engine().start();
    ASSERT_TRUE(waitFor([&] { return engine().state() != EngineState::Starting; }));
}

void ProgramTest::load(const QString &path, const LoadSettings &settings)
{
    engine().loadModel(path, settings);
    ASSERT_TRUE(waitFor([&] { return engine().state() == EngineState::Ready; }));
}

void ProgramTest::loadStarter()
{
    const QString path = ModelLibrary::starterModelPath();
    ASSERT_FALSE(path.isEmpty()) << "the starter model is not in resources/models";
    LoadSettings settings;
    settings.backend = "cpu";
    load(path, settings);
}

void ProgramTest::loadEndless()
{
    const QString path = home.path(QStringLiteral("endless.gguf"));
    writeEndlessModel(path.toStdString());
    LoadSettings settings;
    settings.backend = "cpu";
    settings.context = kEndlessContext;
    load(path, settings);
}

bool ProgramTest::replied()
{
    return waitFor([&] { return !chat().replying(); });
}

namespace {

QWindow *keyboardWindow(QWidget &fallback)
{
    if (QWidget *popup = QApplication::activePopupWidget())
        return popup->windowHandle();
    if (QWidget *modal = QApplication::activeModalWidget())
        return modal->windowHandle();
    if (QWidget *active = QApplication::activeWindow())
        return active->windowHandle();
    return fallback.windowHandle();
}

} // namespace

void ProgramTest::press(const QString &keys)
{
    const QKeySequence sequence(keys);
    ASSERT_EQ(sequence.count(), 1) << keys.toStdString();
    const QKeyCombination combination = sequence[0];
    QTest::keyClick(keyboardWindow(window()), combination.key(), combination.keyboardModifiers());
}

void ProgramTest::type(const QString &text)
{
    for (const QChar letter : text)
        QTest::keyClick(keyboardWindow(window()), letter.toLatin1());
}

void ProgramTest::write(const char *text)
{
    field()->setFocus();
    type(QLatin1String(text));
    press("Return");
}

QString ProgramTest::plainText(const QAction &action)
{
    static const QRegularExpression kMark(QStringLiteral("&(?!&)|…$"));
    return action.text().remove(kMark);
}

QAction *ProgramTest::menuAction(const QString &text)
{
    for (QAction *head : window().menuBar()->actions()) {
        for (QAction *action : head->menu()->actions()) {
            if (plainText(*action) == text)
                return action;
        }
    }
    ADD_FAILURE() << "no menu entry is called " << text.toStdString();
    return nullptr;
}

void ProgramTest::clickIn(QMenu *menu, QAction *action)
{
    ASSERT_TRUE(QTest::qWaitForWindowExposed(menu, kPatience));
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
}

void ProgramTest::clickMenu(const QString &text)
{
    for (QAction *head : window().menuBar()->actions()) {
        for (QAction *action : head->menu()->actions()) {
            if (plainText(*action) != text)
                continue;
            QTest::mouseClick(window().menuBar(), Qt::LeftButton, {},
                              window().menuBar()->actionGeometry(head).center());
            ASSERT_EQ(QApplication::activePopupWidget(), head->menu()) << text.toStdString();
            return clickIn(head->menu(), action);
        }
    }
    ADD_FAILURE() << "no menu entry is called " << text.toStdString();
}

void ProgramTest::activate()
{
    window().activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window(), kPatience));
}

void ProgramTest::closeAll()
{
    while (QWidget *popup = QApplication::activePopupWidget())
        popup->close();
    for (QWidget *widget : QApplication::topLevelWidgets()) {
        if (auto *dialog = qobject_cast<QDialog *>(widget); dialog && dialog->isVisible())
            dialog->close();
    }
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    if (window().isVisible() && !window().isActiveWindow())
        activate();
}

qint64 ProgramTest::storeChats()
{
    ConversationStore store;
    const auto add = [&](qint64 conversation, const char *role, const char *text, qint64 parent) {
        Message message;
        message.role = QLatin1String(role);
        message.text = QString::fromUtf8(text);
        message.parentId = parent;
        message.created = QDateTime::currentDateTime();
        return store.addMessage(conversation, message);
    };
    SamplingSettings brief;
    brief.temperature = 0;
    brief.maxTokens = 8;
    const qint64 older = store.addConversation(QStringLiteral("About zebras"), brief);
    add(older, "assistant", "Striped.", add(older, "user", "What are zebras?", 0));
    const qint64 newer = store.addConversation(QStringLiteral("About links"), brief);
    add(newer, "assistant", "An old answer.", add(newer, "user", "The first question", 0));
    const qint64 question = add(newer, "user", "The edited question", 0);
    add(newer, "assistant", "<think>Hm.</think>Reply one.", question);
    add(newer, "assistant", "Reply two with `code`.", question);
    add(newer, "assistant", "Reply three: [a link](https://example.org/a).", question);
    return newer;
}

} // namespace fireside::test
