// What clients send beyond what the APIs say is left out and reported, unless --strict-api is
// given.
#include "app/server/history.h"
#include "app/server/tolerance.h"
#include "app/server/tool_names.h"
#include "tests/server/running_server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fireside::test {
namespace {

using nlohmann::json;

class ToleranceTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        server::ServerOptions options;
        options.aliases = {{"house", "starter"}};
        s_server = new RunningServer(options, 512);
    }
    static void TearDownTestSuite() { delete s_server; }

    struct Answer
    {
        int status = 0;
        std::string ignored{};
        json body{};
    };
    static Answer sent(const std::string &path, const std::string &body)
    {
        httplib::Client client = s_server->client();
        const auto answer = client.Post(path, body, "application/json");
        EXPECT_TRUE(answer);
        if (!answer)
            return {};
        return {answer->status, answer->get_header_value("x-fireside-ignored"),
                json::parse(answer->body, nullptr, false)};
    }
    /// A chat with further members.
    static Answer chat(json more)
    {
        if (!more.contains("messages"))
            more["messages"] = {{{"role", "user"}, {"content", "hi"}}};
        if (!more.contains("max_tokens"))
            more["max_tokens"] = 4;
        return sent("/v1/chat/completions", more.dump());
    }
    static Answer responses(json more)
    {
        more["max_output_tokens"] = 4;
        return sent("/v1/responses", more.dump());
    }
    inline static RunningServer *s_server = nullptr;
};

json functionTool(const std::string &name, const json &schema)
{
    return {{"type", "function"}, {"function", {{"name", name}, {"parameters", schema}}}};
}

TEST_F(ToleranceTest, ReportsMembersWithoutEffect)
{
    const struct
    {
        json members;
        std::string ignored;
    } cases[] = {
        {{{"store", true}}, "store"},
        {{{"audio", {{"voice", "x"}}}, {"foo", 1}}, "audio, foo"},
        {{{"foo", nullptr}}, ""},
        {{{"service_tier", "priority"}}, "service_tier"},
        {{{"metadata", {{"a", "b"}}}}, ""},
        {{{"reasoning", {{"effort", "xhigh"}, {"exclude", true}}}}, "reasoning.exclude"},
        {{{"reasoning", json::object()}}, ""},
        {{{"thinking", {{"type", "enabled"}, {"budget_tokens", 512}}}}, ""},
        {{{"enable_thinking", false}, {"thinking_budget", -1}}, ""},
        {{{"chat_template_kwargs", {{"enable_thinking", true}, {"other", 1}}}},
         "chat_template_kwargs.other"},
        {{{"reasoning_effort", "minimal"}}, ""},
        {{{"reasoning_effort", "strange"}}, "reasoning_effort"},
        {{{"max_tokens", 0}}, "max_tokens"},
        {{{"max_completion_tokens", 4}, {"top_k", -1}, {"seed", -1}}, ""},
        {{{"temperature", "0.5"}, {"n", "1"}, {"seed", 1.0}, {"top_k", 40.0}, {"user", 5}}, ""},
        {{{"temperature", -1}}, "temperature"},
        {{{"seed", 18446744073709551615U}, {"repeat_penalty", 0}}, ""},
        {{{"stop", {"", "x"}}}, ""},
        {{{"tool_choice", "required"}}, "tool_choice"},
        {{{"stream_options", {{"include_usage", true}}}}, "stream_options"},
        {{{"tools", {{{"type", "web_search"}}}}}, "tools.web_search"},
    };
    for (const auto &one : cases) {
        const Answer answer = chat(one.members);
        EXPECT_EQ(answer.status, 200) << one.members << answer.body;
        EXPECT_EQ(answer.ignored, one.ignored) << one.members;
    }
}

TEST_F(ToleranceTest, RefusesWhatWouldChangeTheAnswersMeaning)
{
    const json tool = functionTool("f", {{"type", "object"}});
    const struct
    {
        json members;
        std::string place;
    } cases[] = {
        {{{"n", 17}}, "n"},
        {{{"tools", {tool}},
          {"tool_choice", {{"type", "function"}, {"function", {{"name", "g"}}}}}},
         "tool_choice"},
        {{{"tools", {tool}},
          {"tool_choice",
           {{"type", "allowed_tools"},
            {"allowed_tools",
             {{"mode", "auto"}, {"tools", {{{"type", "function"}, {"name", "g"}}}}}}}}},
         "tool_choice"},
        {{{"response_format",
           {{"type", "json_schema"},
            {"json_schema",
             {{"name", "a"}, {"strict", true}, {"schema", {{"type", "unknown"}}}}}}}},
         "response_format.json_schema.schema"},
    };
    for (const auto &one : cases) {
        const Answer answer = chat(one.members);
        EXPECT_EQ(answer.status, 400) << one.members << answer.body;
        EXPECT_EQ(answer.body["error"]["param"], one.place) << answer.body;
    }
}

