// The reply in progress: what the engine is asked for, and what becomes of its words.
#include "app/chat/chat_controller.h"

#include "app/chat/call_messages.h"
#include "app/chat/chat_namer.h"
#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/chat/message_parts.h"
#include "app/runtime/engine_service.h"
#include "app/settings/setting_values.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// What was generated of a stored reply so far.
ReplyStats statsOf(const QJsonObject &record)
{
    ReplyStats stats;
    stats.generatedTokens = record[QLatin1String("generatedTokens")].toInt();
    stats.generateSeconds = record[QLatin1String("generateSeconds")].toDouble();
    return stats;
}

} // namespace

/// With what the engine is asked for; m_reply is that reply's already.
ReplyJob ChatController::makeJob(const QList<Message> &path, const SamplingSettings &sampling,
                                 const ChatTools &tools)
{
    ReplyJob job;
    offer(job, tools);
    const Turns turns =
        turnsOf(path, QString::fromStdString(sampling.systemPrompt), !job.tools.isEmpty());
    job.messages = turns.messages;
    job.sampling = sampling;
    job.dropOldest = leavesOut(path, sampling);
    m_reply.pathIndex = turns.pathIndex;
    m_reply.index = static_cast<int>(path.size());
    return job;
}

QJsonObject ChatController::makeRecord(const SamplingSettings &sampling) const
{
    if (!m_engine.hasModel())
        return {};
    const ModelStatus &model = m_engine.model();
    QString driver;
    for (const DeviceStatus &device : m_engine.devices())
        if (device.kind == model.backend && device.name == model.device)
            for (const auto &[key, value] : device.properties)
                driver = key == QLatin1String("Driver") ? value : driver;
    return {{QStringLiteral("version"), QCoreApplication::applicationVersion()},
            {QStringLiteral("driver"), driver},
            {QStringLiteral("placement"), model.placement},
            {QStringLiteral("model"), model.name},
            {QStringLiteral("path"), model.path},
            {QStringLiteral("fingerprint"), model.fingerprint},
            {QStringLiteral("quantisation"), model.quantisation},
            {QStringLiteral("quantisedTo"), model.quantisedTo},
            {QStringLiteral("backend"), model.backend},
            {QStringLiteral("device"), model.device},
            {QStringLiteral("context"), model.context},
            {QStringLiteral("kvType"), QString::fromStdString(model.asked.kvType)},
            {QStringLiteral("sampling"), toJson(sampling)}};
}

void ChatController::startReply()
{
    startReplyIn(m_conversation, m_path, m_sampling, m_chatTools);
}

/// Also where another conversation, or another branch, is in view.
void ChatController::startReplyIn(qint64 conversation, const QList<Message> &path,
                                  const SamplingSettings &sampling, const ChatTools &tools)
{
    m_reply = Reply();
    ReplyJob job = makeJob(path, sampling, tools);
    Message message = newMessage(QStringLiteral("assistant"), {}, path.last().id);
    message.state = Message::State::Streaming;
    message.record = makeRecord(sampling);
    if (!job.tools.isEmpty())
        message.record[kOfferedToolsKey] = toJson(job.tools);
    const bool inView =
        conversation == m_conversation && !m_path.isEmpty() && m_path.last().id == path.last().id;
    message = stored(message, conversation);
    if (inView) {
        appendToPath(message);
        setFirstSeen(firstSeenIn(m_path));
    }
    askForReply(message, std::move(job), conversation);
}

/// The message is in the path already, and m_reply has what the job goes on from.
void ChatController::askForReply(const Message &message, ReplyJob job, qint64 conversation)
{
    m_stats = ReplyStats();
    emit contextShortageChanged();
    m_reply.conversation = conversation;
    m_reply.messageId = message.id;
    m_store.setWriting(message.id, true);
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
    if (m_reply.messageId != 0)
        m_store.updateMessage(m_reply.messageId, m_reply.text, Message::State::Streaming, {},
                              m_reply.record);
}

