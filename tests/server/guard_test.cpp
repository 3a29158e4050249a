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
    const Guard guard({.host = "0.0.0.0", .port = 8080, .key = key});
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
    EXPECT_EQ(statusOf(guard, head), 401) << "two of them";
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
    EXPECT_THROW(Guard({.host = "0.0.0.0", .key = "short"}), Error);
    EXPECT_THROW(Guard({.host = "192.168.1.5"}), Error);
    EXPECT_NO_THROW(Guard({.host = "localhost"}));
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
