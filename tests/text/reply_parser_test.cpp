// Cutting replies into parts: formats that no golden template has, and what is no call.
#include "engine/text/reply/call_values.h"
#include "engine/text/reply/reply_parser.h"
#include "tests/support/seed.h"
#include "tests/text/reply_pieces.h"

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

using Piece = ReplyParser::Piece;

ReplyFormat formatWith(std::initializer_list<const char *> calls)
{
    ReplyFormat format;
    format.reasons = true;
    for (const char *name : calls)
        format.calls.push_back(&callSyntax(name));
    return format;
}

std::vector<ReplyPart> parse(const ReplyFormat &format, const std::string &text,
                             bool inReasoning = false)
{
    std::vector<ReplyPart> whole;
    for (const std::size_t longest : {100000, 1, 5}) { // whole, byte by byte, and in between
        auto random = generator();
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(format, nullptr, inReasoning);
        for (const std::string &piece :
             longest > text.size() ? std::vector{text} : pieces(text, longest, random))
            parser.push(piece, Piece::Words, deltas);
        parser.finish(deltas);
        EXPECT_EQ(rawText(deltas), text);
        const std::vector<ReplyPart> parts = joined(deltas);
        if (whole.empty())
            whole = parts;
        EXPECT_EQ(parts.size(), whole.size()) << text;
        for (std::size_t i = 0; i < std::min(parts.size(), whole.size()); ++i)
            EXPECT_EQ(parts[i].text, whole[i].text);
    }
    return whole;
}

/// "text|reasoning{call}" of the parts, in order.
std::string shown(const std::vector<ReplyPart> &parts)
{
    std::string all;
    for (const ReplyPart &part : parts) {
        if (part.call)
            all += "{" + part.call->name + " " + part.call->arguments +
                   (part.call->id.empty() ? "" : " " + part.call->id) + "}";
        else if (part.kind == ReplyPartKind::Reasoning)
            all += "(" + part.text + ")";
        else
            all += part.text;
    }
    return all;
}

std::string shown(const ReplyFormat &format, const std::string &text, bool inReasoning = false)
{
    return shown(parse(format, text, inReasoning));
}

TEST(ReplyInAnswer, KeepsTheSpaceItBeginsWith)
{
    const auto said = [](bool inAnswer) {
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(formatWith({"hermes"}), nullptr, false, inAnswer);
        for (const char *piece : {" ", "\n", "model", " that"})
            parser.push(piece, Piece::Words, deltas);
        parser.finish(deltas);
        return shown(joined(deltas));
    };
    EXPECT_EQ(said(false), "model that");
    EXPECT_EQ(said(true), " \nmodel that");
}

TEST(ReplyCalls, AreReadInEverySyntax)
{
    const struct
    {
        const char *syntax, *text, *shown;
    } cases[] = {
        {"hermes", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
         "{f {\"a\":1}}"},
        {"hermes", "Hi\n<tool_call>{\"name\":\"f\"}</tool_call>\n<tool_call>{\"name\":\"g\"}",
         "Hi{f {}}{g {}}"},
        {"hermes",
         "<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":2}\",\"id\":\"7\"}"
         "</tool_call> done",
         "{f {\"a\":2} 7}done"},
        {"qwen-xml",
         "<tool_call><function=f><parameter=a>\nx\ny\n</parameter>\n"
         "<parameter=b>False</parameter></function></tool_call>",
         "{f {\"a\":\"x\\ny\",\"b\":false}}"},
        {"glm", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>[1]</arg_value>\n</tool_call>",
         "{f {\"a\":[1]}}"},
        {"minimax",
         "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x</parameter>\n"
         "</invoke>\n<invoke name=\"g\"></invoke>\n</minimax:tool_call>",
         "{f {\"a\":\"x\"}}{g {}}"},
        {"mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}, \"id\": \"abcdefghi\"}]",
         "{f {} abcdefghi}"},
        {"mistral", "[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS]g[CALL_ID]abc[ARGS]{}",
         "{f {\"a\":1}}{g {} abc}"},
        {"mistral", "[TOOL_CALLS]f{\"a\": 1}", "{f {\"a\":1}}"},
        {"lfm2", "<|tool_call_start|>[f(a=\"x, )\", b=[1, 2], c=None), g()]<|tool_call_end|>Wait.",
         "{f {\"a\":\"x, )\",\"b\":[1,2],\"c\":null}}{g {}}Wait."},
        {"phi", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {}}]<|/tool_call|>", "{f {}}"},
        {"granite", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {}}]", "{f {}}"},
        {"tool-calls",
         "<tool_calls>\n{\"name\": \"f\", \"arguments\": {}}\n"
         "{\"name\": \"g\", \"arguments\": {}}\n</tool_calls>",
         "{f {}}{g {}}"},
        {"json", "{\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}", "{f {}}"},
        {"json", " {\"name\": \"f\", \"parameters\": {}}; {\"name\": \"g\", \"parameters\": {}}",
         "{f {}}{g {}}"},
        {"python-tag", "<|python_tag|>brave_search.call(query=\"x\")",
         "{brave_search {\"query\":\"x\"}}"},
        {"python-tag", "<|python_tag|>print('x')", "{python {\"code\":\"print('x')\"}}"},
        {"python-tag", "<|python_tag|>{\"name\": \"f\", \"parameters\": {\"a\": 1}}",
         "{f {\"a\":1}}"},
        {"python-tag",
         "<|python_tag|>{\"name\": \"f\", \"parameters\": {}}; {\"name\": \"g\", \"parameters\": "
         "{}}",
         "{f {}}{g {}}"},
        {"python-tag", "<|python_tag|>[1, 2]", "{python {\"code\":\"[1, 2]\"}}"},
        {"command-r", "Plan.\nAction:\n```json\n[{\"tool_name\": \"f\", \"parameters\": {}}]\n```",
         "Plan.{f {}}"},
        {"gemma", "<|tool_call>call:f{a:<|\"|>x{,}<|\"|>,b:[1,true],c:{}}<tool_call|>",
         "{f {\"a\":\"x{,}\",\"b\":[1,true],\"c\":{}}}"},
        {"kimi",
         "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
         "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
         "{f {} functions.f:0}"},
    };
    for (const auto &[syntax, text, expected] : cases)
        EXPECT_EQ(shown(formatWith({syntax}), text), expected) << syntax;
}

