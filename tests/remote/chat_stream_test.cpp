#include "app/remote/chat_stream.h"
#include "recordings.h"

#include <gtest/gtest.h>

#include <string>

namespace fireside::test {
namespace {

struct Read
{
    std::string reasoning, text;
    std::vector<ToolCall> calls;
    ChatStream stream;
};

void read(Read &all, const QByteArray &bytes, qsizetype piece, const QByteArray &type)
{
    std::vector<ReplyDelta> deltas;
    all.stream.begin(type);
    for (qsizetype at = 0; at < bytes.size(); at += piece)
        all.stream.push(bytes.mid(at, piece), deltas);
    all.stream.finish(deltas);
    for (const ReplyDelta &delta : deltas) {
        if (delta.call)
            all.calls.push_back(*delta.call);
        else
            (delta.kind == ReplyPartKind::Reasoning ? all.reasoning : all.text) += delta.text;
    }
}

struct Recording
{
    const char *name;
    const QByteArray *bytes;
    const char *type;
    int cached;
};

class RecordingTest : public testing::TestWithParam<Recording>
{};

TEST_P(RecordingTest, IsTheSameReplyHoweverItIsCut)
{
    const QByteArray &bytes = *GetParam().bytes;
    for (const QByteArray &type : {QByteArray(GetParam().type), QByteArray()}) {
        for (qsizetype piece = 1; piece <= bytes.size(); piece += piece < 40 ? 1 : 97) {
            Read all;
            read(all, bytes, piece, type);
            ASSERT_FALSE(all.stream.problem()) << all.stream.problem()->text.toStdString();
            ASSERT_EQ(all.reasoning, "Hm, grüß.") << piece;
            ASSERT_EQ(all.text, "Hello you") << piece;
            ASSERT_TRUE(all.stream.ended());
            ASSERT_EQ(all.stream.finishReason(), QLatin1String("stop"));
            ASSERT_EQ(all.stream.usage().promptTokens, 41);
            ASSERT_EQ(all.stream.usage().generatedTokens, 4);
            ASSERT_EQ(all.stream.usage().cachedTokens, GetParam().cached);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Servers, RecordingTest,
    testing::Values(Recording{"vllm", &kVllm, "text/event-stream; charset=utf-8", 32},
                    Recording{"sglang", &kSglang, "text/event-stream", -1},
                    Recording{"llamacpp", &kLlamaCpp, "text/event-stream", 32},
                    Recording{"ik_llamacpp", &kIkLlamaCpp, "text/event-stream", 32},
                    Recording{"ollama", &kOllama, "text/event-stream", -1},
                    Recording{"lmstudio", &kLmStudio, "text/event-stream", -1},
                    Recording{"mistral", &kMistral, "text/event-stream", -1},
                    Recording{"openrouter", &kOpenRouter, "text/event-stream", 32},
                    Recording{"azure", &kAzure, "text/event-stream", -1},
                    Recording{"whole", &kWhole, "application/json", -1}),
    [](const auto &one) { return std::string(one.param.name); });

TEST(ChatStreamTest, BlanksBeforeAReplyOfNoTypeAreLeftOut)
{
    for (const qsizetype piece : {1, 50, 1000}) {
        Read all;
        read(all, QByteArray(300, ' ') + "\r\n" + kLlamaCpp, piece, {});
        EXPECT_FALSE(all.stream.problem());
        EXPECT_EQ(all.text, "Hello you");
    }
}

TEST(ChatStreamTest, LlamaCppsOwnClockCounts)
{
    Read all;
    read(all, kLlamaCpp, 1000, "text/event-stream");
    EXPECT_DOUBLE_EQ(all.stream.usage().promptSeconds, 0.25);
    EXPECT_DOUBLE_EQ(all.stream.usage().generateSeconds, 0.5);
}

TEST(ChatStreamTest, PiecesOfCallsAreJoined)
{
    for (qsizetype piece = 1; piece < 200; ++piece) {
        Read all;
        read(all, kCalls, piece, "text/event-stream");
        ASSERT_EQ(all.calls.size(), 2u);
        EXPECT_EQ(all.calls[0], (ToolCall{"weather", "{\"town\": \"Ulm\"}", "c1"}));
        EXPECT_EQ(all.calls[1], (ToolCall{"time", "{\"zone\":\"CET\"}", "c2"}));
    }
}

TEST(ChatStreamTest, ErrorsInTheStreamKeepTheWordsBefore)
{
    for (const QByteArray &bytes : {kErrorEvent, kErrorField, kErrorData}) {
        Read all;
        read(all, bytes, 7, "text/event-stream");
        ASSERT_TRUE(all.stream.problem());
        EXPECT_EQ(all.stream.problem()->text, QLatin1String("the card is lost"));
        EXPECT_EQ(all.text, "Hel");
    }
}

TEST(ChatStreamTest, AnErrorWithoutWordsIsStillToldInWords)
{
    const QByteArray unreadable(2, '\0');
    for (const QByteArray &field : {QByteArray("error:"), QByteArray("event: error\ndata:")}) {
        Read all;
        read(all, field + unreadable + "\n\n", 1, "text/event-stream");
        ASSERT_TRUE(all.stream.problem()) << field.toStdString();
        EXPECT_EQ(all.stream.problem()->text, QLatin1String("it reports an error without words"));
    }
    Read other;
    read(other, "data:" + unreadable + "\n\n", 1, "text/event-stream");
    ASSERT_TRUE(other.stream.problem());
    EXPECT_EQ(other.stream.problem()->text,
              QLatin1String("its answer is not in the form of OpenAI's"));
}

TEST(ChatStreamTest, WhatIsNoReplyIsRefusedInWords)
{
    const QList<QPair<QByteArray, QByteArray>> bodies{
        {"<!DOCTYPE html><html><head><title>Sign in</title></head></html>", "text/html"},
        {"data: {\"choices\":[{\"delta\":{\"content\":\n\n", "text/event-stream"},
        {"data: nonsense\n\n", "text/event-stream"},
        {"[1, 2]", "application/json"},
        {"{\"models\": []}", "application/json"},
        {": nothing at all\n\n", "text/event-stream"},
        {"", "text/event-stream"}};
    for (const auto &[body, type] : bodies) {
        Read all;
        read(all, body, 5, type);
        ASSERT_TRUE(all.stream.problem()) << body.toStdString();
        EXPECT_FALSE(all.stream.problem()->text.isEmpty());
        EXPECT_TRUE(all.text.empty());
    }
    Read page;
    read(page, bodies[0].first, 5, {});
    EXPECT_TRUE(page.stream.problem()->text.contains(QLatin1String("Sign in")));
}

TEST(ChatStreamTest, AnEndThatNobodyMarkedIsNoEnd)
{
    Read all;
    read(all, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n", 9,
         "text/event-stream");
    EXPECT_FALSE(all.stream.ended());
    EXPECT_EQ(all.text, "Hel");
}

TEST(ChatStreamTest, OtherChoicesAndHostileNumbersAreLeftOut)
{
    Read all;
    read(all,
         "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":"
         "{\"content\":\"yes\",\"tool_calls\":\"x\"},\"finish_reason\":7}],\"usage\":{"
         "\"prompt_tokens\":-1e300,\"completion_tokens\":1e300}}\n\ndata: [DONE]\n\n",
         11, "text/event-stream");
    EXPECT_EQ(all.text, "yes");
    EXPECT_EQ(all.stream.usage().promptTokens, 0);
    EXPECT_EQ(all.stream.usage().generatedTokens, 1'000'000'000);
}

TEST(ChatStreamTest, TooManyCallsAreRefused)
{
    QByteArray calls;
    for (int i = 0; i < 200; ++i)
        calls += "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":" +
                 QByteArray::number(i) + ",\"function\":{\"name\":\"a\"}}]}}]}\n\n";
    Read all;
    read(all, calls, 1000, "text/event-stream");
    EXPECT_TRUE(all.stream.problem());
}

} // namespace
} // namespace fireside::test
