#include "app/remote/remote_reply.h"
#include "wire_fixture.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <gtest/gtest.h>

namespace fireside::test {
namespace {

/// One reply of a server that answers as a test tells it.
class RemoteReplyTest : public testing::Test
{
protected:
    RemoteReplyTest()
    {
        job.id = 1;
        job.messages = {{QStringLiteral("user"), QStringLiteral("Hi")}};
        target.model = {QStringLiteral("big"), 4096, ServerKind::Vllm};
        target.key = "sesame";
    }

    /// Until it has ended.
    void run(const QUrl &url)
    {
        start(url);
        ASSERT_TRUE(waitFor([this] { return over; }));
    }
    void start(const QUrl &url)
    {
        over = false;
        target.server.address = url;
        reply = std::make_unique<RemoteReply>(gate, target, job, refused, patience);
        QObject::connect(reply.get(), &RemoteReply::textAdded, reply.get(),
                         [this](const QString &added) { text += added; });
        QObject::connect(reply.get(), &RemoteReply::partsChanged, reply.get(),
                         [this](const QList<MessagePart> &all) { parts = all; });
        QObject::connect(reply.get(), &RemoteReply::waiting, reply.get(),
                         [this](const QString &why) {
                             if (!why.isEmpty())
                                 waits.append(why);
                         });
        QObject::connect(reply.get(), &RemoteReply::contextTrimmed, reply.get(),
                         [this](int first) { trimmed = first; });
        QObject::connect(reply.get(), &RemoteReply::contextFull, reply.get(),
                         [this](const ContextShortage &all) { shortage = all; });
        QObject::connect(reply.get(), &RemoteReply::finished, reply.get(),
                         [this](const ReplyStats &all) {
                             stats = all;
                             over = true;
                         });
        QObject::connect(reply.get(), &RemoteReply::failed, reply.get(),
                         [this](const RemoteProblem &all) {
                             problem = all;
                             over = true;
                         });
        reply->start();
    }
    void expectSays(const char *word) const
    {
        EXPECT_TRUE(problem.text.contains(QLatin1String(word)))
            << word << " is not in: " << problem.text.toStdString();
    }
    static QJsonObject bodyOf(const ServerRequest &request)
    {
        return QJsonDocument::fromJson(request.body).object();
    }

    Connections connections;
    NetworkGate gate{connections};
    RefusedParameters refused;
    RemoteTarget target;
    ReplyJob job;
    RemotePatience patience = hasty();
    std::unique_ptr<RemoteReply> reply;
    QString text;
    QList<MessagePart> parts;
    QStringList waits;
    int trimmed = 0;
    ContextShortage shortage;
    ReplyStats stats;
    RemoteProblem problem;
    bool over = false;
};

const QString kShown = QStringLiteral("<think>\nHm, grüß.\n</think>\n\nHello you");

TEST_F(RemoteReplyTest, IsStreamedWithItsFigures)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer(kVllm);
        answer.dripBytes = 37;
        answer.dripMs = 1;
        return answer;
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(text, kShown);
    ASSERT_EQ(parts.size(), 2);
    EXPECT_EQ(parts[0].kind, MessagePart::Reasoning);
    EXPECT_EQ(stats.finish, QLatin1String("end"));
    EXPECT_EQ(stats.promptTokens, 41);
    EXPECT_EQ(stats.reusedTokens, 32);
    EXPECT_EQ(stats.generatedTokens, 4);
    EXPECT_EQ(stats.contextUsed, 45);
    EXPECT_EQ(stats.contextTotal, 4096);
    const ServerRequest request = server.requests().first();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/v1/chat/completions");
    EXPECT_EQ(request.header("authorization"), "Bearer sesame");
    EXPECT_EQ(bodyOf(request)[QLatin1String("seed")].toInteger(), stats.seed);
    const ConnectionRecord record = connections.records().first();
    EXPECT_EQ(record.result, QLatin1String("200"));
    EXPECT_TRUE(record.purpose.contains(QLatin1String("big")));
}

TEST_F(RemoteReplyTest, StopsInTheMiddleAndTheServerNoticesIt)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer({});
        answer.chunked = false;
        answer.endless = true;
        answer.body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n";
        return answer;
    });
    start(server.url(QStringLiteral("/v1")));
    ASSERT_TRUE(waitFor([this] { return text.size() > 100; }));
    reply->stop();
    EXPECT_TRUE(over);
    EXPECT_EQ(stats.finish, QLatin1String("stopped"));
    EXPECT_TRUE(text.startsWith(QLatin1String("word word")));
}

