#include "app/server/history.h"

#include "app/server/tolerance.h"

#include <algorithm>
#include <set>

namespace fireside::server {
namespace {

bool isAnswered(std::span<const ChatMessage> results, const std::string &id)
{
    return std::any_of(results.begin(), results.end(), [&](const ChatMessage &one) {
        return one.role == "tool" && !one.calls.empty() && one.calls.front().id == id;
    });
}

/// The call that a result without an id belongs to.
const ToolCall *firstOpenCall(std::span<const ChatMessage> before)
{
    for (std::size_t i = before.size(); i-- > 0;) {
        if (before[i].role != "assistant")
            continue;
        for (const ToolCall &call : before[i].calls)
            if (!isAnswered(before.subspan(i + 1), call.id))
                return &call;
        return nullptr;
    }
    return nullptr;
}

} // namespace

std::optional<ChatMessage> resultOf(std::span<const ChatMessage> before, const std::string &id,
                                    TextContent text)
{
    ChatMessage result{"tool", std::move(text.text)};
    result.parts = std::move(text.parts);
    for (const ChatMessage &earlier : before)
        for (const ToolCall &call : earlier.calls)
            if (earlier.role == "assistant" && call.id == id && !(id.empty() && !readsStrictly()))
                result.calls = {{call.name, {}, id}};
    if (!result.calls.empty())
        return result;
    if (readsStrictly())
        return std::nullopt;
    if (const ToolCall *const open = id.empty() ? firstOpenCall(before) : nullptr) {
        result.calls = {{open->name, {}, open->id}};
        return result;
    }
    return ChatMessage{"user", "Result of an earlier tool call:\n" + result.content};
}

void addMissingResults(std::vector<ChatMessage> &messages)
{
    std::set<std::string> answered;
    for (const ChatMessage &message : messages)
        if (message.role == "tool" && !message.calls.empty())
            answered.insert(message.calls.front().id);
    std::vector<ChatMessage> all;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::vector<ToolCall> calls = messages[i].calls;
        const bool asks = messages[i].role == "assistant" && !calls.empty();
        all.push_back(messages[i]);
        if (!asks)
            continue;
        std::size_t end = i + 1; // behind the results
        for (std::size_t k = end;
             k < messages.size() && (messages[k].role == "tool" || messages[k].role == "system");
             ++k)
            if (messages[k].role == "tool")
                end = k + 1;
        const std::span<const ChatMessage> results(messages.data() + i + 1, end - i - 1);
        for (const ChatMessage &result : results)
            all.push_back(result);
        if (end < messages.size())
            for (const ToolCall &call : calls)
                if (!call.id.empty() && answered.count(call.id) == 0)
                    all.push_back({"tool", "[This call gave no result.]", {}, {call}});
        i = end - 1;
    }
    messages = std::move(all);
}

std::string takeBegunAnswer(std::vector<ChatMessage> &messages)
{
    if (messages.empty() || messages.back().role != "assistant" || !messages.back().calls.empty())
        return {};
    std::string begun = std::move(messages.back().content);
    messages.pop_back();
    return begun.find_first_not_of(" \t\r\n") == std::string::npos ? std::string() : begun;
}

std::string withoutBillingLines(const std::string &text)
{
    constexpr std::string_view kLine = "x-anthropic-billing-header";
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line(text.data() + at, end - at);
        if (!line.starts_with(kLine))
            kept += line;
        at = end;
    }
    return kept;
}

std::string argumentsAsSent(const json *value)
{
    if (value == nullptr || *value == "")
        return "{}";
    return value->is_string() ? value->get<std::string>() : dumped(*value);
}

} // namespace fireside::server