TEST_F(ToleranceTest, ReadsMessagesAsTheyCome)
{
    const auto call = [](const json &arguments) -> json {
        return {{"role", "assistant"},
                {"content", nullptr},
                {"tool_calls",
                 {{{"id", "c"},
                   {"type", "function"},
                   {"function", {{"name", "f"}, {"arguments", arguments}}}}}}};
    };
    const json user{{"role", "user"}, {"content", "q"}};
    const json result{{"role", "tool"}, {"tool_call_id", "c"}, {"content", "r"}};
    std::vector<json> chats;
    for (const json &arguments : {json("{\"a\": "), json(""), json(nullptr), json::array(),
                                  json({{"a", 1}}), json("null"), json("{} {}")})
        chats.push_back({user, call(arguments), result});
    chats.push_back({user, {{"role", "tool"}, {"tool_call_id", "x"}, {"content", "r"}}});
    chats.push_back({user, call("{}"), {{"role", "tool"}, {"content", nullptr}}});
    chats.push_back({user, call("{}"), user});
    chats.push_back({user, {{"role", "assistant"}, {"content", ""}}});
    chats.push_back({user, {{"role", "assistant"}, {"content", "The"}, {"prefix", true}}});
    chats.push_back(
        {{{"role", "user"}, {"content", json::array({{{"type", "input_text"}, {"text", "x"}}})}}});
    chats.push_back({{{"role", "human"}, {"content", "x"}, {"id", 3}}});
    for (const json &messages : chats) {
        const Answer answer = chat({{"messages", messages}});
        EXPECT_EQ(answer.status, 200) << messages << answer.body;
    }
    const Answer picture =
        chat({{"messages",
               {{{"role", "user"},
                 {"content",
                  json::array({{{"type", "image_url"}, {"image_url", {{"url", "data:,"}}}}})}}}}});
    EXPECT_EQ(picture.status, 200) << picture.body;
    EXPECT_EQ(picture.ignored, "messages[].content.image_url");
}

/// An answer that is begun goes on where it stopped: its tokens are the prompt's last.
TEST_F(ToleranceTest, ContinuesAnswers)
{
    const json question{{"role", "user"}, {"content", "hi"}};
    const auto promptTokens = [&](const json &messages) {
        return chat({{"messages", messages}}).body["usage"]["prompt_tokens"].get<int>();
    };
    const int alone = promptTokens(json::array({question}));
    const std::string begun = "The answer is";
    const auto tokens =
        s_server->model().tokenizer().encode(MarkedText::fromUser(std::string(begun)), false);
    EXPECT_EQ(promptTokens({question, {{"role", "assistant"}, {"content", ""}}}), alone);
    EXPECT_EQ(promptTokens({question, {{"role", "assistant"}, {"content", begun}}}),
              alone + static_cast<int>(tokens.size()));
    const json counted{{"messages", {question, {{"role", "assistant"}, {"content", begun}}}}};
    const Answer count = sent("/v1/messages/count_tokens", counted.dump());
    EXPECT_EQ(count.body["input_tokens"], alone + static_cast<int>(tokens.size()));
}

TEST_F(ToleranceTest, ReplacesHalvesOfSurrogatePairs)
{
    for (const char *text : {R"(cut \ud83d here)", R"(\udc4d)", R"(\ud83d\ud83d\ude00)",
                             R"(\\ud83d \ud83d)", R"(\ud83d)"}) {
        const std::string body = R"({"max_tokens":4,"messages":[{"role":"user","content":")" +
                                 std::string(text) + R"("}]})";
        EXPECT_EQ(sent("/v1/chat/completions", body).status, 200) << text;
    }
    const Answer invalid = sent("/v1/chat/completions", "{\"a\":\"\xff\"}");
    EXPECT_EQ(invalid.status, 400);
    EXPECT_NE(invalid.body["error"]["message"].get<std::string>().find("UTF-8 at byte 6"),
              std::string::npos)
        << invalid.body;
}

TEST_F(ToleranceTest, LeavesLinesOfBillingOut)
{
    const auto count = [&](const json &system) {
        const json body{{"system", system}, {"messages", {{{"role", "user"}, {"content", "hi"}}}}};
        return sent("/v1/messages/count_tokens", body.dump()).body["input_tokens"];
    };
    EXPECT_EQ(count("x-anthropic-billing-header: cc_version=2; cch=a1b2;\nBe brief."),
              count("Be brief."));
}

