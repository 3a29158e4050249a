#include "app/chat/chat_controller.h"

#include "app/chat/chat_namer.h"
#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/chat/message_parts.h"
#include "app/runtime/engine_service.h"
#include "app/settings/setting_values.h"
#include "app/tools/tool_box.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fireside {
namespace {

constexpr int kDraftMs = 500, kPlaceMs = 1000;

const QString kUser = QStringLiteral("user");
const QString kAssistant = QStringLiteral("assistant");

} // namespace

ChatController::ChatController(ConversationStore &store, EngineService &engine, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_engine(engine)
    , m_namer(new ChatNamer(store, engine, this))
    , m_draft(store.newChatDraft())
{
    m_flush.setInterval(kStoreEveryMs);
    connect(&m_flush, &QTimer::timeout, this, &ChatController::flushReply);
    m_draftSave.setInterval(kDraftMs); // saveDraft() stops it: active means not stored yet
    connect(&m_draftSave, &QTimer::timeout, this, &ChatController::saveDraft);
    m_placeSave.setInterval(kPlaceMs); // the same
    connect(&m_placeSave, &QTimer::timeout, this, &ChatController::savePlace);

    connect(&m_store, &ConversationStore::problemChanged, this, &ChatController::storageProblem);
    connect(&m_store, &ConversationStore::noticeChanged, this, &ChatController::storageNotice);
    connect(&m_store, &ConversationStore::contentsReplaced, this,
            &ChatController::conversationsChanged);
    // What happened while the store was opened is told once somebody listens.
    QTimer::singleShot(0, this, [this] {
        if (!m_store.notice().isEmpty())
            emit storageNotice(m_store.notice());
        if (!m_store.problem().isEmpty())
            emit storageProblem(m_store.problem());
    });
    connect(m_namer, &ChatNamer::named, this, &ChatController::noteName);
    connectStore();
    connectEngine();
}

ChatController::~ChatController()
{
    blockSignals(true); // whoever listened may be gone
    saveDraft();
    savePlace();
    stopCalls();
    if (writes())
        finishReply(Message::State::Stopped, m_stats, {});
}

void ChatController::connectEngine()
{
    connect(&m_engine, &EngineService::stateChanged, this, &ChatController::updateCanSend);
    connect(&m_engine, &EngineService::contextTrimmed, this, [this](qint64 jobId, int firstSeen) {
        if (jobId != m_reply.messageId || m_reply.pathIndex.isEmpty())
            return; // what a summary is made of is not what the chat is seen from
        const int index = m_reply.pathIndex.value(firstSeen, 0);
        m_reply.record[kSeenBackKey] = m_reply.index - index;
        if (indexOf(jobId) >= 0)
            setFirstSeen(index);
    });
    connect(&m_engine, &EngineService::contextFull, this,
            [this](qint64 jobId, const ContextShortage &shortage) {
                if (jobId == m_reply.messageId)
                    noteShortage(shortage);
            });
    connect(&m_engine, &EngineService::moved, this, &ChatController::noteMove);
    connect(&m_engine, &EngineService::reasonChanged, this, &ChatController::noteServedModel);
    connect(&m_engine, &EngineService::choicesFound, this,
            [this](qint64 jobId, const QList<TokenChoice> &choices, const QString &problem,
                   const ChoicePlace &place) {
                if (jobId != -m_choicesOf || m_choicesOf == 0)
                    return;
                m_choicePlace = place;
                emit choicesFound(std::exchange(m_choicesOf, 0), place.begun, choices, problem);
            });
    connect(&m_engine, &EngineService::partsChanged, this,
            [this](qint64 jobId, const QList<MessagePart> &parts) {
                if (jobId != m_reply.messageId)
                    return;
                m_reply.record[kPartsKey] =
                    toJson(joined(m_reply.begunParts, m_reply.begun, parts));
                if (const int index = indexOf(jobId); index >= 0)
                    m_path[index].record[kPartsKey] = m_reply.record[kPartsKey];
                setThinking(!parts.isEmpty() && parts.last().kind == MessagePart::Reasoning &&
                            m_engine.model().thinking.budget);
            });
    connect(&m_engine, &EngineService::textAdded, this,
            [this](qint64 jobId, const QString &text, const ReplyStats &stats) {
                if (jobId != m_reply.messageId)
                    return followText(jobId, text);
                m_reply.text += text;
                noteReasoningEnd(text.size(), stats);
                m_stats = stats;
                if (const int index = indexOf(jobId); index >= 0) {
                    m_path[index].text = m_reply.text;
                    emit textAppended(index, text);
                }
                emit statsChanged(stats);
            });
    connect(&m_engine, &EngineService::replyFinished, this,
            [this](qint64 jobId, const ReplyStats &stats) {
                if (jobId != m_reply.messageId)
                    return;
                const bool stopped = stats.finish == QLatin1String("stopped");
                finishReply(stopped ? Message::State::Stopped : Message::State::Complete, stats,
                            {});
            });
    connect(&m_engine, &EngineService::replyFailed, this,
            [this](qint64 jobId, const QString &message) {
                if (jobId == m_reply.messageId)
                    finishReply(Message::State::Failed, m_stats, message);
            });
}

QList<ConversationSummary> ChatController::conversations(const QString &search) const
{
    return m_store.list(search);
}

QString ChatController::currentTitle() const
{
    return m_title;
}

bool ChatController::canSend() const
{
    return !replying() && m_engine.acceptsReply();
}

void ChatController::updateCanSend()
{
    if (std::exchange(m_couldSend, canSend()) != m_couldSend)
        emit canSendChanged(m_couldSend);
}

int ChatController::indexOf(qint64 messageId) const
{
    // What is looked for is nearly always the last message.
    for (qsizetype i = m_path.size() - 1; i >= 0; --i) {
        if (m_path[i].id == messageId)
            return static_cast<int>(i);
    }
    return -1;
}

void ChatController::setFirstSeen(int index)
{
    if (std::exchange(m_firstSeen, index) != index)
        emit firstSeenChanged(index);
}

void ChatController::showConversation(qint64 id, const QList<Message> &path)
{
    m_conversation = id;
    m_path = path;
    // A reply that goes on in the background is ahead of what was stored of it.
    if (const int index = writes() ? indexOf(m_reply.messageId) : -1; index >= 0) {
        m_path[index].text = m_reply.text;
        m_path[index].record = m_reply.record;
    }
    if (const int index = m_round.conversation == id ? indexOf(m_round.message.id) : -1; index >= 0)
        m_path[index] = m_round.message;
    m_firstSeen = firstSeenIn(m_path);
    emit conversationOpened(id);
    emit firstSeenChanged(m_firstSeen);
    emit contextShortageChanged();
    emit chatToolsChanged();
    emit callQuestionChanged();
    emit queuedChanged(queued());
}

void ChatController::newConversation()
{
    leaveQueued();
    saveDraft();
    savePlace();
    m_place = {};
    m_title.clear();
    m_named = false;
    m_choice = {};
    resolveSampling();
    m_chatTools = {m_tools ? m_tools->memory().newChats() : QStringList(), {}};
    m_draft = m_store.newChatDraft();
    showConversation(0, {});
}

void ChatController::openConversation(qint64 id, qint64 messageId)
{
    const bool same = id == m_conversation;
    if (!same)
        leaveQueued();
    saveDraft();
    savePlace();
    m_store.flush(id);
    const std::optional<ConversationRow> row = m_store.conversation(id);
    if (!row)
        return newConversation();
    m_title = row->title;
    m_named = row->named;
    m_choice = row->sampling;
    resolveSampling();
    m_chatTools = row->tools;
    m_place = row->place;
    const Queued *const waiting = queuedOf(id); // the row has what is queued, too
    if (!waiting)
        m_draft = row->draft;
    else if (!same)
        m_draft = waiting->draft;
    QList<Message> path = m_store.path(row->currentLeaf);
    const bool inView = std::any_of(path.cbegin(), path.cend(), [messageId](const Message &one) {
        return one.id == messageId;
    });
    if (messageId != 0 && !inView) {
        const qint64 leaf = m_store.newestLeafBelow(messageId);
        if (const QList<Message> other = m_store.path(leaf); !other.isEmpty()) {
            m_store.setCurrentLeaf(id, leaf);
            path = other;
        }
    }
    showConversation(id, path);
}

void ChatController::renameConversation(qint64 id, const QString &title)
{
    const QString name = title.simplified();
    if (name.isEmpty())
        return;
    m_store.setTitle(id, name, true);
    if (id == m_conversation) {
        m_title = name;
        m_named = true;
    }
    emit conversationsChanged();
}

void ChatController::noteName(qint64 id, const QString &title)
{
    if (id == m_conversation) {
        m_title = title;
        m_named = false;
    }
    emit conversationsChanged();
}

void ChatController::setPinned(qint64 id, bool pinned)
{
    m_store.setPinned(id, pinned);
    emit conversationsChanged();
}

void ChatController::appendToPath(Message message)
{
    m_path.append(std::move(message));
    emit messageAdded(static_cast<int>(m_path.size()) - 1);
}

Message ChatController::stored(Message message, qint64 conversation)
{
    message.id = m_store.addMessage(conversation, message);
    if (const std::optional<Message> row = m_store.message(message.id))
        return *row;            // with its place among its siblings
    static qint64 unstored = 0; // ids of messages that not even memory took are negative
    message.id = --unstored;
    return message;
}

/// The new chat is stored.
void ChatController::beginConversation()
{
    m_conversation = m_store.addConversation(m_title, m_choice);
    if (!m_chatTools.enabled.isEmpty())
        m_store.setTools(m_conversation, m_chatTools);
    m_store.setDraft(0, {});
}

void ChatController::addUserMessage(qint64 parentId, const QString &text)
{
    if (m_conversation == 0) {
        m_title = titleFrom(text);
        beginConversation();
    } else if (m_title.isEmpty() && !m_named) {
        m_title = titleFrom(text);
        m_store.setTitle(m_conversation, m_title, false);
    }
    appendToPath(stored(newMessage(kUser, text, parentId), m_conversation));
}

void ChatController::send(const QString &text)
{
    if (replying() || text.trimmed().isEmpty())
        return;
    setDraft({});
    addUserMessage(m_path.isEmpty() ? 0 : m_path.last().id, text);
    startReply();
}

void ChatController::stop()
{
    if (m_reply.messageId != 0)
        m_engine.stopReply(m_reply.messageId);
    else if (followsReply())
        m_engine.stopReply(m_path.last().id);
    else
        stopCalls();
}

void ChatController::regenerate()
{
    if (replying() || m_path.isEmpty())
        return;
    if (m_path.last().role == kAssistant) {
        m_path.removeLast();
        if (m_path.isEmpty())
            return;
        showConversation(m_conversation, m_path);
    }
    startReply();
}

void ChatController::edit(qint64 messageId, const QString &text)
{
    const int index = indexOf(messageId);
    if (replying() || index < 0 || m_path[index].role != kUser || text.trimmed().isEmpty())
        return;
    const qint64 parentId = m_path[index].parentId;
    showConversation(m_conversation, m_path.mid(0, index));
    addUserMessage(parentId, text);
    startReply();
}

void ChatController::showSibling(qint64 messageId, int step)
{
    if (indexOf(messageId) < 0 || step == 0)
        return;
    const qint64 sibling = m_store.sibling(messageId, step);
    if (sibling == 0)
        return;
    const qint64 leaf = m_store.newestLeafBelow(sibling);
    m_store.setCurrentLeaf(m_conversation, leaf);
    showConversation(m_conversation, m_store.path(leaf));
}

void ChatController::setSampling(const SamplingSettings &sampling)
{
    SamplingChoice choice = m_choice;
    for (auto &[key, value] : differences(m_sampling, accepted(sampling)))
        choice.own[key] = value;
    setSamplingChoice(choice);
}

void ChatController::setSamplingChoice(const SamplingChoice &choice)
{
    m_choice = choice;
    resolveSampling();
    if (m_conversation != 0)
        m_store.setSampling(m_conversation, m_choice);
    emit samplingChanged();
}

void ChatController::setSamplingBase(const SamplingLayers &base)
{
    m_base = base;
    resolveSampling();
    emit samplingChanged();
}

void ChatController::setDefaultSampling(const SamplingSettings &sampling)
{
    setSamplingBase({{SamplingSource::AllChats, {}, SamplingChoice(accepted(sampling)).own}});
}

SamplingSettings ChatController::samplingOf(const SamplingChoice &choice) const
{
    SamplingLayers layers = m_base;
    addChoice(layers, choice, true);
    return resolved(layers);
}

void ChatController::resolveSampling()
{
    m_sampling = samplingOf(m_choice);
    m_namer->setBase(m_base);
}

void ChatController::setDraft(const QString &text)
{
    if (m_draft == text)
        return;
    m_draft = text;
    m_draftSave.start();
}

void ChatController::startWithoutDraft()
{
    m_draft.clear();
    emit draftChanged();
}

QString ChatController::draft() const
{
    return m_draft;
}

void ChatController::setPlace(const ChatPlace &place)
{
    if (m_place == place)
        return;
    m_place = place;
    m_placeSave.start();
}

void ChatController::savePlace()
{
    if (!m_placeSave.isActive())
        return;
    m_placeSave.stop();
    if (m_conversation != 0)
        m_store.setPlace(m_conversation, m_place);
}

} // namespace fireside
