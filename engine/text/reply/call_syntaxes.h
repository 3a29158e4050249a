#pragma once
#include "engine/text/reply/offered_tools.h"
#include "engine/text/reply/reply_parts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fireside {

/// What a call's text is made of: it says where a closing mark is only text.
enum class CallBody : std::uint8_t {
    Json,
    Python,
    Gemma,
    FunctionTags,
    BareFunctionTags,
    InvokeTags,
    DsmlTags,
    GlmTags,
    Elements,
    Plain
};

/// A way of writing calls of tools into a reply.
struct CallSyntax
{
    std::string_view name;  // "hermes"
    std::string_view open;  // begins one or more calls; empty: the reply itself begins with "{"
    std::string_view close; // empty: the calls end with their last bracket, or with the reply
    CallBody body;
    /// What may follow `open` and white space, separated by blanks; NAME stands for a tool's name.
    /// Empty: anything.
    std::string_view starts;
    /// The calls between `open` and `close`; nullopt when they are broken, or of no offered tool.
    std::optional<std::vector<ToolCall>> (*read)(std::string_view body, const OfferedTools &tools);
    std::string_view source; // what a template must hold to speak it unseen; empty: `open`

    /// Whether the text behind `open` so far can become a call of an offered tool.
    bool mayBegin(std::string_view body, const OfferedTools &tools) const;
};

/// Every known one; of two that both read a text, the more special comes first.
std::span<const CallSyntax> callSyntaxes();
const CallSyntax &callSyntax(std::string_view name); // must be there

} // namespace fireside
