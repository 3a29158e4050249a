// Calls of tools in OpenAI's chats: offered, asked for, answered, refused.
#include "tests/server/server_fixture.h"

#include <set>

namespace fireside {
namespace {

using nlohmann::json;

const json kWeather = json::parse(R"({"type":"function","function":{"name":"get_weather",
    "description":"The weather of a town","strict":true,"parameters":{"type":"object","properties":{
    "town":{"enum":["Oslo","Rome","Lima"]},"days":{"type":"integer","minimum":1,"maximum":9}},
    "required":["town","days"],"additionalProperties":false}}})");
const json kTime = json::parse(R"({"type":"function","function":{"name":"get_time",
    "parameters":{"type":"object","properties":{"zone":{"enum":["UTC"]}},"required":["zone"],
    "additionalProperties":false}}})");

class ToolsTest : public test::ServerTest
{
protected:
    static void SetUpTestSuite() { s_server = new test::RunningServer(test::strictApi(), 1024); }

    static json asked(json more)
    {
        if (!more.contains("tools"))
            more["tools"] = {kWeather, kTime};
        if (!more.contains("max_tokens"))
            more["max_tokens"] = 100;
        return chat("The weather?", std::move(more));
    }
    static json message(const json &more)
    {
        const json reply = post("/v1/chat/completions", asked(more));
        EXPECT_EQ(reply["choices"][0]["finish_reason"], "tool_calls") << reply;
        return reply["choices"][0]["message"];
    }
    static void expectFits(const json &call)
    {
        EXPECT_EQ(call["type"], "function");
        EXPECT_EQ(call["id"].get<std::string>().size(), 9u);
        const json given =
            json::parse(call["function"]["arguments"].get<std::string>(), nullptr, false);
        ASSERT_TRUE(given.is_object()) << call;
        if (call["function"]["name"] == "get_time") {
            EXPECT_EQ(given, json({{"zone", "UTC"}}));
            return;
        }
        EXPECT_EQ(call["function"]["name"], "get_weather");
        EXPECT_EQ(given.size(), 2u) << call;
        EXPECT_TRUE((std::set<json>{"Oslo", "Rome", "Lima"}.contains(given["town"]))) << call;
        EXPECT_GE(given["days"], 1);
        EXPECT_LE(given["days"], 9);
    }
};

TEST_F(ToolsTest, ARequiredCallFitsItsSchema)
{
    for (const int seed : {1, 2, 3}) {
        const json drawn{{"temperature", 2.0}, {"seed", seed}};
        json more = drawn;
        more["tool_choice"] = "required";
        more["parallel_tool_calls"] = false;
        const json one = message(more);
        ASSERT_EQ(one["tool_calls"].size(), 1u) << one;
        EXPECT_TRUE(one["content"].is_null()) << one;
        expectFits(one["tool_calls"][0]);
        more = drawn;
        more["tool_choice"] = {{"type", "function"}, {"function", {{"name", "get_time"}}}};
        const json named = message(more);
        EXPECT_EQ(named["tool_calls"][0]["function"]["name"], "get_time");
        expectFits(named["tool_calls"][0]);
    }
}

TEST_F(ToolsTest, SeveralCallsHaveIdsOfTheirOwn)
{
    for (const int seed : {1, 2, 3, 4}) {
        const json reply = post("/v1/chat/completions", asked({{"tool_choice", "required"},
                                                               {"temperature", 2.0},
                                                               {"seed", seed},
                                                               {"max_tokens", 140}}));
        const json &calls = reply["choices"][0]["message"]["tool_calls"];
        ASSERT_FALSE(calls.empty()) << reply;
        std::set<std::string> ids;
        for (const json &call : calls)
            ids.insert(call["id"].get<std::string>());
        EXPECT_EQ(ids.size(), calls.size());
        const std::size_t whole =
            calls.size() - (reply["choices"][0]["finish_reason"] == "length" ? 1 : 0);
        for (std::size_t i = 0; i < whole; ++i)
            expectFits(calls[i]);
    }
}

TEST_F(ToolsTest, AStreamHasIndexedPieces)
{
    const json body = asked({{"tool_choice", "required"}, {"parallel_tool_calls", false}});
    const json whole = post("/v1/chat/completions", body)["choices"][0]["message"];
    json streamed = body;
    streamed["stream"] = true;
    const json message = joined(posted("/v1/chat/completions", streamed));
    EXPECT_EQ(message["finish_reason"], "tool_calls");
    EXPECT_EQ(message["content"], "");
    ASSERT_EQ(message["tool_calls"].size(), 1u);
    expectFits(message["tool_calls"][0]);
    EXPECT_EQ(message["tool_calls"][0]["function"], whole["tool_calls"][0]["function"]);
}

// A grammar makes the model write what a family's models write.
TEST_F(ToolsTest, CallsInTheReplyAreFound)
{
    const std::string call = "<tool_call>\\n{\\\"name\\\": \\\"get_time\\\", \\\"arguments\\\": "
                             "{\\\"zone\\\": \\\"UTC\\\"}}\\n"
                             "</tool_call>";
    const json written{{"grammar", "root ::= \"Well: " + call + "\\n" + call + "\""}};
    const json reply = message(written);
    EXPECT_EQ(reply["content"], "Well:");
    ASSERT_EQ(reply["tool_calls"].size(), 2u) << reply;
    expectFits(reply["tool_calls"][0]);
    json more = written;
    more["stream"] = true;
    EXPECT_EQ(joined(posted("/v1/chat/completions", asked(more)))["tool_calls"].size(), 2u);
    // Where none may be called it is text.
    more = written;
    more["tool_choice"] = "none";
    const json plain = post("/v1/chat/completions", asked(more))["choices"][0];
    EXPECT_EQ(plain["finish_reason"], "stop");
    EXPECT_FALSE(plain["message"].contains("tool_calls"));
    EXPECT_NE(plain["message"]["content"].get<std::string>().find("get_time"), std::string::npos);
}

