#pragma once
#include "app/runtime/engine_types.h"
#include "engine/chat_prompt.h"

#include <optional>

namespace fireside {

/// The tokens that ask for a reply to `messages`, in a form that the model's template takes: where
/// it refuses a system message or calls, these are told in other words. With `begun`, the beginning
/// of an answer, perhaps empty, the reply continues from there without thinking again. Throws
/// Error(BadInput) where the template takes no form, or answers of its format cannot be continued.
ToolPrompt replyPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                       const QList<ToolOffer> &tools, const ThinkingChoice &choice,
                       const std::optional<ChoicePlace> &begun = {});
/// What a job's reply continues from; nullopt: it is a new one.
std::optional<ChoicePlace> begunOf(const ReplyJob &job);

/// Tokens that each of the tools takes in a prompt, and all of them together as the model's
/// template tells them.
struct ToolTokens
{
    QList<int> each;
    int all = 0;
};
ToolTokens countTools(const LoadedModel &model, const QList<ToolOffer> &tools);

} // namespace fireside
