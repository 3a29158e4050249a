#include "app/server/tools_json.h"

#include "app/server/history.h"
#include "app/server/tolerance.h"
#include "app/server/tool_names.h"

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

const json *memberOf(const json &object, const char *name)
{
    const auto it = object.is_object() ? object.find(name) : object.end();
    return it == object.end() || it->is_null() ? nullptr : &*it;
}

std::string textOf(const json &object, const char *name)
{
    const json *const value = memberOf(object, name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// Tools of any kind.
class ToolList
{
public:
    void add(const json &entry, const std::string &where, const std::string &space)
    {
        const std::string type = textOf(entry, "type");
        if (!entry.is_object())
            return noteIgnored(where);
        if (type == "namespace")
            return addSpace(entry, where);
        const json *const frame = memberOf(entry, type == "custom" ? "custom" : "function");
        const json &tool = frame != nullptr && frame->is_object() ? *frame : entry;
        const json *const schema = schemaOf(tool);
        const std::string name = textOf(tool, "name");
        const bool isFunction = type.empty() || type == "function" || schema != nullptr;
        if (name.empty() || (!isFunction && type != "custom"))
            return noteIgnored("tools." + (type.empty() ? where : type));
        AskedTool asked{.field = where + ".name", .schemaField = where + ".parameters"};
        asked.client = {name, space, !isFunction};
        asked.tool.name = nameInSpace(space, name);
        asked.tool.description = textOf(tool, "description");
        asked.strict = isTrue(tool, "strict") || isTrue(entry, "strict");
        if (!isFunction)
            addText(tool, asked);
        else if (schema != nullptr)
            asked.tool.parameters = objectSchema(*schema, asked);
        noteOthers(entry, frame, where);
        tools.push_back(std::move(asked));
    }
    std::vector<AskedTool> tools{};

private:
    static const json *schemaOf(const json &tool)
    {
        for (const char *name : {"parameters", "input_schema", "inputSchema"})
            if (const json *schema = memberOf(tool, name))
                return schema;
        return nullptr;
    }
    static bool isTrue(const json &object, const char *name)
    {
        const json *const value = memberOf(object, name);
        return value != nullptr && *value == true;
    }
    void addSpace(const json &entry, const std::string &where)
    {
        const std::string space = textOf(entry, "name");
        const json *const list = memberOf(entry, "tools");
        if (space.empty() || list == nullptr || !list->is_array())
            return noteIgnored(where);
        for (std::size_t i = 0; i < list->size() && tools.size() <= kMostTools; ++i)
            add((*list)[i], where + ".tools[" + std::to_string(i) + "]", space);
    }
    /// A tool whose input is one text is a function of it.
    static void addText(const json &tool, AskedTool &asked)
    {
        asked.tool.parameters = {{"type", "object"},
                                 {"properties", {{"input", {{"type", "string"}}}}},
                                 {"required", json::array({"input"})},
                                 {"additionalProperties", false}};
        const json *const format = memberOf(tool, "format");
        const json *const grammar = format ? memberOf(*format, "grammar") : nullptr;
        const std::string definition = textOf(grammar  ? *grammar
                                              : format ? *format
                                                       : tool,
                                              "definition");
        if (!definition.empty())
            asked.tool.description += "\nThe input follows this grammar:\n" + definition;
    }
    /// A schema of anything but objects is left out.
    static json objectSchema(const json &schema, const AskedTool &asked)
    {
        json object = schema;
        if (!object.is_object()) {
            noteIgnored(asked.schemaField);
            object = {{"type", "object"}};
        }
        if (!object.contains("type") || object["type"] != "object") {
            const json type = object.value("type", json());
            const bool listed =
                type.is_array() && std::find(type.begin(), type.end(), "object") != type.end();
            std::string word = type.is_string() ? type.get<std::string>() : std::string();
            std::transform(word.begin(), word.end(), word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
            if (type.is_null() || listed || word == "object") {
                object["type"] = "object";
            } else {
                noteIgnored(asked.schemaField);
                object = {{"type", "object"}};
            }
        }
        return object;
    }
    static void noteOthers(const json &entry, const json *frame, const std::string &where)
    {
        static const std::vector<std::string> kKnown{
            "type",        "function",      "custom",         "name",
            "description", "strict",        "parameters",     "input_schema",
            "inputSchema", "cache_control", "input_examples", "eager_input_streaming",
            "format",      "defer_loading", "allowed_callers"};
        const auto note = [&](const json &object) {
            for (const auto &[name, value] : object.items())
                if (!value.is_null() &&
                    std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
                    noteIgnored(where + "." + name);
        };
        note(entry);
        if (frame != nullptr && frame->is_object())
            note(*frame);
    }
};

} // namespace

std::vector<AskedTool> readToolsTolerantly(Parameters &parameters)
{
    const json *const value = parameters.find("tools");
    if (value == nullptr)
        return {};
    if (!value->is_array() || value->size() > kMostTools)
        parameters.refuse("tools", "a list of up to " + std::to_string(kMostTools) + " tools");
    ToolList list;
    for (std::size_t i = 0; i < value->size(); ++i)
        list.add((*value)[i], "tools[" + std::to_string(i) + "]", {});
    if (list.tools.size() > kMostTools)
        parameters.refuse("tools", "a list of up to " + std::to_string(kMostTools) + " tools");
    return std::move(list.tools);
}

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
    if (!readsStrictly())
        return argumentsAsSent(call.find(name));
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
