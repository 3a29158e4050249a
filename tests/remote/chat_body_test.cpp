#include "app/remote/chat_body.h"
#include "app/remote/model_query.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <gtest/gtest.h>

namespace fireside {
namespace {

const QList<ToolOffer> kLook{
    {QStringLiteral("look"), QStringLiteral("Looks."), QStringLiteral(R"({"type":"object"})")}};

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
        chatBody(jobWith(sampling), QStringLiteral("m"), ServerKind::Unknown, 5, {}).unsent;
    EXPECT_EQ(left.size(), 4) << left.join(QLatin1Char(' ')).toStdString();
}

TEST(ChatBodyTest, SamplersThatAreOffAreSentAsOff)
{
    SamplingSettings off;
    off.topK = 0;
    off.topP = 1;
    off.minP = 0;
    const auto expect = [&](ServerKind kind, const QJsonObject &values) {
        const ChatBody body = chatBody(jobWith(off), QStringLiteral("m"), kind, 5, {});
        for (auto one = values.begin(); one != values.end(); ++one)
            EXPECT_EQ(body.json[one.key()], one.value())
                << nameOf(kind).toStdString() << ' ' << one.key().toStdString();
        EXPECT_TRUE(body.unsent.isEmpty()) << body.unsent.join(QLatin1Char(' ')).toStdString();
    };
    const auto object = [](const char *json) { return QJsonDocument::fromJson(json).object(); };
    for (const ServerKind kind : {ServerKind::LlamaCpp, ServerKind::Fireside})
        expect(kind, object(R"({"top_k":0,"top_p":1,"min_p":0,"repeat_penalty":1,"typical_p":1,
            "frequency_penalty":0,"presence_penalty":0,"top_n_sigma":-1,"xtc_probability":0,
            "dry_multiplier":0,"dynatemp_range":0,"mirostat":0})"));
    for (const ServerKind kind : {ServerKind::Vllm, ServerKind::Sglang})
        expect(kind, object(R"({"top_k":-1,"top_p":1,"min_p":0,"repetition_penalty":1,
            "frequency_penalty":0,"presence_penalty":0})"));
    expect(ServerKind::OpenRouter,
           object(R"({"top_k":0,"top_p":1,"min_p":0,"repetition_penalty":1})"));
    expect(ServerKind::LmStudio, object(R"({"top_k":0,"top_p":1,"repeat_penalty":1})"));
    for (const ServerKind kind : {ServerKind::Unknown, ServerKind::Ollama})
        expect(kind, object(R"({"top_p":1,"frequency_penalty":0,"presence_penalty":0})"));
}

/// All on, and nothing as it is by default.
SamplingSettings everything()
{
    SamplingSettings all;
    all.temperature = 0.5;
    all.topK = 7;
    all.topP = 0.5;
    all.minP = 0.25;
    all.repeatPenalty = 1.5;
    all.repeatWindow = 32;
    all.maxTokens = 9;
    all.stopStrings = {"x"};
    all.thinking = "on";
    all.reasoningEffort = "high";
    all.thinkingBudget = 3;
    all.frequencyPenalty = all.presencePenalty = 0.5;
    all.dryMultiplier = 0.5;
    all.dryBase = 2;
    all.dryAllowedLength = 3;
    all.dryWindow = 99;
    all.dryBreakers = {"."};
    all.typicalP = 0.5;
    all.topNSigma = 1.5;
    all.xtcProbability = 0.5;
    all.xtcThreshold = 0.25;
    all.temperatureRange = 0.25;
    all.temperatureExponent = 2;
    all.mirostat = "2";
    all.mirostatTarget = 4;
    all.mirostatRate = 0.25;
    all.logitBias = {"maybe=-5"};
    return all;
}

TEST(ChatBodyTest, EverySettingIsSentOrNamedAsUnsent)
{
    const QHash<QString, QString> names{
        {QStringLiteral("temperature"), QStringLiteral("temperature")},
        {QStringLiteral("topK"), QStringLiteral("top_k")},
        {QStringLiteral("topP"), QStringLiteral("top_p")},
        {QStringLiteral("minP"), QStringLiteral("min_p")},
        {QStringLiteral("repeatPenalty"), QStringLiteral("repeat_penalty")},
        {QStringLiteral("repeatWindow"), QStringLiteral("repeat_last_n")},
        {QStringLiteral("maxTokens"), QStringLiteral("max_tokens")},
        {QStringLiteral("stopStrings"), QStringLiteral("stop")},
        {QStringLiteral("thinking"), QStringLiteral("chat_template_kwargs")},
        {QStringLiteral("reasoningEffort"), QStringLiteral("reasoning_effort")},
        {QStringLiteral("thinkingBudget"), QStringLiteral("none")},
        {QStringLiteral("frequencyPenalty"), QStringLiteral("frequency_penalty")},
        {QStringLiteral("presencePenalty"), QStringLiteral("presence_penalty")},
        {QStringLiteral("dryMultiplier"), QStringLiteral("dry_multiplier")},
        {QStringLiteral("dryBase"), QStringLiteral("dry_base")},
        {QStringLiteral("dryAllowedLength"), QStringLiteral("dry_allowed_length")},
        {QStringLiteral("dryWindow"), QStringLiteral("dry_penalty_last_n")},
        {QStringLiteral("dryBreakers"), QStringLiteral("dry_sequence_breakers")},
        {QStringLiteral("typicalP"), QStringLiteral("typical_p")},
        {QStringLiteral("topNSigma"), QStringLiteral("top_n_sigma")},
        {QStringLiteral("xtcProbability"), QStringLiteral("xtc_probability")},
        {QStringLiteral("xtcThreshold"), QStringLiteral("xtc_threshold")},
        {QStringLiteral("temperatureRange"), QStringLiteral("dynatemp_range")},
        {QStringLiteral("temperatureExponent"), QStringLiteral("dynatemp_exponent")},
        {QStringLiteral("mirostat"), QStringLiteral("mirostat")},
        {QStringLiteral("mirostatTarget"), QStringLiteral("mirostat_tau")},
        {QStringLiteral("mirostatRate"), QStringLiteral("mirostat_eta")},
        {QStringLiteral("logitBias"), QStringLiteral("logit_bias")}};
    for (const ServerKind kind :
         {ServerKind::Unknown, ServerKind::Fireside, ServerKind::Vllm, ServerKind::Sglang,
          ServerKind::LlamaCpp, ServerKind::LmStudio, ServerKind::Ollama, ServerKind::OpenRouter}) {
        const ChatBody body = chatBody(jobWith(everything()), QStringLiteral("m"), kind, 5, {});
        for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
            const QString key = QLatin1String(setting.key);
            if (key == QLatin1String("systemPrompt") || key == QLatin1String("whenFull") ||
                key == QLatin1String("seed"))
                continue;
            ASSERT_TRUE(names.contains(key)) << setting.key;
            const bool sent = body.json.contains(names[key]) ||
                              (key == QLatin1String("repeatPenalty") &&
                               body.json.contains(QLatin1String("repetition_penalty")));
            EXPECT_NE(sent, body.unsent.contains(key))
                << nameOf(kind).toStdString() << ' ' << setting.key;
        }
    }
    const QJsonObject llama =
        chatBody(jobWith(everything()), QStringLiteral("m"), ServerKind::LlamaCpp, 5, {}).json;
    EXPECT_EQ(llama[QLatin1String("typical_p")], 0.5);
    EXPECT_EQ(llama[QLatin1String("mirostat")], 2);
    EXPECT_EQ(llama[QLatin1String("logit_bias")],
              QJsonValue(QJsonArray{QJsonArray{QStringLiteral("maybe"), -5.0}}));
    EXPECT_EQ(
        chatBody(jobWith(everything()), QStringLiteral("m"), ServerKind::LlamaCpp, 5, {}).unsent,
        QStringList{QStringLiteral("thinkingBudget")});
}

