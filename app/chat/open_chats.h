#pragma once
#include <QObject>

#include <memory>
#include <vector>

namespace fireside {

class AppSettings;
class ChatController;
class ConversationStore;
class EngineService;
class ToolBox;

/// The chats in view, one for each window: all have the program's settings, and the engine knows
/// how many they are.
class OpenChats : public QObject
{
    Q_OBJECT
public:
    /// tools: nullptr: there are none. All must outlive this.
    OpenChats(AppSettings &settings, ConversationStore &store, EngineService &engine,
              ToolBox *tools, QObject *parent = nullptr);
    ~OpenChats() override;

    ChatController &add(); // shows a new chat
    /// What it writes is stopped, and stored.
    void remove(ChatController &chat);
    ToolBox *toolBox() const { return m_tools; }

signals:
    /// What one of them shows is another conversation, or has got its number.
    void shownChanged();

private:
    void useSampling();
    void useChatSettings();

    AppSettings &m_settings;
    ConversationStore &m_store;
    EngineService &m_engine;
    ToolBox *const m_tools;
    std::vector<std::unique_ptr<ChatController>> m_chats;
};

} // namespace fireside
