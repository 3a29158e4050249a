// OpenAI's API over HTTP: what is answered, streamed, counted and refused.
#include "tests/server/server_fixture.h"

#include <semaphore>

namespace fireside {
namespace {

using nlohmann::json;
using test::ServerTest;

TEST_F(ServerTest, AReplyIsTheModelsOwn)
{
    const json answer = post(
        "/v1/chat/completions",
        chat("What is Fireside? Say it in a few words, please, and tell me how I add a model."));
    GenerateRequest request;
    request.prompt = s_server->model().chatTokens(
        {{"user",
          "What is Fireside? Say it in a few words, please, and tell me how I add a model."}});
    request.sampler.temperature = 0;
    request.maxTokens = 8;
    request.trimStart = true;
    std::string text;
    GenerateEvents events;
    events.text = [&](std::string_view piece, const GenerateStats &) { text += piece; };
    const auto session = s_server->model().newSession();
    const GenerateResult alone = generate(*session, s_server->model().tokenizer(), request, events);
    const json &choice = answer["choices"][0];
    EXPECT_EQ(choice["message"]["content"], text);
    EXPECT_EQ(choice["message"]["role"], "assistant");
    EXPECT_EQ(choice["finish_reason"], "length");
    EXPECT_EQ(answer["usage"]["prompt_tokens"], request.prompt.size());
    EXPECT_EQ(answer["usage"]["completion_tokens"], alone.tokens.size());
    EXPECT_EQ(answer["object"], "chat.completion");
    const json again = post(
        "/v1/chat/completions",
        chat("What is Fireside? Say it in a few words, please, and tell me how I add a model."));
    EXPECT_EQ(again["choices"][0]["message"], choice["message"]);
    EXPECT_EQ(again["usage"]["prompt_tokens_details"]["cached_tokens"], request.prompt.size() - 1);
}

TEST_F(ServerTest, AStreamBeginsWithTheRoleAndEndsWithReasonAndUsage)
{
    const json whole = post("/v1/chat/completions", chat("What is Fireside?"));
    const auto all =
        events(posted("/v1/chat/completions",
                      chat("What is Fireside?",
                           {{"stream", true}, {"stream_options", {{"include_usage", true}}}})));
    ASSERT_GE(all.size(), 5u);
    EXPECT_EQ(all.back(), "[DONE]");
    EXPECT_EQ(json::parse(all[0])["choices"][0]["delta"]["role"], "assistant");
    std::string text;
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        const json chunk = json::parse(all[i]);
        EXPECT_EQ(chunk["object"], "chat.completion.chunk");
        EXPECT_TRUE(chunk["usage"].is_null());
        text += chunk["choices"][0]["delta"].value("content", "");
        EXPECT_EQ(chunk["choices"][0]["finish_reason"].is_null(), i + 3 < all.size());
    }
    EXPECT_EQ(text, whole["choices"][0]["message"]["content"].get<std::string>());
    const json last = json::parse(all[all.size() - 2]);
    EXPECT_TRUE(last["choices"].empty());
    EXPECT_EQ(last["usage"]["completion_tokens"], whole["usage"]["completion_tokens"]);
}

TEST_F(ServerTest, ChoicesSeedsStopsAndProbabilities)
{
    const json drawn{{"n", 3}, {"temperature", 1.5}, {"seed", 7}, {"top_k", 0}};
    const json one = post("/v1/chat/completions", chat("Hello", drawn));
    ASSERT_EQ(one["choices"].size(), 3u);
    EXPECT_NE(one["choices"][0]["message"], one["choices"][1]["message"]);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(one["choices"][i]["index"], i);
    const std::string text =
        post("/v1/chat/completions", chat("What is Fireside?"))["choices"][0]["message"]["content"];
    const std::string stop = text.substr(text.size() / 2, 2);
    const json stopped = post("/v1/chat/completions", chat("What is Fireside?", {{"stop", stop}}));
    EXPECT_EQ(stopped["choices"][0]["message"]["content"], text.substr(0, text.find(stop)));
    EXPECT_EQ(stopped["choices"][0]["finish_reason"], "stop");
    const json likely =
        post("/v1/chat/completions", chat("Hello", {{"logprobs", true}, {"top_logprobs", 2}}));
    const json &tokens = likely["choices"][0]["logprobs"]["content"];
    EXPECT_EQ(tokens.size(), likely["usage"]["completion_tokens"].get<std::size_t>());
    for (const json &token : tokens) {
        ASSERT_EQ(token["top_logprobs"].size(), 2u);
        EXPECT_EQ(token["token"], token["top_logprobs"][0]["token"]) << "the likeliest is drawn";
        EXPECT_LE(token["logprob"].get<double>(), 0);
    }
    const json plain = post(
        "/v1/completions",
        {{"model", "starter"}, {"prompt", {"Once", "Twice"}}, {"max_tokens", 3}, {"logprobs", 1}});
    ASSERT_EQ(plain["choices"].size(), 2u);
    EXPECT_EQ(plain["choices"][1]["logprobs"]["tokens"].size(), 3u);
    const std::vector<int> ids(40, 300);
    const json given =
        post("/v1/completions", {{"model", "starter"}, {"prompt", ids}, {"max_tokens", 2}});
    EXPECT_EQ(given["usage"]["prompt_tokens"], ids.size());
}

TEST_F(ServerTest, WhatIsWrongIsRefusedByName)
{
    const auto refused = [](const json &body, const std::string &param, int status = 400) {
        EXPECT_EQ(ServerTest::refused("/v1/chat/completions", body, status), param) << body;
    };
    const json many = chat(std::string(3000, 'x') + " y z");
    refused(many, "messages");
    EXPECT_NE(posted("/v1/chat/completions", many, 400).find(" tokens > 256 maximum"),
              std::string::npos);
    refused(chat("x", {{"temprature", 1}}), "temprature");
    refused(chat("x", {{"temperature", "hot"}}), "temperature");
    refused(chat("x", {{"top_p", 2}}), "top_p");
    refused(chat("x", {{"n", 1.5}}), "n");
    refused(chat("x", {{"n", 100}}), "n");
    refused(chat("x", {{"seed", 1e30}}), "seed");
    refused(chat("x", {{"stop", {"a", ""}}}), "stop");
    for (const json &bias : {json{{"5", 101}}, json{{"-1", 1}}, json{{"99999999", 1}},
                             json{{"x", 1}}, json{{"5", "1"}}, json{{"5", true}}, json(5),
                             json::array({5}), json::array({{5, 1, 2}}), json::array({{1.5, 1}})})
        refused(chat("x", {{"logit_bias", bias}}), "logit_bias");
    refused(chat("x", {{"presence_penalty", 2.5}}), "presence_penalty");
    refused(chat("x", {{"frequency_penalty", -3}}), "frequency_penalty");
    refused(chat("x", {{"mirostat", 3}}), "mirostat");
    refused(chat("x", {{"dry_base", 0.5}}), "dry_base");
    refused(chat("x", {{"stream_options", {{"include_usage", true}}}}), "stream_options");
    json other = chat("x");
    other["model"] = "gpt";
    refused(other, "model", 404);
    other = chat("x");
    other["messages"][0]["role"] = "robot";
    refused(other, "messages[0].role");
    other["messages"] = json::array();
    refused(other, "messages");
    other.erase("messages");
    refused(other, "messages");
    const json picture{{"type", "image_url"}, {"image_url", {{"url", "x"}}}};
    other["messages"] = {{{"role", "user"}, {"content", {picture}}}};
    refused(other, "messages[0].content");
    post("/v1/chat/completions", json::array(), 400);
    post("/v1/nothing", json::object(), 404);
    // What asks for nothing is no fault.
    post("/v1/chat/completions", chat("x", {{"tools", json::array()},
                                            {"presence_penalty", 0},
                                            {"logit_bias", nullptr},
                                            {"response_format", {{"type", "text"}}}}));
}

TEST_F(ServerTest, BiasesAndPenaltiesDecideWhichTokensCome)
{
    const auto answer = [](const json &more) {
        json body{{"model", "starter"}, {"prompt", "Once"}, {"max_tokens", 6}, {"temperature", 0}};
        body.update(more);
        return post("/v1/completions", body)["choices"][0]["text"].get<std::string>();
    };
    const std::string plain = answer(json::object());
    const std::vector<TokenId> ids =
        s_server->model().tokenizer().encode(MarkedText::fromUser("x"), false);
    ASSERT_EQ(ids.size(), 1u);
    const std::string id = std::to_string(ids[0]);
    EXPECT_EQ(answer({{"logit_bias", {{id, 100}}}}), "xxxxxx");
    EXPECT_EQ(answer({{"logit_bias", json::array({{"x", 100}})}}), "xxxxxx");
    EXPECT_EQ(answer({{"logit_bias", json::object()}, {"presence_penalty", 0}}), plain);
    // A word that always came does not come a second time.
    const std::string other =
        answer({{"logit_bias", {{id, 30}}}, {"frequency_penalty", 2}, {"presence_penalty", 2}});
    EXPECT_EQ(other.substr(0, 2), "xx"); // 30 − 4 is still much
    const std::string never = answer({{"logit_bias", json::array({{"x", false}})}});
    EXPECT_EQ(never.find('x'), std::string::npos);
    for (const json &more :
         {json{{"dry_multiplier", 0.8}, {"dry_penalty_last_n", -1}},
          json{{"temperature", 1}, {"mirostat", 2}, {"mirostat_tau", 3}, {"seed", 1}},
          json{{"temperature", 1}, {"typical_p", 0.5}, {"top_n_sigma", 1}, {"seed", 1}},
          json{{"temperature", 1}, {"xtc_probability", 1}, {"dynatemp_range", 0.3}, {"seed", 1}}})
        EXPECT_EQ(answer(more), answer(more)) << more;
}

TEST_F(ServerTest, AClientThatGoesStopsItsReply)
{
    const auto stopped = metricsOf("requests_stopped_total").get<int>();
    for (const bool stream : {true, false}) {
        httplib::Client client = s_server->client();
        client.set_read_timeout(0, 300'000);
        std::size_t bytes = 0;
        const httplib::ContentReceiver receive = [&](const char *, std::size_t size) {
            bytes += size;
            return bytes < 300;
        };
        httplib::Request request;
        request.method = "POST";
        request.path = "/v1/completions";
        request.headers.emplace("Content-Type", "application/json");
        request.body = json{
            {"model", "starter"},
            {"prompt", std::string(400, 'a')},
            {"max_tokens", 200},
            {"n", 4},
            {"stream",
             stream}}.dump();
        request.content_receiver = [&](const char *data, std::size_t size, std::uint64_t,
                                       std::uint64_t) { return receive(data, size); };
        EXPECT_FALSE(client.send(request));
    }
    for (int i = 0; i < 600 && metricsOf("requests_running").get<int>() > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_GT(metricsOf("requests_stopped_total").get<int>(), stopped);
}

TEST_F(ServerTest, VectorsAreOfLengthOne)
{
    const json texts{{"model", "starter"}, {"input", {"one", "two words"}}};
    const json answer = post("/v1/embeddings", texts);
    ASSERT_EQ(answer["data"].size(), 2u) << answer;
    double sum = 0;
    for (const double value : answer["data"][1]["embedding"])
        sum += value * value;
    EXPECT_NEAR(sum, 1, 1e-4);
    EXPECT_GT(answer["usage"]["prompt_tokens"], 1);
    json packed = texts;
    packed["encoding_format"] = "base64";
    const std::string text = post("/v1/embeddings", packed)["data"][1]["embedding"];
    EXPECT_EQ(text.size(), (answer["data"][1]["embedding"].size() * 4 + 2) / 3 * 4);
    httplib::Client client = s_server->client();
    const auto noted = client.Post("/v1/embeddings", texts.dump(), "application/json");
    ASSERT_TRUE(noted);
    EXPECT_NE(noted->get_header_value("x-fireside-note").find("do not name the pooling"),
              std::string::npos);
    post("/v1/embeddings", {{"model", "starter"}, {"input", json::array()}}, 400);
    post("/v1/embeddings", {{"model", "starter"}, {"input", {-5}}}, 400);
    post("/v1/embeddings", {{"model", "starter"}, {"input", "x"}, {"dimensions", 3}}, 400);
}

TEST_F(ServerTest, ModelsHealthAndMetrics)
{
    httplib::Client client = s_server->client();
    EXPECT_EQ(json::parse(client.Get("/v1/models")->body)["data"][0]["id"], "starter");
    EXPECT_EQ(json::parse(client.Get("/v1/models/starter")->body)["state"], "loaded");
    EXPECT_EQ(client.Get("/v1/models/other")->status, 404);
    EXPECT_EQ(client.Get("/health")->status, 200);
    post("/v1/chat/completions", chat("Hello", {{"max_tokens", 3}}));
    const auto clients = s_server->server().clients();
    ASSERT_EQ(clients.size(), 1u);
    EXPECT_EQ(clients[0].address, "127.0.0.1");
    EXPECT_GE(clients[0].generatedTokens, 3u);
    EXPECT_NE(client.Get("/metrics")->body.find("# TYPE fireside_generated_tokens_total counter"),
              std::string::npos);
}

TEST(ServerEndTest, OneThatIsStoppedBeforeItListensLetsGoOfItsPort)
{
    int port = 0;
    for (int i = 0; i < 20; ++i) { // now before, now after it listens
        server::ServerOptions options;
        options.guard.port = port;
        std::vector<server::HostedSettings> models{
            test::RunningServer::hosted("starter", test::starterModel())};
        port = test::RunningServer(std::move(models), std::move(options)).port();
    }
    httplib::Client client("127.0.0.1", port);
    EXPECT_FALSE(client.Get("/health")) << "nobody listens, and nobody is waited for";
}

// A reply is long enough that it has begun when the server ends.
TEST(ServerEndTest, StreamsEndWithAnErrorInTheirInterfacesShape)
{
    const json schema{{"type", "string"}, {"pattern", "^[ab]{900}$"}};
    const json format{{"type", "json_schema"}, {"schema", schema}};
    const json turns{{{"role", "user"}, {"content", "x"}}};
    struct Case
    {
        const char *path;
        json body;
        const char *shape;
    };
    const std::vector<Case> cases{
        {"/v1/chat/completions",
         {{"messages", turns}, {"response_format", format}},
         R"("type":"server_error")"},
        {"/v1/messages",
         {{"messages", turns}, {"max_tokens", 900}, {"output_config", {{"format", format}}}},
         "event: error\ndata: {\"type\":\"error\""},
        {"/v1/responses",
         {{"input", "x"}, {"text", {{"format", format}}}},
         "event: response.failed\n"}};
    for (const Case &one : cases) {
        SCOPED_TRACE(one.path);
        auto server = std::make_unique<test::RunningServer>(server::ServerOptions{}, 1024);
        httplib::Client client = server->client();
        json body = one.body;
        body["model"] = "starter";
        body["stream"] = true;
        std::string text;
        std::binary_semaphore begun(0);
        std::jthread asking([&] {
            httplib::Request request;
            request.method = "POST";
            request.path = one.path;
            request.body = body.dump();
            request.headers = {{"Content-Type", "application/json"}};
            request.content_receiver = [&](const char *data, std::size_t size, auto, auto) {
                const bool first = text.find("delta") == std::string::npos;
                text.append(data, size);
                if (first && text.find("delta") != std::string::npos)
                    begun.release();
                return true;
            };
            client.send(request);
        });
        ASSERT_TRUE(begun.try_acquire_for(std::chrono::seconds(60)));
        server.reset();
        asking.join();
        EXPECT_NE(text.find(one.shape), std::string::npos) << text.substr(text.size() / 2);
        EXPECT_NE(text.find("the server is being shut down"), std::string::npos);
        EXPECT_EQ(text.find("[DONE]"), std::string::npos);
    }
}

} // namespace
} // namespace fireside
