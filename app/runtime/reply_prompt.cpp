#include "app/runtime/reply_prompt.h"

#include "app/runtime/status_values.h"
#include "engine/core/error.h"
#include "engine/text/reply/call_values.h"

#include <utility>

namespace fireside {
namespace {

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
    return toolPrompt(model, {toMessages(messages), toDescriptions(offers), choice});
}

} // namespace

ToolPrompt replyPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                       const QList<ToolOffer> &tools, const ThinkingChoice &choice,
                       const std::optional<ChoicePlace> &begun)
{
    if (!begun)
        return chatPrompt(model, messages, tools, choice);

    const ReplyFormat &format = model.replyFormat();
    if (format.channels)
        throwBadInput("replies of this model's format cannot be continued; regenerate this one");
    ThinkingChoice quiet;
    quiet.thinking = Thinking::Off;
    const BegunTokens &known = begun->tokens;
    ToolPrompt prompt = chatPrompt(model, messages, tools, known.whole ? choice : quiet);
    const auto append = [&](const auto &tokens) {
        prompt.tokens.insert(prompt.tokens.end(), tokens.begin(), tokens.end());
    };
    const auto encoded = [&](const MarkedText &text) {
        return model.tokenizer().encode(text, false);
    };
    if (std::exchange(prompt.inReasoning, false) && !known.whole)
        append(encoded(MarkedText::trusted(format.reasoningEnd)));
    if (known.whole || !known.ids.isEmpty())
        append(known.ids);
    else
        append(encoded(MarkedText::fromUser(begun->begun.toStdString())));
    return prompt;
}

std::optional<ChoicePlace> begunOf(const ReplyJob &job)
{
    const bool any = !job.begun.isEmpty() || !job.followed.isEmpty() ||
                     !job.begunTokens.ids.isEmpty() || job.begunTokens.whole;
    return any ? std::optional(ChoicePlace{job.begun, job.begunTokens}) : std::nullopt;
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
