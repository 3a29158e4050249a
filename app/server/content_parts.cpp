#include "app/server/content_parts.h"

#include "app/server/tolerance.h"
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

std::string wordsForPart(const json &part, const std::string &where)
{
    const auto textOf = [&](const json &object, const char *name) {
        const auto it = object.find(name);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    if (!part.is_object()) {
        if (part.is_string())
            return part.get<std::string>();
        noteIgnored(where);
        return {};
    }
    const std::string type = textOf(part, "type");
    const auto has = [&](const char *word) { return type.find(word) != std::string::npos; };
    for (const char *name : {"text", "refusal"})
        if (std::string text = textOf(part, name); !text.empty() && !has("thinking"))
            return text;
    noteIgnored(where + "." + type);
    if (has("image"))
        return "[a picture, which this model cannot see]";
    if (has("audio"))
        return "[a sound recording, which this model cannot hear]";
    if (has("video"))
        return "[a video, which this model cannot see]";
    if (has("document") || has("file")) {
        const auto source = part.find("source");
        if (source != part.end() && source->is_object() && textOf(*source, "type") == "text")
            return textOf(*source, "data");
        return "[a file, which this model cannot read]";
    }
    return {};
}

TextContent textContentOf(const json &content, const std::string &where,
                          const std::vector<std::string_view> &types)
{
    if (content.is_null())
        return {};
    if (content.is_string())
        return {content.get<std::string>()};
    if (!readsStrictly() && (content.is_object() || content.is_primitive()))
        return {content.is_object() ? wordsForPart(content, where) : dumped(content)};
    if (!content.is_array())
        throw ApiError(400, where + " must be a string or a list of parts", where);
    TextContent result;
    bool more = false, replaced = false;
    for (const json &entry : content) {
        const auto typeOfEntry = entry.is_object() ? entry.find("type") : entry.end();
        if (!readsStrictly() &&
            (typeOfEntry == entry.end() ||
             std::find(types.begin(), types.end(), *typeOfEntry) == types.end())) {
            result.text += wordsForPart(entry, where);
            replaced = true;
            continue;
        }
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
    if (more && !replaced)
        result.parts = dumped(content);
    return result;
}

} // namespace fireside::server
