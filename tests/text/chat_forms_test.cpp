// The forms of a chat that templates take which refuse it as it is.
#include "engine/core/error.h"
#include "engine/text/reply/chat_forms.h"
#include "engine/text/reply/tool_text.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

/// "role:content|…"
std::string shownTurns(const std::vector<ChatMessage> &messages)
{
    std::string all;
    for (const ChatMessage &message : messages) {
        all += message.role + ":" + message.content;
        for (const ToolCall &call : message.calls)
            if (message.role == "assistant")
                all += "(" + call.name + ")";
        all += "|";
    }
    return all;
}

const ChatMessage kCall{"assistant", "", {}, {{"f", "{}", "1"}}};
const ChatMessage kResult{"tool", "r", {}, {{"f", {}, "1"}}};

constexpr const char *kAlternating =
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ m.role }}:{{ m.content }}|{% endfor %}";
constexpr const char *kSystemFirst =
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
    "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
    "{{ m.role }}:{{ m.content }}|{% endfor %}";

std::string writtenBy(const char *source, std::vector<ChatMessage> messages)
{
    const ChatTemplate chatTemplate{source};
    return writeToolChat(chatTemplate, replyFormatOf(chatTemplate),
                         thinkingSwitchesOf(chatTemplate), {std::move(messages)}, "", "")
        .text.text;
}

TEST(ChatForms, NeighboursOfOneRoleAreJoined)
{
    EXPECT_EQ(shownTurns(joinedTurns({{"user", "a"}, {"user", "b"}, {"assistant", "c"}})),
              "user:a\n\nb|assistant:c|");
    EXPECT_EQ(shownTurns(joinedTurns({{"assistant", "a"}, {"assistant", "b"}, {"user", "c"}})),
              "user:|assistant:a\n\nb|user:c|");
    EXPECT_EQ(
        shownTurns(joinedTurns({{"system", "a"}, {"system", "b"}, {"user", ""}, {"user", "c"}})),
        "system:a\n\nb|user:c|");
    // Later instructions are told where they stand.
    EXPECT_EQ(shownTurns(joinedTurns({{"user", "a"}, {"system", "b"}, {"user", "c"}})),
              "user:a\n\nb\n\nc|");
    EXPECT_EQ(shownTurns(joinedTurns({{"user", "a"}, {"assistant", "b"}, {"system", "c"}})),
              "user:a|assistant:b|user:c|");
    // A call and its results stay together, and results are messages of their own.
    EXPECT_EQ(shownTurns(joinedTurns({{"user", "a"}, kCall, {"system", "b"}, kResult, kResult})),
              "user:a|assistant:(f)|tool:r|tool:r|user:b|");
    EXPECT_EQ(shownTurns(joinedTurns({{"user", "a"}, {"assistant", "b"}, kCall, kResult})),
              "user:a|assistant:b(f)|tool:r|");
}

TEST(ChatForms, ASystemMessageCanLeadTheUsers)
{
    EXPECT_EQ(shownTurns(withoutSystemRole({{"system", "a"}, {"user", "b"}})), "user:a\n\nb|");
    EXPECT_EQ(shownTurns(withoutSystemRole({{"system", "a"}})), "user:a|");
    EXPECT_EQ(shownTurns(withoutSystemRole({{"user", "b"}, {"system", "a"}})), "user:b|user:a|");
}

TEST(ChatForms, TemplatesGetTheFirstFormThatTheyTake)
{
    EXPECT_EQ(writtenBy(kAlternating, {{"user", "a"}, {"user", "b"}}), "user:a\n\nb|");
    EXPECT_EQ(writtenBy(kAlternating, {{"system", "s"}, {"user", "a"}}), "user:s\n\na|");
    EXPECT_EQ(writtenBy(kAlternating, {{"assistant", "a"}, {"user", "b"}}),
              "user:|assistant:a|user:b|");
    EXPECT_EQ(writtenBy(kAlternating,
                        {{"system", "s"}, {"user", "a"}, {"assistant", "b"}, {"system", "t"}}),
              "user:s\n\na|assistant:b|user:t|");
    EXPECT_EQ(writtenBy(kAlternating, {{"user", "a"}, kCall, kResult, {"user", "b"}}),
              "user:a|assistant:\nf {}|user:Result of f:\nr\n\nb|");
    EXPECT_EQ(writtenBy(kSystemFirst, {{"system", "s"}, {"user", "a"}, {"system", "t"}}),
              "system:s|user:a\n\nt|");
    // As it is where the template takes it so.
    EXPECT_EQ(writtenBy("{% for m in messages %}{{ m.role }}:{{ m.content }}|{% endfor %}",
                        {{"user", "a"}, {"user", "b"}, {"system", "c"}}),
              "user:a|user:b|system:c|");
    EXPECT_THROW(writtenBy("{{ raise_exception('never') }}", {{"user", "a"}, {"user", "b"}}),
                 Error);
}

TEST(ChatForms, PartsGoToTemplatesThatTakeNoText)
{
    const char *source =
        "{% for m in messages %}{% if m.content is string %}{{ raise_exception('parts only') }}"
        "{% endif %}{{ m.content[0].lang }}:{{ m.content[0].text }}{% endfor %}";
    ChatMessage message{"user", "good morning"};
    message.parts = R"([{"type":"text","lang":"de","text":"good morning"}])";
    EXPECT_EQ(writtenBy(source, {message}), "de:good morning");
    EXPECT_EQ(writtenBy("{{ messages[0].content }}", {message}), "good morning");
}

} // namespace
} // namespace fireside