TEST_F(ToleranceTest, AnswersForAnyModelName)
{
    for (const char *name : {"claude-haiku-4-5", "", "starter:latest", "STARTER", "house"}) {
        const Answer answer = chat({{"model", name}});
        EXPECT_EQ(answer.status, 200) << name;
        EXPECT_EQ(answer.body["model"], "starter");
    }
    const json embed{{"model", "other"}, {"input", "x"}};
    EXPECT_EQ(sent("/v1/embeddings", embed.dump()).status, 404);
    httplib::Client client = s_server->client();
    for (const char *path : {"/v1/models", "/models", "/v1/models/"}) {
        const auto list = client.Get(path);
        ASSERT_TRUE(list);
        const json one = json::parse(list->body)["data"][0];
        EXPECT_EQ(one["context_length"], 512);
        EXPECT_EQ(one["max_model_len"], 512);
        EXPECT_EQ(one["meta"]["n_ctx"], 512);
        EXPECT_GT(one["meta"]["n_ctx_train"], 0);
        EXPECT_EQ(json::parse(list->body)["models"][0]["slug"], "starter");
    }
    const auto one = client.Get("/v1/models/house");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->status, 200);
    EXPECT_EQ(
        sent("/chat/completions/", R"({"max_tokens":1,"messages":[{"role":"user","content":"x"}]})")
            .status,
        200);
}

TEST_F(ToleranceTest, SaysHowMuchTooLongAPromptIs)
{
    std::string words;
    for (int i = 0; i < 2000; ++i)
        words += " word";
    const Answer answer = chat({{"messages", {{{"role", "user"}, {"content", words}}}}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.body["error"]["code"], "context_length_exceeded");
    const std::string text = answer.body["error"]["message"];
    EXPECT_EQ(text.find("prompt is too long: "), 0U) << text;
    EXPECT_NE(text.find(" tokens > 512 maximum"), std::string::npos) << text;
}

/// Calls come back under the names that the client gave.
TEST_F(ToleranceTest, MapsToolNamesForTheModelAndBack)
{
    const json schema{{"type", "object"}, {"properties", json::object()}};
    for (const std::string &name :
         {std::string("mcp/x/query-docs"), std::string("größe"), std::string("查询"),
          std::string("$f"), std::string(200, 'a')}) {
        const Answer answer = chat({{"tools", {functionTool(name, schema)}},
                                    {"tool_choice", "required"},
                                    {"max_tokens", 200},
                                    {"temperature", 0}});
        ASSERT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.body["choices"][0]["message"]["tool_calls"][0]["function"]["name"], name)
            << answer.body;
    }
}

TEST_F(ToleranceTest, OffersToolsOfNamespacesAndCustomOnes)
{
    json asked{{"input", "hi"},
               {"tools",
                {{{"type", "namespace"},
                  {"name", "mcp__idea__"},
                  {"tools",
                   {{{"type", "function"},
                     {"name", "open"},
                     {"parameters", {{"type", "object"}, {"properties", json::object()}}}}}}}}},
               {"tool_choice", "required"},
               {"max_output_tokens", 60},
               {"temperature", 0},
               {"store", false}};
    const Answer spaced = sent("/v1/responses", asked.dump());
    ASSERT_EQ(spaced.status, 200) << spaced.body;
    EXPECT_EQ(spaced.body["output"][0]["name"], "open") << spaced.body;
    EXPECT_EQ(spaced.body["output"][0]["namespace"], "mcp__idea__");
    asked["tools"] = {{{"type", "custom"}, {"name", "apply_patch"}}, {{"type", "local_shell"}}};
    const Answer custom = sent("/v1/responses", asked.dump());
    ASSERT_EQ(custom.status, 200) << custom.body;
    EXPECT_EQ(custom.ignored, "tools.local_shell");
    EXPECT_EQ(custom.body["output"][0]["type"], "custom_tool_call") << custom.body;
    EXPECT_EQ(custom.body["output"][0]["name"], "apply_patch");
    EXPECT_TRUE(custom.body["output"][0]["input"].is_string());
}

/// A custom tool's text is taken out of the arguments, in whatever pieces they come.
TEST(CallTranslator, TakesTheTextOutOfArguments)
{
    using Piece = server::ReplyPiece;
    for (const std::size_t size : {1U, 3U, 7U, 100U}) {
        server::CallTranslator translator({{"patch", {"a/patch", "space", true}}}, 1);
        std::vector<Piece> all;
        const auto take = [&](server::ReplyEvent event) {
            translator.translate(event);
            all.insert(all.end(), event.pieces.begin(), event.pieces.end());
        };
        take({.pieces = {{Piece::Kind::Call, "patch", "id"}}});
        const std::string arguments = R"({"input": "a \"b\"\nc"})";
        for (std::size_t at = 0; at < arguments.size(); at += size)
            take({.pieces = {{Piece::Kind::Arguments, arguments.substr(at, size)}}});
        take({.finished = GenerateResult{}});
        ASSERT_EQ(all.size(), 2U);
        EXPECT_EQ(all[0].text, "a/patch");
        EXPECT_EQ(all[0].space, "space");
        EXPECT_EQ(all[1].text, "a \"b\"\nc");
    }
}