TEST(ReplyCalls, ThatAreBrokenStayText)
{
    const struct
    {
        const char *syntax, *text;
    } cases[] = {
        {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": }}</tool_call>"},
        {"hermes", "<tool_call>{\"name\": \"f\", \"argum"},
        {"hermes", "<tool_call>{\"arguments\": {}}</tool_call>"},
        {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>"},
        {"hermes", "The tag <tool_call> begins a call."},
        {"hermes", "<tool_call>{\"name\": \"f g\"}</tool_call>"},
        {"glm", "<tool_call>f\n<arg_key>a</arg_key>\n</tool_call>"},
        {"lfm2", "<|tool_call_start|>[f(1)]<|tool_call_end|>"},
        {"lfm2", "<|tool_call_start|>[f(a=1]<|tool_call_end|>"},
        {"json", "{\"answer\": 42}"},
        {"json", "{\"name\": \"Ada\", \"born\": 1815} is"},
        {"mistral", "[TOOL_CALLS]f[ARGS]{\"a\":"},
        {"gemma", "<|tool_call>call:f{a:<|\"|>x}<tool_call|>"},
        {"python-tag", "<|python_tag|>{\"name\":"},
    };
    for (const auto &[syntax, text] : cases)
        EXPECT_EQ(shown(formatWith({syntax}), text), text) << syntax;
}

TEST(ReplyCalls, MayNotNestWithoutEnd)
{
    const std::string deep =
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": " + std::string(100000, '[') +
        std::string(100000, ']') + "}}</tool_call>";
    EXPECT_EQ(shown(formatWith({"hermes"}), deep), deep);
    for (const std::string &open : {std::string("["), std::string("{a:")}) {
        std::string text = "<|tool_call>call:f{a:";
        for (int i = 0; i < 100000; ++i)
            text += open;
        EXPECT_EQ(shown(formatWith({"gemma"}), text + "<tool_call|>"), text + "<tool_call|>");
    }
    const std::string python = "<|tool_call_start|>[f(a=" + std::string(100000, '(');
    EXPECT_EQ(shown(formatWith({"lfm2"}), python), python);
}

TEST(ReplyReasoning, IsCutOff)
{
    const ReplyFormat format = formatWith({"hermes"});
    EXPECT_EQ(shown(format, "<think>\nI see.\n</think>\n\nYes. "), "(I see.)Yes.");
    EXPECT_EQ(shown(format, "I see.\n</think>\n\nYes.", true), "(I see.)Yes.");
    EXPECT_EQ(shown(format, "<think>\n\n</think>\n\nYes."), "Yes.");
    EXPECT_EQ(shown(format, "<think>never ends"), "(never ends)");
    EXPECT_EQ(shown(format, "<think>a<think>b</think>c</think>"), "(a<think>b)c</think>");
    // What the prompt began without saying so.
    EXPECT_EQ(shown(format, "I see.</think>Yes."), "(I see.)Yes.");
    // Later the words are only text, unless they are tokens.
    EXPECT_EQ(shown(format, "Write <think> here."), "Write <think> here.");
    ReplyFormat unknown;
    EXPECT_EQ(shown(unknown, "<think>a</think>b"), "(a)b");
    EXPECT_EQ(shown(unknown, "a</think>b"), "a</think>b");
    // A call between thoughts.
    EXPECT_EQ(shown(format, "<think>a</think><tool_call>{\"name\":\"f\"}</tool_call>"
                            "<think>b</think>c"),
              "(a){f {}}(b)c");
}

TEST(ReplyReasoning, OfTokensIsNotMistakenForText)
{
    const MarkerTokenizer tokenizer;
    const ReplyFormat format = formatWith({"hermes"});
    const auto parts = [&](std::initializer_list<std::pair<const char *, Piece>> pieces) {
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(format, &tokenizer);
        for (const auto &[text, kind] : pieces)
            parser.push(text, kind, deltas);
        parser.finish(deltas);
        return shown(joined(deltas));
    };
    EXPECT_EQ(parts({{"<think>", Piece::Marker},
                     {"a </th", Piece::Words},
                     {"ink> b", Piece::Words},
                     {"</think>", Piece::Marker},
                     {"c", Piece::Words}}),
              "(a </think> b)c");
    EXPECT_EQ(parts({{"<think>a</think>", Piece::Words}}), "<think>a</think>");
    EXPECT_EQ(parts({{"Well, ", Piece::Words}, {"<think>", Piece::Hidden}, {"a", Piece::Words}}),
              "Well,(a)");
    EXPECT_EQ(parts({{"<tool_call>{\"name\":\"f\"}</tool_call>", Piece::Words}}),
              "<tool_call>{\"name\":\"f\"}</tool_call>");
    EXPECT_EQ(parts({{"a", Piece::Words}, {"<|x|>", Piece::Hidden}, {"b", Piece::Words}}), "ab");
    // Calls may come in the middle of thoughts.
    EXPECT_EQ(parts({{"<think>", Piece::Marker},
                     {"a", Piece::Words},
                     {"<tool_call>", Piece::Marker},
                     {"{\"name\":\"f\"}", Piece::Words},
                     {"</tool_call>", Piece::Marker}}),
              "(a){f {}}");
}

TEST(ReplyChannels, BecomeParts)
{
    ReplyFormat format;
    format.channels = format.reasons = true;
    EXPECT_EQ(shown(format, "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
                            "<|channel|>final<|message|>Yes."),
              "(Hm.)Yes.");
    EXPECT_EQ(shown(format, "<|channel|>analysis<|message|>A<|end|><|start|>assistant"
                            "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant"
                            "<|channel|>commentary to=functions.f <|constrain|>json<|message|>"
                            "{\"a\": 1}<|call|>"),
              "(A)I look.{f {\"a\":1}}");
    EXPECT_EQ(shown(format, " to=functions.f<|channel|>commentary json<|message|>{}"), "{f {}}");
    EXPECT_EQ(shown(format, "<|channel|>commentary to=functions.f<|message|>{\"a\""), "{\"a\"");
    EXPECT_EQ(shown(format, "A model that knows no channels."), "A model that knows no channels.");
    for (const char *words : {"assistants", "assistant", "to be", "a"})
        EXPECT_EQ(shown(format, words), words);
    EXPECT_EQ(shown(format, "<|channel|>" + std::string(1000, 'x')).size(), 1011u);
    EXPECT_EQ(shown(format, "<|channel|>ana"), "");
}

TEST(ReplyParts, TakeTimeThatGrowsWithTheText)
{
    for (const char *unit : {"<think>", "</think>", "<tool_call>", "<tool_call>{", "<", " ", "\n",
                             "<tool_call>{}</tool_call>", "<|end|>", "<|message|>", "{\"name\""}) {
        std::string text;
        while (text.size() < 100000)
            text += unit;
        for (const bool channels : {false, true}) {
            ReplyFormat format = formatWith({"hermes", "json", "mistral"});
            format.channels = channels;
            std::vector<ReplyDelta> deltas;
            ReplyParser parser(format);
            for (std::size_t at = 0; at < text.size(); at += 3)
                parser.push(text.substr(at, 3), Piece::Words, deltas);
            parser.finish(deltas);
            EXPECT_EQ(rawText(deltas), text);
        }
    }
}

TEST(CallValues, AreReadAsTheyAreWritten)
{
    std::string_view python = R"({'a': (1, -2.5e3), "b": 'it\'s\n\q'} rest)";
    EXPECT_EQ(takePython(python).value().dump(), R"({"a":[1,-2500.0],"b":"it's\n\\q"})");
    EXPECT_EQ(python, " rest");
    for (const char *bad : {"", "[1", "{1: 2}", "'x", "f", "[1 2]", "{'a' 1}", "nan"}) {
        std::string_view text = bad;
        EXPECT_FALSE(takePython(text)) << bad;
    }
}

} // namespace
} // namespace fireside::test
