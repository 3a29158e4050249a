#pragma once
#include "engine/text/reply/reply_parts.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fireside {

/// A way of writing calls of tools into a reply.
struct CallSyntax
{
    std::string_view name;  // "hermes"
    std::string_view open;  // begins one or more calls; empty: the reply itself begins with "{"
    std::string_view close; // empty: the calls go on to the end of the reply
    std::string_view first; // characters that may follow `open` and white space; empty: any
    /// The calls between `open` and `close`; nullopt when they are broken.
    std::optional<std::vector<ToolCall>> (*read)(std::string_view body);
    std::string_view source; // what a template must hold to speak it unseen; empty: `open`
};

/// Every known one; of two that both read a text, the more special comes first.
std::span<const CallSyntax> callSyntaxes();
const CallSyntax &callSyntax(std::string_view name); // must be there

} // namespace fireside
