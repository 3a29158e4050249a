// Anthropic's interface: messages, streams, thoughts, calls, counts and refusals.
#include "app/server/messages_reply.h"
#include "tests/server/server_fixture.h"

namespace fireside {
namespace {

using nlohmann::json;

const json kToolOfMessages =
    json::parse(R"({"name":"get_time","description":"The time","input_schema":{
    "type":"object","properties":{"zone":{"enum":["UTC"]}},"required":["zone"],
    "additionalProperties":false}})");

class MessagesTest : public test::ServerTest
{
protected:
    static void SetUpTestSuite() { s_server = new test::RunningServer(test::strictApi(), 1024); }

    static json asked(json more = json::object())
    {
        json body = chat("What is Fireside?", std::move(more));
        return body;
    }
    struct Event
    {
        std::string name;
        json data;
    };
    static std::vector<Event> stream(json body)
    {
        body["stream"] = true;
        const std::string text = posted("/v1/messages", body);
        std::vector<Event> all;
        for (std::size_t at = 0, end; (end = text.find("\n\n", at)) != std::string::npos;
             at = end + 2) {
            const std::string one = text.substr(at, end - at);
            const std::size_t line = one.find('\n');
            if (!one.starts_with("event: ") || line == std::string::npos)
                continue;
            all.push_back({one.substr(7, line - 7), json::parse(one.substr(line + 7))});
            EXPECT_EQ(all.back().data["type"], all.back().name);
        }
        return all;
    }
    static std::string refused(const json &body, int status = 400)
    {
        const json answer = post("/v1/messages", body, status);
        EXPECT_EQ(answer["type"], "error") << answer;
        EXPECT_EQ(answer["error"]["type"],
                  status == 404 ? "not_found_error" : "invalid_request_error");
        return answer["error"]["message"];
    }
};

TEST_F(MessagesTest, AMessageIsTheModelsOwn)
{
    const json message = post("/v1/messages", asked());
    const json other = post("/v1/chat/completions", asked());
    EXPECT_EQ(message["type"], "message");
    EXPECT_EQ(message["role"], "assistant");
    ASSERT_EQ(message["content"].size(), 1u) << message;
    EXPECT_EQ(message["content"][0]["text"], other["choices"][0]["message"]["content"]);
    EXPECT_EQ(message["stop_reason"], "max_tokens");
    const json &usage = message["usage"];
    EXPECT_EQ(usage["input_tokens"].get<int>() + usage["cache_read_input_tokens"].get<int>(),
              other["usage"]["prompt_tokens"].get<int>());
    EXPECT_EQ(usage["output_tokens"], 8);
    const json longer = asked({{"system", "Be brief, please, and say what it does for whom."}});
    const json first = post("/v1/messages", longer)["usage"];
    EXPECT_EQ(first["cache_read_input_tokens"], 0);
    const json again = post("/v1/messages", longer);
    EXPECT_EQ(again["usage"]["input_tokens"].get<int>() +
                  again["usage"]["cache_read_input_tokens"].get<int>(),
              first["input_tokens"].get<int>());
    EXPECT_GT(again["usage"]["cache_read_input_tokens"].get<int>(), 0) << again;
    EXPECT_EQ(post("/v1/messages/count_tokens",
                   {{"model", "starter"}, {"messages", asked()["messages"]}})["input_tokens"],
              other["usage"]["prompt_tokens"]);
}

TEST_F(MessagesTest, AStreamHasItsEventsInOrder)
{
    const json whole = post("/v1/messages", asked());
    const std::vector<Event> events = stream(asked());
    ASSERT_GE(events.size(), 7u);
    EXPECT_EQ(events[0].name, "message_start");
    EXPECT_EQ(events[0].data["message"]["content"], json::array());
    EXPECT_EQ(events[1].name, "ping");
    EXPECT_EQ(events[2].name, "content_block_start");
    EXPECT_EQ(events[2].data["index"], 0);
    std::string text;
    std::size_t i = 3;
    for (; events[i].name == "content_block_delta"; ++i)
        text += events[i].data["delta"]["text"].get<std::string>();
    EXPECT_EQ(text, whole["content"][0]["text"].get<std::string>());
    EXPECT_EQ(events[i++].name, "content_block_stop");
    EXPECT_EQ(events[i].name, "message_delta");
    EXPECT_EQ(events[i].data["delta"]["stop_reason"], "max_tokens");
    EXPECT_EQ(events[i++].data["usage"]["output_tokens"], 8);
    EXPECT_EQ(events[i].name, "message_stop");
    EXPECT_EQ(i + 1, events.size());
}

