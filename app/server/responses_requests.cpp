#include "app/server/responses_requests.h"

#include "app/server/content_parts.h"
#include "app/server/history.h"
#include "app/server/openai_requests.h"
#include "app/server/random_id.h"
#include "app/server/sampling_json.h"
#include "app/server/thinking_json.h"
#include "app/server/tolerance.h"
#include "app/server/tool_choice_json.h"
#include "app/server/tools_json.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cmath>

namespace fireside::server {
namespace {

TextContent partsOf(const json &content, const std::string &where)
{
    return textContentOf(content, where,
                         {"input_text", "output_text", "text", "reasoning_text", "summary_text"});
}

std::string partsText(const json &content, const std::string &where)
{
    return partsOf(content, where).text;
}

/// Items of the input, joined to messages: what an assistant did in one turn is one of them.
class Items
{
public:
    explicit Items(std::vector<ChatMessage> before)
        : m_messages(std::move(before))
    {}

    void add(const json &entry, const std::string &where)
    {
        Parameters item(entry, where);
        const std::string type = item.text("type").value_or("message");
        item.ignore("id");
        item.ignore("status");
        if (type == "message")
            addMessage(item);
        else if (type == "function_call")
            addCall(item);
        else if (type == "function_call_output" || (!readsStrictly() && type.ends_with("_output")))
            addResult(item);
        else if (type == "custom_tool_call" && !readsStrictly())
            addTextCall(item);
        else if (type == "local_shell_call" && !readsStrictly())
            addShellCall(item);
        else if (type == "reasoning")
            addReasoning(item);
        else if (!readsStrictly())
            return noteIgnored("input." + type); // of tools that are run elsewhere, or unknown
        else
            throw ApiError(400,
                           item.full("type") + ": items of the type " + fireside::quoted(type) +
                               " are not supported",
                           item.full("type"), "unsupported_content");
        item.finish();
    }
    std::vector<ChatMessage> take() { return std::move(m_messages); }

private:
    ChatMessage &turn()
    {
        if (m_messages.empty() || m_messages.back().role != "assistant")
            m_messages.push_back({"assistant", {}});
        return m_messages.back();
    }
    void addMessage(Parameters &item)
    {
        std::string role = item.text("role").value_or("");
        if (role == "developer")
            role = "system";
        if (role != "system" && role != "user" && role != "assistant")
            item.refuse("role", "system, developer, user or assistant");
        const json *const content = item.find("content");
        if (content == nullptr && readsStrictly())
            item.require("content");
        TextContent said = partsOf(content ? *content : json(), item.full("content"));
        if (role == "system" && !readsStrictly())
            said.text = withoutBillingLines(said.text);
        item.ignore("phase");
        if (role == "assistant") {
            turn().content += said.text;
            return;
        }
        m_messages.push_back({role, std::move(said.text)});
        m_messages.back().parts = std::move(said.parts);
    }
    void addCall(Parameters &item)
    {
        ToolCall call{.name = item.text("name").value_or(""),
                      .arguments = argumentsOf(item, "arguments"),
                      .id = item.text("call_id").value_or("")};
        if (call.name.empty())
            item.refuse("name", "given");
        if (!readsStrictly())
            call.name = nameInSpace(item.text("namespace").value_or(""), call.name);
        turn().calls.push_back(std::move(call));
    }
    void addTextCall(Parameters &item)
    {
        const std::string space = item.text("namespace").value_or("");
        turn().calls.push_back({nameInSpace(space, item.text("name").value_or("")),
                                argumentsOfText(item.text("input").value_or("")),
                                item.text("call_id").value_or("")});
    }
    void addShellCall(Parameters &item)
    {
        turn().calls.push_back({"local_shell", argumentsAsSent(item.find("action")),
                                item.text("call_id").value_or("")});
    }
    void addResult(Parameters &item)
    {
        if (!readsStrictly())
            return addAnyResult(item);
        const std::string id = item.text("call_id").value_or("");
        ChatMessage result{"tool", partsText(item.require("output"), item.full("output"))};
        for (const ChatMessage &earlier : m_messages)
            for (const ToolCall &call : earlier.calls)
                if (earlier.role == "assistant" && call.id == id)
                    result.calls = {{call.name, {}, id}};
        if (result.calls.empty())
            item.refuse("call_id", "that of a function_call before it");
        m_messages.push_back(std::move(result));
    }
    /// Of any tool.
    void addAnyResult(Parameters &item)
    {
        const json *const output = item.find("output");
        TextContent text = partsOf(output ? *output : json(), item.full("output"));
        m_messages.push_back(
            *resultOf(m_messages, item.text("call_id").value_or(""), std::move(text)));
        for (const char *name : {"name", "namespace", "tools"})
            item.ignore(name);
    }
    void addReasoning(Parameters &item)
    {
        item.ignore("encrypted_content");
        item.ignore("summary");
        if (const json *content = item.find("content"))
            turn().reasoning += partsText(*content, item.full("content"));
    }

