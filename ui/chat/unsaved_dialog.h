#pragma once
#include <QDialog>

class QLabel;
class QListWidget;

namespace fireside {

class AppSettings;
class ChatController;

/// Asks before the program ends while chats, drafts or settings are only in memory, because the
/// disk refused them: they can be saved in another folder.
class UnsavedDialog : public QDialog
{
    Q_OBJECT
public:
    UnsavedDialog(ChatController &chat, AppSettings &settings, QWidget *parent);

    /// Tries once more to store everything. Whether something is left.
    static bool isNeeded(ChatController &chat, AppSettings &settings);

public slots:
    void saveTo(const QString &folder);

signals:
    void quitChosen(); // all is saved, or is to be lost

private:
    void chooseFolder();
    void showNames();

    ChatController &m_chat;
    AppSettings &m_settings;
    QListWidget *m_names;
    QLabel *m_problem;
};

} // namespace fireside
