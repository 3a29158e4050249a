// The parts of receiving a request: its head, how its body is framed and compressed, its limits.
#include "app/server/body_reader.h"
#include "app/server/content_coding.h"
#include "app/server/http_head.h"
#include "app/server/parameters.h"
#include "app/server/worker_pool.h"
#include "tests/server/compressed.h"

#include <gtest/gtest.h>

#include <semaphore>

namespace fireside::server {
namespace {

constexpr std::size_t kMaxBytes = 1000;

HttpHead headOf(const std::string &headers)
{
    auto head = readHead("POST /v1/x?y=1 HTTP/1.1\r\n" + headers + "\r\n");
    EXPECT_TRUE(std::holds_alternative<HttpHead>(head)) << headers;
    return std::get<HttpHead>(std::move(head));
}

int statusOfHead(const std::string &text)
{
    const auto head = readHead(text);
    const auto *problem = std::get_if<HttpProblem>(&head);
    return problem == nullptr ? 200 : problem->status;
}

int statusOfFrame(const std::string &headers)
{
    const auto frame = bodyFrameOf(headOf(headers), kMaxBytes);
    const auto *problem = std::get_if<HttpProblem>(&frame);
    return problem == nullptr ? 200 : problem->status;
}

TEST(HttpHeadTest, IsReadInItsParts)
{
    const HttpHead head = headOf("Host:  a \r\nX-A: 1\nx-a: 2\r\n");
    EXPECT_EQ(head.method, "POST");
    EXPECT_EQ(head.path(), "/v1/x");
    EXPECT_EQ(head.values("host"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(head.values("x-a"), (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(headOf("Content-Length: 7\r\nContent-Encoding: gzip\r\nA: b\r\n").withoutBody(),
              "POST /v1/x?y=1 HTTP/1.1\r\nA: b\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpHeadTest, WhatIsNoneIsRefused)
{
    const std::string start = "GET / HTTP/1.1\r\n";
    EXPECT_EQ(statusOfHead(start + "A: b\r\n\r\n"), 200);
    for (const char *line : {"A b", " A: b", "A : b", ": b", "\xff: b", "A: \x01", "A: b\x7f"})
        EXPECT_EQ(statusOfHead(start + line + "\r\n\r\n"), 400) << line;
    for (const char *line : {"GET /", "GET", "", "GET  / HTTP/1.1", "G\x01T / HTTP/1.1"})
        EXPECT_EQ(statusOfHead(std::string(line) + "\r\nA: b\r\n\r\n"), 400) << line;
    EXPECT_EQ(statusOfHead("GET / HTTP/2.0\r\n\r\n"), 505);
    EXPECT_EQ(statusOfHead("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"), 414);
    EXPECT_EQ(statusOfHead(start + "A: " + std::string(9000, 'a') + "\r\n\r\n"), 431);
    std::string many = start;
    for (int i = 0; i < 101; ++i)
        many += "A: b\r\n";
    EXPECT_EQ(statusOfHead(many + "\r\n"), 431);
}

TEST(HttpHeadTest, EndsWithAnEmptyLine)
{
    EXPECT_EQ(endOfHead("a\r\n\r\nb", 0), 5u);
    EXPECT_EQ(endOfHead("a\n\nb", 0), 3u);
    EXPECT_EQ(endOfHead("a\r\nb\r\n", 0), std::string::npos);
}

TEST(BodyFrameTest, ALengthIsGivenOnceAndIsANumber)
{
    EXPECT_EQ(statusOfFrame(""), 200);
    EXPECT_EQ(statusOfFrame("Content-Length: 1000\r\n"), 200);
    EXPECT_EQ(statusOfFrame("Content-Length: 0000000000000000000001\r\n"), 200);
    for (const char *length : {"-1", "+1", "1 2", "", "0x10", "1,1"})
        EXPECT_EQ(statusOfFrame(std::string("Content-Length: ") + length + "\r\n"), 400) << length;
    for (const char *length : {"1001", "99999999999999999999", "18446744073709551617"})
        EXPECT_EQ(statusOfFrame(std::string("Content-Length: ") + length + "\r\n"), 413) << length;
    EXPECT_EQ(statusOfFrame("Content-Length: 1\r\nContent-Length: 1\r\n"), 400);
    EXPECT_EQ(statusOfFrame("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400);
    EXPECT_EQ(statusOfFrame("Transfer-Encoding: gzip, chunked\r\n"), 501);
    EXPECT_EQ(statusOfFrame("Expect: 200-ok\r\n"), 417);
}

TEST(BodyFrameTest, OnlyCodingsThatAreLimitedAreTaken)
{
    for (const char *coding : {"gzip", "x-gzip", "GZIP", "deflate", "br", "identity", "gzip, br"})
        EXPECT_EQ(statusOfFrame(std::string("Content-Encoding: ") + coding + "\r\n"), 200)
            << coding;
    for (const char *coding : {"zstd", "compress", "gzip, zstd", "aes128gcm", "gzip;q=1",
                               "gzip, gzip, gzip, gzip, gzip"})
        EXPECT_EQ(statusOfFrame(std::string("Content-Encoding: ") + coding + "\r\n"), 415)
            << coding;
    EXPECT_EQ(statusOfFrame("Content-Encoding: gzip\r\nContent-Encoding: zstd\r\n"), 415);
}

/// The body, or the status of its problem; `pieces` bytes at a time.
std::string bodyFrom(const std::string &sent, std::size_t piece, std::string *rest = nullptr)
{
    BodyReader reader({.chunked = true}, 20);
    std::string input;
    for (std::size_t at = 0; at < sent.size(); at += piece) {
        input += sent.substr(at, piece);
        reader.take(input);
        if (reader.problem())
            return std::to_string(reader.problem()->status);
    }
    if (rest != nullptr)
        *rest = input;
    return reader.isComplete() ? reader.takeBody() : "incomplete";
}

TEST(BodyReaderTest, ChunksAreJoinedHoweverTheyCome)
{
    for (const std::size_t piece : {1u, 2u, 3u, 1000u}) {
        std::string rest;
        EXPECT_EQ(
            bodyFrom("5\r\nhello\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nT: u\r\n\r\nGET", piece, &rest),
            "hello0123456789");
        EXPECT_EQ(rest, "GET") << "belongs to the next request";
        EXPECT_EQ(bodyFrom("5\r\nhello\r\n0\r\nT: u\r\n", piece), "incomplete");
        EXPECT_EQ(bodyFrom("5\r\nhello!\r\n", piece), "400");
        EXPECT_EQ(bodyFrom("\r\n", piece), "400");
        EXPECT_EQ(bodyFrom("-1\r\n", piece), "400");
        EXPECT_EQ(bodyFrom("15\r\n", piece), "413") << "before its bytes come";
        EXPECT_EQ(bodyFrom("14\r\n01234567890123456789\r\n1\r\nx", piece), "413");
        EXPECT_EQ(bodyFrom("ffffffffffffffffffffff\r\n", piece), "413");
        EXPECT_EQ(bodyFrom("1;" + std::string(5000, 'x'), piece), "400");
        EXPECT_EQ(bodyFrom("0\r\n" + std::string(5000, 'x'), piece), "400");
    }
}

TEST(BodyReaderTest, ALengthEndsTheBody)
{
    BodyReader reader({.length = 3}, 20);
    std::string input = "ab";
    reader.take(input);
    EXPECT_FALSE(reader.isComplete());
    input = "cd";
    reader.take(input);
    EXPECT_TRUE(reader.isComplete());
    EXPECT_EQ(reader.takeBody(), "abc");
    EXPECT_EQ(input, "d");
    EXPECT_TRUE(BodyReader({}, 20).isComplete());
}

std::string decoded(const std::string &body, const std::vector<std::string> &codings,
                    std::size_t most = kMaxBytes)
{
    try {
        return decodedBody(body, codings, most);
    } catch (const ApiError &error) {
        return std::to_string(error.status);
    }
}

TEST(ContentCodingTest, EachIsTakenOff)
{
    const std::string text = "{\"a\": \"some text, some text, some text\"}";
    EXPECT_EQ(decoded(text, {}), text);
    EXPECT_EQ(decoded(test::gzipped(text), {"gzip"}), text);
    EXPECT_EQ(decoded(test::gzipped(text), {"x-gzip"}), text);
    EXPECT_EQ(decoded(test::gzipped(text) + test::gzipped(text), {"gzip"}), text + text);
    EXPECT_EQ(decoded(test::deflated(text, true), {"deflate"}), text);
    EXPECT_EQ(decoded(test::deflated(text, false), {"deflate"}), text) << "without zlib's header";
    EXPECT_EQ(decoded(test::brotlied(text), {"br"}), text);
    EXPECT_EQ(decoded(test::brotlied(test::gzipped(text)), {"gzip", "br"}), text);
    EXPECT_EQ(decoded(test::gzipped(test::gzipped(text)), {"gzip", "gzip"}), text);
}

TEST(ContentCodingTest, WhatComesOutIsLimited)
{
    const std::string fits(kMaxBytes, ' '), large(kMaxBytes + 1, ' ');
    const std::string huge = test::gzipped(std::string(50 << 20, ' '));
    EXPECT_EQ(decoded(test::gzipped(fits), {"gzip"}), fits);
    EXPECT_EQ(decoded(test::gzipped(large), {"gzip"}), "413");
    EXPECT_EQ(decoded(test::deflated(large, true), {"deflate"}), "413");
    EXPECT_EQ(decoded(test::deflated(large, false), {"deflate"}), "413");
    EXPECT_EQ(decoded(test::brotlied(fits), {"br"}), fits);
    EXPECT_EQ(decoded(test::brotlied(large), {"br"}), "413");
    EXPECT_EQ(decoded(test::gzipped(fits) + test::gzipped("x"), {"gzip"}), "413");
    EXPECT_EQ(decoded(test::gzipped(huge), {"gzip", "gzip"}), "413") << "in between";
}

TEST(ContentCodingTest, BrokenBodiesAreRefused)
{
    const std::string text(300, 'x');
    for (const std::string &coding : std::vector<std::string>{"gzip", "deflate", "br"}) {
        const std::string whole = coding == "gzip"      ? test::gzipped(text)
                                  : coding == "deflate" ? test::deflated(text, true)
                                                        : test::brotlied(text);
        for (std::size_t size = 0; size < whole.size(); ++size)
            EXPECT_EQ(decoded(whole.substr(0, size), {coding}), "400") << coding << size;
        EXPECT_EQ(decoded(whole + "x", {coding}), "400") << coding;
        EXPECT_EQ(decoded("\x01\x02\x03\x04", {coding}), "400") << coding;
    }
}

int statusOfBody(const std::string &body)
{
    try {
        (void)parsedBody(body);
        return 200;
    } catch (const ApiError &error) {
        return error.status;
    }
}

std::string listOf(std::size_t count, const std::string &one)
{
    std::string list = R"({"a":[)";
    for (std::size_t i = 0; i < count; ++i)
        list += (i == 0 ? "" : ",") + one;
    return list + "]}";
}

TEST(JsonLimitsTest, WideAndDeepBodiesAreRefusedWhileTheyAreRead)
{
    EXPECT_EQ(statusOfBody(listOf(99'000, "{}")), 200);
    EXPECT_EQ(statusOfBody(listOf(100'000, "{}")), 400);
    EXPECT_EQ(statusOfBody(listOf(100'000, "[]")), 400);
    EXPECT_EQ(statusOfBody(listOf(1'999'000, "1")), 200);
    EXPECT_EQ(statusOfBody(listOf(2'000'001, "1")), 400);
    const auto nested = [](std::size_t lists) {
        return "{\"a\":" + std::string(lists, '[') + std::string(lists, ']') + "}";
    };
    EXPECT_EQ(statusOfBody(nested(119)), 200);
    EXPECT_EQ(statusOfBody(nested(120)), 400);
    std::string members = R"({"a":1)";
    for (int i = 0; i < 999; ++i)
        members += ",\"" + std::to_string(i) + "\":1";
    EXPECT_EQ(statusOfBody(members + "}"), 200);
    EXPECT_EQ(statusOfBody(members + ",\"b\":1}"), 400);
    std::string wide = R"({"a":1)"; // objects of 900 members each
    for (int i = 0; i < 900; ++i)
        wide += ",\"" + std::to_string(i) + "\":1";
    EXPECT_EQ(statusOfBody(listOf(200, wide + "}")), 200);
    EXPECT_EQ(statusOfBody(listOf(223, wide + "}")), 400);
    // Broken behind the limit: what follows is not read.
    EXPECT_EQ(statusOfBody(listOf(100'001, "{}") + "?"), 400);
    EXPECT_EQ(statusOfBody("{" + std::string(4 << 20, ' ') + "}"), 200);
}

TEST(WorkerPoolTest, JobsRunBesideEachOtherUpToALimit)
{
    std::counting_semaphore<> begun(0), go(0), ended(0);
    WorkerPool pool(2);
    for (int i = 0; i < 3; ++i)
        pool.submit([&] {
            begun.release();
            go.acquire();
            ended.release();
        });
    EXPECT_TRUE(begun.try_acquire_for(std::chrono::seconds(60)));
    EXPECT_TRUE(begun.try_acquire_for(std::chrono::seconds(60))) << "two at once";
    EXPECT_FALSE(pool.waitUntilIdle(std::chrono::milliseconds(0)));
    EXPECT_FALSE(begun.try_acquire()) << "no third one";
    go.release(3);
    EXPECT_TRUE(pool.waitUntilIdle(std::chrono::seconds(60)));
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(ended.try_acquire()) << i;
}

} // namespace
} // namespace fireside::server
