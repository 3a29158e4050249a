#pragma once
#include "app/server/parameters.h"
#include "app/settings/engine_requests.h"

#include <string>
#include <vector>

// Requests for replies, from OpenAI's JSON to what the engine takes.
namespace fireside::server {

struct ServedModel
{
    const LoadedModel &model;
    std::string id;
    SamplingSettings sampling; // what a request leaves open
};

struct AskedReplies
{
    std::vector<GenerateRequest> requests; // one for each choice
    bool stream = false, includeUsage = false;
    int probabilities = -1; // so many of the likeliest tokens with each; −1: none
    std::string user;       // who asks, as far as the request says
};

/// Of /v1/chat/completions and /v1/completions. ApiError for what is wrong or not supported;
/// Error(BadInput) for what the model's template refuses.
AskedReplies readChat(const nlohmann::json &body, const ServedModel &served);
AskedReplies readCompletion(const nlohmann::json &body, const ServedModel &served);
/// ApiError(404) for another model than the one that is served.
void requireModel(Parameters &parameters, const ServedModel &served);

} // namespace fireside::server