TEST_F(MessagesTest, StopSequencesAreNamed)
{
    const std::string text = post("/v1/messages", asked())["content"][0]["text"];
    const std::string stop = text.substr(text.size() / 2, 2);
    const json message = post("/v1/messages", asked({{"stop_sequences", {"never this", stop}}}));
    EXPECT_EQ(message["stop_reason"], "stop_sequence");
    EXPECT_EQ(message["stop_sequence"], stop);
    EXPECT_EQ(message["content"][0]["text"], text.substr(0, text.find(stop)));
}

TEST_F(MessagesTest, SystemAndBlocksAreRead)
{
    const auto count = [](json body) {
        body["model"] = "starter";
        return post("/v1/messages/count_tokens", body)["input_tokens"].get<int>();
    };
    const json messages{{{"role", "user"}, {"content", "What is Fireside?"}}};
    const json block{{"type", "text"}, {"text", "What is Fireside?"}};
    json cached = block;
    cached["cache_control"] = {{"type", "ephemeral"}};
    const int plain = count({{"messages", messages}});
    EXPECT_EQ(count({{"messages", {{{"role", "user"}, {"content", {cached}}}}}}), plain);
    const int withSystem = count({{"messages", messages}, {"system", "Be brief, please."}});
    EXPECT_GT(withSystem, plain);
    EXPECT_EQ(count({{"messages", messages},
                     {"system", {{{"type", "text"}, {"text", "Be brief, please."}}}}}),
              withSystem);
    EXPECT_GT(count({{"messages", messages}, {"tools", {kToolOfMessages}}}), plain + 20);
}

TEST_F(MessagesTest, CallsAndResults)
{
    const json body = asked(
        {{"tools", {kToolOfMessages}}, {"tool_choice", {{"type", "any"}}}, {"max_tokens", 60}});
    json one = body;
    one["tool_choice"]["disable_parallel_tool_use"] = true;
    const json message = post("/v1/messages", one);
    EXPECT_EQ(message["stop_reason"], "tool_use") << message;
    ASSERT_EQ(message["content"].size(), 1u) << message;
    const json &call = message["content"][0];
    EXPECT_EQ(call["type"], "tool_use");
    EXPECT_EQ(call["name"], "get_time");
    EXPECT_EQ(call["input"], json({{"zone", "UTC"}}));
    std::string input;
    for (const Event &event : stream(one)) {
        if (event.name == "content_block_start") {
            EXPECT_EQ(event.data["content_block"]["input"], json::object());
        } else if (event.name == "content_block_delta") {
            EXPECT_EQ(event.data["delta"]["type"], "input_json_delta");
            input += event.data["delta"]["partial_json"].get<std::string>();
        }
    }
    EXPECT_EQ(json::parse(input), call["input"]);
    json next = asked({{"tools", {kToolOfMessages}}});
    next["messages"].push_back({{"role", "assistant"}, {"content", message["content"]}});
    json result{{"type", "tool_result"}, {"tool_use_id", call["id"]}, {"content", "Nine"}};
    next["messages"].push_back({{"role", "user"}, {"content", {result}}});
    EXPECT_EQ(post("/v1/messages", next)["type"], "message");
    next["messages"][2]["content"][0]["tool_use_id"] = "other";
    EXPECT_NE(refused(next).find("messages[2].content[0].tool_use_id"), std::string::npos);
}

