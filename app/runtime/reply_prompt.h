#pragma once
#include "app/runtime/engine_types.h"
#include "engine/engine.h"

namespace fireside {

/// The tokens that ask for a reply to `messages`, in a form that the model's template takes: where
/// it refuses a system message or calls, these are told in other words. With `begun`, the beginning
/// of an answer, the reply goes on from there and does not think again. Throws Error(BadInput)
/// where the template takes no form, or answers of its format cannot be continued.
ChatPrompt replyPrompt(const LoadedModel &model, const QList<TurnMessage> &messages,
                       const ThinkingChoice &choice, const QString &begun = {});

} // namespace fireside