    std::vector<ChatMessage> m_messages;
};

std::vector<ChatMessage> inputOf(Parameters &p, const KeptResponses &kept, const std::string &owner)
{
    std::vector<ChatMessage> before;
    if (const auto id = p.text("previous_response_id")) {
        auto found = kept.find(*id, owner);
        if (!found)
            throw ApiError(404,
                           "previous_response_id: " + fireside::quoted(*id) +
                               " is not kept; send the earlier items as input",
                           "previous_response_id", "previous_response_not_found");
        before = std::move(found->messages);
    }
    const json &input = p.require("input");
    Items items(std::move(before));
    if (input.is_string()) {
        items.add({{"role", "user"}, {"content", input}}, "input");
    } else if (input.is_array() && !input.empty()) {
        p.limitCount("input", input.size(), kMaxMessages);
        for (std::size_t i = 0; i < input.size(); ++i)
            items.add(input[i], "input[" + std::to_string(i) + "]");
    } else {
        p.refuse("input", "a string or a list of items that is not empty");
    }
    return items.take();
}

ToolChoice callChoiceOf(Parameters &p)
{
    ToolChoice choice;
    choice.parallel = p.boolean("parallel_tool_calls").value_or(true);
    const json *const value = p.find("tool_choice");
    if (value == nullptr || *value == "auto")
        return choice;
    choice.kind = *value == "none" ? ToolChoice::Kind::None : ToolChoice::Kind::Required;
    if (*value == "none" || *value == "required")
        return choice;
    if (!value->is_object())
        p.refuse("tool_choice", "auto, none, required or {\"type\": \"function\", …}");
    Parameters named(*value, "tool_choice");
    named.onlyAs("type", {"function"});
    choice.name = named.text("name").value_or("");
    if (choice.name.empty())
        named.refuse("name", "given");
    named.finish();
    return choice;
}

void readReasoning(Parameters &p, ChatRequest &chat, const ServedModel &served)
{
    chat.thinking = toThinking(served.sampling);
    const json *const value = p.find("reasoning");
    if (value == nullptr)
        return;
    Parameters one(*value, "reasoning");
    if (const auto effort = one.text("effort")) {
        if (*effort == "none")
            chat.thinking.thinking = Thinking::Off;
        else
            chat.thinking.effort = *effort;
    }
    one.ignore("summary"); // thoughts come as they are
    one.ignore("generate_summary");
    one.finish();
}

AnswerForm formOf(Parameters &p)
{
    const json *const value = p.find("text");
    if (value == nullptr)
        return {};
    AnswerForm form;
    Parameters text(*value, "text");
    text.ignore("verbosity");
    if (const json *format = text.find("format")) {
        Parameters one(*format, "text.format");
        one.ignore("name");
        one.ignore("description");
        form = formOfType(one, &one);
        one.finish();
    }
    text.finish();
    return form;
}

/// What the API has and this server does not, and what says nothing about the reply.
void readUnusedOf(Parameters &p)
{
    p.onlyAs("background", {false});
    p.onlyAs("truncation", {"disabled"});
    p.requireAs("conversation", {});
    p.requireAs("prompt", {});
    p.onlyAs("service_tier", {"auto", "default"});
    for (const char *name : {"metadata", "safety_identifier", "prompt_cache_key", "stream_options",
                             "max_tool_calls", "prompt_cache_retention"})
        p.ignore(name);
}

/// The items as they are told when somebody asks for them.
json itemsOf(const json &input)
{
    json items = json::array();
    if (input.is_string())
        items.push_back({{"type", "message"},
                         {"role", "user"},
                         {"content", json::array({{{"type", "input_text"}, {"text", input}}})}});
    else
        items = input;
    for (json &item : items) {
        if (!item.contains("type"))
            item["type"] = "message";
        if (!item.contains("id"))
            item["id"] = randomId("item_");
    }
    return items;
}

/// How many of the likeliest tokens come with each; −1: none.
int probabilitiesOf(Parameters &p)
{
    const json *const include = p.find("include");
    if (include != nullptr && !include->is_array())
        p.refuse("include", "a list of strings");
    const bool asked =
        include != nullptr && std::find(include->begin(), include->end(),
                                        "message.output_text.logprobs") != include->end();
    const auto likeliest = p.integer("top_logprobs", 0, 20);
    if (likeliest.value_or(0) > 0 || asked)
        return static_cast<int>(likeliest.value_or(0));
    return -1;
}

/// Of single precision, as it was written: 0.7, not 0.699999988079071.
double tidy(float value)
{
    return std::round(static_cast<double>(value) * 1e6) / 1e6;
}

/// What a response repeats of its request: all that OpenAI's and Open Responses' schemas require.
json echoOf(const json &body, const ChatRequest &chat)
{
    json echo = json::object();
    for (const auto &[name, usual] : std::initializer_list<std::pair<const char *, json>>{
             {"instructions", nullptr},
             {"max_output_tokens", nullptr},
             {"metadata", json::object()},
             {"parallel_tool_calls", true},
             {"previous_response_id", nullptr},
             {"store", true},
             {"text", {{"format", {{"type", "text"}}}}},
             {"tool_choice", "auto"},
             {"tools", json::array()},
             {"top_logprobs", 0},
             {"truncation", "disabled"},
             {"max_tool_calls", nullptr},
             {"safety_identifier", nullptr},
             {"prompt_cache_key", nullptr},
             {"user", nullptr}})
        echo[name] = body.contains(name) && !body[name].is_null() ? body[name] : usual;
    const SamplerSettings &sampler = chat.sampling.sampler;
    echo["service_tier"] = "default";
    echo["temperature"] = tidy(sampler.temperature);
    echo["top_p"] = tidy(sampler.topP);
    echo["presence_penalty"] = tidy(sampler.presencePenalty);
    echo["frequency_penalty"] = tidy(sampler.frequencyPenalty);
    echo["reasoning"] = body.value("reasoning", json{{"effort", nullptr}, {"summary", nullptr}});
    return echo;
}

} // namespace

ResponsesRequest readResponses(const json &body, const ServedModel &served,
                               const KeptResponses &kept, const std::string &owner)
{
    Parameters p(body);
    requireModel(p, served);
    ResponsesRequest asked;
    asked.owner = owner;
    ChatRequest chat;
    chat.sampling = samplingOf(p, served);
    if (readsStrictly())
        readMaxTokens(p, chat.sampling, {"max_output_tokens"});
    else
        readMaxTokens(p, chat.sampling,
                      {"max_output_tokens", "max_completion_tokens", "max_tokens"});
    chat.stream = p.boolean("stream").value_or(false);
    chat.user = p.text("user").value_or("");
    asked.store = p.boolean("store").value_or(true);
    chat.form = formOf(p);
    if (readsStrictly()) {
        readReasoning(p, chat, served);
        chat.tools = toolsOf(p, [](Parameters &members) {
            members.onlyAs("type", {"function"});
            return toolOf(members, "parameters");
        });
        chat.choice = callChoiceOf(p);
    } else {
        readThinkingTolerantly(p, chat, served);
        chat.tools = readToolsTolerantly(p);
        chat.choice = readChoiceTolerantly(p);
    }
    readUnusedOf(p);
    chat.probabilities = probabilitiesOf(p);
    asked.messages = inputOf(p, kept, owner);
    chat.messages = asked.messages;
    if (const auto instructions = p.text("instructions")) {
        if (!chat.messages.empty() && chat.messages.front().role == "system")
            chat.messages.front().content.insert(0, *instructions + "\n\n");
        else
            chat.messages.insert(chat.messages.begin(), {"system", *instructions});
    }
    p.finish();
    asked.input = itemsOf(body["input"]);
    asked.echo = echoOf(body, chat);
    asked.replies = repliesTo(std::move(chat), served);
    return asked;
}

} // namespace fireside::server
