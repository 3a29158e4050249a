#include "engine/text/reply/chat_forms.h"

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr const char *kBetween = "\n\n";

bool isSame(const std::vector<ChatMessage> &a, const std::vector<ChatMessage> &b)
{
    const auto equal = [](const ChatMessage &one, const ChatMessage &other) {
        return one.role == other.role && one.content == other.content &&
               one.reasoning == other.reasoning && one.calls == other.calls;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

std::string joinedText(const std::string &a, const std::string &b)
{
    return a + (a.empty() || b.empty() ? "" : kBetween) + b;
}

class TurnJoiner
{
public:
    /// resultFollows: the next message is the result of a call.
    void add(ChatMessage message, bool resultFollows)
    {
        const bool begins = m_turns.empty() || (m_turns.size() == 1 && isSystem(m_turns[0]));
        if (isSystem(message) && !begins)
            message.role = "user";
        if (message.role == "user" && resultFollows && !begins) {
            m_delayed.push_back(std::move(message)); // a call and its results stay together
            return;
        }
        if (message.role != "tool")
            addDelayed();
        if (message.role == "assistant" && begins)
            m_turns.push_back({"user", {}});
        join(std::move(message));
    }
    std::vector<ChatMessage> take()
    {
        addDelayed();
        return std::move(m_turns);
    }

private:
    static bool isSystem(const ChatMessage &message) { return message.role == "system"; }

    void addDelayed()
    {
        for (ChatMessage &message : std::exchange(m_delayed, {}))
            join(std::move(message));
    }
    void join(ChatMessage message)
    {
        const bool joins = !m_turns.empty() && m_turns.back().role == message.role &&
                           m_turns.back().calls.empty() && message.role != "tool";
        if (!joins) {
            m_turns.push_back(std::move(message));
            return;
        }
        ChatMessage &last = m_turns.back();
        last.content = joinedText(last.content, message.content);
        last.reasoning = joinedText(last.reasoning, message.reasoning);
        last.calls = std::move(message.calls);
        last.parts.clear();
    }

    std::vector<ChatMessage> m_turns{}, m_delayed{};
};

} // namespace

std::vector<ChatMessage> joinedTurns(const std::vector<ChatMessage> &messages)
{
    TurnJoiner joiner;
    for (std::size_t i = 0; i < messages.size(); ++i)
        joiner.add(messages[i], i + 1 < messages.size() && messages[i + 1].role == "tool");
    return joiner.take();
}

std::vector<ChatMessage> withoutSystemRole(const std::vector<ChatMessage> &messages)
{
    std::vector<ChatMessage> result;
    std::string system;
    for (const ChatMessage &message : messages) {
        if (message.role == "system") {
            system = joinedText(system, message.content);
            continue;
        }
        result.push_back(message);
        if (message.role == "user" && !system.empty()) {
            result.back().content = joinedText(system, message.content);
            result.back().parts.clear();
            system.clear();
        }
    }
    if (!system.empty())
        result.push_back({"user", system});
    return result;
}

std::vector<ChatMessage> withCallsAsText(std::vector<ChatMessage> messages)
{
    for (ChatMessage &message : messages) {
        if (message.role == "tool") {
            const std::string name = message.calls.empty() ? "" : message.calls.front().name;
            message.role = "user";
            message.content.insert(0, "Result of " + name + ":\n");
            message.calls.clear();
        }
        for (const ToolCall &call : message.calls)
            message.content += "\n" + call.name + " " + call.arguments;
        if (!message.calls.empty())
            message.reasoning.clear();
        message.calls.clear();
    }
    return messages;
}

std::vector<std::vector<ChatMessage>> chatForms(const std::vector<ChatMessage> &messages)
{
    std::vector<std::vector<ChatMessage>> forms{messages};
    const auto add = [&](std::vector<ChatMessage> form) {
        const auto is = [&](const auto &other) { return isSame(form, other); };
        if (std::none_of(forms.begin(), forms.end(), is))
            forms.push_back(std::move(form));
    };
    const std::vector<ChatMessage> joined = joinedTurns(messages);
    const std::vector<ChatMessage> words = withCallsAsText(messages);
    add(joined);
    add(joinedTurns(withoutSystemRole(joined)));
    add(words);
    add(joinedTurns(words));
    add(joinedTurns(withoutSystemRole(joinedTurns(words))));
    return forms;
}

} // namespace fireside
