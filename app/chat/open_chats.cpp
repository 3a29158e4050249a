#include "app/chat/open_chats.h"

#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"

#include <algorithm>

namespace fireside {

OpenChats::OpenChats(AppSettings &settings, ConversationStore &store, EngineService &engine,
                     ToolBox *tools, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_store(store)
    , m_engine(engine)
    , m_tools(tools)
{
    connect(&m_settings, &AppSettings::samplingChanged, this, &OpenChats::useSampling);
    connect(&m_engine, &EngineService::loaded, this, &OpenChats::useSampling);
    connect(&m_settings, &AppSettings::chatChanged, this, &OpenChats::useChatSettings);
}

OpenChats::~OpenChats() = default;

ChatController &OpenChats::add()
{
    ChatController &chat =
        *m_chats.emplace_back(std::make_unique<ChatController>(m_store, m_engine));
    chat.setToolBox(m_tools);
    useSampling();
    useChatSettings();
    const bool written = std::any_of(m_chats.begin(), m_chats.end(), [&chat](const auto &other) {
        return other.get() != &chat && other->currentConversation() == 0;
    });
    if (written)
        chat.startWithoutDraft(); // another window has it
    connect(&chat, &ChatController::conversationOpened, this, &OpenChats::shownChanged);
    connect(&chat, &ChatController::messageAdded, this, &OpenChats::shownChanged);
    m_engine.setChats(static_cast<int>(m_chats.size()));
    return chat;
}

void OpenChats::remove(ChatController &chat)
{
    const auto found = std::find_if(m_chats.begin(), m_chats.end(),
                                    [&](const auto &one) { return one.get() == &chat; });
    if (found == m_chats.end())
        return;
    if (chat.writtenMessage() != 0)
        chat.stop();
    m_chats.erase(found);
    m_engine.setChats(static_cast<int>(m_chats.size()));
}

/// The model's own recommendation first.
void OpenChats::useSampling()
{
    SamplingLayers layers;
    if (m_engine.hasModel())
        layers.push_back({SamplingSource::Model, m_engine.model().name.toStdString(),
                          m_engine.model().recommended});
    addChoice(layers, m_settings.samplingChoice(), false);
    for (const auto &chat : m_chats)
        chat->setSamplingBase(layers);
}

void OpenChats::useChatSettings()
{
    const ChatSettings settings = m_settings.chat();
    for (const auto &chat : m_chats) {
        chat->namer().setOn(settings.nameChats);
        chat->setCallLimits(settings.toolRounds, settings.toolSeconds);
    }
}

} // namespace fireside
