#pragma once
#include "app/settings/prompt_store.h"

#include <QObject>
#include <QPointer>

class QWidget;

namespace fireside {

class ChatController;
class Composer;
class NoticeBar;
class PromptDialog;

/// Brings prompts into chats: by "/" in the composer or from the library. Asks for what is in
/// braces; a system prompt becomes that of the open chat.
class PromptInserter : public QObject
{
    Q_OBJECT
public:
    PromptInserter(PromptStore &store, ChatController &chat, Composer &composer, NoticeBar &notices,
                   QWidget &window);

    void showLibrary();
    void use(const Prompt &prompt);

private:
    void ask(const Prompt &prompt, const QStringList &names);
    void insert(const Prompt &prompt, const QString &text);

    PromptStore &m_store;
    ChatController &m_chat;
    Composer &m_composer;
    NoticeBar &m_notices;
    QWidget &m_window;
    QPointer<PromptDialog> m_library;
};

} // namespace fireside
