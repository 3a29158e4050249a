// Chats that outgrow the context: what the user is asked, and summaries.
#include "app/chat/chat_controller.h"

#include "app/chat/call_messages.h"
#include "app/chat/chat_texts.h"
#include "app/runtime/context_window.h"
#include "app/runtime/engine_service.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

const QLatin1String kShortageKey("contextFull"), kShortageTokens("tokens"), kShortageRoom("room"),
    kShortageKeepBack("keepBack");

const char *const kSummaryRequest =
    "Summarise our conversation so far, in its language, so that it can go on without its text: "
    "who wants what, facts, names, numbers, decisions, open questions. Write nothing but the "
    "summary, in 200 words at most.";

} // namespace

/// Once it was left out, the oldest stays so in this branch.
bool ChatController::leavesOut(const QList<Message> &path, const SamplingSettings &sampling)
{
    if (sampling.whenFull != "ask")
        return sampling.whenFull == "drop";
    const auto reply = std::find_if(path.crbegin(), path.crend(), [](const Message &message) {
        return message.role == QLatin1String("assistant") && !message.text.isEmpty() &&
               !isSummary(message);
    });
    return reply != path.crend() && reply->record[kSeenBackKey].toInt() > 0;
}

void ChatController::noteShortage(const ContextShortage &shortage)
{
    const int keep = m_reply.pathIndex.value(shortage.keepFrom, -1);
    const bool alone = shortage.keepFrom < 0; // the message is too long, whatever precedes it
    if (m_reply.pathIndex.isEmpty() || (keep < 1 && !alone))
        return; // it is a summary that was not written, or nothing could be left out
    m_reply.record[kShortageKey] =
        QJsonObject{{kShortageTokens, shortage.tokens},
                    {kShortageRoom, shortage.room},
                    {kShortageKeepBack, alone ? 0 : m_reply.index - keep}};
}

std::optional<ContextShortage> ChatController::contextShortage() const
{
    if (replying() || m_path.isEmpty() || m_path.last().state != Message::State::Failed ||
        !m_path.last().text.isEmpty())
        return std::nullopt;
    const QJsonObject record = m_path.last().record[kShortageKey].toObject();
    const auto last = static_cast<int>(m_path.size()) - 1;
    const int back = record[kShortageKeepBack].toInt(-1);
    if (back < 0 || back >= last)
        return std::nullopt;
    return ContextShortage{record[kShortageTokens].toInt(), record[kShortageRoom].toInt(),
                           back == 0 ? -1 : last - back};
}

void ChatController::answerContextFull(ContextChoice choice, bool always)
{
    const std::optional<ContextShortage> shortage = contextShortage();
    const bool again = choice == ContextChoice::TryAgain;
    if (!shortage || !canSend() || (shortage->keepFrom < 1 && !again))
        return;
    if (always && !again) {
        SamplingSettings sampling = m_sampling;
        sampling.whenFull = choice == ContextChoice::Summarise ? "summarise" : "drop";
        setSampling(sampling);
    }
    // The reply that was not written becomes what is written now.
    Message message = m_path.takeLast();
    m_reply = Reply();
    ReplyJob job = makeJob(m_path, m_sampling, m_chatTools);
    message.state = Message::State::Streaming;
    message.error.clear();
    message.record = makeRecord(m_sampling);
    message.record[kOfferedToolsKey] = toJson(job.tools);
    if (choice == ContextChoice::Summarise) {
        const auto keep = m_path.begin() + shortage->keepFrom;
        Turns turns = turnsOf(QList<Message>(m_path.begin(), keep),
                              QString::fromStdString(m_sampling.systemPrompt));
        turns.messages.append({QStringLiteral("user"), QString::fromLatin1(kSummaryRequest)});
        job.messages = turns.messages;
        job.tools.clear();
        message.record.remove(kOfferedToolsKey);
        job.sampling.maxTokens = answerReserve(m_engine.model().context);
        job.sampling.thinking = "off";
        m_reply.pathIndex.clear();
        message.record[kSummaryBackKey] = static_cast<int>(m_path.size()) - shortage->keepFrom;
    }
    job.dropOldest = job.dropOldest || !again;
    m_path.append(message);
    askForReply(message, std::move(job), m_conversation);
    emit messageChanged(static_cast<int>(m_path.size()) - 1);
}

/// What follows by itself: a summary where that is the standing choice, the answer after a summary.
bool ChatController::afterReply(qint64 messageId)
{
    if (replying() || m_path.isEmpty() || m_path.last().id != messageId || !canSend())
        return false;
    const auto shortage = contextShortage();
    if (shortage && shortage->keepFrom > 0 && m_sampling.whenFull == "summarise") {
        answerContextFull(ContextChoice::Summarise, false);
        return true;
    }
    const Message &last = m_path.last();
    if (!isSummary(last) || last.state != Message::State::Complete || last.text.isEmpty())
        return false;
    startReply();
    return true;
}

} // namespace fireside