TEST_F(RemoteReplyTest, IsAskedAgainWhileTheServerIsBusy)
{
    int asked = 0;
    LyingServer server([&](const ServerRequest &) {
        return ++asked == 1 ? jsonAnswer(429, R"({"error":{"message":"slow down"}})")
               : asked == 2 ? jsonAnswer(503, R"({"error":{"message":"Loading model"}})")
                            : eventsAnswer(kSglang);
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(text, kShown);
    ASSERT_EQ(waits.size(), 2);
    EXPECT_TRUE(waits[1].contains(QLatin1String("Loading model")));
}

TEST_F(RemoteReplyTest, GivesUpWhenAskedToWaitTooLong)
{
    LyingServer server([](const ServerRequest &) {
        return jsonAnswer(429, R"({"error":{"message":"tomorrow"}})", {{"Retry-After", "86400"}});
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), 1);
    expectSays("1440 min");
    EXPECT_FALSE(problem.unreachable);
}

TEST_F(RemoteReplyTest, GivesUpAfterSomeTries)
{
    LyingServer server([](const ServerRequest &) { return jsonAnswer(500, "{}"); });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), patience.tries);
    EXPECT_TRUE(problem.unreachable);
}

TEST_F(RemoteReplyTest, StopsWhileItWaits)
{
    patience.firstWait = std::chrono::hours(1);
    LyingServer server([](const ServerRequest &) { return jsonAnswer(503, "{}"); });
    start(server.url(QStringLiteral("/v1")));
    ASSERT_TRUE(waitFor([this] { return !waits.isEmpty(); }));
    reply->stop();
    EXPECT_EQ(stats.finish, QLatin1String("stopped"));
}

TEST_F(RemoteReplyTest, NobodyThereIsToldAndTriedAgain)
{
    QUrl nobody;
    {
        LyingServer server([](const ServerRequest &) { return ServerAnswer{}; });
        nobody = server.url(QStringLiteral("/v1"));
    }
    run(nobody);
    EXPECT_TRUE(problem.unreachable);
    expectSays("refuses the connection: the server may not be running");
    EXPECT_EQ(waits.size(), 1);
}

TEST_F(RemoteReplyTest, SilenceEnds)
{
    patience.firstWords = std::chrono::milliseconds(30);
    LyingServer silent([](const ServerRequest &) {
        ServerAnswer answer;
        answer.silent = true;
        return answer;
    });
    run(silent.url(QStringLiteral("/v1")));
    expectSays("has not answered");
    EXPECT_TRUE(problem.unreachable);
    EXPECT_TRUE(waits.isEmpty()) << "it is not asked again";
    EXPECT_LE(silent.requests().size(), 1) << "on a slow machine none has arrived yet";
}

TEST_F(RemoteReplyTest, SilenceInTheMiddleKeepsTheWords)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer(kVllm.left(700));
        answer.chunked = false;
        answer.addLength = false;
        return answer;
    });
    // Longer where the words take longer to arrive.
    for (patience.silence = std::chrono::milliseconds(50); text.isEmpty(); patience.silence *= 2) {
        ASSERT_LT(patience.silence, std::chrono::minutes(1));
        run(server.url(QStringLiteral("/v1")));
        expectSays("has sent nothing");
    }
    EXPECT_TRUE(text.contains(QLatin1String("Hm, ")));
}

TEST_F(RemoteReplyTest, ACutKeepsTheWordsAndIsNotAskedAgain)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer(kVllm);
        answer.cutAfter = 600;
        return answer;
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), 1);
    EXPECT_TRUE(text.contains(QLatin1String("Hm, "))) << text.toStdString();
    EXPECT_FALSE(problem.text.isEmpty());
}

TEST_F(RemoteReplyTest, ACutBehindTheEndIsNone)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer(kOllama);
        answer.chunked = false;
        answer.closes = true;
        return answer;
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(stats.finish, QLatin1String("end")) << problem.text.toStdString();
    EXPECT_EQ(text, kShown);
}

TEST_F(RemoteReplyTest, CorruptedStreamsAreRefusedInWords)
{
    for (qsizetype at = 100; at < kVllm.size(); at += 173) {
        text.clear();
        QByteArray broken = kVllm;
        broken[at] = '\0';
        LyingServer server([&](const ServerRequest &) { return eventsAnswer(broken); });
        run(server.url(QStringLiteral("/v1")));
        EXPECT_TRUE(over); // with words or without, but never hanging or crashing
    }
}

