#include "ui/program_windows.h"

#include "app/chat/chat_controller.h"
#include "app/chat/open_chats.h"
#include "app/settings/app_settings.h"
#include "ui/main_window.h"
#include "ui/style/language.h"

#include <QApplication>
#include <QSessionManager>

#include <algorithm>
#include <utility>

namespace fireside {

ProgramWindows::ProgramWindows(AppSettings &settings, OpenChats &chats, Make make, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_chats(chats)
    , m_make(std::move(make))
{
    Language::apply(m_settings.appearance());
    add(m_settings.lastConversation());
    for (const OtherWindow &other : m_settings.otherWindows()) {
        add(other.conversation);
        m_windows.back().window->restoreGeometry(other.geometry);
    }
    m_remembering = true;
    connect(&m_chats, &OpenChats::shownChanged, this, &ProgramWindows::remember);
    // Later: the change comes from a dialog of the window that is about to go.
    connect(&m_settings, &AppSettings::appearanceChanged, this, &ProgramWindows::followLanguage,
            Qt::QueuedConnection);
    connect(qGuiApp, &QGuiApplication::commitDataRequest, this, &ProgramWindows::endSession,
            Qt::DirectConnection);
}

ProgramWindows::~ProgramWindows()
{
    for (auto *windows : {&m_windows, &m_closed})
        for (Shown &each : *windows)
            each.window.reset(); // before the chat that it shows
}

void ProgramWindows::add(qint64 conversation)
{
    ChatController &chat = m_chats.add();
    if (conversation != 0)
        chat.openConversation(conversation);
    m_windows.push_back({&chat, made(chat)});
    countThem();
}

std::unique_ptr<MainWindow> ProgramWindows::made(ChatController &chat)
{
    std::unique_ptr<MainWindow> window = m_make(chat);
    connect(window.get(), &MainWindow::newWindowRequested, this, [this] { open(); });
    connect(window.get(), &MainWindow::quitRequested, this, &ProgramWindows::quit);
    connect(window.get(), &MainWindow::closed, this, [this, one = window.get()] { forget(one); });
    return window;
}

MainWindow &ProgramWindows::window() const
{
    const auto active = std::find_if(m_windows.begin(), m_windows.end(), [](const Shown &each) {
        return each.window->isActiveWindow();
    });
    return active != m_windows.end() ? *active->window : *m_windows.front().window;
}

void ProgramWindows::show()
{
    for (const Shown &each : m_windows)
        each.window->show();
}

MainWindow &ProgramWindows::open()
{
    constexpr int kStep = 32; // so that the one below is seen
    const MainWindow &before = window();
    add(0);
    MainWindow &opened = *m_windows.back().window;
    if (!before.isMaximized() && !before.isFullScreen()) {
        opened.resize(before.size());
        opened.move(before.pos() + QPoint(kStep, kStep));
    }
    opened.show();
    remember();
    return opened;
}

/// Only the last one takes the engine with it.
void ProgramWindows::countThem()
{
    for (const Shown &each : m_windows)
        each.window->setOnly(m_windows.size() == 1);
}

void ProgramWindows::forget(MainWindow *window)
{
    const auto found = std::find_if(m_windows.begin(), m_windows.end(),
                                    [&](const Shown &each) { return each.window.get() == window; });
    if (found == m_windows.end() || m_windows.size() == 1)
        return;
    m_closed.push_back(std::move(*found));
    m_windows.erase(found);
    QMetaObject::invokeMethod(this, &ProgramWindows::removeClosed, Qt::QueuedConnection);
    countThem();
    remember();
}

/// Later: what closes a window is a signal of its own.
void ProgramWindows::removeClosed()
{
    for (Shown &each : std::exchange(m_closed, {})) {
        each.window.reset();
        m_chats.remove(*each.chat);
    }
}

void ProgramWindows::remember()
{
    if (!m_remembering)
        return;
    m_settings.setLastConversation(m_windows.front().chat->currentConversation());
    QList<OtherWindow> others;
    for (std::size_t i = 1; i < m_windows.size(); ++i)
        others.append(
            {m_windows[i].chat->currentConversation(), m_windows[i].window->saveGeometry()});
    m_settings.setOtherWindows(others);
}

/// All close, and come back with the next start.
void ProgramWindows::quit()
{
    if (!mayEnd())
        return;
    for (const Shown &each : m_windows)
        each.window->endAnyway();
    remember();
    m_remembering = false;
    // At once; but the last one to be closed must be visible until then, or it would not count as
    // closed for Qt, and the program would run on without any window.
    for (std::size_t i = 1; i < m_windows.size(); ++i)
        m_windows[i].window->hide();
    while (m_windows.size() > 1) {
        MainWindow *const last = m_windows.back().window.get();
        last->close();
        forget(last);
    }
    m_windows.front().window->close();
}

/// The desktop's session ends: it waits while something is only in memory.
void ProgramWindows::endSession(QSessionManager &manager)
{
    if (!mayEnd())
        manager.cancel();
}

bool ProgramWindows::mayEnd()
{
    return window().mayEnd([this] {
        for (const Shown &each : m_windows)
            each.window->endAnyway(); // whichever is the active one then
        quit();
    });
}

void ProgramWindows::followLanguage()
{
    if (!Language::apply(m_settings.appearance()))
        return;
    const MainWindow *const active = &window();
    for (Shown &each : m_windows) {
        const bool visible = each.window->isVisible(), first = each.window.get() == active;
        const QByteArray place = each.window->saveGeometry();
        // The old one goes after the new one is there: without any window the program would end.
        const std::unique_ptr<MainWindow> old = std::exchange(each.window, made(*each.chat));
        each.window->restoreGeometry(place);
        each.window->setOnly(m_windows.size() == 1);
        if (visible)
            each.window->show();
        if (visible && first)
            each.window->showSettingsPage(SettingsDialog::Page::Appearance);
    }
    emit languageChanged();
}

} // namespace fireside
