#pragma once
#include "app/server/chat_request.h"
#include "app/server/kept_responses.h"

namespace fireside::server {

/// A request of OpenAI's /v1/responses.
struct ResponsesRequest
{
    AskedReplies replies{};
    std::vector<ChatMessage> messages{}; // without the instructions, which hold for this reply only
    json input = json::array();          // the items that were sent, each with an id
    bool store = true;
    std::string owner{};        // whose the stored response is
    json echo = json::object(); // what the response repeats of the request
};

/// ApiError for what is wrong or not supported, 404 for an earlier response that is not kept
/// or another owner's;
/// Error(BadInput) for what the model's template refuses.
ResponsesRequest readResponses(const json &body, const ServedModel &served,
                               const KeptResponses &kept, const std::string &owner = {});

} // namespace fireside::server
