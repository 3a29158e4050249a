// Calls of tools: what the model is offered, asking, running, and going on with what came of it.
#include "app/chat/call_messages.h"
#include "app/chat/chat_controller.h"
#include "app/chat/chat_namer.h"
#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/chat/message_parts.h"
#include "app/runtime/engine_service.h"
#include "app/tools/tool_box.h"
#include "app/tools/tool_names.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// So that results of some calls fit into the context: about a quarter of it.
qsizetype longestResult(int context)
{
    return std::clamp(context, 1'000, 40'000); // characters, of which a token has four
}

QList<ToolOffer> offersFor(const QList<Tool> &tools, const QStringList &names)
{
    QList<ToolOffer> offers;
    for (qsizetype i = 0; i < tools.size(); ++i)
        offers.append({names[i], tools[i].description, QString::fromUtf8(tools[i].parameters)});
    return offers;
}

} // namespace

void ChatController::setToolBox(ToolBox *tools)
{
    m_tools = tools;
    if (!m_tools)
        return;
    if (m_conversation == 0)
        m_chatTools = {m_tools->memory().newChats(), {}};
    emit chatToolsChanged();
}

void ChatController::setCallLimits(int rounds, int seconds)
{
    m_mostRounds = rounds;
    m_callSeconds = seconds;
}

void ChatController::setChatTools(const QStringList &enabled)
{
    m_chatTools.enabled = enabled;
    keepChatTools();
}

void ChatController::keepChatTools()
{
    if (m_conversation != 0)
        m_store.setTools(m_conversation, m_chatTools);
    emit chatToolsChanged();
}

QList<ToolOffer> ChatController::offersOf(const QStringList &ids) const
{
    QList<Tool> tools;
    for (const Tool &tool : m_tools ? m_tools->tools() : QList<Tool>())
        if (ids.contains(tool.id()))
            tools.append(tool);
    return offersFor(tools, namesForModels(tools));
}

/// Only what the chat enables, and what is there now.
void ChatController::offer(ReplyJob &job, const ChatTools &tools)
{
    m_reply.offered.clear();
    for (const Tool &tool : m_tools ? m_tools->tools() : QList<Tool>())
        if (tools.enabled.contains(tool.id()))
            m_reply.offered.append(tool);
    m_reply.names = namesForModels(m_reply.offered);
    job.tools = offersFor(m_reply.offered, m_reply.names);
}

ChatTools ChatController::toolsOfRound() const
{
    if (m_round.conversation == m_conversation)
        return m_chatTools;
    const std::optional<ConversationRow> row = m_store.conversation(m_round.conversation);
    return row ? row->tools : ChatTools();
}

/// message: the whole reply. False: it calls nothing, or nobody was to call.
bool ChatController::beginCalls(const Reply &reply, const Message &message)
{
    const QList<ReplyCall> calls = callsOf(message);
    if (!m_tools || calls.isEmpty() || reply.offered.isEmpty() ||
        message.state != Message::State::Complete)
        return false;
    m_round = Round();
    m_round.conversation = reply.conversation;
    m_round.path = m_store.path(reply.messageId);
    if (m_round.path.isEmpty()) // the store refuses everything: what is in view counts
        m_round.path = m_path;
    m_round.count = calls.size();
    m_round.offered = reply.offered;
    m_round.names = reply.names;
    // Later, so that everybody has heard of the reply's end before.
    QMetaObject::invokeMethod(this, &ChatController::nextCall, Qt::QueuedConnection);
    return true;
}

/// The call's message was added, or has changed.
void ChatController::showRound(bool added)
{
    const Message &message = m_round.message;
    if (m_round.path.isEmpty() || m_round.path.last().id != message.id)
        m_round.path.append(message);
    m_round.path.last() = message;
    if (added && m_round.conversation == m_conversation && !m_path.isEmpty() &&
        m_path.last().id == message.parentId)
        return appendToPath(message);
    const int index = indexOf(message.id);
    if (index < 0)
        return;
    m_path[index] = message;
    emit messageChanged(index);
}

QString ChatController::refusalOfCall(const QString &name) const
{
    if (callRounds(m_round.path) > m_mostRounds)
        return tr("Not run: calls in %1 replies to one message are the limit. Answer with what is "
                  "known.")
            .arg(m_mostRounds);
    if (m_round.names.contains(name))
        return {};
    return tr("Error: there is no tool called “%1”. There are: %2")
        .arg(name.left(100), m_round.names.join(QStringLiteral(", ")));
}

void ChatController::nextCall()
{
    if (m_round.conversation == 0)
        return; // stopped meanwhile
    const auto reply = std::find_if(m_round.path.crbegin(), m_round.path.crend(),
                                    [](const Message &one) { return !isCall(one); });
    const QList<ReplyCall> calls =
        reply == m_round.path.crend() ? QList<ReplyCall>() : callsOf(*reply);
    if (m_round.at >= m_round.count || m_round.at >= calls.size())
        return endRound();
    const ReplyCall call = calls[m_round.at++];
    Message message = callMessage(call, m_round.path.last().id);
    const auto place = m_round.names.indexOf(call.name);
    m_round.tool = place < 0 ? Tool() : m_round.offered[place];
    CallRecord record;
    record.server = m_round.tool.server;
    record.tool = place < 0 ? call.name : m_round.tool.name;
    setCallRecord(message, record);
    m_round.message = stored(message, m_round.conversation);
    m_round.clock.start();
    showRound(true);
    if (const QString refusal = refusalOfCall(call.name); !refusal.isEmpty())
        return finishCall({ToolResult::Refused, refusal});
    if (m_tools->memory().allows(m_round.tool) || toolsOfRound().allows(m_round.tool))
        return runCall();
    m_round.asking = true;
    emit callQuestionChanged();
}

