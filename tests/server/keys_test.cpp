// Clients with keys of their own: nothing of one's requests shows in the replies to another.
#include "app/server/clients.h"
#include "app/server/kept_responses.h"
#include "tests/server/running_server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;
using test::RunningServer;

const server::ApiKey kAlice{"alice", "alices-key-1234567"}, kBob{"bob", "bobs-key-123456789"};

server::ServerOptions optionsWith(std::vector<server::ApiKey> keys, bool shared = false)
{
    server::ServerOptions options;
    options.guard.keys = std::move(keys);
    options.shareCache = shared;
    return options;
}

httplib::Client clientOf(const RunningServer &server, const server::ApiKey &key)
{
    httplib::Client client = server.client();
    client.set_bearer_token_auth(key.key);
    return client;
}

json asked(const std::string &prompt)
{
    return {{"model", "starter"}, {"prompt", prompt}, {"max_tokens", 1}};
}

/// Tokens of the prompt that were not computed again.
int cachedTokens(const RunningServer &server, const server::ApiKey &key, const std::string &prompt)
{
    httplib::Client client = clientOf(server, key);
    const auto reply = client.Post("/v1/completions", asked(prompt).dump(), "application/json");
    EXPECT_TRUE(reply);
    EXPECT_EQ(reply->status, 200) << reply->body;
    return json::parse(reply->body)["usage"]["prompt_tokens_details"]["cached_tokens"];
}

const std::string kSecret = "The code of the safe is 4711, and nobody else in this house knows it "
                            "but the two of us, so keep it well.";

TEST(KeyTest, PromptCachesAreApart)
{
    const RunningServer server(optionsWith({kAlice, kBob}));
    EXPECT_EQ(cachedTokens(server, kAlice, kSecret), 0);
    EXPECT_EQ(cachedTokens(server, kBob, kSecret), 0) << "what alice sent is alice's";
    EXPECT_GT(cachedTokens(server, kAlice, kSecret), 16);
    EXPECT_GT(cachedTokens(server, kBob, kSecret), 16) << "what bob sent is there, too";
}

TEST(KeyTest, PromptCachesAreSharedWhereThatIsAskedFor)
{
    const RunningServer server(optionsWith({kAlice, kBob}, true));
    EXPECT_EQ(cachedTokens(server, kAlice, kSecret), 0);
    EXPECT_GT(cachedTokens(server, kBob, kSecret), 16);
}

TEST(KeyTest, KeysWithoutNamesAreApartToo)
{
    const server::ApiKey first{{}, "first-key-12345678"}, second{{}, "second-key-1234567"};
    const RunningServer server(optionsWith({first, second}));
    EXPECT_EQ(cachedTokens(server, first, kSecret), 0);
    EXPECT_EQ(cachedTokens(server, second, kSecret), 0);
}

TEST(KeyTest, StoredResponsesAreTheirOwners)
{
    const RunningServer server(optionsWith({kAlice, kBob}));
    httplib::Client alice = clientOf(server, kAlice), bob = clientOf(server, kBob);
    const json body{{"model", "starter"}, {"input", "Hello"}, {"max_output_tokens", 4}};
    const auto made = alice.Post("/v1/responses", body.dump(), "application/json");
    ASSERT_EQ(made->status, 200) << made->body;
    const std::string id = json::parse(made->body)["id"], path = "/v1/responses/" + id;
    EXPECT_EQ(bob.Get(path)->status, 404);
    EXPECT_EQ(bob.Get(path + "/input_items")->status, 404);
    EXPECT_EQ(bob.Delete(path)->status, 404);
    json next = body;
    next["previous_response_id"] = id;
    EXPECT_EQ(bob.Post("/v1/responses", next.dump(), "application/json")->status, 404);
    EXPECT_EQ(alice.Get(path)->status, 200);
    EXPECT_EQ(alice.Post("/v1/responses", next.dump(), "application/json")->status, 200);
    EXPECT_EQ(alice.Delete(path)->status, 200);
}

TEST(KeyTest, MetricsAreForTheFirstKeyAndCountEach)
{
    RunningServer server(optionsWith({kAlice, kBob}));
    cachedTokens(server, kBob, kSecret);
    EXPECT_EQ(server.client().Get("/metrics")->status, 401);
    httplib::Client alice = clientOf(server, kAlice), bob = clientOf(server, kBob);
    EXPECT_EQ(bob.Get("/metrics")->status, 403);
    const auto metrics = alice.Get("/metrics");
    EXPECT_EQ(metrics->status, 200);
    EXPECT_NE(metrics->body.find("fireside_key_requests_total{key=\"bob\"} 1\n"), std::string::npos)
        << metrics->body;
    ASSERT_EQ(server.server().clients().size(), 1u);
    EXPECT_EQ(server.server().clients().front().key, "bob");
}

