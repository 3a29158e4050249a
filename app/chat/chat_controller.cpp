#include "app/chat/chat_controller.h"

#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/chat/message_parts.h"
#include "app/runtime/engine_service.h"
#include "app/settings/setting_values.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fireside {
namespace {

constexpr int kDraftMs = 500;

const QString kUser = QStringLiteral("user");
const QString kAssistant = QStringLiteral("assistant");

Message newMessage(const QString &role, const QString &text, qint64 parentId)
{
    Message message;
    message.role = role;
    message.text = text;
    message.parentId = parentId;
    message.created = QDateTime::currentDateTime();
    return message;
}

/// What was generated of a stored reply so far.
ReplyStats statsOf(const QJsonObject &record)
{
    ReplyStats stats;
    stats.generatedTokens = record[QLatin1String("generatedTokens")].toInt();
    stats.generateSeconds = record[QLatin1String("generateSeconds")].toDouble();
    return stats;
}

} // namespace

ChatController::ChatController(ConversationStore &store, EngineService &engine, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_engine(engine)
    , m_draft(store.newChatDraft())
{
    m_flush.setInterval(kStoreEveryMs);
    connect(&m_flush, &QTimer::timeout, this, &ChatController::flushReply);
    m_draftSave.setInterval(kDraftMs); // saveDraft() stops it: active means not stored yet
    connect(&m_draftSave, &QTimer::timeout, this, &ChatController::saveDraft);

    connect(&m_store, &ConversationStore::problemChanged, this, &ChatController::storageProblem);
    connect(&m_store, &ConversationStore::contentsReplaced, this,
            &ChatController::conversationsChanged);
    // What happened while the store was opened is told once somebody listens.
    QTimer::singleShot(0, this, [this] {
        if (!m_store.notice().isEmpty())
            emit storageProblem(m_store.notice());
        if (!m_store.problem().isEmpty())
            emit storageProblem(m_store.problem());
    });
    connectEngine();
}

ChatController::~ChatController()
{
    blockSignals(true); // whoever listened may be gone
    keepQueuedAsDraft();
    saveDraft();
    if (replying())
        finishReply(Message::State::Stopped, m_stats, {});
}

void ChatController::connectEngine()
{
    connect(&m_engine, &EngineService::stateChanged, this, &ChatController::updateCanSend);
    connect(&m_engine, &EngineService::contextTrimmed, this, [this](qint64 jobId, int firstSeen) {
        if (jobId != m_reply.messageId || indexOf(jobId) < 0)
            return;
        setFirstSeen(m_reply.pathIndex.value(firstSeen, 0));
    });
    connect(&m_engine, &EngineService::partsChanged, this,
            [this](qint64 jobId, const QList<MessagePart> &parts) {
                if (jobId != m_reply.messageId)
                    return;
                m_reply.record[kPartsKey] =
                    toJson(joined(m_reply.begunParts, m_reply.begun, parts));
                if (const int index = indexOf(jobId); index >= 0)
                    m_path[index].record[kPartsKey] = m_reply.record[kPartsKey];
            });
    connect(&m_engine, &EngineService::textAdded, this,
            [this](qint64 jobId, const QString &text, const ReplyStats &stats) {
                if (jobId != m_reply.messageId)
                    return;
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
    return !replying() && m_engine.state() == EngineState::Ready;
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
    if (const int index = replying() ? indexOf(m_reply.messageId) : -1; index >= 0) {
        m_path[index].text = m_reply.text;
        m_path[index].record = m_reply.record;
    }
    m_firstSeen = 0;
    emit conversationOpened(id);
    emit firstSeenChanged(0);
}

void ChatController::newConversation()
{
    keepQueuedAsDraft();
    saveDraft();
    m_title.clear();
    m_named = false;
    m_sampling = m_defaultSampling;
    m_draft = m_store.newChatDraft();
    showConversation(0, {});
}

void ChatController::openConversation(qint64 id, qint64 messageId)
{
    if (id != m_conversation)
        keepQueuedAsDraft();
    saveDraft();
    const std::optional<ConversationRow> row = m_store.conversation(id);
    if (!row)
        return newConversation();
    m_title = row->title;
    m_named = row->named;
    m_sampling = row->sampling;
    m_draft = row->draft;
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

void ChatController::setPinned(qint64 id, bool pinned)
{
    m_store.setPinned(id, pinned);
    emit conversationsChanged();
}

void ChatController::deleteConversation(qint64 id)
{
    const std::optional<ConversationRow> row = m_store.conversation(id);
    if (!row)
        return;
    if (replying() && m_reply.conversation == id)
        m_engine.stop();
    m_store.setDeleted(id, true);
    m_deleted = id;
    if (id == m_conversation)
        newConversation();
    emit conversationsChanged();
    emit conversationDeleted(row->title);
}

void ChatController::undoDelete()
{
    const qint64 id = std::exchange(m_deleted, 0);
    if (id == 0)
        return;
    m_store.setDeleted(id, false);
    emit conversationsChanged();
    openConversation(id);
}

void ChatController::appendToPath(Message message)
{
    m_path.append(std::move(message));
    emit messageAdded(static_cast<int>(m_path.size()) - 1);
}

Message ChatController::stored(Message message)
{
    message.id = m_store.addMessage(m_conversation, message);
    if (const std::optional<Message> row = m_store.message(message.id))
        return *row; // with its place among its siblings
    message.id = --m_unstored;
    return message;
}

void ChatController::addUserMessage(qint64 parentId, const QString &text)
{
    if (m_conversation == 0) {
        m_title = titleFrom(text);
        m_conversation = m_store.addConversation(m_title, m_sampling);
        m_store.setDraft(0, {});
    } else if (m_title.isEmpty() && !m_named) {
        m_title = titleFrom(text);
        m_store.setTitle(m_conversation, m_title, false);
    }
    appendToPath(stored(newMessage(kUser, text, parentId)));
}

void ChatController::send(const QString &text)
{
    if (replying() || text.trimmed().isEmpty())
        return;
    setDraft({});
    addUserMessage(m_path.isEmpty() ? 0 : m_path.last().id, text);
    startReply();
}

void ChatController::queue(const QString &text)
{
    if (!replying())
        return send(text);
    if (text.trimmed().isEmpty())
        return;
    setDraft({});
    m_queued += (m_queued.isEmpty() ? QString() : QStringLiteral("\n\n")) + text;
    emit queuedChanged(m_queued);
}

QString ChatController::takeQueued()
{
    const QString text = std::exchange(m_queued, {});
    if (!text.isEmpty())
        emit queuedChanged({});
    return text;
}

/// Another chat comes into view: what was to be sent in this one waits there unsent.
void ChatController::keepQueuedAsDraft()
{
    if (m_queued.isEmpty())
        return;
    const QString text = takeQueued();
    setDraft(m_draft.isEmpty() ? text : text + QStringLiteral("\n\n") + m_draft);
}

void ChatController::sendQueued(bool failed)
{
    if (m_queued.isEmpty() || replying())
        return;
    if (failed) {
        keepQueuedAsDraft();
        emit draftChanged();
        return;
    }
    const QString written = m_draft, text = takeQueued();
    send(text);
    setDraft(written); // what is being written meanwhile
}

void ChatController::stop()
{
    if (replying())
        m_engine.stop();
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

bool ChatController::canContinue() const
{
    return canSend() && !m_path.isEmpty() && !unfinishedAnswer(m_path.last()).isEmpty();
}

void ChatController::continueReply()
{
    if (!canContinue())
        return;
    Message message = m_path.takeLast();
    const QString answer = unfinishedAnswer(message);
    m_reply = Reply();
    ReplyJob job = makeJob();
    job.begun = answer;
    m_path.append(message);

    m_reply.text = message.text;
    m_reply.begun = message.text.size();
    m_reply.begunParts = partsOf(message);
    if (m_reply.begunParts.isEmpty())
        m_reply.begunParts = {{.kind = MessagePart::Text, .length = message.text.size()}};
    m_reply.before = statsOf(message.record);
    message.state = Message::State::Streaming;
    message.error.clear();
    m_path.last() = message;
    askForReply(message, std::move(job));
    emit messageChanged(static_cast<int>(m_path.size()) - 1);
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
    m_sampling = accepted(sampling);
    if (m_conversation != 0)
        m_store.setSampling(m_conversation, m_sampling);
    emit samplingChanged();
}

void ChatController::setDefaultSampling(const SamplingSettings &sampling)
{
    m_defaultSampling = accepted(sampling);
    if (m_conversation != 0)
        return;
    m_sampling = m_defaultSampling;
    emit samplingChanged();
}

void ChatController::setDropOldest(bool drop)
{
    m_dropOldest = drop;
}

void ChatController::setDraft(const QString &text)
{
    if (m_draft == text)
        return;
    m_draft = text;
    m_draftSave.start();
}

QString ChatController::draft() const
{
    return m_draft;
}

void ChatController::saveDraft()
{
    if (!m_draftSave.isActive())
        return;
    m_draftSave.stop();
    m_store.setDraft(m_conversation, m_draft);
}

// ---- the reply ----

ReplyJob ChatController::makeJob()
{
    const Turns turns = turnsOf(m_path, QString::fromStdString(m_sampling.systemPrompt));
    ReplyJob job;
    job.messages = turns.messages;
    job.sampling = m_sampling;
    job.dropOldest = m_dropOldest;
    m_reply.pathIndex = turns.pathIndex;
    return job;
}

QJsonObject ChatController::makeRecord() const
{
    if (!m_engine.hasModel())
        return {};
    const ModelStatus &model = m_engine.model();
    return {{QStringLiteral("model"), model.name},
            {QStringLiteral("path"), model.path},
            {QStringLiteral("fingerprint"), model.fingerprint},
            {QStringLiteral("quantisation"), model.quantisation},
            {QStringLiteral("quantisedTo"), model.quantisedTo},
            {QStringLiteral("backend"), model.backend},
            {QStringLiteral("device"), model.device},
            {QStringLiteral("context"), model.context},
            {QStringLiteral("kvType"), QString::fromStdString(model.asked.kvType)},
            {QStringLiteral("sampling"), toJson(m_sampling)}};
}

void ChatController::startReply()
{
    m_reply = Reply();
    ReplyJob job = makeJob();
    Message message = newMessage(kAssistant, {}, m_path.last().id);
    message.state = Message::State::Streaming;
    message.record = makeRecord();
    message = stored(message);
    setFirstSeen(0);
    appendToPath(message);
    askForReply(message, std::move(job));
}

/// The message is in the path already, and m_reply has what the job goes on from.
void ChatController::askForReply(const Message &message, ReplyJob job)
{
    m_stats = ReplyStats();
    m_reply.conversation = m_conversation;
    m_reply.messageId = message.id;
    m_reply.record = message.record;
    job.id = message.id;
    emit conversationsChanged();
    emit replyingChanged(true);
    updateCanSend();
    m_flush.start();
    m_engine.reply(job);
}

/// The engine's clock when the first end of thoughts arrived; it may come in two pieces.
void ChatController::noteReasoningEnd(qsizetype added, const ReplyStats &stats)
{
    static const QLatin1String kEnd("</think>");
    static const QLatin1String kKey("reasoningSeconds");
    const qsizetype from = std::max<qsizetype>(0, m_reply.text.size() - added - kEnd.size() + 1);
    if (!m_reply.record.contains(kKey) && m_reply.text.indexOf(kEnd, from) >= 0)
        m_reply.record[kKey] = stats.generateSeconds;
}

void ChatController::flushReply()
{
    if (replying())
        m_store.updateMessage(m_reply.messageId, m_reply.text, Message::State::Streaming, {},
                              m_reply.record);
}

void ChatController::finishReply(Message::State state, const ReplyStats &stats,
                                 const QString &error)
{
    m_flush.stop();
    const Reply reply = std::exchange(m_reply, {});
    QJsonObject record = reply.record;
    record[QLatin1String("seed")] = stats.seed;
    record[QLatin1String("finish")] = stats.finish;
    record[QLatin1String("promptTokens")] = stats.promptTokens;
    record[QLatin1String("reusedTokens")] = stats.reusedTokens;
    record[QLatin1String("generatedTokens")] = reply.before.generatedTokens + stats.generatedTokens;
    record[QLatin1String("promptSeconds")] = stats.promptSeconds;
    record[QLatin1String("generateSeconds")] = reply.before.generateSeconds + stats.generateSeconds;
    m_store.updateMessage(reply.messageId, reply.text, state, error, record);
    if (const int index = indexOf(reply.messageId); index >= 0) {
        Message &message = m_path[index];
        message.text = reply.text;
        message.state = state;
        message.error = error;
        message.record = record;
        emit messageChanged(index);
    }
    emit statsChanged(stats);
    emit replyingChanged(false);
    updateCanSend();
    // Later, so that everybody has heard of this reply's end before the next one begins.
    const bool failed = state == Message::State::Failed;
    QMetaObject::invokeMethod(
        this, [this, failed] { sendQueued(failed); }, Qt::QueuedConnection);
}

} // namespace fireside
