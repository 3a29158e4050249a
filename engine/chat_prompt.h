#pragma once
#include "engine/engine.h"
#include "engine/text/reply/tool_text.h"

namespace fireside {

/// What a reply begins with, and how calls of tools are written in it.
struct ToolPrompt : ChatPrompt
{
    ReplyFormat format{};
};

/// As LoadedModel::chatPrompt(), with tools. Error(BadInput) for what the model's template refuses.
ToolPrompt toolPrompt(const LoadedModel &model, const ToolChat &chat);

/// The tokens of a rendered template. Templates usually write BOS themselves; where one does not
/// and the model wants it, it is added.
ChatPrompt encodedPrompt(const Tokenizer &tokenizer, const ReplyFormat &format,
                         const MarkedText &text);

} // namespace fireside
