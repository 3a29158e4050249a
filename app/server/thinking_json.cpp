#include "app/server/thinking_json.h"

#include "app/server/sampling_json.h"
#include "app/server/tolerance.h"

#include <algorithm>

namespace fireside::server {
namespace {

class ThinkingReader
{
public:
    explicit ThinkingReader(ChatRequest &chat)
        : m_chat(chat)
    {}

    /// To the nearest level that templates know.
    void effort(const std::string &word, const std::string &place)
    {
        ThinkingChoice &thinking = m_chat.thinking;
        const auto isOneOf = [&](std::initializer_list<const char *> words) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        if (isOneOf({"none", "off", "disabled"}))
            thinking.thinking = Thinking::Off;
        else if (isOneOf({"minimal", "low"}))
            thinking.effort = "low";
        else if (word == "medium")
            thinking.effort = "medium";
        else if (isOneOf({"high", "xhigh", "max", "ultra"}))
            thinking.effort = "high";
        else if (!isOneOf({"auto", "default", ""}))
            noteIgnored(place);
    }
    void onOff(bool on) { m_chat.thinking.thinking = on ? Thinking::On : Thinking::Off; }
    void budget(const json &value, const std::string &place)
    {
        if (!value.is_number())
            return noteIgnored(place);
        const double tokens = value.get<double>();
        if (tokens < 0) // no limit
            return;
        if (tokens < 1)
            return onOff(false);
        m_chat.thinking.budget =
            static_cast<int>(std::min(tokens, static_cast<double>(kMostTokens)));
        m_chat.sampling.thinkingBudget = m_chat.thinking.budget;
    }
    /// true, "low", or an object whose members are read by their names.
    void value(const json &value, const std::string &place)
    {
        if (value.is_boolean())
            return onOff(value.get<bool>());
        if (value.is_string())
            return effort(value.get<std::string>(), place);
        if (value.is_number())
            return budget(value, place);
        if (!value.is_object())
            return noteIgnored(place);
        for (const auto &[name, inner] : value.items())
            if (!inner.is_null())
                member(name, inner, place + "." + name);
    }

private:
    void member(const std::string &name, const json &value, const std::string &place)
    {
        if (name == "effort" || name == "reasoning_effort" || name == "thinking_effort")
            value.is_string() ? effort(value.get<std::string>(), place) : noteIgnored(place);
        else if (name == "budget_tokens" || name == "max_tokens" || name == "thinking_budget" ||
                 name == "budget")
            budget(value, place);
        else if (name == "enabled" || name == "enable_thinking" || name == "thinking")
            value.is_boolean() ? onOff(value.get<bool>()) : this->value(value, place);
        else if (name == "type" && value.is_string())
            type(value.get<std::string>(), place);
        else if (name != "summary" && name != "generate_summary" && name != "display")
            noteIgnored(place);
    }
    void type(const std::string &type, const std::string &place)
    {
        if (type == "enabled" || type == "adaptive" || type == "disabled")
            onOff(type != "disabled");
        else if (type != "auto")
            noteIgnored(place);
    }

    ChatRequest &m_chat;
};

/// Anthropic's: how thoroughly to think, and a schema of the answer.
void readOutputConfig(const json &value, ChatRequest &chat, ThinkingReader &reader)
{
    Parameters config(value, "output_config");
    if (const auto effort = config.text("effort"))
        reader.effort(*effort, "output_config.effort");
    if (const json *format = config.find("format")) {
        Parameters one(*format, "output_config.format");
        chat.form = formOfType(one, &one);
        one.finish();
    }
    config.finish();
}

} // namespace

void readThinkingTolerantly(Parameters &p, ChatRequest &chat, const ServedModel &served)
{
    chat.thinking = toThinking(served.sampling);
    ThinkingReader reader(chat);
    for (const char *name : {"chat_template_kwargs", "think", "thinking", "reasoning",
                             "reasoning_effort", "enable_thinking"})
        if (const json *value = p.find(name))
            reader.value(*value, p.full(name));
    for (const char *name : {"thinking_budget", "thinking_budget_tokens", "reasoning_budget"})
        if (const json *value = p.find(name))
            reader.budget(*value, p.full(name));
    if (const json *config = p.find("output_config"))
        readOutputConfig(*config, chat, reader);
}

} // namespace fireside::server
