#include "app/server/content_parts.h"

#include "engine/core/quote.h"

#include <algorithm>
#include <array>

namespace fireside::server {
namespace {

/// Members that say nothing to a template.
constexpr std::array<std::string_view, 7> kUsualMembers{
    "type", "text", "annotations", "logprobs", "citations", "cache_control", "id"};

} // namespace

bool saysMoreThanText(const json &part)
{
    for (const auto &[name, value] : part.items())
        if (!value.is_null() &&
            std::find(kUsualMembers.begin(), kUsualMembers.end(), name) == kUsualMembers.end())
            return true;
    return false;
}

TextContent textContentOf(const json &content, const std::string &where,
                          const std::vector<std::string_view> &types)
{
    if (content.is_null())
        return {};
    if (content.is_string())
        return {content.get<std::string>()};
    if (!content.is_array())
        throw ApiError(400, where + " must be a string or a list of parts", where);
    TextContent result;
    bool more = false;
    for (const json &entry : content) {
        Parameters part(entry, where);
        const std::string type = part.text("type").value_or("");
        if (std::find(types.begin(), types.end(), type) == types.end())
            throw ApiError(400,
                           where + ": parts of the type " + fireside::quoted(type) +
                               " are not supported, only text",
                           where, "unsupported_content");
        result.text += part.text("text").value_or("");
        more = more || saysMoreThanText(entry);
    }
    if (more)
        result.parts = dumped(content);
    return result;
}

} // namespace fireside::server
