#include "app/remote/chat_body.h"
#include "app/remote/model_query.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <gtest/gtest.h>

namespace fireside {
namespace {

ReplyJob jobWith(const SamplingSettings &sampling)
{
    ReplyJob job;
    job.messages = {{QStringLiteral("system"), QStringLiteral("Be brief.")},
                    {QStringLiteral("user"), QStringLiteral("Hi")}};
    job.sampling = sampling;
    return job;
}

TEST(ChatBodyTest, EachKindIsToldWhatItKnows)
{
    SamplingSettings sampling;
    sampling.repeatPenalty = 1.1;
    sampling.maxTokens = 9;
    sampling.thinking = "off";
    const auto json = [&](ServerKind kind) {
        return chatBody(jobWith(sampling), QStringLiteral("m"), kind, 5, {}).json;
    };
    const QJsonObject vllm = json(ServerKind::Vllm), llama = json(ServerKind::LlamaCpp),
                      cloud = json(ServerKind::Unknown);
    EXPECT_EQ(vllm[QLatin1String("top_k")], 40);
    EXPECT_EQ(vllm[QLatin1String("repetition_penalty")], 1.1);
    EXPECT_EQ(vllm[QLatin1String("chat_template_kwargs")][QLatin1String("enable_thinking")], false);
    EXPECT_EQ(llama[QLatin1String("repeat_penalty")], 1.1);
    EXPECT_EQ(llama[QLatin1String("repeat_last_n")], 64);
    for (const char *unknown : {"top_k", "min_p", "repetition_penalty", "chat_template_kwargs"})
        EXPECT_FALSE(cloud.contains(QLatin1String(unknown))) << unknown;
    EXPECT_EQ(cloud[QLatin1String("temperature")], 0.7);
    EXPECT_EQ(cloud[QLatin1String("seed")], 5);
    EXPECT_EQ(cloud[QLatin1String("max_tokens")], 9);
    EXPECT_EQ(cloud[QLatin1String("messages")][0][QLatin1String("role")], QLatin1String("system"));
    EXPECT_EQ(cloud[QLatin1String("stream_options")][QLatin1String("include_usage")], true);
    const QStringList left =
        chatBody(jobWith(sampling), QStringLiteral("m"), ServerKind::Unknown, 5, {}).left;
    EXPECT_EQ(left.size(), 4) << left.join(QLatin1Char(' ')).toStdString();
}

TEST(ChatBodyTest, WhatWasRefusedIsLeftOutAndNamed)
{
    SamplingSettings sampling;
    sampling.maxTokens = 9;
    const ChatBody body = chatBody(jobWith(sampling), QStringLiteral("m"), ServerKind::Vllm, 5,
                                   {QStringLiteral("temperature"), QStringLiteral("max_tokens")});
    EXPECT_FALSE(body.json.contains(QLatin1String("temperature")));
    EXPECT_FALSE(body.json.contains(QLatin1String("max_tokens")));
    EXPECT_EQ(body.json[QLatin1String("max_completion_tokens")], 9);
    EXPECT_EQ(body.left, QStringList{QStringLiteral("temperature")});
}

TEST(ChatBodyTest, CallsThatNobodyAnsweredAreToldInWords)
{
    ReplyJob job = jobWith({});
    job.messages.append({QStringLiteral("assistant"),
                         QStringLiteral("Let me look."),
                         {},
                         {{QStringLiteral("look"), QStringLiteral("{}"), QStringLiteral("c1")}}});
    job.messages.append({QStringLiteral("user"), QStringLiteral("And?")});
    const QJsonObject json = chatBody(job, QStringLiteral("m"), ServerKind::Unknown, 5, {}).json;
    const QJsonObject told = json[QLatin1String("messages")][2].toObject();
    EXPECT_FALSE(told.contains(QLatin1String("tool_calls")));
    EXPECT_EQ(told[QLatin1String("content")], QLatin1String("Let me look.\nlook {}"));
}

TEST(ChatBodyTest, AnswersOfToolsGoToTheirCalls)
{
    ReplyJob job = jobWith({});
    const TurnCall first{QStringLiteral("look"), QStringLiteral("{}"), {}},
        second{QStringLiteral("hear"), QStringLiteral("{\"a\":1}"), QStringLiteral("own")};
    job.messages.append({QStringLiteral("assistant"), {}, {}, {first, second}});
    job.messages.append({QStringLiteral("tool"), QStringLiteral("a sound"), {}, {second}});
    job.messages.append({QStringLiteral("tool"), QStringLiteral("a sight"), {}, {first}});
    job.messages.append({QStringLiteral("tool"), QStringLiteral("too many"), {}, {first}});
    const QJsonArray told = chatBody(job, QStringLiteral("m"), ServerKind::Unknown, 5, {})
                                .json[QLatin1String("messages")]
                                .toArray();
    ASSERT_EQ(told.size(), 6);
    const QJsonArray calls = told[2][QLatin1String("tool_calls")].toArray();
    ASSERT_EQ(calls.size(), 2);
    EXPECT_EQ(calls[1][QLatin1String("id")], QLatin1String("own"));
    EXPECT_EQ(calls[1][QLatin1String("function")][QLatin1String("arguments")],
              QLatin1String("{\"a\":1}"));
    EXPECT_EQ(told[3][QLatin1String("tool_call_id")], QLatin1String("own"));
    EXPECT_EQ(told[3][QLatin1String("content")], QLatin1String("a sound"));
    EXPECT_EQ(told[4][QLatin1String("tool_call_id")], calls[0][QLatin1String("id")]);
    EXPECT_EQ(told[5][QLatin1String("role")], QLatin1String("user"));
}

TEST(ChatBodyTest, ToolsAreOffered)
{
    ReplyJob job = jobWith({});
    EXPECT_FALSE(chatBody(job, QStringLiteral("m"), ServerKind::Vllm, 5, {})
                     .json.contains(QLatin1String("tools")));
    job.tools = {
        {QStringLiteral("add"), QStringLiteral("Adds."), QStringLiteral(R"({"type":"object"})")}};
    const QJsonObject json = chatBody(job, QStringLiteral("m"), ServerKind::Vllm, 5, {}).json;
    const QJsonValue function = json[QLatin1String("tools")][0][QLatin1String("function")];
    EXPECT_EQ(function[QLatin1String("name")], QLatin1String("add"));
    EXPECT_EQ(function[QLatin1String("description")], QLatin1String("Adds."));
    EXPECT_EQ(function[QLatin1String("parameters")][QLatin1String("type")],
              QLatin1String("object"));
}

TEST(ChatBodyTest, BegunAnswersGoOnWhereServersCan)
{
    ReplyJob job = jobWith({});
    job.begun = QStringLiteral("Once");
    const QJsonObject json = chatBody(job, QStringLiteral("m"), ServerKind::Vllm, 5, {}).json;
    EXPECT_EQ(json[QLatin1String("continue_final_message")], true);
    EXPECT_EQ(json[QLatin1String("add_generation_prompt")], false);
    EXPECT_EQ(json[QLatin1String("messages")].toArray().last()[QLatin1String("content")],
              QLatin1String("Once"));
    EXPECT_FALSE(canContinueAnswers(ServerKind::Unknown));
}

ModelListing listing(const char *json)
{
    return listingIn(QJsonDocument::fromJson(json).object());
}

TEST(ListingTest, KindsAndContextsAreRead)
{
    const ModelListing vllm = listing(R"({"object":"list","data":[{"id":"Qwen/Q","object":"model",
        "owned_by":"vllm","root":"Qwen/Q","max_model_len":32768,"permission":[]}]})");
    EXPECT_EQ(vllm.kind, ServerKind::Vllm);
    ASSERT_EQ(vllm.models.size(), 1);
    EXPECT_EQ(vllm.models[0], (OfferedModel{QStringLiteral("Qwen/Q"), 32768, ServerKind::Vllm}));
    const ModelListing llama = listing(R"({"models":[{"name":"a"}],"data":[{"id":"a.gguf",
        "owned_by":"llamacpp","meta":{"n_ctx_train":131072,"n_ctx":4096}}]})");
    EXPECT_EQ(llama.models[0].context, 4096);
    EXPECT_EQ(listing(R"({"data":[{"id":"x","owned_by":"library"}]})").kind, ServerKind::Ollama);
    const ModelListing odd = listing(R"({"data":[{"id":""},{"id":7},"x",{"id":"a\u0007b"},
        {"id":"e","type":"embeddings"},{"id":"ok","context_length":-5},{"id":"ok2",
        "context_length":1e300}]})");
    ASSERT_EQ(odd.models.size(), 2);
    EXPECT_EQ(odd.models[0].context, 0);
    EXPECT_EQ(odd.models[1].context, 1'000'000'000);
    EXPECT_TRUE(listing(R"({"data":{}})").models.isEmpty());
}

} // namespace
} // namespace fireside
