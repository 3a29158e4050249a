#pragma once
#include "app/server/chat_request.h"

// OpenAI's requests for replies.
namespace fireside::server {

struct OpenAiRequest
{
    AskedReplies replies{};
    bool includeUsage = false; // at the end of a stream
};

/// Of /v1/chat/completions and /v1/completions. ApiError for what is wrong or not supported;
/// Error(BadInput) for what the model's template refuses.
OpenAiRequest readChat(const json &body, const ServedModel &served);
OpenAiRequest readCompletion(const json &body, const ServedModel &served);
/// ApiError(404) for another model than the one that is served.
void requireModel(Parameters &parameters, const ServedModel &served);

} // namespace fireside::server
