#pragma once
#include "engine/text/marked_text.h"
#include "engine/text/reply/reply_format.h"
#include "engine/text/reply/tool_description.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fireside {

/// A chat in which tools are called. What a call gave is a message with the role "tool"; its
/// `calls` holds the one that it answers, by name and id.
struct ToolChat
{
    std::vector<ChatMessage> messages;
    std::vector<ToolDescription> tools{}; // that may be called now
    ThinkingChoice thinking{};
};

/// A prompt, and how calls are written in the reply to it.
struct ToolText
{
    MarkedText text{};
    ReplyFormat format{};
};

/// The template is told of tools, calls and results as it wants them. One that knows no tools, or
/// fails on them, gets them as text: with the system message, and calls between <tool_call> and
/// </tool_call>. format, switches: found of the template. Error(BadInput) for what it refuses.
ToolText writeToolChat(const ChatTemplate &chatTemplate, const ReplyFormat &format,
                       const ThinkingSwitches &switches, const ToolChat &chat,
                       const std::string &bosText, const std::string &eosText);

} // namespace fireside
