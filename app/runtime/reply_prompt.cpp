#include "app/runtime/reply_prompt.h"

#include "app/runtime/status_values.h"
#include "engine/core/error.h"
#include "engine/text/reply/call_values.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

// Some templates refuse a system message: its text then leads the first user message.
QList<TurnMessage> withoutSystemRole(const QList<TurnMessage> &messages)
{
    QList<TurnMessage> result;
    QString system;
    for (const TurnMessage &message : messages) {
        if (message.role == QLatin1String("system")) {
            system += message.text + QLatin1String("\n\n");
            continue;
        }
        result.append(message);
        if (message.role == QLatin1String("user") && !system.isEmpty()) {
            result.last().text.prepend(system);
            system.clear();
        }
    }
    return result;
}

// Some refuse calls that nobody answered, or thoughts beside them: the calls are then told in
// words.
QList<TurnMessage> withCallsAsText(QList<TurnMessage> messages)
{
    for (TurnMessage &message : messages) {
        if (message.role == QLatin1String("tool")) {
            const QString name = message.calls.isEmpty() ? QString() : message.calls.first().name;
            message.role = QStringLiteral("user");
            message.text = QStringLiteral("Result of %1:\n").arg(name) + message.text;
            message.calls.clear();
        }
        for (const TurnCall &call : std::as_const(message.calls))
            message.text += QLatin1Char('\n') + call.name + QLatin1Char(' ') + call.arguments;
        if (!message.calls.isEmpty())
            message.reasoning.clear();
        message.calls.clear();
    }
    return messages;
}

std::vector<ToolDescription> toDescriptions(const QList<ToolOffer> &offers)
{
    std::vector<ToolDescription> tools;
    for (const ToolOffer &offer : offers)
        tools.push_back({offer.name.toStdString(), offer.description.toStdString(),
                         parseJson(offer.parameters.toStdString()).value_or(nullptr)});
    return tools;
}

ToolPrompt chatPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                      const QList<ToolOffer> &offers, const ThinkingChoice &choice)
{
    const std::vector<ToolDescription> tools = toDescriptions(offers);
    const QList<TurnMessage> plain = withCallsAsText(messages), merged = withoutSystemRole(plain);
    const auto ask = [&](const QList<TurnMessage> &form) {
        const bool results = std::any_of(form.begin(), form.end(), [](const TurnMessage &one) {
            return one.role == QLatin1String("tool");
        });
        if (!tools.empty() || results)
            return toolPrompt(model, {toMessages(form), tools, choice});
        return ToolPrompt{model.chatPrompt(toMessages(form), choice), model.replyFormat()};
    };
    const auto refused = [](const Error &problem) { return problem.kind() == ErrorKind::BadInput; };
    const bool calls = std::any_of(messages.begin(), messages.end(),
                                   [](const TurnMessage &one) { return !one.calls.isEmpty(); });
    try {
        return ask(messages);
    } catch (const Error &problem) {
        if (!refused(problem) || (!calls && merged.size() == messages.size()))
            throw;
    }
    try {
        return ask(plain);
    } catch (const Error &problem) {
        if (!refused(problem) || merged.size() == messages.size())
            throw;
    }
    return ask(merged);
}

} // namespace

ToolPrompt replyPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                       const QList<ToolOffer> &tools, const ThinkingChoice &choice,
                       const QString &begun)
{
    if (begun.isEmpty())
        return chatPrompt(model, messages, tools, choice);

    const ReplyFormat &format = model.replyFormat();
    if (format.channels)
        throwBadInput("replies of this model's format cannot be continued; regenerate this one");
    ThinkingChoice quiet;
    quiet.thinking = Thinking::Off;
    ToolPrompt prompt = chatPrompt(model, messages, tools, quiet);
    const auto append = [&](MarkedText text) {
        const std::vector<TokenId> tokens = model.tokenizer().encode(text, false);
        prompt.tokens.insert(prompt.tokens.end(), tokens.begin(), tokens.end());
    };
    if (std::exchange(prompt.inReasoning, false))
        append(MarkedText::trusted(format.reasoningEnd));
    append(MarkedText::fromUser(begun.toStdString()));
    return prompt;
}

ToolTokens countTools(const LoadedModel &model, const QList<ToolOffer> &tools)
{
    ToolTokens tokens;
    for (const ToolOffer &tool : tools) {
        const QString text =
            tool.name + QLatin1Char('\n') + tool.description + QLatin1Char('\n') + tool.parameters;
        tokens.each.append(static_cast<int>(
            model.tokenizer().encode(MarkedText::fromUser(text.toStdString()), false).size()));
    }
    if (tools.isEmpty())
        return tokens;
    const QList<TurnMessage> chat{{QStringLiteral("user"), QStringLiteral("Hello")}};
    const auto with = replyPrompt(model, chat, tools, {}).tokens.size();
    const auto without = replyPrompt(model, chat, {}, {}).tokens.size();
    tokens.all = static_cast<int>(with) - static_cast<int>(without);
    return tokens;
}

} // namespace fireside