TEST_F(RemoteReplyTest, ErrorsInTheStreamKeepTheWords)
{
    LyingServer server([](const ServerRequest &) { return eventsAnswer(kErrorEvent); });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(text, QLatin1String("Hel"));
    expectSays("the card is lost");
}

TEST_F(RemoteReplyTest, RedirectsAreNotFollowedAndTheKeyStays)
{
    LyingServer other([](const ServerRequest &) { return eventsAnswer(kVllm); });
    LyingServer server([&](const ServerRequest &) {
        return statusAnswer(307, {{"Location", other.url(QStringLiteral("/v1")).toEncoded()}});
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_TRUE(other.requests().isEmpty());
    expectSays("sends requests on to");
    EXPECT_FALSE(problem.unreachable);
}

TEST_F(RemoteReplyTest, AnIdentityThatNobodyVouchesForIsRefused)
{
    LyingServer server([](const ServerRequest &) { return eventsAnswer(kVllm); }, true);
    run(server.url(QStringLiteral("/v1")));
    EXPECT_TRUE(server.requests().isEmpty());
    expectSays("cannot be trusted");
    EXPECT_FALSE(problem.unreachable);
    EXPECT_EQ(waits.size(), 0);
}

TEST_F(RemoteReplyTest, OfflineNothingIsAsked)
{
    LyingServer server([](const ServerRequest &) { return eventsAnswer(kVllm); });
    connections.setOffline(true);
    run(server.url(QStringLiteral("/v1")));
    EXPECT_TRUE(server.requests().isEmpty());
    expectSays("offline");
    EXPECT_TRUE(problem.unreachable);
}

TEST_F(RemoteReplyTest, GoingOfflineCutsIt)
{
    LyingServer server([](const ServerRequest &) {
        ServerAnswer answer = eventsAnswer(kVllm);
        answer.chunked = answer.addLength = false;
        answer.body = kVllm.left(600);
        return answer;
    });
    start(server.url(QStringLiteral("/v1")));
    ASSERT_TRUE(waitFor([this] { return !text.isEmpty(); }));
    connections.setOffline(true);
    ASSERT_TRUE(waitFor([this] { return over; }));
    expectSays("offline");
}

TEST_F(RemoteReplyTest, ParametersThatAreRefusedAreLeftOutOnceAndForAll)
{
    LyingServer server([](const ServerRequest &request) {
        const QJsonObject body = bodyOf(request);
        if (body.contains(QLatin1String("max_tokens")))
            return jsonAnswer(400,
                              R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not )"
                              R"(supported with this model. Use 'max_completion_tokens' instead.",)"
                              R"("param":"max_tokens"}})");
        if (body.contains(QLatin1String("temperature")))
            return jsonAnswer(
                400, R"({"error":{"message":"temperature does not support 0.7","param":null}})");
        if (body.contains(QLatin1String("min_p")))
            return jsonAnswer(
                422, R"({"detail":[{"loc":["body","min_p"],"msg":"min_p: extra inputs are )"
                     R"(not permitted"}]})");
        return eventsAnswer(kVllm);
    });
    job.sampling.maxTokens = 50;
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(text, kShown);
    EXPECT_EQ(stats.unsent.size(), 2); // the longest reply was told by its other name
    EXPECT_EQ(bodyOf(server.requests().last())[QLatin1String("max_completion_tokens")], 50);
    const qsizetype asked = server.requests().size();
    EXPECT_EQ(asked, 4);
    text.clear();
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), asked + 1);
}

TEST_F(RemoteReplyTest, ARefusalThatNothingHelpsIsToldAtOnce)
{
    LyingServer server([](const ServerRequest &) {
        return jsonAnswer(400, R"({"error":{"message":"the request is not to my taste"}})");
    });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), 1);
    expectSays("not to my taste");
}

/// A server with room for ten messages of a chat of twenty.
ServerAnswer fullServer(const ServerRequest &request)
{
    const auto count =
        QJsonDocument::fromJson(request.body)[QLatin1String("messages")].toArray().size();
    if (count <= 10)
        return eventsAnswer(kVllm);
    return jsonAnswer(
        400, "{\"error\":{\"message\":\"This model's maximum context length is 4096 tokens. "
             "However, you requested " +
                 QByteArray::number(count * 400) + " tokens.\"}}");
}

QList<TurnMessage> longChat()
{
    QList<TurnMessage> messages;
    for (int i = 0; i < 19; ++i)
        messages.append({i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"),
                         QString(500, QLatin1Char('a'))});
    return messages;
}

