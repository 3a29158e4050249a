// Thousands of requests that are broken in every part: the server answers or cuts off, and lives.
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/seed.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

namespace fireside {
namespace {

/// Sends bytes on a connection of its own; what comes back until the server closes.
std::string exchanged(int port, const std::string &bytes)
{
    const test::RawClient client(port);
    client.send(bytes);
    client.endSending();
    return client.receiveAll();
}

class Breaker
{
public:
    explicit Breaker(std::uint64_t seed)
        : m_random(seed)
    {}
    std::string request()
    {
        std::string text = of({"GET", "POST", "PUT", "OPTIONS", "G\0T", "", "POST POST"}) + " " +
                           of({"/v1/models", "/v1/chat/completions", "/v1/embeddings", "*", "/%",
                               "/%zz", "/../../etc/passwd", "//", "http://evil.example/"}) +
                           " " + of({"HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "x"}) + "\r\n";
        text += of({"Host: localhost\r\n", "Host: evil.example\r\n", "Host\r\n", ""});
        text += of({"Content-Type: application/json\r\n", "Content-Type: \r\n",
                    "Content-Type: multipart/form-data; boundary=\r\n", ""});
        for (std::size_t i = below(4); i > 0; --i)
            text += header();
        const std::string content = body();
        text += of({"Content-Length: " + std::to_string(content.size()) + "\r\n",
                    "Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n",
                    "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", ""});
        text += "\r\n" + content;
        for (std::size_t i = below(3); i > 0; --i) // bytes anywhere
            text[below(text.size())] = static_cast<char>(below(256));
        return below(20) == 0 ? text.substr(0, below(text.size())) : text;
    }

private:
    std::string header()
    {
        return of({"Range: bytes=" + std::string(below(3000), ',') + "\r\n",
                   "Range: bytes=0-" + repeated(",0-", 2000) + "\r\n", "Expect: 100-continue\r\n",
                   "X-A: " + std::string(below(9000), 'a') + "\r\n", ": \r\n", "\xff\xfe: \x01\r\n",
                   repeated("X-B: 1\r\n", 1000), "Authorization: Bearer x\r\n",
                   "Connection: keep-alive, close\r\n", "Content-Encoding: gzip\r\n",
                   "Content-Encoding: br\r\n", "Origin: null\r\n", "Accept-Encoding: *\r\n"});
    }
    std::string body()
    {
        return of({"", "{", "null", "[]", "\"\\ud800\"", "{\"model\":\"starter\"}",
                   repeated("[", 5'000), repeated("{\"a\":", 5'000), "\xff\xff",
                   R"({"model":"starter","messages":[{"role":"user","content":5}]})",
                   R"({"model":"starter","messages":[[]],"n":1e999})",
                   R"({"model":"starter","input":[[],{}]})", "5\r\nhello\r\n0\r\n\r\n",
                   "ffffffffffffffff\r\nx", "-1\r\n"});
    }
    std::string repeated(const std::string &what, std::size_t most)
    {
        std::string text;
        for (std::size_t i = below(most); i > 0; --i)
            text += what;
        return text;
    }
    std::string of(const std::vector<std::string> &all) { return all[below(all.size())]; }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : m_random() % n; }

    std::mt19937_64 m_random;
};

TEST(MalformedTest, ThousandsOfRequestsLeaveTheServerAlive)
{
    const test::RunningServer server;
    Breaker breaker(test::seed());
    constexpr int kRequests = 10'000;
    int answered = 0, refused = 0;
    for (int i = 0; i < kRequests; ++i) {
        const std::string back = exchanged(server.port(), breaker.request());
        answered += back.starts_with("HTTP/1.1 ");
        refused += back.starts_with("HTTP/1.1 4");
        EXPECT_EQ(back.find("root:"), std::string::npos);
    }
    EXPECT_GT(refused, kRequests / 4);
    RecordProperty("answered", answered);
    RecordProperty("refused", refused);
    std::printf("%d requests: %d answered, %d of them with 4xx, the others cut off\n", kRequests,
                answered, refused);
    EXPECT_EQ(server.client().Get("/health")->status, 200);
}

TEST(MalformedTest, HeadsAndBodiesHaveALimit)
{
    server::ServerOptions options;
    options.limits.headBytes = 4000;
    options.limits.bodyBytes = 1000;
    options.limits.wholeRequest = std::chrono::seconds(1);
    const test::RunningServer server(options);
    const std::string start = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
    EXPECT_TRUE(exchanged(server.port(), start + "\r\n").starts_with("HTTP/1.1 200"));
    std::string many = start;
    while (many.size() < 5000)
        many += "X: 1\r\n";
    EXPECT_FALSE(exchanged(server.port(), many + "\r\n").starts_with("HTTP/1.1 200"));
    httplib::Client client = server.client();
    const auto large = client.Post("/v1/completions", std::string(2000, ' '), "application/json");
    ASSERT_TRUE(large);
    EXPECT_EQ(large->status, 413);
}

} // namespace
} // namespace fireside
