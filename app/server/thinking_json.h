#pragma once
#include "app/server/chat_request.h"

namespace fireside::server {

/// How to think, by every name that clients have for it: reasoning_effort, reasoning, thinking,
/// enable_thinking, think, thinking_budget, chat_template_kwargs, output_config and others. What is
/// not understood is reported as ignored.
void readThinkingTolerantly(Parameters &p, ChatRequest &chat, const ServedModel &served);

} // namespace fireside::server