TEST(PageTest, ABrowserIsToldWhatItMayAsk)
{
    server::ServerOptions options = optionsWith({kAlice});
    options.guard.origins = {"http://localhost:3000"};
    const RunningServer server(options);
    httplib::Client client = server.client();
    const std::string path = "/v1/chat/completions", allowed = "Access-Control-Allow-Origin";
    const httplib::Headers page{{"Origin", "http://localhost:3000"}};
    const auto asked = client.send([&] {
        httplib::Request request;
        request.method = "OPTIONS";
        request.path = path;
        request.headers = page;
        return request;
    }());
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->status, 204) << "without the key";
    EXPECT_EQ(asked->get_header_value(allowed), "http://localhost:3000");
    EXPECT_NE(asked->get_header_value("Access-Control-Allow-Headers").find("x-api-key"),
              std::string::npos);
    EXPECT_EQ(client.Get("/v1/models", page)->status, 401);
    httplib::Headers withKey = page;
    withKey.emplace("x-api-key", kAlice.key);
    const auto models = client.Get("/v1/models", withKey);
    EXPECT_EQ(models->status, 200);
    EXPECT_EQ(models->get_header_value(allowed), "http://localhost:3000");
    EXPECT_EQ(models->get_header_value("Vary"), "Origin");
    withKey.emplace("Content-Encoding", "zstd"); // an error that the page can read as well
    const auto refused = client.Post(path, withKey, "x", "application/json");
    EXPECT_EQ(refused->status, 415);
    EXPECT_EQ(refused->get_header_value(allowed), "http://localhost:3000");
    const auto other = client.Get("/v1/models", {{"Origin", "http://evil.example"}});
    EXPECT_EQ(other->status, 403);
    EXPECT_FALSE(other->has_header(allowed));
    EXPECT_EQ(other->get_header_value("X-Content-Type-Options"), "nosniff");
}

TEST(ClientListTest, AreCountedEachOnItsOwn)
{
    server::Clients clients;
    {
        server::Clients::Visit first(clients, "10.0.0.1", "curl", "alice");
        server::Clients::Visit second(clients, "10.0.0.1", "curl", "bob");
        first.add(10, 3);
        first.add(-1, -1);
        second.add(5, 1);
        const auto all = clients.all();
        ASSERT_EQ(all.size(), 2u);
        EXPECT_EQ(all[0].key, "bob") << "the latest first";
        EXPECT_EQ(all[0].running, 1);
        EXPECT_EQ(all[1].promptTokens, 10u);
        EXPECT_EQ(all[1].generatedTokens, 3u);
    }
    EXPECT_EQ(clients.all()[0].running, 0);
    EXPECT_EQ(clients.keys().at("bob").promptTokens, 5u);
}

TEST(ClientListTest, OnlyTheLatestAreRemembered)
{
    server::Clients clients;
    const server::Clients::Visit running(clients, "10.0.0.1", "first");
    for (std::size_t i = 0; i < 2 * server::Clients::kMost; ++i)
        server::Clients::Visit(clients, "10.0.0.2", std::to_string(i));
    const auto all = clients.all();
    EXPECT_EQ(all.size(), server::Clients::kMost);
    EXPECT_EQ(all.back().program, "first") << "it runs still";
}

TEST(KeptResponsesTest, TheOldestGoWhereThereAreTooMany)
{
    server::KeptResponses kept;
    for (std::size_t i = 0; i <= server::KeptResponses::kMost; ++i)
        kept.keep({.id = std::to_string(i), .text = "t", .owner = "alice"});
    EXPECT_FALSE(kept.find("0", "alice"));
    EXPECT_TRUE(kept.find("1", "alice"));
    EXPECT_FALSE(kept.find("1", "bob"));
    EXPECT_FALSE(kept.forget("1", "bob"));
    EXPECT_TRUE(kept.forget("1", "alice"));
    EXPECT_FALSE(kept.find("1", "alice"));
    const std::string large(server::KeptResponses::kMostBytes / 2 + 1, 'x');
    kept.keep({.id = "a", .text = large});
    EXPECT_TRUE(kept.find("2", "alice")) << "there is room for it yet";
    kept.keep({.id = "b", .text = large});
    EXPECT_FALSE(kept.find("a", ""));
    EXPECT_TRUE(kept.find("b", ""));
}

} // namespace
} // namespace fireside
