#include "app/remote/chat_body.h"

#include "app/remote/remote_texts.h"

#include <QJsonArray>

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

/// OpenAI's interface wants every call answered by a message; those that are not are told in words.
bool isAnswered(const QList<TurnMessage> &messages, qsizetype index)
{
    return index + 1 < messages.size() && messages[index + 1].role == QLatin1String("tool");
}

QJsonArray callsOf(const TurnMessage &message)
{
    QJsonArray calls;
    for (const TurnCall &call : message.calls)
        calls.append(QJsonObject{{QStringLiteral("id"), call.id},
                                 {QStringLiteral("type"), QStringLiteral("function")},
                                 {QStringLiteral("function"),
                                  QJsonObject{{QStringLiteral("name"), call.name},
                                              {QStringLiteral("arguments"), call.arguments}}}});
    return calls;
}

QJsonArray messagesOf(const QList<TurnMessage> &messages)
{
    QJsonArray list;
    for (qsizetype i = 0; i < messages.size(); ++i) {
        const TurnMessage &message = messages[i];
        QJsonObject json{{QStringLiteral("role"), message.role},
                         {QStringLiteral("content"), message.text}};
        // Thoughts of earlier turns are not told: most servers refuse or ignore them.
        if (!message.calls.isEmpty() && isAnswered(messages, i)) {
            json[QLatin1String("tool_calls")] = callsOf(message);
        } else if (!message.calls.isEmpty()) {
            QString text = message.text;
            for (const TurnCall &call : message.calls)
                text += QLatin1Char('\n') + call.name + QLatin1Char(' ') + call.arguments;
            json[QLatin1String("content")] = text;
        }
        list.append(json);
    }
    return list;
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
    QJsonArray messages = messagesOf(job.messages);
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
