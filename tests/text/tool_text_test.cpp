// Tools, calls and results in prompts: of real chat templates, and of those that know none.
#include "engine/core/error.h"
#include "engine/text/chat_ml.h"
#include "engine/text/reply/tool_text.h"
#include "tests/support/require.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;

const ToolDescription kTool{
    "find_word", "Finds a word in a book",
    Json::parse(R"({"type":"object","properties":{"word":{"type":"string","description":
        "The word sought"}},"required":["word"]})")};

ToolChat chat(bool withCall)
{
    ToolChat chat{{{"user", "Where is the fire?"}}, {kTool}};
    if (withCall) {
        chat.messages.push_back(
            {"assistant", "", {}, {{"find_word", R"({"word":"fire"})", "call00001"}}});
        chat.messages.push_back({"tool", "On page 451.", {}, {{"find_word", {}, "call00001"}}});
    }
    return chat;
}

ToolText written(const ChatTemplate &chatTemplate, const ToolChat &chat)
{
    return writeToolChat(chatTemplate, replyFormatOf(chatTemplate),
                         thinkingSwitchesOf(chatTemplate), chat, "<s>", "</s>");
}

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/// Nothing that a caller wrote may become a control token.
bool isMarked(const MarkedText &text, const std::string &part)
{
    const std::size_t at = text.text.find(part);
    for (const MarkedText::Range &range : text.untrusted)
        if (range.begin <= at && at + part.size() <= range.end)
            return true;
    return false;
}

TEST(ToolText, RealTemplatesGetToolsCallsAndResults)
{
    const auto folder = std::filesystem::path(FIRESIDE_SHARED_DATA) / "golden/chat-templates";
    if (!std::filesystem::exists(folder))
        FIRESIDE_SKIP("real chat templates are not here: " + folder.string());
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".jinja")
            continue;
        SCOPED_TRACE(entry.path().stem().string());
        std::ifstream in(entry.path(), std::ios::binary);
        std::stringstream source;
        source << in.rdbuf();
        const ChatTemplate chatTemplate(source.str());
        for (const bool withCall : {false, true}) {
            const ToolText one = written(chatTemplate, chat(withCall));
            const std::string &text = one.text.text;
            EXPECT_TRUE(contains(text, "find_word") && contains(text, "The word sought")) << text;
            EXPECT_TRUE(isMarked(one.text, "The word sought")) << text;
            EXPECT_TRUE(one.format.channels || !one.format.calls.empty());
            if (withCall) {
                EXPECT_TRUE(contains(text, "On page 451.")) << text;
                EXPECT_TRUE(isMarked(one.text, "On page 451.")) << text;
            }
        }
        ToolChat without = chat(false);
        without.tools.clear();
        EXPECT_FALSE(contains(written(chatTemplate, without).text.text, "find_word"));
    }
}

TEST(ToolText, ATemplateThatKnowsNoToolsGetsText)
{
    const ChatTemplate chatMl(kChatMl);
    const ToolText one = written(chatMl, chat(true));
    const std::string &text = one.text.text;
    EXPECT_TRUE(text.starts_with("<|im_start|>system\n")) << text;
    EXPECT_TRUE(contains(text, "<|im_start|>assistant\n<tool_call>\n{\"name\":\"find_word\","
                               "\"arguments\":{\"word\":\"fire\"}}\n</tool_call><|im_end|>"))
        << text;
    EXPECT_TRUE(contains(text, "<|im_start|>user\n<tool_response>\nOn page 451.\n</tool_response>"))
        << text;
    ASSERT_FALSE(one.format.calls.empty());
    EXPECT_EQ(one.format.calls.front()->name, "hermes");
    ToolChat withSystem = chat(false);
    withSystem.messages.insert(withSystem.messages.begin(), {"system", "Be kind."});
    EXPECT_TRUE(
        contains(written(chatMl, withSystem).text.text, "system\nBe kind.\n\nYou can call"));
    // Results of one turn stay one message.
    ToolChat two = chat(true);
    two.messages.push_back(two.messages.back());
    EXPECT_TRUE(contains(written(chatMl, two).text.text,
                         "</tool_response>\n<tool_response>\nOn page 451."));
}

TEST(ToolText, WithoutASystemMessageTheUsersHoldsThem)
{
    const ChatTemplate strict(
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}"
        "{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}");
    const std::string text = written(strict, chat(false)).text.text;
    EXPECT_TRUE(text.starts_with("[user]You can call tools.")) << text;
    EXPECT_TRUE(text.ends_with("\n\nWhere is the fire?")) << text;
}

TEST(ToolText, ATemplateThatFailsOnToolsGetsText)
{
    const ChatTemplate failing("{% if tools %}{{ raise_exception('tools') }}{% endif %}"
                               "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}");
    EXPECT_TRUE(written(failing, chat(false)).text.text.starts_with("[system]You can call tools."));
}

} // namespace
} // namespace fireside
