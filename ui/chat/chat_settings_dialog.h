#pragma once
#include <QDialog>

namespace fireside {

class AppSettings;
class ChatController;
class EngineService;

/// How replies of the open chat are made, where that is not as in all chats. Every change counts at
/// once.
class ChatSettingsDialog : public QDialog
{
    Q_OBJECT
public:
    ChatSettingsDialog(AppSettings &settings, EngineService &engine, ChatController &chat,
                       QWidget *parent = nullptr);
};

} // namespace fireside
