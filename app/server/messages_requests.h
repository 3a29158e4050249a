#pragma once
#include "app/server/chat_request.h"

namespace fireside::server {

/// Anthropic's requests: of /v1/messages, and of /v1/messages/count_tokens, which asks only for the
/// prompt. ApiError for what is wrong or not supported; Error(BadInput) for what the model's
/// template refuses.
AskedReplies readMessages(const json &body, const ServedModel &served);
AskedReplies readCountTokens(const json &body, const ServedModel &served);

} // namespace fireside::server