void ChatController::finishReply(Message::State state, const ReplyStats &stats,
                                 const QString &error)
{
    m_flush.stop();
    const Reply reply = std::exchange(m_reply, {});
    m_store.setWriting(reply.messageId, false);
    m_ended = reply.messageId;
    QMetaObject::invokeMethod(
        this, [this] { m_ended = 0; }, Qt::QueuedConnection);
    QJsonObject record = reply.record;
    setThinking(false);
    if (stats.thoughtTokens > 0)
        record[QLatin1String("thoughtTokens")] = stats.thoughtTokens;
    if (!stats.unsent.isEmpty())
        record[QLatin1String("left")] = QJsonArray::fromStringList(stats.unsent);
    if (!stats.servedModel.isEmpty())
        record[QLatin1String("servedModel")] = stats.servedModel;
    record[QLatin1String("seed")] = stats.seed;
    record.remove(kTokensKey);
    // Of a reply that was continued they are known if those of its beginning are.
    if (!stats.tokens.isEmpty() && (reply.begun == 0 || reply.tokens.whole))
        record[kTokensKey] = packedTokens(reply.tokens.ids + stats.tokens);
    record[QLatin1String("finish")] = stats.finish;
    record[QLatin1String("promptTokens")] = stats.promptTokens;
    record[QLatin1String("reusedTokens")] = stats.reusedTokens;
    record[QLatin1String("generatedTokens")] = reply.before.generatedTokens + stats.generatedTokens;
    record[QLatin1String("promptSeconds")] = stats.promptSeconds;
    record[QLatin1String("generateSeconds")] = reply.before.generateSeconds + stats.generateSeconds;
    Message whole = newMessage(QStringLiteral("assistant"), reply.text, 0);
    whole.id = reply.messageId;
    whole.state = state;
    if (record.contains(kPartsKey))
        record[kPartsKey] = partsWithIds(record[kPartsKey].toArray(), reply.messageId);
    whole.record = record;
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
    if (beginCalls(reply, whole))
        return;
    emit replyingChanged(false);
    updateCanSend();
    emit contextShortageChanged();
    // Later, so that everybody has heard of this reply's end before the next one begins.
    const bool failed = state == Message::State::Failed;
    const qint64 id = reply.messageId, conversation = reply.conversation;
    QMetaObject::invokeMethod(
        this,
        [this, failed, id, conversation] {
            if (!afterReply(id))
                sendQueued(conversation, failed);
            m_namer->consider(conversation);
        },
        Qt::QueuedConnection);
}

bool ChatController::canContinue() const
{
    return canSend() && !m_path.isEmpty() && !unfinishedAnswer(m_path.last()).isEmpty();
}

void ChatController::continueReply()
{
    if (!canContinue())
        return;
    Message message = m_path.last();
    goOn(std::move(message), unfinishedAnswer(m_path.last()));
}

/// The last message of the path goes on behind its answer so far.
void ChatController::goOn(Message message, const QString &answer, const BegunTokens &tokens)
{
    m_path.removeLast();
    m_reply = Reply();
    ReplyJob job = makeJob(m_path, m_sampling, m_chatTools);
    job.begun = answer;
    job.begunTokens = tokens;
    m_path.append(message);

    m_reply.tokens = tokens;
    m_reply.text = message.text;
    m_reply.begun = message.text.size();
    m_reply.begunParts = partsOf(message);
    if (m_reply.begunParts.isEmpty())
        m_reply.begunParts = {{.kind = MessagePart::Text, .length = message.text.size()}};
    m_reply.before = statsOf(message.record);
    message.state = Message::State::Streaming;
    message.error.clear();
    message.record[QLatin1String("continued")] = makeRecord(m_sampling); // perhaps another model
    m_path.last() = message;
    askForReply(message, std::move(job), m_conversation);
    emit messageChanged(static_cast<int>(m_path.size()) - 1);
}

void ChatController::choose(qint64 messageId, const QString &begun, const TokenChoice &choice)
{
    BegunTokens tokens;
    if (choice.token >= 0 && m_choicePlace.begun == begun) {
        tokens = m_choicePlace.tokens;
        tokens.ids.append(choice.token);
    }
    branch(messageId, begun + choice.text, tokens);
}

