#include "app/server/chat_request.h"

#include "app/server/history.h"
#include "app/server/lenient_schema.h"
#include "app/server/prompt_size.h"
#include "app/server/tolerance.h"
#include "engine/constrain/tool_calls.h"

#include <algorithm>

namespace fireside::server {
namespace {

constrain::CallableTool callable(const AskedTool &asked)
{
    const json &schema = asked.tool.parameters;
    return {asked.tool.name, schema.is_null() ? "" : dumped(schema), !asked.strict};
}

StrictArguments strictArguments(const std::vector<AskedTool> &tools, const ServedModel &served)
{
    StrictArguments strict;
    for (const AskedTool &asked : tools) {
        if (!asked.strict)
            continue;
        const constrain::CallableTool tool = callable(asked);
        strict[tool.name] = served.grammars.of("arguments\n" + tool.parameters, asked.schemaField,
                                               [&] { return constrain::toolArguments(tool); });
    }
    return strict;
}

/// The calls that the choice allows; the tools that are left are those.
Grammars::Ready grammarOfCalls(const ChatRequest &chat, const ServedModel &served)
{
    std::vector<constrain::CallableTool> tools;
    std::string key = chat.choice.parallel ? "calls" : "call";
    for (const AskedTool &asked : chat.tools) {
        if (!chat.choice.name.empty() && asked.tool.name != chat.choice.name)
            continue;
        tools.push_back(callable(asked));
        key += "\n" + asked.tool.name + (asked.strict ? "!" : " ") + tools.back().parameters;
    }
    const bool several = chat.choice.parallel && chat.choice.name.empty();
    return served.grammars.of(key, "tools", [&] { return constrain::toolCalls(tools, several); });
}

void checkTools(const ChatRequest &chat)
{
    for (std::size_t i = 0; i < chat.tools.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (chat.tools[i].tool.name == chat.tools[k].tool.name)
                throw ApiError(400,
                               chat.tools[i].field + ": there are two tools called " +
                                   chat.tools[i].tool.name,
                               chat.tools[i].field);
    const ToolChoice &choice = chat.choice;
    const auto isNamed = [&](const AskedTool &one) { return one.tool.name == choice.name; };
    if (choice.kind != ToolChoice::Kind::Required)
        return;
    if (chat.tools.empty())
        throw ApiError(400, choice.field + " asks for a call, but there are no tools",
                       choice.field);
    if (!choice.name.empty() && std::none_of(chat.tools.begin(), chat.tools.end(), isNamed))
        throw ApiError(400, choice.field + " names a tool that is not among the tools",
                       choice.field);
    if (chat.form.kind != AnswerForm::Kind::Free)
        throw ApiError(400, chat.form.field + " cannot be kept where a call is asked for",
                       chat.form.field);
}

/// Only the tools that the choice allows are offered.
void restrictTools(ChatRequest &chat)
{
    ToolChoice &choice = chat.choice;
    const auto isNamed = [](const std::string &name) {
        return [&name](const AskedTool &one) { return one.tool.name == name; };
    };
    if (choice.restricted) {
        for (const std::string &name : choice.allowed)
            if (std::none_of(chat.tools.begin(), chat.tools.end(), isNamed(name)))
                throw ApiError(400, choice.field + " names a tool that is not among the tools",
                               choice.field);
        std::erase_if(chat.tools, [&](const AskedTool &one) {
            return std::find(choice.allowed.begin(), choice.allowed.end(), one.tool.name) ==
                   choice.allowed.end();
        });
    }
    if (choice.kind == ToolChoice::Kind::Required && choice.name.empty() && chat.tools.empty()) {
        noteIgnored(choice.field);
        choice.kind = ToolChoice::Kind::Auto;
    }
}

/// Schemas that a grammar cannot keep lose the parts that are in the way. A strict one stays: it is
/// kept or refused.
void reduceSchemas(ChatRequest &chat, const ServedModel &served)
{
    for (AskedTool &one : chat.tools) {
        if (one.strict || one.tool.parameters.is_null())
            continue;
        one.tool.parameters = keptSchema(one.tool.parameters, one.schemaField);
        try {
            const constrain::CallableTool tool = callable(one);
            (void)served.grammars.of("arguments\n" + tool.parameters, one.schemaField,
                                     [&] { return constrain::toolArguments(tool); });
        } catch (const ApiError &) { // as one that is too large
            noteIgnored(one.schemaField);
            one.tool.parameters = {{"type", "object"}};
        }
    }
}

void keepSchemas(ChatRequest &chat, const ServedModel &served)
{
    if (chat.choice.kind == ToolChoice::Kind::Required) {
        try {
            (void)grammarOfCalls(chat, served); // kept for the reply
        } catch (const ApiError &) {
            reduceSchemas(chat, served);
        }
    }
    AnswerForm &form = chat.form;
    if (form.kind == AnswerForm::Kind::JsonSchema && form.lenient) {
        const json schema = json::parse(form.source, nullptr, false);
        if (!schema.is_discarded())
            form.source = dumped(keptSchema(schema, form.field));
    }
}

/// The beginning of the answer, behind the thoughts that a template may have begun.
void beginAnswer(GenerateRequest &request, const std::string &begun, const ServedModel &served)
{
    if (begun.empty())
        return;
    const Tokenizer &tokenizer = served.model.tokenizer();
    const auto add = [&](const MarkedText &text) {
        const std::vector<TokenId> ids = tokenizer.encode(text, false);
        request.prompt.insert(request.prompt.end(), ids.begin(), ids.end());
    };
    if (std::exchange(request.inReasoning, false))
        add(MarkedText::trusted(request.format->reasoningEnd));
    add(MarkedText::fromUser(begun));
}

/// Before anything is rendered: each message takes at least a token.
void checkLength(const ChatRequest &chat, const ServedModel &served)
{
    const auto context = static_cast<std::size_t>(served.model.context());
    if (chat.messages.size() > context)
        throw ApiError(400,
                       "prompt is too long: " + std::to_string(chat.messages.size()) +
                           " messages, at least as many tokens > " + std::to_string(context) +
                           " maximum",
                       "messages", "context_length_exceeded");
    std::size_t bytes = 0;
    for (const ChatMessage &message : chat.messages)
        bytes += message.content.size();
    checkPromptBytes(bytes, context, served.model.tokenizer(), "messages");
}

std::shared_ptr<const OfferedTools> noTools()
{
    return std::make_shared<const OfferedTools>(std::vector<ToolDescription>());
}

} // namespace

void repeat(AskedReplies &asked, std::int64_t n)
{
    std::vector<GenerateRequest> all;
    for (const GenerateRequest &request : asked.requests)
        for (std::int64_t i = 0; i < n; ++i) {
            all.push_back(request);
            all.back().sampler.seed += static_cast<std::uint64_t>(i);
        }
    asked.requests = std::move(all);
}

AskedReplies repliesTo(ChatRequest chat, const ServedModel &served)
{
    ClientTools clientTools;
    std::string begun;
    if (!readsStrictly()) {
        clientTools = giveModelNames(chat);
        restrictTools(chat);
        begun = takeBegunAnswer(chat.messages);
        addMissingResults(chat.messages);
        if (chat.messages.empty())
            chat.messages.push_back({"user", {}});
    }
    checkTools(chat);
    checkLength(chat, served);
    if (!readsStrictly())
        keepSchemas(chat, served);
    ToolChat told{std::move(chat.messages), {}, chat.thinking};
    const bool offered = chat.choice.kind != ToolChoice::Kind::None && !chat.tools.empty();
    if (offered)
        for (const AskedTool &one : chat.tools)
            told.tools.push_back(one.tool);
    if (!served.sampling.systemPrompt.empty() && told.messages.front().role != "system")
        told.messages.insert(told.messages.begin(), {"system", served.sampling.systemPrompt});
    ToolPrompt prompt = toolPrompt(served.model, told);
    AskedReplies asked{.requests = {std::move(chat.sampling)},
                       .tools = std::move(clientTools),
                       .stream = chat.stream,
                       .probabilities = chat.probabilities,
                       .user = std::move(chat.user)};
    GenerateRequest &request = asked.requests.front();
    request.prompt = std::move(prompt.tokens);
    request.inReasoning = prompt.inReasoning;
    request.format = std::move(prompt.format);
    beginAnswer(request, begun, served);
    if (chat.choice.kind == ToolChoice::Kind::Required) {
        asked.calls = CallsIn::Answer;
        request.format->calls.clear();
        request.format->offered = noTools();
        request.grammar = grammarOfCalls(chat, served);
    } else {
        asked.calls = offered ? CallsIn::Marks : CallsIn::Nowhere;
        if (offered)
            asked.strict = strictArguments(chat.tools, served);
        else // what looks like a call is text
            request.format->offered = noTools();
        request.grammar = served.grammars.of(chat.form);
    }
    repeat(asked, chat.choices);
    return asked;
}

} // namespace fireside::server