TEST_F(RemoteReplyTest, AChatThatIsTooLongIsAskedAbout)
{
    LyingServer server(fullServer);
    job.messages = longChat();
    job.dropOldest = false;
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(server.requests().size(), 1);
    EXPECT_EQ(shortage.tokens, 19 * 400);
    EXPECT_GT(shortage.keepFrom, 0);
    EXPECT_EQ(job.messages[shortage.keepFrom].role, QLatin1String("user"));
    EXPECT_TRUE(text.isEmpty());
}

TEST_F(RemoteReplyTest, AMessageThatIsTooLongIsAskedAboutToo)
{
    LyingServer server([](const ServerRequest &) {
        return jsonAnswer(400, R"({"error":{"code":400,"message":"the request exceeds the )"
                               R"(available context size","type":"exceed_context_size_error",)"
                               R"("n_prompt_tokens":9000,"n_ctx":4096}})");
    });
    job.messages = {{QStringLiteral("user"), QString(30'000, QLatin1Char('a'))}};
    for (const bool dropOldest : {true, false}) {
        job.dropOldest = dropOldest;
        shortage = {};
        run(server.url(QStringLiteral("/v1")));
        EXPECT_EQ(shortage.tokens, 9000);
        EXPECT_EQ(shortage.room, 4096 - 512);
        EXPECT_EQ(shortage.keepFrom, -1);
        expectSays("the message is too long");
        EXPECT_FALSE(problem.text.contains(QLatin1String("400"))) << qPrintable(problem.text);
    }
    EXPECT_EQ(server.requests().size(), 2);
}

TEST_F(RemoteReplyTest, ServersWithoutFiguresAreAskedAboutWithTheirContext)
{
    LyingServer server([](const ServerRequest &) {
        return jsonAnswer(400, R"({"error":{"message":"Please reduce the length of the messages )"
                               R"(or completion.","code":"context_length_exceeded"}})");
    });
    job.messages = longChat();
    job.dropOldest = false;
    run(server.url(QStringLiteral("/v1")));
    EXPECT_GT(shortage.tokens, 4096);
    EXPECT_GT(shortage.keepFrom, 0);
}

TEST_F(RemoteReplyTest, WhatTheServerCallsItsModelIsTold)
{
    const QByteArray named = "data: {\"model\":\"big-2026-08\",\"choices\":[{\"index\":0,"
                             "\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}"
                             "\n\ndata: [DONE]\n\n";
    QByteArray stream = named;
    LyingServer server([&](const ServerRequest &) { return eventsAnswer(stream); });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(stats.servedModel, QLatin1String("big-2026-08"));
    stream = QByteArray(named).replace("big-2026-08", "big");
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(stats.servedModel, QString());
}

TEST_F(RemoteReplyTest, OrItsOldestMessagesAreLeftOut)
{
    LyingServer server(fullServer);
    job.messages = longChat();
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(text, kShown) << problem.text.toStdString();
    EXPECT_GT(trimmed, 8);
    const QJsonArray sent = bodyOf(server.requests().last())[QLatin1String("messages")].toArray();
    EXPECT_EQ(sent.size(), 19 - trimmed);
    EXPECT_EQ(sent[0][QLatin1String("role")], QLatin1String("user"));
}

TEST_F(RemoteReplyTest, BegunAnswersAreRefusedWhereTheyCannotGoOn)
{
    LyingServer server([](const ServerRequest &) { return eventsAnswer(kVllm); });
    target.model.kind = ServerKind::Unknown;
    job.begun = QStringLiteral("Once");
    run(server.url(QStringLiteral("/v1")));
    EXPECT_TRUE(server.requests().isEmpty());
    expectSays("regenerate");
}

TEST_F(RemoteReplyTest, LimitsAreToldApart)
{
    const QByteArray cut = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
                           "\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    LyingServer server([&](const ServerRequest &) { return eventsAnswer(cut); });
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(stats.finish, QLatin1String("server's limit"));
    job.sampling.maxTokens = 1;
    run(server.url(QStringLiteral("/v1")));
    EXPECT_EQ(stats.finish, QLatin1String("length"));
}

TEST_F(RemoteReplyTest, LimitsAreSeenWhereTheServerDoesNotTell)
{
    LyingServer server([&](const ServerRequest &) { return eventsAnswer(kIkLlamaCpp); });
    target.model.kind = ServerKind::LlamaCpp;
    for (const int limit : {4, 5}) {
        job.sampling.maxTokens = limit;
        run(server.url(QStringLiteral("/v1")));
        EXPECT_EQ(stats.finish, limit == 4 ? QLatin1String("length") : QLatin1String("end"));
    }
}

} // namespace
} // namespace fireside::test
