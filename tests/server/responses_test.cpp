// OpenAI's /v1/responses: items in and out, events in order, earlier responses gone on from.
#include "tests/server/server_fixture.h"

namespace fireside {
namespace {

using nlohmann::json;

const json kToolOfResponses =
    json::parse(R"({"type":"function","name":"get_time","description":"The time",
    "strict":true,"parameters":{"type":"object","properties":{"zone":{"enum":["UTC"]}},
    "required":["zone"],"additionalProperties":false}})");

class ResponsesTest : public test::ServerTest
{
protected:
    static void SetUpTestSuite() { s_server = new test::RunningServer(test::strictApi(), 1024); }

    static json asked(json more = json::object())
    {
        more["model"] = "starter";
        if (!more.contains("input"))
            more["input"] = "What is Fireside?";
        if (!more.contains("max_output_tokens"))
            more["max_output_tokens"] = 8;
        return more;
    }
    static json response(const json &body) { return post("/v1/responses", body); }
    static std::vector<json> stream(json body)
    {
        body["stream"] = true;
        std::vector<json> all;
        std::string text = posted("/v1/responses", body);
        for (std::size_t at = 0; (at = text.find("\ndata: ", at)) != std::string::npos;) {
            at += 7;
            if (text.compare(at, std::string::npos, "[DONE]\n\n") == 0)
                break;
            all.push_back(json::parse(text.substr(at, text.find('\n', at) - at)));
            EXPECT_EQ(all.back()["sequence_number"], all.size() - 1);
        }
        return all;
    }
    static std::string refused(const json &body, int status = 400)
    {
        return ServerTest::refused("/v1/responses", body, status);
    }
};

TEST_F(ResponsesTest, AResponseIsTheModelsOwn)
{
    const json other = post("/v1/chat/completions", chat("What is Fireside?"));
    const json one = response(asked());
    EXPECT_EQ(one["object"], "response");
    EXPECT_EQ(one["status"], "incomplete");
    EXPECT_EQ(one["incomplete_details"]["reason"], "max_output_tokens");
    ASSERT_EQ(one["output"].size(), 1u) << one;
    EXPECT_EQ(one["output"][0]["type"], "message");
    EXPECT_EQ(one["output"][0]["content"][0]["text"], other["choices"][0]["message"]["content"]);
    EXPECT_EQ(one["usage"]["input_tokens"], other["usage"]["prompt_tokens"]);
    EXPECT_EQ(one["usage"]["output_tokens"], 8);
    const json message{{"role", "user"},
                       {"content", {{{"type", "input_text"}, {"text", "What is Fireside?"}}}}};
    EXPECT_EQ(response(asked({{"input", {message}}}))["output"][0]["content"],
              one["output"][0]["content"]);
    EXPECT_GT(response(asked({{"instructions", "Be brief."}}))["usage"]["input_tokens"].get<int>(),
              one["usage"]["input_tokens"].get<int>());
}

TEST_F(ResponsesTest, HasAllThatItsSchemaRequires)
{
    const json one = response(asked({{"max_output_tokens", 1000}, {"temperature", 0.7}}));
    for (const char *name : {"background",
                             "completed_at",
                             "created_at",
                             "error",
                             "frequency_penalty",
                             "id",
                             "incomplete_details",
                             "instructions",
                             "max_output_tokens",
                             "max_tool_calls",
                             "metadata",
                             "model",
                             "object",
                             "output",
                             "parallel_tool_calls",
                             "presence_penalty",
                             "previous_response_id",
                             "prompt_cache_key",
                             "reasoning",
                             "safety_identifier",
                             "service_tier",
                             "status",
                             "store",
                             "temperature",
                             "text",
                             "tool_choice",
                             "tools",
                             "top_logprobs",
                             "top_p",
                             "truncation",
                             "usage",
                             "user"})
        EXPECT_TRUE(one.contains(name)) << name;
    EXPECT_EQ(one["status"], "completed");
    EXPECT_GE(one["completed_at"], one["created_at"]);
    EXPECT_EQ(one["temperature"], 0.7);
    EXPECT_TRUE(response(asked())["completed_at"].is_null()); // cut off by its limit
}

TEST_F(ResponsesTest, AStreamHasItsEventsInOrder)
{
    const json whole = response(asked());
    const std::vector<json> events = stream(asked());
    std::vector<std::string> types;
    std::string text;
    for (const json &event : events) {
        const auto type = event["type"].get<std::string>();
        if (types.empty() || types.back() != type)
            types.push_back(type);
        if (type == "response.output_text.delta")
            text += event["delta"].get<std::string>();
    }
    EXPECT_EQ(types, (std::vector<std::string>{
                         "response.created", "response.in_progress", "response.output_item.added",
                         "response.content_part.added", "response.output_text.delta",
                         "response.output_text.done", "response.content_part.done",
                         "response.output_item.done", "response.incomplete"}));
    EXPECT_EQ(text, whole["output"][0]["content"][0]["text"].get<std::string>());
    EXPECT_EQ(events.back()["response"]["output"][0]["content"], whole["output"][0]["content"]);
}

TEST_F(ResponsesTest, CallsAndTheirOutputs)
{
    const json body = asked({{"tools", {kToolOfResponses}},
                             {"tool_choice", "required"},
                             {"parallel_tool_calls", false},
                             {"max_output_tokens", 60}});
    const json one = response(body);
    EXPECT_EQ(one["status"], "completed") << one;
    const json &call = one["output"][0];
    EXPECT_EQ(call["type"], "function_call");
    EXPECT_EQ(call["name"], "get_time");
    EXPECT_EQ(json::parse(call["arguments"].get<std::string>()), json({{"zone", "UTC"}}));
    std::string given;
    for (const json &event : stream(body)) {
        if (event["type"] == "response.function_call_arguments.delta")
            given += event["delta"].get<std::string>();
        if (event["type"] == "response.function_call_arguments.done") {
            EXPECT_EQ(event["arguments"], given);
        }
    }
    EXPECT_EQ(given, call["arguments"].get<std::string>());
    const json output{{"type", "function_call_output"},
                      {"call_id", call["call_id"]},
                      {"output", "A quarter past nine"}};
    const json next = response(asked({{"previous_response_id", one["id"]}, {"input", {output}}}));
    const json by = response(
        asked({{"input", {{{"role", "user"}, {"content", "What is Fireside?"}}, call, output}}}));
    EXPECT_EQ(next["usage"]["input_tokens"], by["usage"]["input_tokens"]);
    EXPECT_EQ(next["output"][0]["content"], by["output"][0]["content"]);
}

TEST_F(ResponsesTest, AnEarlierResponseIsGoneOnFromWhileItIsKept)
{
    const json first = response(asked());
    const json next =
        response(asked({{"previous_response_id", first["id"]}, {"input", "Say more."}}));
    EXPECT_GT(next["usage"]["input_tokens"].get<int>(), first["usage"]["total_tokens"].get<int>());
    EXPECT_GT(next["usage"]["input_tokens_details"]["cached_tokens"].get<int>(), 8);
    EXPECT_EQ(next["previous_response_id"], first["id"]);
    const json forgotten = response(asked({{"store", false}}));
    EXPECT_EQ(refused(asked({{"previous_response_id", forgotten["id"]}}), 404),
              "previous_response_id");
}

TEST_F(ResponsesTest, AFormHolds)
{
    const json form{{"format",
                     {{"type", "json_schema"},
                      {"name", "letter"},
                      {"strict", true},
                      {"schema", {{"enum", {"x", "y"}}}}}}};
    const std::string text = response(asked({{"text", form}}))["output"][0]["content"][0]["text"];
    EXPECT_TRUE(text == "\"x\"" || text == "\"y\"") << text;
}

TEST_F(ResponsesTest, WhatIsWrongIsRefusedByName)
{
    EXPECT_EQ(refused(asked({{"input", 5}})), "input");
    EXPECT_EQ(refused(asked({{"input", json::array()}})), "input");
    EXPECT_EQ(refused(asked({{"input", {{{"type", "image"}}}}})), "input[0].type");
    EXPECT_EQ(refused(asked({{"input", {{{"role", "robot"}, {"content", "x"}}}}})),
              "input[0].role");
    const json stray{{"type", "function_call_output"}, {"call_id", "a"}, {"output", "b"}};
    EXPECT_EQ(refused(asked({{"input", {stray}}})), "input[0].call_id");
    EXPECT_EQ(refused(asked({{"tools", {{{"type", "web_search"}}}}})), "tools[0].type");
    EXPECT_EQ(refused(asked({{"tool_choice", "required"}})), "tool_choice");
    EXPECT_EQ(refused(asked({{"text", {{"format", {{"type", "json_schema"}}}}}})),
              "text.format.schema");
    EXPECT_EQ(refused(asked({{"background", true}})), "background");
    EXPECT_EQ(refused(asked({{"truncation", "auto"}})), "truncation");
    EXPECT_EQ(refused(asked({{"max_output_tokens", 0}})), "max_output_tokens");
    EXPECT_EQ(refused(asked({{"max_tokens", 5}})), "max_tokens");
    EXPECT_EQ(refused(asked({{"previous_response_id", "resp_none"}}), 404), "previous_response_id");
}

TEST_F(ResponsesTest, StoredOnesAreFetchedAndForgotten)
{
    const json one = response(asked());
    const std::string path = "/v1/responses/" + one["id"].get<std::string>();
    httplib::Client client = s_server->client();
    EXPECT_EQ(json::parse(client.Get(path)->body), one);
    const json items = json::parse(client.Get(path + "/input_items")->body);
    EXPECT_EQ(items["data"][0]["content"][0]["text"], "What is Fireside?");
    EXPECT_EQ(items["first_id"], items["data"][0]["id"]);
    EXPECT_TRUE(json::parse(client.Delete(path)->body)["deleted"]);
    EXPECT_EQ(client.Get(path)->status, 404);
    EXPECT_EQ(client.Delete(path)->status, 404);
    EXPECT_EQ(refused(asked({{"previous_response_id", one["id"]}}), 404), "previous_response_id");
    const json other = response(asked({{"store", false}}));
    EXPECT_EQ(client.Get("/v1/responses/" + other["id"].get<std::string>())->status, 404);
}

TEST_F(ResponsesTest, ProbabilitiesStandBesideTheWords)
{
    const json likely{{"include", {"message.output_text.logprobs"}}, {"top_logprobs", 2}};
    const json one = response(asked(likely));
    const json &tokens = one["output"][0]["content"][0]["logprobs"];
    ASSERT_EQ(tokens.size(), 8u) << one;
    for (const json &token : tokens) {
        EXPECT_EQ(token["top_logprobs"].size(), 2u);
        EXPECT_EQ(token["token"], token["top_logprobs"][0]["token"]) << "the likeliest is drawn";
    }
    json streamed = json::array();
    for (const json &event : stream(asked(likely)))
        if (event["type"] == "response.output_text.delta")
            for (const json &token : event["logprobs"])
                streamed.push_back(token);
    EXPECT_EQ(streamed.size(), 8u);
    EXPECT_TRUE(response(asked())["output"][0]["content"][0]["logprobs"].empty());
    EXPECT_EQ(refused(asked({{"top_logprobs", 99}})), "top_logprobs");
}

} // namespace
} // namespace fireside
