#pragma once
#include "app/server/content_parts.h"
#include "engine/text/chat_template.h"

#include <span>

// Earlier turns of a chat as clients send them, put in order before the template sees them.
namespace fireside::server {

/// The result of the call with this id in `before`; without an id, of the last turn's first call
/// that has none. A result of no known call becomes words of the user; nullopt where requests are
/// read strictly.
std::optional<ChatMessage> resultOf(std::span<const ChatMessage> before, const std::string &id,
                                    TextContent text);
/// Calls that later turns pass over get a result that says so.
void addMissingResults(std::vector<ChatMessage> &messages);
/// Takes the answer that the client has begun off the end; an empty one is dropped.
std::string takeBegunAnswer(std::vector<ChatMessage> &messages);
/// Without lines that clients change with each request, which would spoil the prompt cache.
std::string withoutBillingLines(const std::string &text);
/// Arguments of an earlier call, as the model wrote them; "" for absent ones counts as {}.
std::string argumentsAsSent(const json *value);

} // namespace fireside::server
