#include "engine/constrain/schema_reader.h"
#include "engine/constrain/tool_calls.h"
#include "engine/core/error.h"
#include "tests/constrain/readings.h"

#include <gtest/gtest.h>

using namespace fireside;
using namespace fireside::constrain;

namespace {

// Their references lead into each tool's own schema.
const std::vector<CallableTool> kTools{
    {"add", R"({"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},
        "required":["a","b"],"additionalProperties":false,"$defs":{"n":{"type":"integer"}}})"},
    {"say", R"({"type":"object","properties":{"words":{"type":"array","items":{"$ref":"#/$defs/n"},
        "minItems":1}},"required":["words"],"additionalProperties":false,
        "$defs":{"n":{"type":"string","pattern":"^[a-z]+$"}}})"},
    {"stop", ""}};

TEST(ToolCalls, OneCallHasItsToolsArguments)
{
    const Grammar one = toolCalls(kTools, false);
    EXPECT_TRUE(test::reads(one, R"({"name": "add", "arguments": {"a": 1, "b": -2}})"));
    EXPECT_TRUE(test::reads(one, R"({"name": "add", "arguments": {"b":1,"a":2}})"));
    EXPECT_TRUE(test::reads(one, R"({"name": "say", "arguments": {"words": ["up", "down"]}})"));
    EXPECT_TRUE(test::reads(one, R"({"name": "stop", "arguments": {"why": [null]}})"));
    for (const char *wrong :
         {R"({"name": "add", "arguments": {"a": 1}})",
          R"({"name": "add", "arguments": {"words": ["up"]}})",
          R"({"name": "add", "arguments": {"a": "up", "b": 1}})",
          R"({"name": "say", "arguments": {"words": [1]}})",
          R"({"name": "say", "arguments": {"words": []}})", R"({"name": "stop", "arguments": 5})",
          R"({"name": "sub", "arguments": {}})", R"([{"name": "stop", "arguments": {}}])"})
        EXPECT_FALSE(test::reads(one, wrong)) << wrong;
}

TEST(ToolCalls, SeveralAreAList)
{
    const Grammar several = toolCalls(kTools, true);
    const std::string stop = R"({"name": "stop", "arguments": {}})";
    EXPECT_TRUE(test::reads(several, "[" + stop + "]"));
    EXPECT_TRUE(test::reads(
        several, "[" + stop + R"(, {"name": "add", "arguments": {"a": 1, "b": 2}})" + "]"));
    EXPECT_FALSE(test::reads(several, stop));
    EXPECT_FALSE(test::reads(several, "[]"));
    EXPECT_FALSE(test::reads(several, "[" + stop + ", ]"));
}

TEST(ToolCalls, ASchemaThatCannotBeKeptIsNamed)
{
    const std::string schema = R"({"type":"object","not":{"required":["a"]}})";
    try {
        toolCalls(std::vector<CallableTool>{{"odd", schema}}, false);
        ADD_FAILURE();
    } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find("the parameters of odd: "), std::string::npos)
            << error.what();
    }
    const Grammar lenient = toolCalls(std::vector<CallableTool>{{"odd", schema, true}}, false);
    EXPECT_TRUE(test::reads(lenient, R"({"name": "odd", "arguments": {"a": 1}})"));
    EXPECT_FALSE(lenient.notes.empty());
}

TEST(GrammarParts, AnEmbeddedGrammarKeepsItsMeaning)
{
    Grammar outer;
    const ExprId first = outer.embed(readGbnf("root ::= \"a\" other\nother ::= [0-9]{2}"));
    const ExprId second = outer.embed(readJsonSchema(
        R"({"type":"object","properties":{"x":{"enum":[1]}},"required":["x"],
            "additionalProperties":false})"));
    const ExprId third = outer.embed(readRegexGrammar("(up|down)+"));
    const RuleId root = outer.addRule("all");
    outer.define(root, outer.sequence({first, second, third}));
    outer.setRoot(root);
    EXPECT_TRUE(test::reads(outer, "a42{\"x\": 1}updown"));
    EXPECT_FALSE(test::reads(outer, "a4{\"x\": 1}up"));
    EXPECT_FALSE(test::reads(outer, "a42{}up"));
    EXPECT_FALSE(test::reads(outer, "a42{\"x\": 1}left"));
}

} // namespace
