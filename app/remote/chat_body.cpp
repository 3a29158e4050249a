#include "app/remote/chat_body.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

bool takesTemplateArguments(ServerKind kind) // chat_template_kwargs
{
    return kind == ServerKind::Fireside || kind == ServerKind::Vllm || kind == ServerKind::Sglang ||
           kind == ServerKind::LlamaCpp;
}

/// OpenAI's interface wants every call answered by messages that follow it.
bool isAnswered(const QList<TurnMessage> &messages, qsizetype index)
{
    qsizetype answers = 0;
    while (index + 1 + answers < messages.size() &&
           messages[index + 1 + answers].role == QLatin1String("tool"))
        ++answers;
    return answers >= messages[index].calls.size();
}

QString inWords(const TurnMessage &message)
{
    QString text = message.text;
    for (const TurnCall &call : message.calls)
        text += QLatin1Char('\n') + call.name + QLatin1Char(' ') + call.arguments;
    return text;
}

/// The messages in the interface's form. Calls of models whose format has no ids get some; calls
/// that nobody answered, and answers to them, are told in words.
class MessageList
{
public:
    /// withCalls: else all calls are told in words. Servers refuse calls in a chat without tools.
    explicit MessageList(bool withCalls)
        : m_withCalls(withCalls)
    {}
    void add(const QList<TurnMessage> &messages, qsizetype index)
    {
        const TurnMessage &message = messages[index];
        const bool isTool = message.role == QLatin1String("tool");
        if (isTool && !m_open.isEmpty())
            return addAnswer(message);
        QJsonObject json{{QStringLiteral("role"), isTool ? QStringLiteral("user") : message.role},
                         {QStringLiteral("content"), message.text}};
        // Thoughts of earlier turns are not told: most servers refuse or ignore them.
        m_open.clear();
        if (!message.calls.isEmpty() && !isTool && m_withCalls && isAnswered(messages, index))
            json[QLatin1String("tool_calls")] = openCalls(message.calls);
        else if (!message.calls.isEmpty() && !isTool)
            json[QLatin1String("content")] = inWords(message);
        m_list.append(json);
    }
    const QJsonArray &list() const { return m_list; }

private:
    QJsonArray openCalls(const QList<TurnCall> &calls)
    {
        QJsonArray list;
        for (TurnCall call : calls) {
            if (call.id.isEmpty())
                call.id = QStringLiteral("call_%1").arg(++m_made);
            list.append(QJsonObject{{QStringLiteral("id"), call.id},
                                    {QStringLiteral("type"), QStringLiteral("function")},
                                    {QStringLiteral("function"),
                                     QJsonObject{{QStringLiteral("name"), call.name},
                                                 {QStringLiteral("arguments"), call.arguments}}}});
            m_open.append(call);
        }
        return list;
    }
    /// Of the call that it names, else of the first that is open.
    void addAnswer(const TurnMessage &message)
    {
        const TurnCall named = message.calls.value(0);
        qsizetype at = 0;
        for (qsizetype i = 0; i < m_open.size() && !named.name.isEmpty(); ++i)
            if (named.id.isEmpty() ? m_open[i].name == named.name : m_open[i].id == named.id) {
                at = i;
                break;
            }
        m_list.append(QJsonObject{{QStringLiteral("role"), QStringLiteral("tool")},
                                  {QStringLiteral("tool_call_id"), m_open.takeAt(at).id},
                                  {QStringLiteral("content"), message.text}});
    }

    const bool m_withCalls;
    QJsonArray m_list;
    QList<TurnCall> m_open; // that the messages which follow answer
    int m_made = 0;
};

QJsonArray toolsOf(const QList<ToolOffer> &offers)
{
    QJsonArray tools;
    for (const ToolOffer &offer : offers) {
        const QJsonObject schema = QJsonDocument::fromJson(offer.parameters.toUtf8()).object();
        const QJsonObject function{{QStringLiteral("name"), offer.name},
                                   {QStringLiteral("description"), offer.description},
                                   {QStringLiteral("parameters"), schema}};
        tools.append(QJsonObject{{QStringLiteral("type"), QStringLiteral("function")},
                                 {QStringLiteral("function"), function}});
    }
    return tools;
}

void putThinking(ChatBody &body, const SamplingSettings &sampling, ServerKind kind,
                 const RefusedParameters &refused)
{
    const auto put = [&](const char *key, const QString &name, const QJsonValue &value) {
        if (name.isEmpty() || refused.contains(name))
            body.unsent.append(QLatin1String(key));
        else
            body.json[name] = value;
    };
    if (sampling.thinking != "auto")
        put("thinking",
            takesTemplateArguments(kind) ? QStringLiteral("chat_template_kwargs") : QString(),
            QJsonObject{{QStringLiteral("enable_thinking"), sampling.thinking == "on"}});
    if (sampling.reasoningEffort != "auto" && sampling.thinking != "off")
        put("reasoningEffort", QStringLiteral("reasoning_effort"),
            QString::fromStdString(sampling.reasoningEffort));
    if (sampling.thinkingBudget > 0)
        put("thinkingBudget", {}, {});
}

/// Where a reply is no place for calls, the tools are named all the same: the calls in the chat
/// are of them.
void putTools(ChatBody &body, const ReplyJob &job, const RefusedParameters &refused)
{
    if (job.tools.isEmpty())
        return;
    body.json[QLatin1String("tools")] = toolsOf(job.tools);
    if (!job.mayCall && !refused.contains(QStringLiteral("tool_choice")))
        body.json[QLatin1String("tool_choice")] = QStringLiteral("none");
}

} // namespace

ChatBody chatBody(const ReplyJob &job, const QString &model, ServerKind kind, qint64 seed,
                  const RefusedParameters &refused)
{
    ChatBody body;
    MessageList told(!job.tools.isEmpty());
    for (qsizetype i = 0; i < job.messages.size(); ++i)
        told.add(job.messages, i);
    QJsonArray messages = told.list();
    if (!job.begun.isEmpty()) {
        messages.append(QJsonObject{{QStringLiteral("role"), QStringLiteral("assistant")},
                                    {QStringLiteral("content"), job.begun}});
        if (kind == ServerKind::Vllm || kind == ServerKind::Sglang) {
            body.json[QLatin1String("continue_final_message")] = true;
            if (kind == ServerKind::Vllm)
                body.json[QLatin1String("add_generation_prompt")] = false;
        }
    }
    body.json[QLatin1String("model")] = model;
    body.json[QLatin1String("messages")] = messages;
    body.json[QLatin1String("stream")] = true;
    putTools(body, job, refused);
    if (!refused.contains(QStringLiteral("stream_options")))
        body.json[QLatin1String("stream_options")] =
            QJsonObject{{QStringLiteral("include_usage"), true}};
    const SamplingParameters sampling = samplingParameters(job.sampling, kind, seed, refused);
    for (auto one = sampling.json.begin(); one != sampling.json.end(); ++one)
        body.json[one.key()] = one.value();
    body.unsent = sampling.unsent;
    putThinking(body, job.sampling, kind, refused);
    return body;
}

bool canContinueAnswers(ServerKind kind)
{
    return kind == ServerKind::Vllm || kind == ServerKind::Sglang || kind == ServerKind::LlamaCpp;
}

ThinkingOffer offerOf(ServerKind kind)
{
    return {.onOff = takesTemplateArguments(kind), .effort = true, .budget = false};
}

} // namespace fireside
