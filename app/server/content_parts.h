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
/// known here are for the template, if it reads parts. Other parts become wordsForPart(), or
/// ApiError(400) where requests are read strictly.
TextContent textContentOf(const json &content, const std::string &where,
                          const std::vector<std::string_view> &types);

/// The words for a part that is no text: of pictures, sound and files a remark, of others their
/// text, if any. Reports it as ignored at `where`.
std::string wordsForPart(const json &part, const std::string &where);

/// Whether a part of text has members that only some templates read.
bool saysMoreThanText(const json &part);

} // namespace fireside::server
