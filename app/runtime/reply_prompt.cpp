#include "app/runtime/reply_prompt.h"

#include "app/runtime/status_values.h"
#include "engine/core/error.h"

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
        for (const TurnCall &call : std::as_const(message.calls))
            message.text += QLatin1Char('\n') + call.name + QLatin1Char(' ') + call.arguments;
        if (!message.calls.isEmpty())
            message.reasoning.clear();
        message.calls.clear();
    }
    return messages;
}

ChatPrompt chatPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                      const ThinkingChoice &choice)
{
    const QList<TurnMessage> plain = withCallsAsText(messages), merged = withoutSystemRole(plain);
    const auto ask = [&](const QList<TurnMessage> &form) {
        return model.chatPrompt(toMessages(form), choice);
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

ChatPrompt replyPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                       const ThinkingChoice &choice, const QString &begun)
{
    if (begun.isEmpty())
        return chatPrompt(model, messages, choice);

    const ReplyFormat &format = model.replyFormat();
    if (format.channels)
        throwBadInput("replies of this model's format cannot be continued; regenerate this one");
    ThinkingChoice quiet;
    quiet.thinking = Thinking::Off;
    ChatPrompt prompt = chatPrompt(model, messages, quiet);
    const auto append = [&](MarkedText text) {
        const std::vector<TokenId> tokens = model.tokenizer().encode(text, false);
        prompt.tokens.insert(prompt.tokens.end(), tokens.begin(), tokens.end());
    };
    if (std::exchange(prompt.inReasoning, false))
        append(MarkedText::trusted(format.reasoningEnd));
    append(MarkedText::fromUser(begun.toStdString()));
    return prompt;
}

} // namespace fireside
