#include "app/remote/chat_stream.h"

#include "app/remote/remote_texts.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr qsizetype kMostCalls = 128;
constexpr std::size_t kMostArguments = 4 << 20;
constexpr qsizetype kMostWhole = 64 << 20;
constexpr qsizetype kMaxModelName = 300;

int countIn(const QJsonObject &json, const char *key, int otherwise)
{
    const QJsonValue value = json[QLatin1String(key)];
    return value.isDouble() ? static_cast<int>(std::clamp(value.toDouble(), 0.0, 1e9)) : otherwise;
}

double secondsIn(const QJsonObject &json, const char *key)
{
    const double ms = json[QLatin1String(key)].toDouble(-1);
    return ms >= 0 && ms < 1e12 ? ms / 1e3 : -1;
}

/// Text, or a list of parts that hold it.
QString textIn(const QJsonValue &value)
{
    if (value.isString())
        return value.toString();
    QString all;
    for (const QJsonValue &part : value.toArray())
        all += part.isString() ? part.toString() : part[QLatin1String("text")].toString();
    return all;
}

/// Usually a text that holds JSON; some send the object itself.
std::string argumentsIn(const QJsonValue &value)
{
    if (value.isObject())
        return QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact).toStdString();
    return value.toString().toStdString();
}

QString withoutWords()
{
    return RemoteTexts::tr("it reports an error without words");
}

} // namespace

ChatStream::ChatStream()
    : m_parser(ReplyFormat{})
{}

void ChatStream::begin(const QByteArray &contentType)
{
    if (contentType.contains("event-stream"))
        m_form = Form::Events;
    else if (contentType.contains("json"))
        m_form = Form::Whole;
}

void ChatStream::push(const QByteArray &bytes, std::vector<ReplyDelta> &out)
{
    if (m_problem)
        return;
    if (m_form == Form::Unknown) { // servers that do not say what they send
        m_whole += bytes;
        // Blanks before the answer say nothing, in whatever pieces they come.
        const QByteArray start = m_whole.trimmed();
        m_whole.remove(0, start.isEmpty() ? m_whole.size() : m_whole.indexOf(start));
        if (start.isEmpty())
            return;
        m_form = start.startsWith('{') || start.startsWith('<') ? Form::Whole : Form::Events;
        return push(std::exchange(m_whole, {}), out);
    }
    if (m_form == Form::Whole) {
        m_whole += bytes;
        if (m_whole.size() > kMostWhole)
            fail({.text = RemoteTexts::tr("its answer does not end")});
        return;
    }
    QList<ServerEvent> events;
    m_events.push(bytes, events);
    takeEvents(events, out);
    if (m_events.tooLong())
        fail({.text = RemoteTexts::tr("its answer holds a piece that does not end")});
}

void ChatStream::finish(std::vector<ReplyDelta> &out)
{
    if (m_form == Form::Events && !m_problem) {
        QList<ServerEvent> events;
        m_events.finish(events);
        takeEvents(events, out);
    } else if (!m_whole.isEmpty() && !m_problem) {
        take(std::exchange(m_whole, {}), false, out);
        m_done = true;
    }
    m_parser.finish(out);
    for (const Call &each : std::as_const(m_calls)) {
        ReplyDelta delta;
        delta.kind = ReplyPartKind::ToolCall;
        delta.call = each.call;
        if (delta.call->arguments.empty())
            delta.call->arguments = "{}";
        delta.begins = true;
        out.push_back(std::move(delta));
    }
    m_calls.clear();
    if (!m_anything)
        fail({.text = RemoteTexts::tr("its answer is empty"), .again = true});
}

void ChatStream::takeEvents(const QList<ServerEvent> &events, std::vector<ReplyDelta> &out)
{
    for (const ServerEvent &event : events) {
        if (m_done || m_problem)
            return;
        if (event.data.trimmed() == "[DONE]")
            m_done = m_anything = true;
        else if (!event.data.trimmed().isEmpty())
            take(event.data, event.name == "error", out);
    }
}

void ChatStream::take(const QByteArray &data, bool isError, std::vector<ReplyDelta> &out)
{
    QJsonParseError mistake{};
    const QJsonDocument document = QJsonDocument::fromJson(data, &mistake);
    if (!document.isObject()) {
        const QString words = wordsOf(data);
        if (isError)
            return fail({.text = words.isEmpty() ? withoutWords() : words});
        return fail({.text = withWords(RemoteTexts::tr("its answer is not in the form of OpenAI's"),
                                       words)});
    }
    const QJsonObject json = document.object();
    const QJsonValue error = json[QLatin1String("error")];
    if (isError || error.isObject() || error.isString() ||
        json[QLatin1String("object")] == QLatin1String("error")) {
        RemoteProblem problem = problemInJson(json);
        if (problem.text.isEmpty())
            problem.text = withoutWords();
        return fail(problem);
    }
    takeUsage(json);
    if (m_model.isEmpty())
        m_model = foreignWords(json[QLatin1String("model")].toString(), kMaxModelName);
    const QJsonArray choices = json[QLatin1String("choices")].toArray();
    if (json.contains(QLatin1String("choices")))
        m_anything = true;
    for (const QJsonValue &choice : choices)
        if (countIn(choice.toObject(), "index", 0) == 0)
            takeChoice(choice.toObject(), out);
}

