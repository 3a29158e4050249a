#include "app/server/tools_json.h"

#include <algorithm>

namespace fireside::server {
namespace {

constexpr std::size_t kMostTools = 256, kLongestName = 128;

bool isName(const std::string &name)
{
    const auto mayStand = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && name.size() <= kLongestName &&
           std::all_of(name.begin(), name.end(), mayStand);
}

} // namespace

AskedTool toolOf(Parameters &members, const char *schemaName)
{
    AskedTool asked{.field = members.full("name"), .schemaField = members.full(schemaName)};
    asked.tool.name = members.text("name").value_or("");
    if (!isName(asked.tool.name))
        members.refuse("name", "of 1 to 128 letters, digits, _, - and .");
    asked.tool.description = members.text("description").value_or("");
    asked.strict = members.boolean("strict").value_or(false);
    const json *const schema = members.find(schemaName);
    if (schema == nullptr)
        return asked;
    if (!schema->is_object())
        members.refuse(schemaName, "a JSON schema");
    asked.tool.parameters = *schema;
    json &type = asked.tool.parameters["type"];
    if (type.is_null())
        type = "object";
    if (type != "object")
        members.refuse(schemaName, "a JSON schema of objects");
    return asked;
}

std::vector<AskedTool> toolsOf(Parameters &parameters,
                               const std::function<AskedTool(Parameters &)> &one)
{
    const json *const list = parameters.find("tools");
    if (list == nullptr)
        return {};
    if (!list->is_array() || list->size() > kMostTools)
        parameters.refuse("tools", "a list of up to " + std::to_string(kMostTools) + " tools");
    std::vector<AskedTool> tools;
    for (std::size_t i = 0; i < list->size(); ++i) {
        Parameters members((*list)[i], parameters.full("tools") + "[" + std::to_string(i) + "]");
        tools.push_back(one(members));
        members.finish();
    }
    return tools;
}

std::string argumentsOf(Parameters &call, const char *name)
{
    const std::string text = call.text(name).value_or("");
    if (text.empty())
        return "{}";
    json value;
    try {
        value = parsedBody(text);
    } catch (const ApiError &) {
        call.refuse(name, "a string that holds a JSON object");
    }
    return dumped(value);
}

} // namespace fireside::server
