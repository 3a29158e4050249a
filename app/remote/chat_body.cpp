#include "app/remote/chat_body.h"

#include "app/remote/remote_texts.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

/// What a kind of server calls the settings that are not OpenAI's; empty: it has none.
struct Dialect
{
    const char *topK = "", *minP = "", *repeatPenalty = "", *repeatWindow = "";
    bool templateArguments = false; // chat_template_kwargs
    bool continues = false;
};

Dialect dialectOf(ServerKind kind)
{
    switch (kind) {
    case ServerKind::Fireside:
        return {"top_k", "min_p", "repetition_penalty", "", true, false};
    case ServerKind::Vllm:
    case ServerKind::Sglang:
        return {"top_k", "min_p", "repetition_penalty", "", true, true};
    case ServerKind::LlamaCpp:
        return {"top_k", "min_p", "repeat_penalty", "repeat_last_n", true, true};
    case ServerKind::LmStudio:
        return {"top_k", "", "repeat_penalty", "", false, false};
    case ServerKind::OpenRouter:
        return {"top_k", "min_p", "repetition_penalty", "", false, false};
    case ServerKind::Ollama:
    case ServerKind::Unknown:
        break;
    }
    return {};
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
        if (!message.calls.isEmpty() && !isTool && isAnswered(messages, index))
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

/// Puts parameters in, unless the server refused them before.
class Parameters
{
public:
    Parameters(ChatBody &body, const RefusedParameters &refused)
        : m_body(body)
        , m_refused(refused)
    {}
    void put(const char *name, const QJsonValue &value, const QString &setting)
    {
        const QString key = QLatin1String(name);
        if (key.isEmpty() || m_refused.contains(key))
            m_body.left.append(setting);
        else
            m_body.json[key] = value;
    }

private:
    ChatBody &m_body;
    const RefusedParameters &m_refused;
};

void putSampling(Parameters &parameters, const SamplingSettings &sampling, const Dialect &dialect,
                 qint64 seed, const RefusedParameters &refused)
{
    parameters.put("temperature", sampling.temperature, RemoteTexts::tr("temperature"));
    if (sampling.topP < 1)
        parameters.put("top_p", sampling.topP, RemoteTexts::tr("top-p"));
    parameters.put("seed", seed, RemoteTexts::tr("seed"));
    if (sampling.maxTokens > 0)
        parameters.put(refused.contains(QStringLiteral("max_tokens")) ? "max_completion_tokens"
                                                                      : "max_tokens",
                       sampling.maxTokens, RemoteTexts::tr("longest reply"));
    if (!sampling.stopStrings.empty()) {
        QJsonArray stops;
        for (const std::string &stop : sampling.stopStrings)
            stops.append(QString::fromStdString(stop));
        parameters.put("stop", stops, RemoteTexts::tr("stop strings"));
    }
    if (sampling.topK > 0)
        parameters.put(dialect.topK, sampling.topK, RemoteTexts::tr("top-k"));
    if (sampling.minP > 0)
        parameters.put(dialect.minP, sampling.minP, RemoteTexts::tr("min-p"));
    if (sampling.frequencyPenalty != 0)
        parameters.put("frequency_penalty", sampling.frequencyPenalty,
                       RemoteTexts::tr("frequency penalty"));
    if (sampling.presencePenalty != 0)
        parameters.put("presence_penalty", sampling.presencePenalty,
                       RemoteTexts::tr("presence penalty"));
    if (sampling.repeatPenalty != 1) {
        parameters.put(dialect.repeatPenalty, sampling.repeatPenalty,
                       RemoteTexts::tr("repetition penalty"));
        if (*dialect.repeatWindow != '\0')
            parameters.put(dialect.repeatWindow, sampling.repeatWindow,
                           RemoteTexts::tr("penalty looks back"));
    }
}

void putThinking(Parameters &parameters, const SamplingSettings &sampling, const Dialect &dialect)
{
    if (sampling.thinking != "auto")
        parameters.put(dialect.templateArguments ? "chat_template_kwargs" : "",
                       QJsonObject{{QStringLiteral("enable_thinking"), sampling.thinking == "on"}},
                       RemoteTexts::tr("thinking"));
    if (sampling.reasoningEffort != "auto" && sampling.thinking != "off")
        parameters.put("reasoning_effort", QString::fromStdString(sampling.reasoningEffort),
                       RemoteTexts::tr("thinking effort"));
    if (sampling.thinkingBudget > 0)
        parameters.put("", {}, RemoteTexts::tr("longest thoughts"));
}

} // namespace

ChatBody chatBody(const ReplyJob &job, const QString &model, ServerKind kind, qint64 seed,
                  const RefusedParameters &refused)
{
    ChatBody body;
    const Dialect dialect = dialectOf(kind);
    MessageList told;
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
    Parameters parameters(body, refused);
    if (!job.tools.isEmpty())
        body.json[QLatin1String("tools")] = toolsOf(job.tools);
    if (!refused.contains(QStringLiteral("stream_options")))
        body.json[QLatin1String("stream_options")] =
            QJsonObject{{QStringLiteral("include_usage"), true}};
    putSampling(parameters, job.sampling, dialect, seed, refused);
    putThinking(parameters, job.sampling, dialect);
    return body;
}

bool canContinueAnswers(ServerKind kind)
{
    return dialectOf(kind).continues;
}

ThinkingOffer offerOf(ServerKind kind)
{
    return {.onOff = dialectOf(kind).templateArguments, .effort = true, .budget = false};
}

} // namespace fireside
