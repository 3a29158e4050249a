#pragma once
#include "app/server/parameters.h"

#include <string>
#include <string_view>
#include <vector>

namespace fireside::server {

/// The content of a message.
struct TextContent
{
    std::string text{};
    std::string parts{}; // ChatMessage::parts
};

/// A string, or a list of parts of these types, which hold text. Members of parts that are not
/// known here are for the template, if it reads parts. ApiError(400) for other parts.
TextContent textContentOf(const json &content, const std::string &where,
                          const std::vector<std::string_view> &types);

/// Whether a part of text has members that only some templates read.
bool saysMoreThanText(const json &part);

} // namespace fireside::server