void ChatStream::takeChoice(const QJsonObject &choice, std::vector<ReplyDelta> &out)
{
    const QJsonValue delta = choice[QLatin1String("delta")];
    const QJsonObject message =
        (delta.isObject() ? delta : choice[QLatin1String("message")]).toObject();
    const QString reasoning = textIn(message[QLatin1String("reasoning_content")]);
    takeReasoning(reasoning.isEmpty() ? textIn(message[QLatin1String("reasoning")]) : reasoning,
                  out);
    takeContent(message[QLatin1String("content")], out);
    takeText(message[QLatin1String("refusal")].toString(), out);
    takeCalls(message[QLatin1String("tool_calls")].toArray());
    if (const QJsonValue finish = choice[QLatin1String("finish_reason")]; finish.isString())
        m_finish = finish.toString();
}

void ChatStream::takeContent(const QJsonValue &content, std::vector<ReplyDelta> &out)
{
    if (!content.isArray())
        return takeText(content.toString(), out);
    for (const QJsonValue &part : content.toArray()) {
        if (part[QLatin1String("type")] == QLatin1String("thinking"))
            takeReasoning(textIn(part[QLatin1String("thinking")]), out);
        else
            takeText(part[QLatin1String("text")].toString(), out);
    }
}

void ChatStream::takeReasoning(const QString &text, std::vector<ReplyDelta> &out)
{
    if (text.isEmpty())
        return;
    ++m_pieces;
    m_reasoned = true;
    ReplyDelta delta;
    delta.kind = ReplyPartKind::Reasoning;
    delta.text = delta.raw = text.toStdString();
    out.push_back(std::move(delta));
}

void ChatStream::takeText(const QString &text, std::vector<ReplyDelta> &out)
{
    if (text.isEmpty())
        return;
    ++m_pieces;
    m_parser.push(text.toStdString(), ReplyParser::Piece::Words, out);
}

/// The pieces of a call belong together by their index; where that is missing, a piece with a name
/// begins another call.
void ChatStream::takeCalls(const QJsonArray &calls)
{
    for (const QJsonValue &value : calls) {
        const QJsonObject function = value[QLatin1String("function")].toObject();
        const std::string name = function[QLatin1String("name")].toString().toStdString();
        const std::string id = value[QLatin1String("id")].toString().toStdString();
        const int index = countIn(value.toObject(), "index", -1);
        auto call = std::find_if(m_calls.begin(), m_calls.end(), [&](const Call &known) {
            return index >= 0 && known.index == index &&
                   (id.empty() || known.call.id.empty() || id == known.call.id);
        });
        if (call == m_calls.end() && index < 0 && name.empty() && !m_calls.isEmpty())
            call = std::prev(m_calls.end());
        if (call == m_calls.end()) {
            if (m_calls.size() >= kMostCalls)
                return fail({.text = RemoteTexts::tr("it calls too many tools at once")});
            m_calls.append({index, {.name = {}, .arguments = {}, .id = {}}});
            call = std::prev(m_calls.end());
        }
        if (call->call.name.empty())
            call->call.name = name;
        if (call->call.id.empty())
            call->call.id = id;
        call->call.arguments += argumentsIn(function[QLatin1String("arguments")]);
        if (call->call.arguments.size() > kMostArguments)
            return fail({.text = RemoteTexts::tr("the arguments of a call do not end")});
    }
}

void ChatStream::takeUsage(const QJsonObject &json)
{
    QJsonObject usage = json[QLatin1String("usage")].toObject();
    if (usage.isEmpty()) // Groq's
        usage = json[QLatin1String("x_groq")][QLatin1String("usage")].toObject();
    if (!usage.isEmpty()) {
        m_anything = true;
        m_usage.promptTokens = countIn(usage, "prompt_tokens", m_usage.promptTokens);
        m_usage.generatedTokens = countIn(usage, "completion_tokens", m_usage.generatedTokens);
        m_usage.cachedTokens = countIn(usage[QLatin1String("prompt_tokens_details")].toObject(),
                                       "cached_tokens", m_usage.cachedTokens);
        m_usage.cachedTokens = countIn(usage, "prompt_cache_hit_tokens", m_usage.cachedTokens);
    }
    // llama.cpp's own clock, without the way here.
    const QJsonObject timings = json[QLatin1String("timings")].toObject();
    if (timings.isEmpty())
        return;
    m_usage.promptSeconds = secondsIn(timings, "prompt_ms");
    m_usage.generateSeconds = secondsIn(timings, "predicted_ms");
    m_usage.cachedTokens = countIn(timings, "cache_n", m_usage.cachedTokens);
    m_usage.generatedTokens = countIn(timings, "predicted_n", m_usage.generatedTokens);
    if (m_usage.promptTokens < 0)
        m_usage.promptTokens = countIn(timings, "prompt_n", 0) + std::max(0, m_usage.cachedTokens);
}

void ChatStream::fail(RemoteProblem problem)
{
    if (!m_problem)
        m_problem = std::move(problem);
}

} // namespace fireside
