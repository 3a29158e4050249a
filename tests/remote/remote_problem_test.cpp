#include "app/remote/remote_problem.h"
#include "app/remote/remote_server.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace fireside {
namespace {

RemoteProblem refused(int status, const QByteArray &body, bool withKey = true, int retryAfter = 0)
{
    return problemOf(
        {ExchangeFailure::Kind::Status, {}, status, body, std::chrono::seconds(retryAfter)},
        QStringLiteral("gpu:8000"), QStringLiteral("big"), withKey);
}

void expectSays(const RemoteProblem &problem, std::initializer_list<const char *> words)
{
    for (const char *word : words)
        EXPECT_TRUE(problem.text.contains(QString::fromUtf8(word)))
            << word << " is not in: " << problem.text.toStdString();
}

TEST(RemoteProblemTest, StatusesAreToldInWords)
{
    expectSays(refused(401, R"({"error":"Unauthorized"})", false),
               {"gpu:8000", "wants a key", "401"});
    expectSays(refused(401, "{}"), {"does not accept the key"});
    expectSays(refused(404, R"({"error":{"message":"model 'big' not found","type":"api_error"}})"),
               {"has no model “big”", "not found"});
    expectSays(refused(404, R"({"detail":"Not Found"})"), {"/v1", "Not Found"});
    expectSays(refused(422, R"({"detail":[{"loc":["body","x"],"msg":"field required"}]})"),
               {"refuses", "422", "field required"});
    expectSays(refused(502, "<html><head><title>502 Bad Gateway</title></head>"),
               {"cannot answer", "502", "a web page", "Bad Gateway"});
    expectSays(refused(500, "plain\nwords"), {"has failed", "plain words"});
    // As ik_llama.cpp's server (August 2026) writes it.
    const RemoteProblem blind = refused(
        500, R"({"error":{"code":500,"message":"image input is not supported - hint: if this is )"
             R"(unexpected, you may need to provide the mmproj","type":"server_error"}})");
    expectSays(blind, {"refuses", "500", "image input is not supported"});
    EXPECT_FALSE(blind.again || blind.unreachable);
    EXPECT_TRUE(refused(500, "").again);
    EXPECT_TRUE(refused(503, "").unreachable);
    EXPECT_FALSE(refused(400, "").again);
    EXPECT_FALSE(refused(401, "").unreachable);
}

TEST(RemoteProblemTest, ManyRequestsWaitButUsedUpAccountsDoNot)
{
    const RemoteProblem busy = refused(429, R"({"error":{"message":"slow down"}})", true, 7);
    EXPECT_TRUE(busy.again);
    EXPECT_EQ(busy.wait, std::chrono::seconds(7));
    expectSays(busy, {"fewer requests", "7", "slow down"});
    const RemoteProblem paid =
        refused(429, R"({"error":{"message":"You exceeded your current quota"}})");
    EXPECT_FALSE(paid.again);
    expectSays(paid, {"used up"});
}

TEST(RemoteProblemTest, ContextsThatAreFullGiveTheirNumbers)
{
    const auto expectNumbers = [](const QByteArray &body, int tokens, int room) {
        const RemoteProblem problem = refused(400, body);
        EXPECT_TRUE(problem.tooLong) << body.toStdString();
        EXPECT_EQ(problem.tokens, tokens) << body.toStdString();
        EXPECT_EQ(problem.room, room) << body.toStdString();
    };
    expectNumbers(
        R"({"object":"error","message":"This model's maximum context length is 4096 tokens. )"
        R"(However, you requested 5003 tokens (4003 in the messages, 1000 in the completion)."})",
        4003, 4096);
    expectNumbers(
        R"({"error":{"message":"'max_tokens' is too large: 1000. This model's maximum context )"
        R"(length is 4096 tokens and your request has 5003 input tokens"}})",
        5003, 4096);
    expectNumbers(
        R"({"error":{"code":400,"message":"the request exceeds the available context size, )"
        R"(try increasing it","type":"exceed_context_size_error","n_prompt_tokens":900,"n_ctx":512}})",
        900, 512);
    expectNumbers(
        R"({"error":{"message":"This model's maximum context length is 8192 tokens. However, )"
        R"(your messages resulted in 9001 tokens.","code":"context_length_exceeded"}})",
        9001, 8192);
    expectNumbers(R"({"error":{"message":"the prompt has 300 tokens, the context 256","code":)"
                  R"("context_length_exceeded"}})",
                  300, 256);
    EXPECT_FALSE(refused(400, R"({"error":{"message":"bad temperature"}})").tooLong);
}