std::optional<CallQuestion> ChatController::callQuestion() const
{
    if (!m_round.asking)
        return std::nullopt;
    const Tool &tool = m_round.tool;
    const MessagePart call = partsOf(m_round.message).value(0);
    return CallQuestion{m_round.conversation,
                        m_round.message.id,
                        tool.server,
                        tool.name,
                        tool.title,
                        tool.description,
                        m_round.message.text.mid(call.start, call.length)};
}

void ChatController::answerCall(CallAnswer answer)
{
    if (!std::exchange(m_round.asking, false))
        return;
    emit callQuestionChanged();
    if (answer == CallAnswer::Refuse)
        return finishCall({ToolResult::Refused, tr("The user did not allow this call.")});
    if (answer == CallAnswer::Always) {
        if (const QString problem = m_tools->allowAlways(m_round.tool); !problem.isEmpty())
            emit storageProblem(tr("The permission could not be stored: %1").arg(problem));
    } else if (answer == CallAnswer::ThisChat) {
        ChatTools tools = toolsOfRound();
        tools.allowed.insert(m_round.tool.id(), m_round.tool.fingerprint);
        m_store.setTools(m_round.conversation, tools);
        if (m_round.conversation == m_conversation)
            m_chatTools = tools;
    }
    runCall();
}

void ChatController::runCall()
{
    CallRecord record = callRecordOf(m_round.message).value_or(CallRecord());
    record.stage = CallRecord::Running;
    setCallRecord(m_round.message, record);
    showRound(false);
    const QList<TurnCall> call = turnsOf({m_round.message}, {}).messages.value(0).calls;
    const QByteArray arguments = call.isEmpty() ? "{}" : call.first().arguments.toUtf8();
    m_round.clock.start();
    const auto progressed = [this](const mcp::CallProgress &progress) {
        CallRecord running = callRecordOf(m_round.message).value_or(CallRecord());
        running.progress = progress.text.simplified();
        running.fraction =
            progress.total > 0 ? std::clamp(progress.done / progress.total, 0.0, 1.0) : -1;
        setCallRecord(m_round.message, running);
        showRound(false);
    };
    m_round.call = m_tools->call(
        m_round.tool, arguments, std::chrono::seconds(m_callSeconds),
        [this](const ToolResult &result) { finishCall(result); }, progressed);
}

void ChatController::finishCall(const ToolResult &result)
{
    m_round.call = 0;
    const int context = m_engine.hasModel() ? m_engine.model().context : 0;
    Message &message = m_round.message;
    setCallResult(message, capped(result, longestResult(context)),
                  static_cast<double>(m_round.clock.elapsed()) / 1000);
    m_store.updateMessage(message.id, message.text, message.state, {}, message.record);
    showRound(false);
    emit conversationsChanged();
    QMetaObject::invokeMethod(this, &ChatController::nextCall, Qt::QueuedConnection);
}

/// The model goes on with what came of the calls; once more also when it has used all its rounds.
void ChatController::endRound()
{
    const Round round = std::exchange(m_round, {});
    const std::optional<ConversationRow> row = m_store.conversation(round.conversation);
    const bool open = round.conversation == m_conversation;
    const bool beyond = callRounds(round.path) > m_mostRounds + 1;
    if (!beyond && (row || open) && m_engine.state() == EngineState::Ready)
        return startReplyIn(round.conversation, round.path,
                            open ? m_sampling : samplingOf(row->sampling),
                            open ? m_chatTools : row->tools);
    emit replyingChanged(false);
    updateCanSend();
    emit contextShortageChanged();
    sendQueued(round.conversation, true);
}

void ChatController::stopCalls()
{
    if (m_round.conversation == 0)
        return;
    const Round round = std::exchange(m_round, {});
    const bool open = round.message.id != 0 &&
                      callRecordOf(round.message).value_or(CallRecord()).stage != CallRecord::Over;
    if (round.call != 0)
        m_tools->cancel(round.call);
    QList<Message> path = round.path;
    const auto end = [&](Message message, bool added) {
        setCallResult(message,
                      {ToolResult::Stopped, tr("The user stopped this before it gave anything.")},
                      0);
        if (added)
            message = stored(message, round.conversation);
        else
            m_store.updateMessage(message.id, message.text, message.state, {}, message.record);
        m_round.message = message;
        m_round.path = path;
        m_round.conversation = round.conversation;
        showRound(added);
        path = std::exchange(m_round, {}).path;
    };
    if (open)
        end(round.message, false);
    const auto reply =
        std::find_if(path.crbegin(), path.crend(), [](const Message &one) { return !isCall(one); });
    const QList<ReplyCall> calls = reply == path.crend() ? QList<ReplyCall>() : callsOf(*reply);
    for (qsizetype i = round.at; i < calls.size(); ++i) { // each call has its answer
        Message message = callMessage(calls[i], path.last().id);
        CallRecord record;
        record.tool = calls[i].name;
        setCallRecord(message, record);
        end(message, true);
    }
    if (round.asking)
        emit callQuestionChanged();
    emit replyingChanged(false);
    updateCanSend();
    keepQueuedAsDraft(round.conversation);
}

} // namespace fireside
