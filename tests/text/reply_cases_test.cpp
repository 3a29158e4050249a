// Calls as models of each family write them, with the usual faults: one row for each family.
#include "tests/text/reply_cases.h"

namespace fireside::test {
namespace {

/// How a family writes one call with parameters that are texts between tags.
struct TagFamily
{
    const char *name;
    const char *open, *close;         // around all calls
    const char *call, *nameEnd, *end; // around one
    const char *parameter, *keyEnd, *parameterEnd;
    bool lines; // values stand in lines of their own
};

const TagFamily kTagFamilies[] = {
    {"qwen-xml", "<tool_call>\n", "\n</tool_call>", "<function=", ">\n", "</function>",
     "<parameter=", ">", "</parameter>", true},
    {"seed", "<seed:tool_call>\n", "\n</seed:tool_call>", "<function=", ">\n", "</function>",
     "<parameter=", ">", "</parameter>", true},
    {"bare-xml", "", "", "<function=", ">\n", "</function>", "<parameter=", ">", "</parameter>",
     true},
    {"glm", "<tool_call>", "</tool_call>", "", "\n", "", "<arg_key>", "</arg_key>\n<arg_value>",
     "</arg_value>", false},
    {"minimax", "<minimax:tool_call>\n", "\n</minimax:tool_call>", "<invoke name=\"", "\">\n",
     "</invoke>", "<parameter name=\"", "\">", "</parameter>", false},
    {"deepseek-dsml", "<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>",
     "<｜DSML｜invoke name=\"", "\">\n", "</｜DSML｜invoke>", "<｜DSML｜parameter name=\"", "\">",
     "</｜DSML｜parameter>", false},
    {"minimax-m3", "]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>",
     "]<]minimax[>[<invoke name=\"", "\">", "]<]minimax[>[</invoke>", "]<]minimax[>[<", ">", "",
     false},
};

using Members = std::vector<std::pair<std::string, std::string>>;

std::string tagged(const TagFamily &family, const std::string &name, const Members &members)
{
    std::string text = std::string(family.open) + family.call + name + family.nameEnd;
    for (const auto &[key, value] : members) {
        const char *line = family.lines ? "\n" : "";
        const std::string end = *family.parameterEnd != 0 ? std::string(family.parameterEnd)
                                                          : "]<]minimax[>[</" + key + ">";
        text += family.parameter + key + family.keyEnd + line + value + line + end + "\n";
    }
    return text + family.end + family.close;
}

std::string called(const std::string &name, const Json &arguments)
{
    return "{" + name + " " + arguments.dump() + "}";
}

/// The schema says which type a text has.
TEST(ReplyCases, TextBetweenTagsTakesTheTypeOfTheSchema)
{
    const std::string quotes = "say \"hi\"";
    const struct
    {
        const char *key;
        std::string text;
        Json value;
    } cases[] = {
        {"a", "{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"},
        {"a", "[1]", "[1]"},
        {"a", "true", "true"},
        {"a", "null", "null"},
        {"a", "None", "None"},
        {"a", "True", "True"},
        {"a", "18", "18"},
        {"a", "007", "007"},
        {"a", "1.50", "1.50"},
        {"a", "  indented", "  indented"},
        {"a", "ends with a break\n", "ends with a break\n"},
        {"a", "", ""},
        {"a", quotes, quotes},
        {"a", "\"quoted\"", "\"quoted\""},
        {"a", "tab\there ☕", "tab\there ☕"},
        {"upper", "18", "18"},
        {"named", "18", "18"},
        {"maybe", "18", "18"},
        {"maybe", "null", nullptr},
        {"option", "18", "18"},
        {"option", "null", nullptr},
        {"few", "1", "1"},
        {"one", "1", 1},
        {"either", "18", 18},
        {"either", "x18", "x18"},
        {"n", "18", 18},
        {"n", "\"18\"", 18},
        {"n", "18.0", 18},
        {"n", "many", "many"},
        {"n", "123456789012345678901234567890", "123456789012345678901234567890"},
        {"x", "1.5", 1.5},
        {"yes", "True", true},
        {"yes", "false", false},
        {"list", "['a', True, None]", {"a", true, nullptr}},
        {"list", "\"[1, 2]\"", {1, 2}},
        {"edits", "[{'old': 'a', \"count\": \"3\"}]", Json::array({{{"old", "a"}, {"count", 3}}})},
        {"edits", "[{\"old\": 18}]", Json::array({{{"old", "18"}}})},
        {"opts",
         "{'mode': 'it\\'s', 'deep': {'id': 7}}",
         {{"mode", "it's"}, {"deep", {{"id", "7"}}}}},
        {"other", "18", 18}, // no schema
        {"other", "007", "007"},
        {"other", "2026-01-15", "2026-01-15"},
        {"other", "[{'old': 'a', \"new\": \"b\"}]", Json::array({{{"old", "a"}, {"new", "b"}}})},
    };
    for (const TagFamily &family : kTagFamilies)
        for (const auto &[key, text, value] : cases)
            expectShown(familyFormat(family.name), tagged(family, "f", {{key, text}, {"b", "z"}}),
                        called("f", {{key, value}, {"b", "z"}}));
}

/// Line breaks belong to tags that the template puts into lines of their own; of others only where
/// all values of the call have them.
TEST(ReplyCases, LineBreaksOfValuesAreKept)
{
    for (const TagFamily &family : kTagFamilies) {
        const ReplyFormat format = familyFormat(family.name);
        for (const char *text : {"\nhello\n", "\n\nhello\n\n", "\n", "\n\n"}) {
            expectShown(format, tagged(family, "f", {{"a", text}, {"b", "z"}}),
                        called("f", {{"a", text}, {"b", "z"}}));
            expectShown(format, tagged(family, "f", {{"a", text}}), called("f", {{"a", text}}));
        }
        if (!family.lines)
            expectShown(format, tagged(family, "f", {{"a", "\nhello\n"}, {"n", "\n18\n"}}),
                        called("f", {{"a", "hello"}, {"n", 18}}));
    }
}

TEST(ReplyCases, TagsWithinValuesAreText)
{
    for (const TagFamily &family : kTagFamilies) {
        if (*family.parameterEnd == 0)
            continue; // every tag of it has a mark of its own
        const std::string parameterEnd = family.parameterEnd, close = family.close;
        std::vector<std::string> values{"say \"" + parameterEnd + "\" now", parameterEnd + " first",
                                        "a <b> c </d>",
                                        "x " + std::string(family.parameter) + "z" + family.keyEnd};
        if (*family.end != 0)
            values.push_back("let s = \"" + std::string(family.end) + "\";");
        if (!close.empty())
            values.push_back("the mark " + close.substr(1) + " ends it");
        for (const std::string &value : values)
            expectShown(familyFormat(family.name),
                        tagged(family, "write", {{"content", value}, {"path", "18"}}),
                        called("write", {{"content", value}, {"path", "18"}}));
    }
}

TEST(ReplyCases, ClosingTagsMayBeMissingOrTooMany)
{
    const auto qwen = [](const std::string &inner) { return "<tool_call>\n" + inner; };
    const std::string x = called("f", {{"a", "x"}}), two = called("f", {{"a", "x"}, {"b", "y"}});
    const struct
    {
        std::string text, shown;
    } cases[] = {
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</parameter>\n</function>\n</tool_call>",
         x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</function>\n</tool_call>", x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n", x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</tool_call>", x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</tool_call>\nDone.", x + "Done."},
        {"<function=f>\n<parameter=a>\nx\n</function>\n</tool_call>", x},
        {"<function=f>\n<parameter=a>\nx\n<parameter=b>\ny\n</parameter>\n</function>\n</"
         "tool_call>",
         two},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>\n</tool_call>",
         x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call></tool_call> Ok.",
         x + "Ok."},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</tool_call>\n<tool_call>\n<function=f>\n"
         "<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
         x + x},
        {"<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n<tool_call>\n<function=f>\n"
         "<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
         x + x},
        {"<function=list_tasks>\n</function>\n</tool_call>", "{list_tasks {}}"},
        {"<function=list_tasks>\n</tool_call>", "{list_tasks {}}"},
    };
    for (const auto &[text, shown] : cases)
        expectShown(familyFormat("qwen-xml"), qwen(text), shown);
    const std::string cut = "<tool_call>\n<function=write>\n<parameter=content>\nhalf of the te";
    expectShown(familyFormat("qwen-xml"), cut, cut); // cut off: no call
    expectShown(familyFormat("glm"),
                "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value></arg_value>\n"
                "</tool_call>\n</tool_call>",
                x);
    expectShown(familyFormat("minimax"),
                "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x</parameter>\n"
                "</parameter>\n</invoke>\n</minimax:tool_call></minimax:tool_call>",
                x);
    expectShown(familyFormat("hermes"),
                "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}\n</tool_call>", x);
    expectShown(familyFormat("hermes"),
                "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}}\n</tool_call>", x);
    expectShown(familyFormat("hermes"),
                "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}\n<tool_call>\n"
                "{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}\n</tool_call></tool_call>",
                x + x);
}

