#include "app/server/tool_choice_json.h"

#include "app/server/tolerance.h"
#include "app/server/tool_names.h"

namespace fireside::server {
namespace {

/// {"type": "function", "name": …}, or with the name in "function", "custom" or "tool".
std::string toolName(const json &value)
{
    const auto textOf = [](const json &object, const char *name) {
        const auto it = object.find(name);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    std::string name = textOf(value, "name");
    for (const char *frame : {"function", "custom", "tool"})
        if (const auto it = value.find(frame); name.empty() && it != value.end() && it->is_object())
            name = textOf(*it, "name");
    return name.empty() ? name : nameInSpace(textOf(value, "namespace"), name);
}

bool setByWord(ToolChoice &choice, const std::string &word)
{
    using Kind = ToolChoice::Kind;
    if (word == "auto")
        choice.kind = Kind::Auto;
    else if (word == "none")
        choice.kind = Kind::None;
    else if (word == "required" || word == "any")
        choice.kind = Kind::Required;
    else
        return false;
    return true;
}

void readAllowed(const json &value, ToolChoice &choice, const Parameters &p)
{
    const auto inner = value.find("allowed_tools");
    const json &allowed = inner != value.end() && inner->is_object() ? *inner : value;
    const auto mode = allowed.find("mode");
    if (mode != allowed.end() && mode->is_string() && !setByWord(choice, mode->get<std::string>()))
        p.refuse("tool_choice.mode", "auto or required");
    const auto tools = allowed.find("tools");
    if (tools == allowed.end() || !tools->is_array())
        p.refuse("tool_choice.tools", "a list of tools");
    choice.restricted = true;
    for (const json &one : *tools)
        if (const std::string name = one.is_object() ? toolName(one) : std::string(); !name.empty())
            choice.allowed.push_back(name);
        else
            noteIgnored("tool_choice.tools[]");
}

void readObject(const json &value, ToolChoice &choice, Parameters &p)
{
    const auto it = value.find("type");
    const std::string type = it != value.end() && it->is_string() ? it->get<std::string>() : "";
    if (value.value("disable_parallel_tool_use", json()) == true)
        choice.parallel = false;
    if (setByWord(choice, type))
        return;
    if (type == "allowed_tools")
        return readAllowed(value, choice, p);
    choice.name = toolName(value);
    if (!choice.name.empty()) {
        choice.kind = ToolChoice::Kind::Required;
        return;
    }
    if (type.empty() || type == "function" || type == "custom" || type == "tool")
        p.refuse("tool_choice", "auto, none, required or the name of a tool");
    noteIgnored("tool_choice"); // of a tool that is not run here
}

} // namespace

ToolChoice readChoiceTolerantly(Parameters &p)
{
    ToolChoice choice;
    choice.parallel = p.boolean("parallel_tool_calls").value_or(true);
    const json *const value = p.find("tool_choice");
    if (value == nullptr)
        return choice;
    if (value->is_object()) {
        readObject(*value, choice, p);
    } else if (!value->is_string()) {
        p.refuse("tool_choice", "auto, none, required or the name of a tool");
    } else if (!setByWord(choice, value->get<std::string>())) {
        choice.kind = ToolChoice::Kind::Required;
        choice.name = value->get<std::string>();
    }
    return choice;
}

} // namespace fireside::server