TEST_F(ToleranceTest, SkipsItemsOfToolsThatRunElsewhere)
{
    const json user{{"role", "user"}, {"content", "hi"}};
    for (const json &item : std::vector<json>{
             {{"type", "web_search_call"}, {"action", {{"type", "search"}}}},
             {{"type", "reasoning"}, {"encrypted_content", "x"}, {"summary", json::array()}},
             {{"type", "item_reference"}, {"id", "x"}},
             {{"type", "compaction"}, {"encrypted_content", "x"}},
             {{"type", "custom_tool_call"}, {"call_id", "c"}, {"name", "p"}, {"input", "x"}},
             {{"type", "custom_tool_call_output"}, {"call_id", "c"}, {"output", "x"}},
             {{"type", "local_shell_call"}, {"call_id", "c"}, {"action", {{"command", "ls"}}}},
             {{"type", "local_shell_call_output"}, {"id", "c"}, {"output", "x"}},
             {{"type", "function_call"}, {"call_id", "c"}, {"name", "p"}, {"arguments", "null"}}}) {
        const Answer answer = responses({{"input", json::array({user, item, user})}});
        EXPECT_EQ(answer.status, 200) << item << answer.body;
    }
}

/// Only the part that cannot be kept goes.
TEST_F(ToleranceTest, NamesPartsOfSchemasThatCannotBeKept)
{
    const json bad{{"type", "object"},
                   {"properties", {{"a", {{"pattern", "(?!x)"}}}, {"b", {{"type", "string"}}}}},
                   {"required", nullptr}};
    const Answer answer =
        chat({{"tools", json::array({functionTool("f", bad)})}, {"tool_choice", "required"}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.ignored, "tools[].parameters.properties.a, tools[].parameters.required");
}

/// Between the calls of one turn and the next turn, each call has a result.
TEST(History, SaysWhichResultsAreMissing)
{
    const ToolCall one{.name = "f", .arguments = "{}", .id = "1"};
    const ToolCall other{.name = "g", .arguments = "{}", .id = "2"};
    std::vector<ChatMessage> messages{{"user", "q"},
                                      {"assistant", "", {}, {one, other}},
                                      {"tool", "r", {}, {other}},
                                      {"user", "go on"}};
    server::addMissingResults(messages);
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[2].content, "r");
    EXPECT_EQ(messages[3].role, "tool");
    EXPECT_EQ(messages[3].calls.front().id, "1");
    EXPECT_EQ(messages[3].content, "[This call gave no result.]");
    messages.pop_back();
    const std::size_t count = messages.size();
    server::addMissingResults(messages);
    EXPECT_EQ(messages.size(), count);
}

/// One bad schema leaves the other tools and the tool itself there.
TEST_F(ToleranceTest, LeavesOutPartsOfSchemasThatCannotBeKept)
{
    for (const json &schema :
         std::vector<json>{true,
                           {{"type", "string"}},
                           {{"type", {"object", "null"}}},
                           {{"type", "OBJECT"}},
                           {{"type", "object"}, {"properties", nullptr}},
                           {{"type", "object"}, {"required", nullptr}},
                           {{"type", "object"}, {"properties", {{"a", {{"pattern", "(?!x)"}}}}}},
                           {{"type", "object"}, {"properties", {{"a", {{"$ref", "#/$defs/no"}}}}}},
                           {{"type", "object"}, {"properties", {{"a", "string"}}}}}) {
        const Answer answer = chat(
            {{"tools", {functionTool("bad", schema), functionTool("good", {{"type", "object"}})}},
             {"tool_choice", "required"}});
        EXPECT_EQ(answer.status, 200) << schema << answer.body;
        const bool changed =
            schema != json({{"type", {"object", "null"}}}) && schema != json({{"type", "OBJECT"}});
        EXPECT_EQ(answer.ignored.find("tools[].parameters") == 0, changed)
            << schema << answer.ignored;
    }
}

TEST(RequestNotes, MakeAHeaderOfBoundedLength)
{
    server::RequestNotes notes(false);
    server::noteIgnored("a\r\nb, c\xc3\xa4");
    EXPECT_EQ(notes.header(), "a??b??c??");
    for (int i = 0; i < 500; ++i)
        server::noteIgnored("member" + std::to_string(i) + std::string(100, 'x'));
    EXPECT_EQ(notes.count(), 501U);
    EXPECT_LE(notes.header().size(), 1100U);
    EXPECT_FALSE(server::readsStrictly());
    {
        const server::RequestNotes strict(true);
        EXPECT_TRUE(server::readsStrictly());
    }
    EXPECT_FALSE(server::readsStrictly());
}

} // namespace
} // namespace fireside::test
