// Where calls, thoughts and headers stand in replies, and what only looks like one.
#include "engine/text/chat_template.h"
#include "tests/text/reply_cases.h"

namespace fireside::test {
namespace {

TEST(ReplyPlaces, OnlyOfferedToolsAreCalled)
{
    const struct
    {
        const char *family, *text;
    } cases[] = {
        {"json", "{\"name\":\"Bob\",\"age\":7}"},
        {"json", "{\"name\":\"unknown_tool\",\"parameters\":{\"x\":1}}"},
        {"json", "{\"name\":\"f\",\"age\":7}"},
        {"json", "Here it is:\n{\"name\": \"Bob\"}\nand ```json\n{\"name\": \"Bob\"}\n``` too"},
        {"hermes", "<tool_call>{\"name\":\"unknown\",\"arguments\":{}}</tool_call>"},
        {"qwen-xml", "<tool_call>\n<function=unknown>\n</function>\n</tool_call>"},
        {"glm", "<tool_call>unknown</tool_call>"},
        {"gemma", "<|tool_call>call:unknown{}<tool_call|>"},
        {"mistral", "[TOOL_CALLS]unknown[ARGS]{}"},
        {"lfm2", "<|tool_call_start|>[unknown()]<|tool_call_end|>"},
        {"python-tag", "<|python_tag|>print('x')"},
    };
    for (const auto &[family, text] : cases)
        expectShown(familyFormat(family), text, text);
}

TEST(ReplyPlaces, WordsAndFencesMayStandAroundACall)
{
    const ReplyFormat llama = familyFormat("json");
    const std::string call = "{\"name\":\"f\",\"parameters\":{\"n\":1}}", shown = "{f {\"n\":1}}";
    expectShown(llama, call + " I called it.", shown + "I called it.");
    expectShown(llama, "```json\n" + call + "\n```", shown);
    expectShown(llama, "```json\n" + call + "\n```\nI called it.", shown + "I called it.");
    expectShown(llama, "```\n" + call + "\n``` Done.", shown + "Done.");
    expectShown(llama, "Let me look.\n" + call, "Let me look." + shown);
    expectShown(llama, "Let me look.\n```json\n" + call + "\n```\n", "Let me look." + shown);
    expectShown(llama, "[" + call + ", " + call + "]", shown + shown);
    expectShown(llama, call + "; " + call, shown + shown);
    expectShown(llama, call + "\n" + call + "\nDone.", shown + shown + "Done.");
    expectShown(llama, "Use {\"name\": 1} here.", "Use {\"name\": 1} here.");
    expectShown(familyFormat("granite"), "<|tool_call|>[{\"name\":\"f\"}]\nDone.", "{f {}}Done.");
    expectShown(familyFormat("mistral"), "[TOOL_CALLS]f[ARGS]{\"n\":1}[TOOL_CALLS]f{} Done.",
                shown + "{f {}}Done.");
}

/// How much is held back where a mark stands in plain words.
TEST(ReplyPlaces, MarksInPlainWordsAreTextAtOnce)
{
    const struct
    {
        const char *family, *mark;
    } cases[] = {
        {"qwen-xml", "<tool_call>"},
        {"hermes", "<tool_call>"},
        {"glm", "<tool_call>"},
        {"gemma", "<|tool_call>"},
        {"minimax", "<minimax:tool_call>"},
        {"minimax-m3", "]<]minimax[>[<tool_call>"},
        {"json", "{\"name\":"},
        {"json", "{\"name\": \"Bob\", \"x\": "},
        {"json", "```json\n"},
        {"seed", "<seed:tool_call>"},
        {"bare-xml", "<function="},
        {"mistral", "[TOOL_CALLS]"},
        {"lfm2", "<|tool_call_start|>"},
        {"granite", "<|tool_call|>"},
        {"kimi", "<|tool_calls_section_begin|>"},
    };
    for (const auto &[family, mark] : cases) {
        const ReplyFormat format = familyFormat(family);
        std::string words = "The mark\n" + std::string(mark) + " begins a call. ";
        for (int i = 0; i < 200; ++i)
            words += "More words. ";
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(format);
        std::string pushed;
        for (const char c : words) {
            parser.push(std::string_view(&c, 1), Piece::Words, deltas);
            pushed += c;
            EXPECT_LT(pushed.size() - rawText(deltas).size(), 48u) << family;
        }
        parser.finish(deltas);
        words.pop_back();
        EXPECT_EQ(shownParts(deltas), words) << family;
    }
}

TEST(ReplyPlaces, CallsComeWithTheirClosingMark)
{
    const struct
    {
        const char *family, *text, *shown;
    } cases[] = {
        {"gemma", "<|tool_call>call:f{text:don't stop}<tool_call|>",
         "{f {\"text\":\"don't stop\"}}"},
        {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"it's\"}}</tool_call>",
         "{f {\"a\":\"it's\"}}"},
        {"qwen-xml",
         "<tool_call>\n<function=f>\n<parameter=a>\n\"\n</parameter>\n</function>\n</tool_call>",
         "{f {\"a\":\"\\\"\"}}"},
        {"lfm2", "<|tool_call_start|>[f(a=\"it's\")]<|tool_call_end|>", "{f {\"a\":\"it's\"}}"},
        {"json", "{\"name\": \"f\"} Then", "{f {}}Then"},
        {"glm", "<tool_call>list_tasks</tool_call>", "{list_tasks {}}"},
    };
    for (const auto &[family, text, shown] : cases) {
        std::vector<ReplyDelta> deltas;
        ReplyParser parser(familyFormat(family));
        parser.push(text, Piece::Words, deltas);
        EXPECT_EQ(shownParts(deltas), shown);
    }
}

TEST(ReplyPlaces, HeadersOfChannelsMayBeAlmostRight)
{
    const ReplyFormat format = familyFormat("channels");
    const std::string start = "<|start|>assistant", end = "<|end|>";
    const struct
    {
        std::string text, shown;
    } cases[] = {
        {"<|channel|>??" + end + start + "<|channel|>analysis<|message|>t" + end + start +
             "<|channel|>final<|message|>yes<|return|>",
         "(t)yes"},
        {"<|channel|>final" + end + start + "<|channel|>analysis<|message|>t" + end, "(t)"},
        {"<|channel|>commentary?<|message|>hello", "hello"},
        {"<|channel|><|constrain|>json<|channel|>final<|message|>yes", "yes"},
        {"<|channel|>final <|constrain|>json<|message|>{}", "{}"},
        {"<|channel|>final<|channel|>final<|message|>yes", "yes"},
        {"<|channel|>analysis<|channel|>final<|message|>yes", "yes"},
        {"<|channel|>Analysis:<|message|>t" + end + start + "<|channel|> final <|message|>yes",
         "(t)yes"},
        {"<|channel|>commentary to=functions.f json<|message|>{\"n\": 1}<|call|>", "{f {\"n\":1}}"},
        {"to=functions.f<|channel|>commentary <|constrain|>json<|message|>{\"n\": 1}<|call|>",
         "{f {\"n\":1}}"},
        {"<|constrain|>json<|channel|>commentary to=functions.f<|message|>{\"n\": 1}",
         "{f {\"n\":1}}"},
        {"<|channel|>analysis to=functions.f<|message|>{\"n\": 1}<|call|>", "{f {\"n\":1}}"},
        {"<|channel|>commentary to=functions.other<|message|>{\"n\": 1}<|call|>", "{\"n\": 1}"},
        {"<|channel|>commentary to=functions.f" + end + start +
             "<|channel|>final<|message|>no call",
         "no call"},
    };
    for (const auto &[text, shown] : cases)
        expectShown(format, text, shown);
}

TEST(ReplyPlaces, ThoughtsMayBeginTwice)
{
    const ReplyFormat format = familyFormat("hermes");
    expectShown(format, "<think>\na</think>b", "(a)b", true);
    expectShown(format, "\n<think>a</think>b", "(a)b", true);
    expectShown(format, "<think><think>a</think>b", "(a)b");
    expectShown(format, "a <think> b</think>c", "(a <think> b)c", true);
}

/// Each would take minutes if what is held were looked at from its beginning again and again.
TEST(ReplyPlaces, LongRepliesTakeTimeThatGrowsWithThem)
{
    const char *begins[] = {
        "",
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"",
        "{\"name\": \"f\", \"parameters\": {\"a\": 1}}",
        "```json\n{\"name\": \"f\", \"parameters\": {}}",
        "<|tool_call>call:f{a:",
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"f\">",
    };
    const char *units[] = {" ",
                           "\n",
                           "</tool_call>",
                           "<parameter=a>\n",
                           "</parameter>\n</tool_call>\n",
                           "</function>",
                           "<arg_key>",
                           "</arg_value>",
                           "{\"name\": \"f\"}\n",
                           "{\"name\": ",
                           "```json\n",
                           "\"",
                           ",",
                           "<|\"|>",
                           "<tool_call|>",
                           "]<]minimax[>[<a>"};
    ReplyFormat format = familyFormat("qwen-xml");
    for (const char *family : {"glm", "hermes", "bare-xml", "json", "gemma", "minimax-m3"})
        format.calls.push_back(&callSyntax(family));
    for (const char *begin : begins)
        for (const char *unit : units) {
            std::string text = begin;
            while (text.size() < 60000)
                text += unit;
            std::vector<ReplyDelta> deltas;
            ReplyParser parser(format);
            for (std::size_t at = 0; at < text.size(); at += 3)
                parser.push(std::string_view(text).substr(at, 3), Piece::Words, deltas);
            parser.finish(deltas);
            EXPECT_EQ(rawText(deltas), text) << begin << unit;
        }
}

/// MiniMax M3's template, as far as calls and thoughts go.
TEST(ReplyPlaces, MiniMaxM3IsRecognised)
{
    const ChatTemplate chatTemplate(R"({%- set ns = ']<]minimax[>[' -%}
{%- macro to_xml(v) -%}{%- if v is mapping -%}{%- for k, x in v.items() -%}{{ ns }}<{{ k }}>{{ to_xml(x) }}{{ ns }}</{{ k }}>{%- endfor -%}{%- elif v is iterable and v is not string -%}{%- for x in v -%}{{ ns }}<item>{{ to_xml(x) }}{{ ns }}</item>{%- endfor -%}{%- elif v is string -%}{{ v }}{%- else -%}{{ v | tojson }}{%- endif -%}{%- endmacro -%}
]~!b[{%- if tools -%}]~b]system
# Tools
{% for t in tools %}{{ t.function | tojson }}
{% endfor %}[e~[
{% endif -%}
{%- for m in messages -%}
{%- if m.role == 'assistant' -%}]~b]ai
{% if m.reasoning_content %}<mm:think>{{ m.reasoning_content }}</mm:think>{% else %}</mm:think>{% endif -%}
{{ m.content or '' }}
{%- if m.tool_calls -%}{{ ns }}<tool_call>
{% for c in m.tool_calls %}{{ ns }}<invoke name="{{ c.function.name }}">{{ to_xml(c.function.arguments) }}{{ ns }}</invoke>
{% endfor %}{{ ns }}</tool_call>{%- endif -%}[e~[
{% else -%}]~b]{{ m.role }}
{{ m.content }}[e~[
{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}]~b]ai
<mm:think>{%- endif -%})");
    const ReplyFormat format = replyFormatOf(chatTemplate);
    ASSERT_FALSE(format.calls.empty());
    EXPECT_EQ(format.calls[0]->name, "minimax-m3");
    EXPECT_TRUE(format.callsWritten);
    EXPECT_EQ(format.reasoningOpen, "<mm:think>");
    EXPECT_EQ(format.reasoningClose, "</mm:think>");
    EXPECT_EQ(format.reasoningKey, "reasoning_content");
}

} // namespace
} // namespace fireside::test