TEST(RemoteProblemTest, EachServersWordsForAFullContextAreUnderstood)
{
    const struct
    {
        const char *message;
        int tokens, room;
    } said[] = {
        {"request (5012 tokens) exceeds the available context size (4096 tokens), try increasing "
         "it",
         5012, 4096},
        {"The decoder prompt (length 5012) is longer than the maximum model length of 4096. Make "
         "sure that `max_model_len` is no smaller than the number of text tokens.",
         5012, 4096},
        {"You passed 5012 input tokens and requested 16 output tokens. However, the model's "
         "context length is only 4096 tokens",
         5012, 4096},
        {"The input (5012 tokens) is longer than the model's context length (4096 tokens).", 5012,
         4096},
        {"Trying to keep the first 5012 tokens when context the overflows. However, the model is "
         "loaded with context length of only 4096 tokens, which is not enough.",
         5012, 4096},
        {"This endpoint's maximum context length is 32768 tokens. However, you requested about "
         "40000 tokens (40000 of text input).",
         40000, 32768},
        {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
         "context length",
         40000, 32768},
        {"prompt is too long: 210000 tokens > 200000 maximum", 210000, 200000},
        {"The input token count (1200000) exceeds the maximum number of tokens allowed "
         "(1048576).",
         1200000, 1048576},
        {"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5012 "
         "`inputs` tokens and 20 `max_new_tokens`",
         5012, 4096},
        {"Please reduce the length of the messages or completion.", 0, 0},
    };
    for (const auto &one : said) {
        const RemoteProblem problem =
            refused(400, "{\"error\":{\"message\":\"" + QByteArray(one.message) + "\"}}");
        EXPECT_TRUE(problem.tooLong) << one.message;
        EXPECT_EQ(problem.tokens, one.tokens) << one.message;
        EXPECT_EQ(problem.room, one.room) << one.message;
    }
}

TEST(RemoteProblemTest, BusyServersAndMissingModelsAreToldApart)
{
    EXPECT_TRUE(refused(429, "{}").busy);
    EXPECT_TRUE(refused(503, "{}").busy);
    EXPECT_FALSE(refused(502, "{}").busy);
    EXPECT_FALSE(refused(429, R"({"error":{"message":"You exceeded your quota"}})").busy);
    EXPECT_TRUE(
        refused(404, R"({"error":{"message":"The model `big` does not exist."}})").modelMissing);
    EXPECT_FALSE(refused(404, R"({"detail":"Not Found"})").modelMissing);
}

TEST(RemoteAddressTest, WhatUsersTypeBecomesAnAddress)
{
    const auto address = [](const char *text) {
        return usableAddress(QString::fromUtf8(text)).toString().toStdString();
    };
    EXPECT_EQ(address("gpu:8000"), "http://gpu:8000/v1");
    EXPECT_EQ(address(" https://example.org/ "), "https://example.org/v1");
    EXPECT_EQ(address("http://gpu:8000/v1/chat/completions"), "http://gpu:8000/v1");
    EXPECT_EQ(address("https://example.org/api/v1/models/"), "https://example.org/api/v1");
    EXPECT_EQ(address("http://[::1]:80"), "http://[::1]:80/v1");
    for (const char *bad : {"", "ftp://a", "file:///etc/passwd", "http://", "http://u:p@a/",
                            "http://a/?k=1", "http://a/#b", "http://a b/"})
        EXPECT_EQ(address(bad), "") << bad;
    EXPECT_FALSE(isOpenToOthers(QUrl(QStringLiteral("http://127.0.0.1:1"))));
    EXPECT_FALSE(isOpenToOthers(QUrl(QStringLiteral("https://a"))));
    EXPECT_TRUE(isOpenToOthers(QUrl(QStringLiteral("http://192.168.1.2"))));
}

TEST(RemoteAddressTest, PathsOfModelsComeBack)
{
    const RemotePath path =
        parseRemotePath(remotePath(QStringLiteral("ab12"), QStringLiteral("Qwen/Q:7b?x")));
    EXPECT_EQ(path.server, QLatin1String("ab12"));
    EXPECT_EQ(path.model, QLatin1String("Qwen/Q:7b?x"));
    for (const char *file : {"/home/a/server:x/y.gguf", "server:", "server:a", "server:a/", "a/b"})
        EXPECT_FALSE(parseRemotePath(QLatin1String(file)).isRemote()) << file;
}

TEST(RemoteAddressTest, ModelsNamedByTheirFilesAreCalledLikeThem)
{
    const std::array<std::pair<const char *, const char *>, 6> names{{
        {"/srv/models/Qwen3-8B-Q4_K_M.gguf", "Qwen3-8B-Q4_K_M"},
        {"C:\\models\\a.gguf", "a"},
        {"/srv/models/folder", "folder"},
        {"Qwen/Qwen3-8B", "Qwen/Qwen3-8B"},
        {"llama3:8b", "llama3:8b"},
        {"/.gguf", ".gguf"},
    }};
    for (const auto &[said, shown] : names)
        EXPECT_EQ(shownName(QLatin1String(said)), QLatin1String(shown)) << said;
}

TEST(RemoteAddressTest, HeadersMayNotTouchTheConnection)
{
    QString problem;
    EXPECT_EQ(
        parseHeaders(QStringLiteral("X-Team: red\n\nAuthorization: Basic eA==\n"), &problem).size(),
        2);
    EXPECT_TRUE(problem.isEmpty());
    for (const char *bad : {"Host: a", "content-length: 3", "no colon", ": x", "A B: x", "X: ü",
                            "Transfer-Encoding: chunked"}) {
        problem.clear();
        parseHeaders(QString::fromUtf8(bad), &problem);
        EXPECT_FALSE(problem.isEmpty()) << bad;
    }
}

} // namespace
} // namespace fireside