TEST(ChatBodyTest, DryLooksBackAtAllTokensByDefault)
{
    SamplingSettings sampling;
    sampling.dryMultiplier = 0.5;
    const QJsonObject json =
        chatBody(jobWith(sampling), QStringLiteral("m"), ServerKind::LlamaCpp, 5, {}).json;
    EXPECT_EQ(json[QLatin1String("dry_penalty_last_n")], -1) << "0 is off there";
}

TEST(ChatBodyTest, TokensByNumberAreBiasedEverywhere)
{
    SamplingSettings sampling;
    sampling.logitBias = {"#1234=-100"};
    const QJsonObject json =
        chatBody(jobWith(sampling), QStringLiteral("m"), ServerKind::Vllm, 5, {}).json;
    EXPECT_EQ(json[QLatin1String("logit_bias")][QLatin1String("1234")], -100.0);
}

TEST(ChatBodyTest, WithoutToolsCallsAreToldInWords)
{
    ReplyJob job = jobWith({});
    const TurnCall call{QStringLiteral("look"), QStringLiteral("{\"a\": 1}"), QStringLiteral("c1")};
    job.messages.append({QStringLiteral("assistant"), QStringLiteral("I look."), {}, {call}});
    job.messages.append({QStringLiteral("tool"), QStringLiteral("a sight"), {}, {call}});
    const QJsonArray told = chatBody(job, QStringLiteral("m"), ServerKind::Unknown, 5, {})
                                .json[QLatin1String("messages")]
                                .toArray();
    ASSERT_EQ(told.size(), 4);
    EXPECT_FALSE(told[2].toObject().contains(QLatin1String("tool_calls")));
    EXPECT_EQ(told[2][QLatin1String("content")], QLatin1String("I look.\nlook {\"a\": 1}"));
    EXPECT_EQ(told[3][QLatin1String("role")], QLatin1String("user"));
    EXPECT_EQ(told[3][QLatin1String("content")], QLatin1String("a sight"));
}

TEST(ChatBodyTest, ToolsThatMayNotBeCalledAreNamedAllTheSame)
{
    ReplyJob job = jobWith({});
    job.tools = kLook;
    job.mayCall = false;
    const auto json = [&](const RefusedParameters &refused) {
        return chatBody(job, QStringLiteral("m"), ServerKind::Unknown, 5, refused).json;
    };
    EXPECT_EQ(json({})[QLatin1String("tools")].toArray().size(), 1);
    EXPECT_EQ(json({})[QLatin1String("tool_choice")], QLatin1String("none"));
    EXPECT_FALSE(json({QStringLiteral("tool_choice")}).contains(QLatin1String("tool_choice")));
    job.mayCall = true;
    EXPECT_FALSE(json({}).contains(QLatin1String("tool_choice")));
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
    EXPECT_EQ(body.unsent, QStringList{QStringLiteral("temperature")});
}

TEST(ChatBodyTest, CallsThatNobodyAnsweredAreToldInWords)
{
    ReplyJob job = jobWith({});
    job.tools = kLook;
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
    job.tools = kLook;
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