/// Families that write JSON: %s is the list of calls.
TEST(ReplyCases, ArgumentsInJsonTakeTheTypeOfTheSchema)
{
    const struct
    {
        const char *family, *before, *behind;
    } families[] = {
        {"hermes", "<tool_call>\n{\"name\": \"f\", \"arguments\": ", "}\n</tool_call>"},
        {"json", "{\"name\": \"f\", \"parameters\": ", "}"},
        {"phi", "<|tool_call|>[{\"name\": \"f\", \"arguments\": ", "}]<|/tool_call|>"},
        {"granite", "<|tool_call|>[{\"name\": \"f\", \"arguments\": ", "}]"},
        {"mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": ", "}]"},
        {"mistral", "[TOOL_CALLS]f[ARGS]", ""},
        {"command-r7b",
         "<|START_ACTION|>[{\"tool_name\": \"f\", \"parameters\": ", "}]<|END_ACTION|>"},
        {"apertus", "<|tools_prefix|>[{\"f\": ", "}]<|tools_suffix|>"},
        {"functionary", "<function=f>", "</function>"},
        {"nemotron", "<TOOLCALL>[{\"name\": \"f\", \"arguments\": ", "}]</TOOLCALL>"},
        {"gigachat", "<|function_call|>{\"name\": \"f\", \"arguments\": ", "}"},
        {"functools", "functools[{\"name\": \"f\", \"arguments\": ", "}]"},
        {"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>",
         "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
        {"deepseek",
         "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n",
         "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
        {"kimi",
         "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
         "<|tool_call_argument_begin|>",
         "<|tool_call_end|><|tool_calls_section_end|>"},
        {"channels", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
         "<|call|>"},
    };
    const struct
    {
        const char *text;
        Json value;
    } cases[] = {
        {"{\"a\": \"x\", \"n\": 1}", {{"a", "x"}, {"n", 1}}},
        {"{\"a\": 18, \"n\": \"3\"}", {{"a", "18"}, {"n", 3}}},
        {"{\"a\": true, \"maybe\": null}", {{"a", "true"}, {"maybe", nullptr}}},
        {"{\"a\": {\"k\": 1}}", {{"a", "{\"k\":1}"}}},
        {"{\"edits\": \"[{\\\"old\\\": \\\"a\\\"}]\"}", {{"edits", Json::array({{{"old", "a"}}})}}},
        {"{'a': 'it\\'s', 'yes': True}", {{"a", "it's"}, {"yes", true}}},
        {"{\"a\": \"</tool_call> ]``` } <|call|> </function> <｜tool▁call▁end｜>\"}",
         {{"a", "</tool_call> ]``` } <|call|> </function> <｜tool▁call▁end｜>"}}},
        {"{}", Json::object()},
    };
    for (const auto &[family, before, behind] : families)
        for (const auto &[text, value] : cases) {
            SCOPED_TRACE(family);
            expectShown(familyFormat(family), std::string(before) + text + behind,
                        called("f", value));
        }
}

TEST(ReplyCases, NoArgumentsAreAnEmptyObject)
{
    const struct
    {
        const char *family, *text;
    } cases[] = {
        {"hermes", "<tool_call>{\"name\": \"list_tasks\"}</tool_call>"},
        {"hermes", "<tool_call>{\"name\": \"list_tasks\", \"arguments\": \"\"}</tool_call>"},
        {"hermes", "<tool_call>{\"name\": \"list_tasks\", \"arguments\": []}</tool_call>"},
        {"hermes", "<tool_call>{\"name\": \"list_tasks\", \"arguments\": null}</tool_call>"},
        {"json", "{\"name\": \"list_tasks\"}"},
        {"json", "{\"name\": \"list_tasks\", \"parameters\": null}"},
        {"gemma", "<|tool_call>call:list_tasks{}<tool_call|>"},
        {"gemma", "<|tool_call>call:list_tasks<tool_call|>"},
        {"gemma", "<|tool_call>call:list_tasks()<tool_call|>"},
        {"glm", "<tool_call>list_tasks</tool_call>"},
        {"glm", "<tool_call>list_tasks\n</tool_call>"},
        {"minimax", "<minimax:tool_call><invoke name=\"list_tasks\"></invoke></minimax:tool_call>"},
        {"minimax-m3", "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"list_tasks\">"
                       "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"},
        {"lfm2", "<|tool_call_start|>[list_tasks()]<|tool_call_end|>"},
        {"kimi", "<|tool_calls_section_begin|><|tool_call_begin|>functions.list_tasks:0"
                 "<|tool_call_argument_begin|><|tool_call_end|><|tool_calls_section_end|>"},
        {"channels", "<|channel|>commentary to=functions.list_tasks<|message|><|call|>"},
    };
    for (const auto &[family, text] : cases)
        expectShown(familyFormat(family), text, "{list_tasks {}}");
    for (const char *bad : {"\"not json\"", "[1]", "\"[1]\"", "5", "true"}) {
        const std::string text =
            std::string("<tool_call>{\"name\": \"f\", \"arguments\": ") + bad + "}</tool_call>";
        expectShown(familyFormat("hermes"), text, text);
    }
}

TEST(ReplyCases, GemmaWritesQuotesInSeveralWays)
{
    const struct
    {
        const char *text;
        const char *name;
        Json value;
    } cases[] = {
        {"f{refs:[\"a,b\",'c'],opts:{\"mode\": \"fast\"},n:2}",
         "f",
         {{"refs", {"a,b", "c"}}, {"opts", {{"mode", "fast"}}}, {"n", 2}}},
        {"write{content:<|\"|>echo \"hi\"<|\"|>}", "write", {{"content", "echo \"hi\""}}},
        {"write{\"content\": \"has } brace\"}", "write", {{"content", "has } brace"}}},
        {"f{loc:{city:<|\"|>New, York<|\"|>}}", "f", {{"loc", {{"city", "New, York"}}}}},
        {"f{n: 1, b: <|\"|>x<|\"|>}", "f", {{"n", 1}, {"b", "x"}}},
        {"f{ n : 1 , yes : true }", "f", {{"n", 1}, {"yes", true}}},
        {"f{when:2026-01-15}", "f", {{"when", "2026-01-15"}}},
        {"f{url:https://a.b/c?d=1}", "f", {{"url", "https://a.b/c?d=1"}}},
        {"f{text:hello world,n:3}", "f", {{"text", "hello world"}, {"n", 3}}},
        {"f{text:hello, world,n:3}", "f", {{"text", "hello, world"}, {"n", 3}}},
        {"f{text:don't stop}", "f", {{"text", "don't stop"}}},
        {"f{a:18}", "f", {{"a", "18"}}},
        {"f{a:true}", "f", {{"a", "true"}}},
        {"f{a:<|\"|>see <tool_call|> here<|\"|>}", "f", {{"a", "see <tool_call|> here"}}},
        {"f{a:\"see <tool_call|> here\"}", "f", {{"a", "see <tool_call|> here"}}},
        {"f{'a':'x'}", "f", {{"a", "x"}}},
        {"f {a:<|\"|>x<|\"|>}", "f", {{"a", "x"}}},
        {"f{edits:[{old:<|\"|>x<|\"|>,count:2}]}",
         "f",
         {{"edits", Json::array({{{"old", "x"}, {"count", 2}}})}}},
    };
    for (const auto &[text, name, value] : cases)
        expectShown(familyFormat("gemma"), std::string("<|tool_call>call:") + text + "<tool_call|>",
                    called(name, value));
}

TEST(ReplyCases, MiniMaxM3NestsElements)
{
    const auto call = [](const std::string &inner) {
        return "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">" + inner +
               "]<]minimax[>[</invoke>\n";
    };
    const std::string opts = "]<]minimax[>[<opts>]<]minimax[>[<mode>18]<]minimax[>[</mode>"
                             "]<]minimax[>[</opts>";
    const std::string refs = "]<]minimax[>[<refs>]<]minimax[>[<item>1]<]minimax[>[</item>"
                             "]<]minimax[>[<item>b]<]minimax[>[</item>]<]minimax[>[</refs>";
    const std::string close = "]<]minimax[>[</tool_call>";
    const ReplyFormat format = familyFormat("minimax-m3");
    expectShown(format, "Ok." + call(opts + refs) + close,
                "Ok." + called("f", {{"opts", {{"mode", "18"}}}, {"refs", {"1", "b"}}}));
    expectShown(format,
                call(refs) + "]<]minimax[>[<invoke name=\"f\">" + opts + "]<]minimax[>[</invoke>" +
                    close,
                called("f", {{"refs", {"1", "b"}}}) + called("f", {{"opts", {{"mode", "18"}}}}));
    expectShown(format,
                call("]<]minimax[>[<list>]<]minimax[>[</list>]<]minimax[>[<a>"
                     "]<]minimax[>[</a>") +
                    close,
                called("f", {{"list", Json::array()}, {"a", ""}}));
    expectShown(format, call("]<]minimax[>[<n>3</n>") + close, called("f", {{"n", 3}}));
    const std::string cut = "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">"
                            "]<]minimax[>[<a>half";
    expectShown(format, cut, cut);
}

} // namespace
} // namespace fireside::test