TEST_F(MessagesTest, ThoughtsAreBlocksOfTheirOwn)
{
    const json message = post(
        "/v1/messages",
        asked({{"output_config",
                {{"format", {{"type", "json_schema"}, {"schema", {{"enum", {"x", "y"}}}}}}}}}));
    const std::string text = message["content"][0]["text"];
    EXPECT_TRUE(text == "\"x\"" || text == "\"y\"") << message;
    json thought = asked({{"thinking", {{"type", "enabled"}, {"budget_tokens", 1024}}}});
    thought["messages"].push_back({{"role", "assistant"},
                                   {"content",
                                    {{{"type", "thinking"}, {"thinking", "Hm."}, {"signature", ""}},
                                     {{"type", "text"}, {"text", "A program."}}}}});
    thought["messages"].push_back({{"role", "user"}, {"content", "Which?"}});
    EXPECT_EQ(post("/v1/messages", thought)["type"], "message");
}

TEST_F(MessagesTest, ThoughtsAreWrittenApart)
{
    using Piece = server::ReplyPiece;
    const server::ReplyEvent event{
        .pieces = {{Piece::Kind::Reasoning, "Hm."}, {Piece::Kind::Text, "Yes."}},
        .finished = GenerateResult{}};
    server::MessagesReply messages("starter", {});
    std::string stream = messages.begin();
    stream += messages.add(event);
    stream += messages.end();
    std::size_t at = 0;
    for (const char *part :
         {R"({"type":"thinking","thinking":"","signature":""})",
          R"({"type":"thinking_delta","thinking":"Hm."})", R"("type":"signature_delta")",
          R"({"type":"content_block_stop","index":0})", R"({"type":"text_delta","text":"Yes."})",
          R"({"type":"content_block_stop","index":1})"}) {
        at = stream.find(part, at);
        ASSERT_NE(at, std::string::npos) << part << " in " << stream;
    }
    const json content = messages.whole()["content"];
    EXPECT_EQ(content[0]["thinking"], "Hm.");
    EXPECT_EQ(content[1]["text"], "Yes.");
    // OpenAI's: what a reply begins with may be thoughts, whatever its template says.
    const json body =
        chat("x", {{"guided_choice", {"<think>Hm.</think>Yes."}}, {"max_tokens", 40}});
    const json message = post("/v1/chat/completions", body)["choices"][0]["message"];
    EXPECT_EQ(message["reasoning_content"], "Hm.") << message;
    EXPECT_EQ(message["content"], "Yes.") << message;
}

TEST_F(MessagesTest, WhatIsWrongIsRefusedInItsShape)
{
    const auto says = [](const json &body, const std::string &part) {
        const std::string text = refused(body);
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    json none = asked();
    none.erase("max_tokens");
    says(none, "max_tokens is missing");
    says(asked({{"temprature", 1}}), "temprature");
    says(asked({{"stop_sequences", {""}}}), "stop_sequences");
    says(asked({{"tools", {{{"name", "two words"}}}}}), "tools[0].name");
    says(asked({{"tools", {{{"type", "bash_20250124"}, {"name", "bash"}}}}}), "tools[0].type");
    says(asked({{"tool_choice", {{"type", "tool"}}}}), "tool_choice.name");
    says(asked({{"tool_choice", {{"type", "any"}}}}), "tool_choice");
    says(asked({{"thinking", {{"type", "enabled"}, {"budget_tokens", 3}}}}),
         "thinking.budget_tokens");
    says(asked({{"system", 5}}), "system");
    json body = asked();
    body["messages"][0]["role"] = "robot";
    says(body, "messages[0].role");
    body = asked();
    body["messages"][0]["content"] = {{{"type", "image"}, {"source", json::object()}}};
    says(body, "messages[0].content[0].type");
    body = asked();
    body["messages"].push_back({{"role", "assistant"}, {"content", "It"}});
    says(body, "messages");
    body["messages"] = 5;
    says(body, "messages");
    body = asked();
    body["model"] = "claude";
    EXPECT_NE(refused(body, 404).find("claude"), std::string::npos);
}

} // namespace
} // namespace fireside
