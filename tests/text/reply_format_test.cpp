// What is recognised of real chat templates, and that what they write is read back.
#include "engine/text/chat_template.h"
#include "engine/text/reply/reply_format.h"
#include "engine/text/reply/reply_parser.h"
#include "engine/text/reply/template_probe.h"
#include "tests/support/require.h"
#include "tests/support/seed.h"
#include "tests/text/reply_pieces.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace fireside::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Known
{
    const char *file;
    const char *reasoning; // what ends it; empty: the template knows nothing of it
    const char *key;
    const char *calls; // the first syntax; "channels"; empty: none
    bool written;      // the template writes calls itself
    ThinkingSwitches switches;
};

const ThinkingSwitches kNone{}, kOnOff{"enable_thinking", {}, {}},
    kEffort{{}, "reasoning_effort", {}};

const Known kTemplates[] = {
    {"Apertus-8B-Instruct", "<|inner_suffix|>", "", "apertus", true, kOnOff},
    {"Apriel-1.6-15b-Thinker-fixed", "[BEGIN FINAL RESPONSE]", "reasoning_content", "tool-calls",
     true, kNone},
    {"Bielik-11B-v3.0-Instruct", "</think>", "reasoning_content", "hermes", true, kOnOff},
    {"CohereForAI-c4ai-command-r-plus-tool_use", "", "", "command-r", true, kNone},
    {"CohereForAI-c4ai-command-r7b-12-2024-tool_use", "<|END_THINKING|>", "reasoning_content",
     "command-r7b", true, kOnOff},
    {"GLM-4.6", "</think>", "reasoning_content", "glm", true, kOnOff},
    {"GigaChat3-10B-A1.8B", "", "", "gigachat-roles", true, kNone},
    {"GigaChat3.1-10B-A1.8B", "", "", "gigachat", true, kNone},
    {"HuggingFaceTB-SmolLM3-3B", "</think>", "", "", false, kOnOff},
    {"LFM2-8B-A1B", "", "", "lfm2", false, kNone},
    {"LFM2.5-Instruct", "</think>", "", "lfm2", false, kNone},
    {"MiMo-VL", "", "", "hermes", true, kNone},
    {"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "</think>", "reasoning_content", "qwen-xml", true,
     kOnOff},
    {"NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "", "", "hermes", true, kNone},
    {"NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "", "", "hermes", true, kNone},
    {"Qwen-Qwen3-0.6B", "</think>", "reasoning_content", "hermes", true, kOnOff},
    {"Qwen3-Coder", "", "", "qwen-xml", true, kNone},
    {"Qwen3.5-4B", "</think>", "reasoning_content", "qwen-xml", true, kOnOff},
    {"deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "</think>", "", "deepseek", true, kNone},
    {"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "</think>", "", "deepseek", true, kOnOff},
    {"deepseek-ai-DeepSeek-V3.1", "</think>", "", "deepseek", true, kOnOff},
    {"fireworks-ai-llama-3-firefunction-v2", "", "", "functools", true, kNone},
    {"google-gemma-2-2b-it", "", "", "", false, kNone},
    {"google-gemma-4-31B-it-interleaved", "<channel|>", "reasoning_content", "gemma", true, kOnOff},
    {"llama-cpp-deepseek-r1", "</think>", "", "deepseek", true, kNone},
    {"llama-cpp-rwkv-world", "</think>", "", "", false, kOnOff},
    {"meetkai-functionary-medium-v3.1", "", "", "functionary", true, kNone},
    {"meta-llama-Llama-3.2-3B-Instruct", "", "", "json", true, kNone},
    {"meta-llama-Llama-3.3-70B-Instruct", "", "", "json", true, kNone},
    {"microsoft-Phi-3.5-mini-instruct", "", "", "", false, kNone},
    {"moonshotai-Kimi-K2", "", "", "kimi", true, kNone},
    {"openai-gpt-oss-120b", "<|end|>", "thinking", "channels", true, kEffort},
    {"stepfun-ai-Step-3.5-Flash", "</think>", "reasoning_content", "qwen-xml", true, kNone},
};

fs::path templates()
{
    return fs::path(FIRESIDE_SHARED_DATA) / "golden/chat-templates";
}

ChatTemplate openTemplate(const std::string &name)
{
    std::ifstream in(templates() / (name + ".jinja"), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return ChatTemplate(text.str());
}

class RealTemplate : public testing::TestWithParam<Known>
{
protected:
    void SetUp() override
    {
        if (!fs::exists(templates()))
            FIRESIDE_SKIP("real chat templates are not here: " + templates().string());
    }
};

TEST_P(RealTemplate, IsRecognised)
{
    const Known &known = GetParam();
    const ChatTemplate chatTemplate = openTemplate(known.file);
    const ReplyFormat format = replyFormatOf(chatTemplate);
    EXPECT_EQ(format.reasons ? format.reasoningClose : "", known.reasoning);
    EXPECT_EQ(format.reasoningKey, known.key);
    const std::string calls = format.channels        ? "channels"
                              : format.calls.empty() ? ""
                                                     : std::string(format.calls[0]->name);
    EXPECT_EQ(calls, known.calls);
    EXPECT_EQ(format.callsWritten, known.written);
    EXPECT_EQ(thinkingSwitchesOf(chatTemplate), known.switches);
}

const Json kArguments = Json::parse(R"({"city": "Zürich ☕ \"x\"\n<b> & more", "days": 3,
    "metric": true, "near": ["a", "ü"], "deep": {"k": 1.5}})");

Json callJson(const std::string &name, const std::string &id, bool asText)
{
    return {{"id", id},
            {"type", "function"},
            {"function",
             {{"name", name}, {"arguments", asText ? Json(kArguments.dump()) : kArguments}}}};
}

constexpr const char *kThoughts = "First – think.\n\nThen <b>decide</b> ☕";
constexpr const char *kWords = "It is here:\n\n  a < b";

/// What a template may be given as an assistant's message.
std::vector<Json> messages(const ReplyFormat &format)
{
    std::vector<Json> result;
    for (const bool thinks : {false, true})
        for (const Json &content : {Json(kWords), Json(""), Json(nullptr)})
            for (const int calls : {0, 1, 2}) {
                Json message{{"role", "assistant"}, {"content", content}};
                if ((thinks && format.reasoningKey.empty()) ||
                    (!thinks && calls == 0 && content != Json(kWords)))
                    continue;
                if (thinks)
                    message[format.reasoningKey] = kThoughts;
                for (int i = 0; i < calls; ++i)
                    message["tool_calls"].push_back(callJson(i == 0 ? "get_weather" : "look_up",
                                                             "call0000" + std::to_string(i),
                                                             format.argumentsAsText));
                result.push_back(message);
            }
    return result;
}

struct Seen
{
    std::string text, reasoning;
    std::vector<ToolCall> calls;
};

Seen seen(const std::vector<ReplyDelta> &deltas)
{
    Seen result;
    for (const ReplyPart &part : joined(deltas)) {
        if (part.kind == ReplyPartKind::ToolCall)
            result.calls.push_back(part.call.value());
        else
            (part.kind == ReplyPartKind::Text ? result.text : result.reasoning) += part.text;
    }
    return result;
}

/// Compares with what the written text shows to be in it. How many calls there were.
std::size_t compare(const Seen &parts, const std::string &written)
{
    const auto times = [&](const char *text) {
        return written.find(text) == std::string::npos ? 0u : 1u;
    };
    EXPECT_EQ(parts.reasoning, times("think.") ? kThoughts : "") << written;
    EXPECT_EQ(parts.text, times("It is here") ? kWords : "") << written;
    EXPECT_EQ(parts.calls.size(), times("get_weather") + times("look_up")) << written;
    for (const ToolCall &call : parts.calls) {
        EXPECT_TRUE(call.name == "get_weather" || call.name == "look_up") << call.name;
        EXPECT_EQ(nlohmann::json::parse(call.arguments), nlohmann::json(kArguments)) << written;
        EXPECT_NE(written.find(call.id), std::string::npos) << call.id;
    }
    return parts.calls.size();
}

TEST_P(RealTemplate, ReadsBackWhatItWrites)
{
    const Known &known = GetParam();
    const ChatTemplate chatTemplate = openTemplate(known.file);
    const ReplyFormat format = replyFormatOf(chatTemplate);
    const TemplateProbe probe(chatTemplate, "<s>", "</s>");
    const Json thinking{{"enable_thinking", true}, {"thinking", true}};
    const bool promptOpens = format.opensIn(probe.prompt(thinking).value());
    std::mt19937 random = generator();
    std::size_t calls = 0, thoughts = 0, answers = 0;
    for (const Json &message : messages(format)) {
        const auto written = probe.answer(message, thinking, format.reasoningOpen);
        const auto has = [&](const std::string &marker) {
            return written && written->find(marker) != std::string::npos;
        };
        // Faults of templates: absent words are printed, a second call is not written as the
        // first, words before a call become thoughts, an empty answer follows a call.
        const bool prints = message["content"].is_null() && (has("None") || has("null"));
        const bool distilled = std::string(known.file).find("Distill") != std::string::npos;
        const bool asThoughts =
            format.channels && message.contains("tool_calls") && message["content"] == Json(kWords);
        if (!written || prints || asThoughts || (distilled && has("look_up")) ||
            has("<｜end▁of▁sentence｜>"))
            continue;
        const bool open = promptOpens && !has(format.reasoningOpen) && has(format.reasoningClose);
        for (const std::size_t longest : {1, 2, 7, 40}) {
            std::vector<ReplyDelta> deltas;
            ReplyParser parser(format, nullptr, open);
            for (const std::string &piece : pieces(*written, longest, random))
                parser.push(piece, ReplyParser::Piece::Words, deltas);
            parser.finish(deltas);
            EXPECT_EQ(rawText(deltas), *written);
            calls += compare(seen(deltas), *written);
        }
        // With a vocabulary that has the markers as tokens.
        const MarkerTokenizer tokenizer;
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(format, &tokenizer, open);
        for (const auto &[text, kind] : tokenPieces(*written, random))
            parser.push(text, kind, deltas);
        parser.finish(deltas);
        EXPECT_EQ(rawText(deltas), *written);
        const Seen parts = seen(deltas);
        calls += compare(parts, *written);
        thoughts += !parts.reasoning.empty();
        answers += !parts.text.empty();
    }
    EXPECT_GT(answers, 0u);
    EXPECT_EQ(calls > 0, known.written);
    EXPECT_EQ(thoughts > 0, *known.key != 0);
}

/// Whatever happens to a reply, all of it comes out again, and nothing that was no call is one.
TEST_P(RealTemplate, LosesNothingOfDamagedReplies)
{
    const ChatTemplate chatTemplate = openTemplate(GetParam().file);
    const ReplyFormat format = replyFormatOf(chatTemplate);
    const TemplateProbe probe(chatTemplate, "<s>", "</s>");
    std::vector<std::string> written;
    for (const Json &message : messages(format))
        if (auto text = probe.answer(message, {{"enable_thinking", true}}, format.reasoningOpen))
            written.push_back(std::move(*text));
    ASSERT_FALSE(written.empty());
    std::mt19937 random = generator();
    const MarkerTokenizer tokenizer;
    for (int round = 0; round < 60; ++round) {
        const std::string text =
            damaged(written[random() % written.size()], written[random() % written.size()], random);
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(format, random() % 2 ? &tokenizer : nullptr, random() % 4 == 0);
        for (const auto &[piece, kind] : tokenPieces(text, random))
            parser.push(piece, kind, deltas);
        parser.finish(deltas);
        ASSERT_EQ(rawText(deltas), text);
        std::string raw;
        for (const ReplyPart &part : joined(deltas)) {
            raw += part.raw;
            ASSERT_EQ(part.kind == ReplyPartKind::ToolCall, part.call.has_value());
            const std::string arguments = part.call ? part.call->arguments : "{}";
            ASSERT_TRUE(nlohmann::json::parse(arguments).is_object());
        }
        ASSERT_EQ(raw, text);
    }
}

INSTANTIATE_TEST_SUITE_P(All, RealTemplate, testing::ValuesIn(kTemplates), [](const auto &test) {
    std::string name = test.param.file;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
});

TEST(RealTemplates, AreAllListed)
{
    if (!fs::exists(templates()))
        FIRESIDE_SKIP("real chat templates are not here: " + templates().string());
    for (const auto &entry : fs::directory_iterator(templates())) {
        const auto listed = [&](const Known &known) { return entry.path().stem() == known.file; };
        EXPECT_TRUE(entry.path().extension() != ".jinja" ||
                    std::any_of(std::begin(kTemplates), std::end(kTemplates), listed))
            << entry.path();
    }
}

} // namespace
} // namespace fireside::test
