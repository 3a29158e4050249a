// Who may use the server: keys, names that were made to point here, pages of others.
#include "app/server/guard.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

namespace fireside::server {
namespace {

int statusOf(const Guard &guard, const RequestHead &head)
{
    const auto refusal = guard.refuse(head);
    return refusal ? refusal->status : 200;
}

RequestHead get(const std::string &host)
{
    RequestHead head{"GET", "/v1/models"};
    head.hosts = {host};
    return head;
}

TEST(GuardTest, OnlyItsOwnNamesAreHosts)
{
    const Guard guard({.port = 8080});
    for (const char *host : {"127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080"})
        EXPECT_EQ(statusOf(guard, get(host)), 200) << host;
    for (const char *host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example:8080",
                             "localhost.evil.example", "127.0.0.1:8081", "", "localhost:8080:8080",
                             "192.168.1.5:8080"})
        EXPECT_EQ(statusOf(guard, get(host)), 403) << host;
    RequestHead head = get("localhost");
    head.hosts.push_back("evil.example");
    EXPECT_EQ(statusOf(guard, head), 400);
    head.hosts.clear();
    EXPECT_EQ(statusOf(guard, head), 400);
}

TEST(GuardTest, PagesOnlyFromTheList)
{
    const Guard guard({.port = 8080, .origins = {"http://localhost:3000"}});
    RequestHead head = get("localhost:8080");
    for (const char *origin : {"https://evil.example", "null", "http://localhost:3001", "",
                               "http://localhost:3000.evil.example"}) {
        head.origins = {origin};
        EXPECT_EQ(statusOf(guard, head), 403) << origin;
    }
    head.origins = {"http://localhost:3000"};
    EXPECT_EQ(statusOf(guard, head), 200);
    head.origins.push_back("https://evil.example");
    EXPECT_EQ(statusOf(guard, head), 400);
}

TEST(GuardTest, TheKeyIsAskedForWhereThereIsOne)
{
    const std::string key = "0123456789abcdef";
    const Guard guard({.host = "0.0.0.0", .port = 8080, .keys = {{{}, key}}});
    RequestHead head = get("my.computer:8080");
    EXPECT_EQ(statusOf(guard, head), 401);
    for (const std::string &wrong :
         std::vector<std::string>{"Bearer ", "Bearer " + key + "x", "Bearer 0123456789abcdeg",
                                  "Basic " + key, key, "Bearer 0123456789abcde"}) {
        head.authorizations = {wrong};
        EXPECT_EQ(statusOf(guard, head), 401) << wrong;
    }
    head.authorizations = {"Bearer " + key};
    EXPECT_EQ(statusOf(guard, head), 200);
    head.apiKeys = {"other"};
    EXPECT_EQ(statusOf(guard, head), 200) << "either right suffices";
    head.authorizations = {"Bearer wrong"};
    EXPECT_EQ(statusOf(guard, head), 401) << "both wrong";
    head.apiKeys = {key};
    EXPECT_EQ(statusOf(guard, head), 200);
    head.apiKeys = {"other", key};
    EXPECT_EQ(statusOf(guard, head), 401) << "two of one header";
    head.authorizations.clear();
    head.apiKeys = {key};
    EXPECT_EQ(statusOf(guard, head), 200);
    head = get("my.computer");
    head.path = "/health";
    EXPECT_EQ(statusOf(guard, head), 200);
}

TEST(GuardTest, OtherComputersNeedAKey)
{
    EXPECT_THROW(Guard({.host = "0.0.0.0"}), Error);
    EXPECT_THROW(Guard({.host = "0.0.0.0", .keys = {{{}, "short"}}}), Error);
    EXPECT_THROW(Guard({.host = "192.168.1.5"}), Error);
    EXPECT_NO_THROW(Guard({.host = "localhost"}));
    const std::string fifteen = "0123456789abcde";
    for (std::size_t size = 1; size <= fifteen.size(); ++size)
        EXPECT_THROW(Guard({.host = "0.0.0.0", .keys = {{{}, fifteen.substr(0, size)}}}), Error)
            << size;
    EXPECT_NO_THROW(Guard({.host = "0.0.0.0", .keys = {{{}, fifteen + "f"}}}));
    EXPECT_THROW(Guard({.host = "0.0.0.0", .keys = {{"a", fifteen + "f"}, {"b", "short"}}}), Error)
        << "each of them";
    EXPECT_NO_THROW(Guard({.keys = {{{}, "short"}}})) << "on this computer alone";
}

TEST(GuardTest, OnlyHealthNeedsNoKey)
{
    const Guard guard({.port = 8080, .keys = {{{}, "a-key"}}});
    for (const char *path : {"/metrics", "/v1/models", "/v1/responses/resp_1", "/", "/health/",
                             "/health2", "/Health", "/v1/health", "health", "/healthz"}) {
        RequestHead head = get("localhost:8080");
        head.path = path;
        EXPECT_EQ(statusOf(guard, head), 401) << path;
        head.apiKeys = {"a-key"};
        EXPECT_EQ(statusOf(guard, head), 200) << path;
    }
    RequestHead head = get("localhost:8080");
    head.path = "/health";
    EXPECT_EQ(statusOf(guard, head), 200);
    head.method = "OPTIONS";
    head.path = "/v1/models";
    EXPECT_EQ(statusOf(guard, head), 401) << "of no page";
}

TEST(GuardTest, AnyOfSeveralKeysWillDo)
{
    const Guard guard({.port = 8080, .keys = {{"alice", "one"}, {{}, "two"}}});
    RequestHead head = get("localhost:8080");
    EXPECT_EQ(guard.keyOf(head), nullptr);
    for (const auto &[key, name] :
         std::vector<std::pair<std::string, std::string>>{{"one", "alice"}, {"two", "key-2"}}) {
        head.authorizations = {"Bearer " + key};
        EXPECT_EQ(statusOf(guard, head), 200);
        ASSERT_NE(guard.keyOf(head), nullptr);
        EXPECT_EQ(guard.keyOf(head)->name, name);
    }
    head.path = "/metrics";
    EXPECT_EQ(statusOf(guard, head), 403) << "for the first key alone";
    head.authorizations = {"Bearer one"};
    EXPECT_EQ(statusOf(guard, head), 200);
    head.authorizations = {"Bearer three"};
    EXPECT_EQ(statusOf(guard, head), 401);
    EXPECT_THROW(Guard({.keys = {{"a", "one"}, {"a", "two"}}}), Error);
    EXPECT_THROW(Guard({.keys = {{"a", "one"}, {"b", "one"}}}), Error);
    EXPECT_THROW(Guard({.keys = {{"a", ""}}}), Error);
}

TEST(GuardTest, AllPagesMayAskWhereThereIsAKey)
{
    EXPECT_THROW(Guard({.origins = {"*"}}), Error);
    const Guard guard({.port = 8080, .keys = {{{}, "a-key"}}, .origins = {"*"}});
    RequestHead head = get("localhost:8080");
    head.origins = {"https://any.example"};
    EXPECT_EQ(statusOf(guard, head), 401);
    head.apiKeys = {"a-key"};
    EXPECT_EQ(statusOf(guard, head), 200);
    for (const char *origin : {"", " ", "localhost", "http://", "http://a/", "http://a/b",
                               "http://a b", "http://*", "://a", "http://a\n", "null"})
        EXPECT_THROW(Guard({.origins = {origin}}), Error) << origin;
    for (const char *origin : {"http://localhost:3000", "https://a.example", "app://obsidian.md",
                               "chrome-extension://abc", "http://[::1]:80"})
        EXPECT_NO_THROW(Guard({.origins = {origin}})) << origin;
    EXPECT_TRUE(Guard({.origins = {"HTTP://Localhost:3000"}}).allows("http://localhost:3000"));
}

TEST(ApiKeyTest, MayHaveAName)
{
    const auto read = [](const char *text) {
        const ApiKey one = readApiKey(text);
        return one.name + "|" + one.key;
    };
    EXPECT_EQ(read("plain-key"), "|plain-key");
    EXPECT_EQ(read("alice=secret"), "alice|secret");
    EXPECT_EQ(read("alice=sec=ret"), "alice|sec=ret");
    EXPECT_EQ(read("=alice=secret"), "|alice=secret");
    EXPECT_EQ(read("c2VjcmV0Cg=="), "|c2VjcmV0Cg==") << "Base64";
    EXPECT_EQ(read("c2VjcmV0CgA="), "|c2VjcmV0CgA=") << "Base64";
    EXPECT_EQ(read("two words=x"), "|two words=x") << "no name";
    for (const char *text : {"", " ", "\t", "=", "= ", "a=\n", "key\n", " key", "key ", "a\x7f"})
        EXPECT_THROW(readApiKey(text), Error) << text;
}

TEST(GuardTest, BodiesAreJson)
{
    const Guard guard({.port = 8080});
    RequestHead head = get("localhost:8080");
    head.method = "POST";
    for (const char *type :
         {"text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"}) {
        head.contentTypes = {type};
        EXPECT_EQ(statusOf(guard, head), 415) << type;
    }
    head.contentTypes = {"application/json; charset=utf-8"};
    EXPECT_EQ(statusOf(guard, head), 200);
    head.contentTypes.clear();
    EXPECT_EQ(statusOf(guard, head), 415);
}

TEST(SecretTest, IsTheSameOrNot)
{
    EXPECT_TRUE(sameSecret("abc", "abc"));
    for (const char *other : {"", "ab", "abd", "abcabc", "abca"})
        EXPECT_FALSE(sameSecret(other, "abc")) << other;
    EXPECT_FALSE(sameSecret("a", ""));
}

} // namespace
} // namespace fireside::server