// A grammar makes the model write a call that its tool's schema does not allow.
TEST_F(ToolsTest, ArgumentsOfStrictToolsFitOrAreNoCall)
{
    const auto written = [](const std::string &name, const std::string &arguments) {
        const std::string text =
            "<tool_call>{\"name\": \"" + name + "\", \"arguments\": " + arguments + "}</tool_call>";
        const json body = asked({{"guided_choice", {text}}, {"max_tokens", 200}});
        return post("/v1/chat/completions", body)["choices"][0];
    };
    const json right = written("get_weather", R"({"days": 3, "town": "Oslo"})");
    EXPECT_EQ(right["finish_reason"], "tool_calls") << right;
    expectFits(right["message"]["tool_calls"][0]);
    const json wrong = written("get_weather", R"({"days": 30, "town": "Oslo"})");
    EXPECT_EQ(wrong["finish_reason"], "stop") << wrong;
    EXPECT_FALSE(wrong["message"].contains("tool_calls"));
    EXPECT_NE(wrong["message"]["content"].get<std::string>().find("30"), std::string::npos);
    // A tool that is not strict is called all the same.
    EXPECT_EQ(written("get_time", R"({"zone": "CET"})")["finish_reason"], "tool_calls");
}

TEST_F(ToolsTest, ResultsAreRead)
{
    json body = asked({{"max_tokens", 4}});
    const auto before = post("/v1/chat/completions", body)["usage"]["prompt_tokens"].get<int>();
    body["messages"].push_back(
        {{"role", "assistant"},
         {"content", nullptr},
         {"tool_calls",
          {{{"id", "abc"},
            {"type", "function"},
            {"function", {{"name", "get_time"}, {"arguments", "{\"zone\":\"UTC\"}"}}}}}}});
    body["messages"].push_back(
        {{"role", "tool"}, {"tool_call_id", "abc"}, {"content", "It is a quarter past nine."}});
    const json after = post("/v1/chat/completions", body);
    EXPECT_GT(after["usage"]["prompt_tokens"].get<int>(), before + 20) << after;
    body["messages"][2]["tool_call_id"] = "abd";
    EXPECT_EQ(refused("/v1/chat/completions", body), "messages[2].tool_call_id");
    body["messages"][2].erase("tool_call_id");
    EXPECT_EQ(refused("/v1/chat/completions", body), "messages[2].tool_call_id");
    body["messages"][1]["tool_calls"][0]["function"]["arguments"] = "{zone";
    EXPECT_EQ(refused("/v1/chat/completions", body),
              "messages[1].tool_calls[0].function.arguments");
}

TEST_F(ToolsTest, WhatIsWrongIsRefusedByName)
{
    const auto refused = [](const json &more) {
        return ServerTest::refused("/v1/chat/completions", asked(more));
    };
    EXPECT_EQ(refused({{"tools", 5}}), "tools");
    EXPECT_EQ(refused({{"tools", {5}}}), "tools[0]");
    EXPECT_EQ(refused({{"tools", {{{"type", "function"}}}}}), "tools[0].function");
    EXPECT_EQ(refused({{"tools", {{{"type", "web_search"}}}}}), "tools[0].type");
    json bad = kTime;
    bad["function"]["name"] = "two words";
    EXPECT_EQ(refused({{"tools", {bad}}}), "tools[0].function.name");
    EXPECT_EQ(refused({{"tools", {kTime, kTime}}}), "tools[1].function.name");
    bad = kTime;
    bad["function"]["parameters"] = "none";
    EXPECT_EQ(refused({{"tools", {bad}}}), "tools[0].function.parameters");
    bad["function"]["parameters"] = {{"type", "string"}};
    EXPECT_EQ(refused({{"tools", {bad}}}), "tools[0].function.parameters");
    bad["function"]["parameters"] = {{"type", "object"}, {"properties", {{"a", {{"type", "x"}}}}}};
    EXPECT_EQ(refused({{"tools", {bad}}, {"tool_choice", "required"}}), "tools");
    bad["function"]["parameters"] = {{"not", {{"required", {"a"}}}}};
    bad["function"]["strict"] = true;
    EXPECT_EQ(refused({{"tools", {bad}}, {"tool_choice", "required"}}), "tools");
    EXPECT_EQ(refused({{"tools", {bad}}}), "tools[0].function.parameters");
    EXPECT_EQ(refused({{"tool_choice", "sometimes"}}), "tool_choice");
    EXPECT_EQ(refused({{"tool_choice", {{"type", "function"}}}}), "tool_choice.function");
    const json other{{"type", "function"}, {"function", {{"name", "other"}}}};
    EXPECT_EQ(refused({{"tool_choice", other}}), "tool_choice");
    EXPECT_EQ(refused({{"tools", json::array()}, {"tool_choice", "required"}}), "tool_choice");
    EXPECT_EQ(refused({{"parallel_tool_calls", "yes"}}), "parallel_tool_calls");
    EXPECT_EQ(refused({{"tool_choice", "required"}, {"regex", "a"}}), "regex");
    EXPECT_EQ(refused({{"functions", {kTime}}}), "functions");
}

} // namespace
} // namespace fireside
