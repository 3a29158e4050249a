// Nothing that goes wrong inside ends the process: the request, or the reply, ends with the error.
#include "tests/server/server_fixture.h"
#include "tests/support/fault_at.h"

namespace fireside {
namespace {

using nlohmann::json;
using test::FaultAt;
using test::RunningServer;

constexpr const char *kTooManyWays = "root ::= ((\"x\"?){60}){60}";

class ServerFaultsTest : public test::ServerTest
{
protected:
    static json completion(json more = json::object())
    {
        more["model"] = "starter";
        more["prompt"] = "x";
        if (!more.contains("max_tokens"))
            more["max_tokens"] = 4;
        return more;
    }
    static void expectAlive()
    {
        const json answer = post("/v1/completions", completion());
        EXPECT_EQ(answer["choices"].size(), 1u) << answer;
    }
};

TEST_F(ServerFaultsTest, AGrammarThatCannotBeFollowedIsRefusedByName)
{
    const std::string regex = "((x?){60}){60}";
    const std::vector<std::pair<std::string, json>> plain{
        {"grammar", completion({{"grammar", kTooManyWays}})},
        {"guided_grammar", completion({{"guided_grammar", kTooManyWays}})},
        {"ebnf", completion({{"ebnf", kTooManyWays}})},
        {"structured_outputs", completion({{"structured_outputs", {{"grammar", kTooManyWays}}}})}};
    for (const bool stream : {false, true}) {
        for (auto [field, body] : plain) {
            body["stream"] = stream;
            const std::string answer = posted("/v1/completions", body, 400);
            EXPECT_NE(answer.find("ways"), std::string::npos) << field << answer;
            EXPECT_NE(answer.find(field), std::string::npos) << answer;
            body = chat("x", body);
            body.erase("prompt");
            EXPECT_NE(posted("/v1/chat/completions", body, 400).find("ways"), std::string::npos)
                << field;
        }
        // What is understood differently is at least no fault of the server's.
        for (const json &more :
             {json{{"regex", regex}}, json{{"guided_regex", regex}},
              json{{"guided_json", {{"type", "string"}, {"pattern", "^" + regex + "$"}}}},
              json{{"response_format",
                    {{"type", "json_schema"},
                     {"json_schema",
                      {{"name", "a"},
                       {"schema", {{"type", "string"}, {"pattern", "^" + regex + "$"}}}}}}}},
              json{{"grammar", "root ::= root \"x\" | \"x\""}},
              json{{"grammar", "start: /x/\n%import common.WORD"}}}) {
            json body = completion(more);
            body["stream"] = stream;
            httplib::Client client = s_server->client();
            const auto answer = client.Post("/v1/completions", body.dump(), "application/json");
            ASSERT_TRUE(answer) << more;
            EXPECT_TRUE(answer->status == 200 || answer->status == 400)
                << answer->status << more << answer->body;
        }
        expectAlive();
    }
}

TEST_F(ServerFaultsTest, ArgumentsOfAToolCountToo)
{
    json pattern = json::object();
    for (int i = 0; i < 3; ++i)
        pattern["p" + std::to_string(i)] = {{"type", "string"}, {"pattern", "^((x?){60}){60}$"}};
    for (const json &choice : {json("required"), json("auto")}) {
        const json body = chat("x", {{"tools",
                                      {{{"type", "function"},
                                        {"function",
                                         {{"name", "f"},
                                          {"strict", true},
                                          {"parameters",
                                           {{"type", "object"},
                                            {"properties", pattern},
                                            {"required", {"p0", "p1", "p2"}},
                                            {"additionalProperties", false}}}}}}}},
                                     {"tool_choice", choice}});
        httplib::Client client = s_server->client();
        const auto answer = client.Post("/v1/chat/completions", body.dump(), "application/json");
        ASSERT_TRUE(answer);
        EXPECT_TRUE(answer->status == 200 || answer->status == 400) << answer->body;
        expectAlive();
    }
}

TEST_F(ServerFaultsTest, AGrammarThatFailsInTheMiddleEndsItsReplyOnly)
{
    const json body = completion({{"grammar", "root ::= \"a\" [bc] \"d\" ((\"x\"?){60}){60}"},
                                  {"max_tokens", 40},
                                  {"stream", true}});
    httplib::Client client = s_server->client();
    const auto answer = client.Post("/v1/completions", body.dump(), "application/json");
    ASSERT_TRUE(answer);
    EXPECT_NE(answer->body.find("ways"), std::string::npos) << answer->body;
    EXPECT_EQ(answer->body.find("[DONE]"), std::string::npos);
    expectAlive();
}

TEST_F(ServerFaultsTest, EveryFaultPointIsAnswered)
{
    for (const char *const point :
         {"server.request", "server.stream", "server.feed", "server.connection", "server.model",
          "scheduler.step", "scheduler.begin", "scheduler.prepare", "scheduler.compute",
          "scheduler.draw", "scheduler.tell", "scheduler.finish", "thread_pool"})
        for (const auto kind : {FaultAt::Kind::Error, FaultAt::Kind::Standard,
                                FaultAt::Kind::Memory, FaultAt::Kind::Other})
            for (const bool stream : {false, true}) {
                SCOPED_TRACE(std::string(point) + (stream ? " streamed " : " ") +
                             std::to_string(static_cast<int>(kind)));
                int thrown = 0;
                for (int turn = 1;; ++turn) {
                    const FaultAt fault(point, kind);
                    httplib::Client client = s_server->client();
                    client.set_read_timeout(20);
                    const auto answer =
                        client.Post("/v1/completions", completion({{"stream", stream}}).dump(),
                                    "application/json");
                    thrown = fault.thrown();
                    const std::string_view name = point;
                    if (name == "server.connection") { // it ends with its connection
                        EXPECT_FALSE(answer);
                    } else if (thrown > 0) {
                        ASSERT_TRUE(answer);
                        const bool ended = answer->status >= 400 ||
                                           answer->body.find("\"error\"") != std::string::npos;
                        // A step behind the reply before it has none that could end.
                        if (!ended && name == "scheduler.step" && turn < 20)
                            continue;
                        EXPECT_TRUE(ended || kind == FaultAt::Kind::Memory || // tried once more
                                    name == "server.model")                   // before it came
                            << answer->status << answer->body;
                    }
                    break;
                }
                if ((stream || std::string_view(point) != "server.stream") &&
                    std::string_view(point) != "scheduler.compute") {
                    EXPECT_EQ(thrown, 1);
                }
                expectAlive();
            }
}

} // namespace
} // namespace fireside
