#pragma once
#include "engine/text/reply/offered_tools.h"
#include "engine/text/reply/reply_parts.h"

#include <optional>
#include <string_view>
#include <vector>

// Calls whose arguments stand between tags, as plain text: <parameter=KEY>VALUE</parameter>. What
// type a value has, the tool's schema says.
namespace fireside {

struct CallTags
{
    std::string_view call = {}, callEnd = {}; // empty: there is one call, whose name comes first
    std::string_view parameter, parameterEnd; // before a key, behind its value
    std::string_view keyEnd = ">";            // between key and value
    std::string_view valueBegin = {};         // behind keyEnd
    bool ownLines = false;                    // the template puts values into lines of their own
};

/// Reads tags as models write them: too many closing tags, forgotten ones, and tags within values
/// are understood. nullopt where the text is no call.
std::optional<std::vector<ToolCall>> readTagged(std::string_view body, const CallTags &tags,
                                                const OfferedTools &tools);

/// MiniMax M3: every tag has kMiniMaxMark before it, keys are tags and may nest.
constexpr std::string_view kMiniMaxMark = "]<]minimax[>[";
std::optional<std::vector<ToolCall>> readMiniMax3(std::string_view body, const OfferedTools &tools);

/// A call of an offered tool with arguments of the types of its schema; nullopt for other tools.
std::optional<ToolCall> makeCall(std::string_view name, nlohmann::ordered_json arguments,
                                 const OfferedTools &tools);

} // namespace fireside