void ChatController::branch(qint64 messageId, const QString &begun, const BegunTokens &tokens)
{
    const int index = indexOf(messageId);
    if (!canSend() || index < 1 || m_path[index].role != QLatin1String("assistant") ||
        begun.isEmpty())
        return;
    Message message = newMessage(QStringLiteral("assistant"), begun, m_path[index].parentId);
    message.record = makeRecord(m_sampling);
    showConversation(m_conversation, m_path.mid(0, index));
    message = stored(message, m_conversation);
    appendToPath(message);
    goOn(message, begun, tokens);
}

void ChatController::findChoices(qint64 messageId, qsizetype position)
{
    const int index = indexOf(messageId);
    const QString begun = index < 1 ? QString() : answerUpTo(m_path[index], position);
    if (begun.isNull() || !canSend())
        return;
    ReplyJob job;
    job.tools = toolOffersFrom(m_path[index].record[kOfferedToolsKey].toArray());
    const Turns turns =
        turnsOf(m_path.mid(0, index), QString::fromStdString(m_sampling.systemPrompt),
                !job.tools.isEmpty());
    job.id = -messageId; // of no reply
    job.messages = turns.messages;
    job.sampling = m_sampling;
    job.begun = begun;
    job.followed = answerAfter(m_path[index], position);
    job.begunTokens.ids = writtenTokens(m_path[index].record);
    m_choicesOf = messageId;
    m_engine.findChoices(job);
}

/// The ids of a reply, where the model and the way it thinks are as they were.
QList<int> ChatController::writtenTokens(const QJsonObject &record) const
{
    const auto then = groupFromJson<SamplingSettings>(record[QLatin1String("sampling")].toObject());
    const bool same = record[QLatin1String("fingerprint")] == m_engine.model().fingerprint &&
                      then.thinking == m_sampling.thinking &&
                      then.reasoningEffort == m_sampling.reasoningEffort;
    return same ? unpackedTokens(record[kTokensKey].toString()) : QList<int>();
}

void ChatController::setThinking(bool thinking)
{
    if (std::exchange(m_thinking, thinking) != thinking)
        emit thinkingChanged(thinking);
}

void ChatController::skipThinking()
{
    if (m_thinking)
        m_engine.skipThinking(m_reply.messageId);
}

/// Another model writes the reply from the first word on.
void ChatController::recordModelAgain()
{
    const QJsonObject made = makeRecord(
        groupFromJson<SamplingSettings>(m_reply.record[QLatin1String("sampling")].toObject()));
    for (auto member = made.begin(); member != made.end(); ++member)
        m_reply.record[member.key()] = member.value();
    if (const QString &why = m_engine.model().insteadOf; !why.isEmpty())
        m_reply.record[QLatin1String("insteadOf")] = why;
    if (const int index = indexOf(m_reply.messageId); index >= 0) {
        m_path[index].record = m_reply.record;
        emit messageChanged(index);
    }
}

/// Its server was restarted with another model.
void ChatController::noteServedModel()
{
    const ModelStatus &model = m_engine.model();
    const bool begins = m_reply.messageId != 0 && m_reply.text.isEmpty();
    if (begins && model.isElsewhere() &&
        m_reply.record[QLatin1String("path")].toString() != model.path)
        recordModelAgain();
}

/// In the middle of a reply a device failed: where it goes on.
void ChatController::noteMove()
{
    if (m_reply.messageId == 0)
        return;
    if (!m_engine.model().insteadOf.isEmpty())
        return recordModelAgain();
    QJsonArray moves = m_reply.record[QLatin1String("moves")].toArray();
    moves.append(QJsonObject{{QStringLiteral("device"), m_engine.model().device},
                             {QStringLiteral("backend"), m_engine.model().backend},
                             {QStringLiteral("reason"), m_engine.model().reason},
                             {QStringLiteral("text"), qint64(m_reply.text.size())}});
    m_reply.record[QLatin1String("moves")] = moves;
}

} // namespace fireside
