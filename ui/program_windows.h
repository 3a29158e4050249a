#pragma once
#include <QObject>

#include <functional>
#include <memory>
#include <vector>

class QSessionManager;

namespace fireside {

class AppSettings;
class ChatController;
class MainWindow;
class OpenChats;

/// Owns the windows, each with a chat of its own. They come back with the next start, and are made
/// anew where the language changes: widgets have their texts from when they were made. What they
/// show lives elsewhere, so that nothing is lost.
class ProgramWindows : public QObject
{
    Q_OBJECT
public:
    using Make = std::function<std::unique_ptr<MainWindow>(ChatController &)>;

    /// Those of the last session, not shown yet.
    ProgramWindows(AppSettings &settings, OpenChats &chats, Make make, QObject *parent = nullptr);
    ~ProgramWindows() override;

    MainWindow &window() const; // that was used last
    int count() const { return static_cast<int>(m_windows.size()); }
    MainWindow &at(int index) const { return *m_windows[static_cast<std::size_t>(index)].window; }
    void show();
    MainWindow &open(); // one more, with a new chat
    void quit();

signals:
    void languageChanged();

private:
    struct Shown
    {
        ChatController *chat;
        std::unique_ptr<MainWindow> window;
    };
    void add(qint64 conversation);
    std::unique_ptr<MainWindow> made(ChatController &chat);
    void forget(MainWindow *window);
    void removeClosed();
    void countThem();
    void remember();
    void followLanguage();
    void endSession(QSessionManager &manager);
    bool mayEnd();

    AppSettings &m_settings;
    OpenChats &m_chats;
    Make m_make;
    std::vector<Shown> m_windows;
    std::vector<Shown> m_closed; // not deleted yet
    bool m_remembering = false;  // not while they come and go together
};

} // namespace fireside
