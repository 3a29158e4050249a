// Many replies at once: each as generate() gives it alone, in turns that are fair, within limits.
#include "engine/core/error.h"
#include "engine/engine.h"
#include "engine/generate/scheduler.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace fireside {
namespace {

constexpr int kContext = 256;

class SchedulerTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        // All in F32: what products round else hangs on what is computed together.
        s_folder = new test::TempDir;
        s_engine = new Engine;
        s_model = new std::shared_ptr<const LoadedModel>(
            s_engine->load(test::starterModelInF32(*s_folder),
                           {.backend = BackendKind::Cpu, .kvType = DType::F32}));
    }
    static void TearDownTestSuite()
    {
        delete s_model;
        delete s_engine;
        delete s_folder;
    }
    static const LoadedModel &model() { return **s_model; }

    struct Heard
    {
        std::string text, reasoning;
        GenerateResult result;
        std::vector<TokenProbabilities> probabilities;
        int ended = 0, errors = 0;
        std::string error;
    };

    SchedulerSettings settings() const
    {
        return {.context = kContext,
                .kvType = DType::F32,
                .contextBytes = static_cast<std::uint64_t>(kContext) * 1000,
                .promptChunk = 8};
    }
    static GenerateRequest request(const std::string &question, int tokens = 12)
    {
        GenerateRequest r;
        r.prompt = model().chatTokens({{"user", question}});
        r.sampler.temperature = 0;
        r.maxTokens = tokens;
        return r;
    }
    static GenerateEvents eventsOf(Heard &heard)
    {
        GenerateEvents events;
        events.text = [&heard](std::string_view piece, const GenerateStats &) {
            heard.text += piece;
        };
        events.parts = [&heard](std::span<const ReplyDelta> deltas, const GenerateStats &) {
            for (const ReplyDelta &delta : deltas)
                (delta.kind == ReplyPartKind::Reasoning ? heard.reasoning : heard.text) +=
                    delta.text;
        };
        return events;
    }
    static ScheduledRequest asked(GenerateRequest request, Heard &heard)
    {
        ScheduledRequest all;
        all.request = std::move(request);
        all.events = eventsOf(heard);
        all.onToken = [&heard](const TokenProbabilities &one, const Tokenizer &) {
            heard.probabilities.push_back(one);
        };
        all.finished = [&heard](const GenerateResult &result) {
            heard.result = result;
            ++heard.ended;
        };
        all.failed = [&heard](const Error &error) {
            heard.error = error.what();
            ++heard.errors;
        };
        return all;
    }
    static Heard alone(const GenerateRequest &request)
    {
        Heard heard;
        Session session(model().model(), kContext, DType::F32);
        heard.result = generate(session, model().tokenizer(), request, eventsOf(heard));
        return heard;
    }
    static void finishAll(Scheduler &scheduler)
    {
        for (int steps = 0; scheduler.step(); ++steps)
            ASSERT_LT(steps, 100'000);
    }
    static std::string longQuestion(int words)
    {
        std::string text;
        for (int i = 0; i < words; ++i)
            text += "word" + std::to_string(i % 7) + ' ';
        return text;
    }

    static test::TempDir *s_folder;
    static Engine *s_engine;
    static std::shared_ptr<const LoadedModel> *s_model;
};
test::TempDir *SchedulerTest::s_folder = nullptr;
Engine *SchedulerTest::s_engine = nullptr;
std::shared_ptr<const LoadedModel> *SchedulerTest::s_model = nullptr;

/// Every way of drawing, of ending, and of showing what is drawn.
std::vector<GenerateRequest> manyWays(const std::function<GenerateRequest(std::string, int)> &make)
{
    std::vector<GenerateRequest> all;
    all.push_back(make("How do I add a model?", 20));
    all.push_back(make("What is Fireside?", 9));
    for (int i = 0; i < 5; ++i) {
        all.push_back(make("Tell me about number " + std::to_string(i), 10 + 3 * i));
        SamplerSettings &sampler = all.back().sampler;
        sampler.temperature = 0.8f;
        sampler.seed = static_cast<std::uint64_t>(100 + i);
        sampler.topK = i == 1 ? 0 : i == 2 ? 500 : 20 + i; // candidates, or all logits
        sampler.minP = i == 3 ? 0.0f : 0.05f;
        sampler.repeatPenalty = i == 4 ? 1.2f : 1.0f;
    }
    all.push_back(make("Hello", 30));
    all.back().stopStrings = {"e"};
    all.push_back(make("What can you do?", 0)); // until it ends, or the context does
    all.push_back(make("Think.", 24));
    all.back().format.emplace();
    all.back().inReasoning = true;
    all.back().thinkingBudget = 5;
    all.push_back(make("Once more: what is Fireside?", 1));
    return all;
}

TEST_F(SchedulerTest, EachReplyIsTheOneThatItIsAlone)
{
    const auto requests = manyWays(request);
    std::vector<Heard> lone;
    for (const GenerateRequest &one : requests)
        lone.push_back(alone(one));
    for (const int sequences : {1, 4}) {
        SchedulerSettings some = settings();
        some.sequences = sequences;
        Scheduler scheduler(model().model(), model().tokenizer(), some);
        std::vector<Heard> heard(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            ScheduledRequest one = asked(requests[i], heard[i]);
            one.probabilities = i % 4 == 3 ? 2 : -1;
            scheduler.submit(std::move(one));
            scheduler.step(); // they join while others run
        }
        finishAll(scheduler);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const Heard &expected = lone[i];
            EXPECT_EQ(heard[i].ended, 1);
            EXPECT_EQ(heard[i].errors, 0) << heard[i].error;
            EXPECT_EQ(heard[i].result.tokens, expected.result.tokens) << i << " of " << sequences;
            EXPECT_EQ(heard[i].text, expected.text) << i;
            EXPECT_EQ(heard[i].reasoning, expected.reasoning) << i;
            EXPECT_EQ(heard[i].result.finish, expected.result.finish) << i;
            EXPECT_EQ(heard[i].result.stats.promptTokens, expected.result.stats.promptTokens);
            if (i % 4 == 3) {
                EXPECT_EQ(heard[i].probabilities.size(), expected.result.tokens.size());
            }
        }
        const SchedulerCounts counts = scheduler.counts();
        EXPECT_EQ(counts.finished, requests.size());
        EXPECT_EQ(counts.running, 0);
        EXPECT_LE(counts.kept, sequences);
        if (sequences > 1) {
            EXPECT_GT(counts.sharedPasses, 0u) << "nothing was computed together";
        }
    }
}

TEST_F(SchedulerTest, ClientsTakeTurnsAndTheWindowComesFirst)
{
    SchedulerSettings one = settings();
    one.sequences = 1;
    Scheduler scheduler(model().model(), model().tokenizer(), one);
    std::vector<Heard> heard(6);
    std::string order;
    const auto submit = [&](std::size_t i, const std::string &client, char name, bool first) {
        ScheduledRequest request =
            asked(this->request(std::string("Question ") + name, 2), heard[i]);
        request.client = client;
        request.first = first;
        request.finished = [&order, name](const GenerateResult &) { order += name; };
        scheduler.submit(std::move(request));
    };
    submit(0, "greedy", '1', false);
    submit(1, "greedy", '2', false);
    submit(2, "greedy", '3', false);
    submit(3, "other", 'a', false);
    submit(4, "other", 'b', false);
    scheduler.step();
    submit(5, "window", 'W', true);
    finishAll(scheduler);
    EXPECT_EQ(order, "1Wa2b3");
}

TEST_F(SchedulerTest, ACommonBeginningIsComputedOnce)
{
    SchedulerSettings some = settings();
    some.sequences = 3;
    Scheduler scheduler(model().model(), model().tokenizer(), some);
    const GenerateRequest same = request(longQuestion(30), 6);
    const int length = static_cast<int>(same.prompt.size());
    ASSERT_GT(length, 60);
    std::vector<Heard> heard(4);
    for (std::size_t i = 0; i < 3; ++i)
        scheduler.submit(asked(same, heard[i]));
    finishAll(scheduler);
    EXPECT_EQ(heard[0].result.stats.reusedTokens, 0);
    for (const std::size_t i : {1u, 2u})
        EXPECT_EQ(heard[i].result.stats.reusedTokens, length - 1) << i;
    // The next turn of the chat goes on in its session.
    GenerateRequest next = same;
    next.prompt.insert(next.prompt.end(), heard[1].result.tokens.begin(),
                       heard[1].result.tokens.end());
    next.prompt.push_back(same.prompt.front());
    scheduler.submit(asked(next, heard[3]));
    finishAll(scheduler);
    EXPECT_EQ(heard[3].result.stats.reusedTokens, length + 5);
    EXPECT_EQ(heard[3].result.tokens, alone(next).result.tokens);
    for (const std::size_t i : {0u, 1u, 2u})
        EXPECT_EQ(heard[i].result.tokens, alone(same).result.tokens);
}

TEST_F(SchedulerTest, NothingIsReusedAcrossRealms)
{
    Scheduler scheduler(model().model(), model().tokenizer(), settings());
    const GenerateRequest same = request(longQuestion(30), 4);
    std::vector<Heard> heard(5);
    const auto submit = [&](std::size_t i, const std::string &realm) {
        ScheduledRequest one = asked(same, heard[i]);
        one.realm = realm;
        scheduler.submit(std::move(one));
    };
    submit(0, "a");
    submit(1, "b"); // at once
    finishAll(scheduler);
    EXPECT_EQ(scheduler.giveBack(), nullptr);
    EXPECT_EQ(scheduler.endedWith(same.prompt), nullptr);
    submit(2, "");
    finishAll(scheduler);
    for (const std::size_t i : {0u, 1u, 2u})
        EXPECT_EQ(heard[i].result.stats.reusedTokens, 0) << i;
    submit(3, "b");
    submit(4, "");
    finishAll(scheduler);
    for (const std::size_t i : {3u, 4u})
        EXPECT_EQ(heard[i].result.stats.reusedTokens, static_cast<int>(same.prompt.size()) - 1);
}

TEST_F(SchedulerTest, RunningRepliesGoOnWhileAPromptIsRead)
{
    Scheduler scheduler(model().model(), model().tokenizer(), settings());
    Heard first, second;
    int tokens = 0;
    ScheduledRequest running = asked(request("How do I add a model?", 40), first);
    running.events.text = [&](std::string_view, const GenerateStats &stats) {
        tokens = stats.generatedTokens;
    };
    scheduler.submit(std::move(running));
    while (tokens < 2)
        ASSERT_TRUE(scheduler.step());
    ScheduledRequest reading = asked(request(longQuestion(40), 2), second);
    std::vector<int> done, between;
    reading.events.prompt = [&](int read, int) {
        done.push_back(read);
        between.push_back(tokens);
    };
    scheduler.submit(std::move(reading));
    finishAll(scheduler);
    ASSERT_GT(done.size(), 4u);
    EXPECT_EQ(done.front(), 8);
    EXPECT_EQ(done.back(), second.result.stats.promptTokens);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_GT(between[i], between[i - 1]) << "a token between two chunks";
}

/// Whoever joins is in the passes at once: one prompt after the other would starve them.
TEST_F(SchedulerTest, ManyClientsFillPassesWithinFewSteps)
{
    constexpr std::size_t kClients = 16;
    SchedulerSettings many = settings();
    many.sequences = kClients;
    many.promptChunk = 0; // as measured
    Scheduler scheduler(model().model(), model().tokenizer(), many);
    std::vector<Heard> heard(kClients + 1);
    scheduler.submit(asked(request("How do I add a model?", 100), heard[kClients]));
    scheduler.step();
    scheduler.step();
    std::uint64_t prompts = 0;
    for (std::size_t i = 0; i < kClients; ++i) {
        const GenerateRequest one = request("No. " + std::to_string(i) + ": what is it?", 40);
        prompts += one.prompt.size();
        scheduler.submit(asked(one, heard[i]));
    }
    int steps = 0;
    for (std::uint64_t drawn = 0; drawn < kClients; ++steps) {
        ASSERT_LT(steps, 40);
        const SchedulerCounts before = scheduler.counts();
        ASSERT_TRUE(scheduler.step());
        drawn = scheduler.counts().passTokens - before.passTokens;
    }
    // The first prompt alone, which others begin like; then 32 tokens a pass at least.
    EXPECT_LE(steps, 3 + static_cast<int>(prompts) / 32);
    const SchedulerCounts full = scheduler.counts();
    for (int i = 0; i < 5; ++i)
        scheduler.step();
    EXPECT_EQ(scheduler.counts().passes - full.passes, 5u);
    EXPECT_EQ(scheduler.counts().passTokens - full.passTokens, 5 * kClients);
    EXPECT_EQ(scheduler.counts().passRows - full.passRows, 5 * kClients);
    finishAll(scheduler);
    for (std::size_t i = 0; i < kClients; ++i)
        EXPECT_EQ(heard[i].ended, 1) << heard[i].error;
}

/// A short prompt does not wait for a long one that is being read.
TEST_F(SchedulerTest, ShortPromptsAreReadBesideLongOnes)
{
    Scheduler scheduler(model().model(), model().tokenizer(), settings());
    std::vector<Heard> heard(3);
    scheduler.submit(asked(request("How do I add a model?", 60), heard[0]));
    while (heard[0].text.empty())
        ASSERT_TRUE(scheduler.step());
    std::string order;
    for (const std::size_t i : {1u, 2u}) {
        GenerateRequest one = request("x", 1);
        one.prompt.resize(i == 1 ? 200 : 4, one.prompt.back());
        one.prompt.front() = static_cast<TokenId>(i + 65); // they share nothing
        ScheduledRequest all = asked(one, heard[i]);
        all.finished = [&order, i](const GenerateResult &) { order += i == 1 ? 'l' : 's'; };
        scheduler.submit(std::move(all));
    }
    finishAll(scheduler);
    EXPECT_EQ(order, "sl");
}

TEST_F(SchedulerTest, StoppedRequestsLeaveAtOnce)
{
    SchedulerSettings two = settings();
    two.sequences = 2;
    Scheduler scheduler(model().model(), model().tokenizer(), two);
    std::vector<Heard> heard(4);
    std::vector<std::stop_source> stops(4);
    const auto submit = [&](std::size_t i, GenerateRequest what) {
        ScheduledRequest one = asked(std::move(what), heard[i]);
        one.stop = stops[i].get_token();
        scheduler.submit(std::move(one));
    };
    submit(0, request("How do I add a model?", 100)); // stopped in its reply
    submit(1, request(longQuestion(40), 100));        // in its prompt
    submit(2, request("never begun", 100));           // while it waits
    submit(3, request("What is Fireside?", 5));       // goes on
    while (heard[0].text.empty())
        scheduler.step();
    for (const std::size_t i : {0u, 1u, 2u})
        stops[i].request_stop();
    scheduler.step();
    for (const std::size_t i : {0u, 1u, 2u}) {
        EXPECT_EQ(heard[i].ended, 1) << i;
        EXPECT_EQ(heard[i].result.finish, FinishReason::Stopped) << i;
    }
    EXPECT_TRUE(heard[2].result.tokens.empty());
    EXPECT_LT(heard[1].result.stats.promptTokens, 200);
    finishAll(scheduler);
    EXPECT_EQ(heard[3].result.tokens, alone(request("What is Fireside?", 5)).result.tokens);
    EXPECT_EQ(scheduler.counts().stopped, 3u);
}

TEST_F(SchedulerTest, WhatCannotBeServedIsRefusedWithNumbers)
{
    SchedulerSettings narrow = settings();
    narrow.sequences = 1;
    narrow.waiting = 2;
    narrow.cacheBytes = 100'000; // of 256,000 that a whole context takes
    Scheduler scheduler(model().model(), model().tokenizer(), narrow);
    std::vector<Heard> heard(4);
    const auto refused = [&](GenerateRequest what, const std::string &says) {
        try {
            scheduler.submit(asked(std::move(what), heard[3]));
            ADD_FAILURE() << "taken";
        } catch (const Error &error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    };
    GenerateRequest wrong = request("x");
    wrong.prompt.resize(300, 5);
    refused(wrong, "300 tokens, the context 256");
    wrong.prompt.clear();
    refused(wrong, "empty");
    wrong.prompt = {-1};
    refused(wrong, "token -1");
    wrong.prompt = {1};
    wrong.sampler.topP = 3;
    refused(wrong, "top-p");
    refused(request("x", 0), "256 kB");
    scheduler.submit(asked(request("a", 3), heard[0]));
    scheduler.submit(asked(request("b", 3), heard[1]));
    refused(request("c", 3), "2 requests are waiting");
    finishAll(scheduler);
    scheduler.submit(asked(request("c", 3), heard[2]));
    finishAll(scheduler);
    for (const std::size_t i : {0u, 1u, 2u})
        EXPECT_EQ(heard[i].ended, 1);
    EXPECT_EQ(heard[3].ended + heard[3].errors, 0);
    EXPECT_EQ(scheduler.counts().refused, 1u);
}

TEST_F(SchedulerTest, CachesStayWithinTheirLimit)
{
    const Session session(model().model(), kContext, DType::F32);
    const std::uint64_t whole = session.kvBytes();
    SchedulerSettings tight = settings();
    tight.contextBytes = whole;
    tight.cacheBytes = 2 * whole;
    Scheduler scheduler(model().model(), model().tokenizer(), tight);
    std::vector<Heard> heard(5);
    for (std::size_t i = 0; i < heard.size(); ++i)
        scheduler.submit(asked(request("Question " + std::to_string(i), 0), heard[i]));
    while (scheduler.step()) {
        EXPECT_LE(scheduler.counts().cacheBytes, tight.cacheBytes);
        EXPECT_LE(scheduler.counts().running, 2);
    }
    for (const Heard &one : heard)
        EXPECT_EQ(one.ended, 1);
}

TEST_F(SchedulerTest, AThreadServesOthersAndEndsThemWhenItIsStopped)
{
    Scheduler scheduler(model().model(), model().tokenizer(), settings());
    constexpr std::size_t kClients = 6;
    std::vector<Heard> heard(kClients + 1);
    std::atomic<int> ended = 0;
    std::jthread server([&](const std::stop_token &stop) { scheduler.run(stop); });
    const auto submit = [&](std::size_t i, GenerateRequest what) {
        ScheduledRequest one = asked(std::move(what), heard[i]);
        one.client = std::to_string(i);
        one.finished = [&, i](const GenerateResult &result) {
            heard[i].result = result;
            ++ended;
            ended.notify_all();
        };
        scheduler.submit(std::move(one));
    };
    {
        std::vector<std::jthread> clients;
        for (std::size_t i = 0; i < kClients; ++i)
            clients.emplace_back(
                [&, i] { submit(i, request("Question " + std::to_string(i), 8)); });
    }
    for (int seen = ended; seen < static_cast<int>(kClients); seen = ended)
        ended.wait(seen);
    for (std::size_t i = 0; i < kClients; ++i)
        EXPECT_EQ(heard[i].result.tokens,
                  alone(request("Question " + std::to_string(i), 8)).result.tokens);
    submit(kClients, request("How do I add a model?", 0));
    server.request_stop();
    server.join();
    EXPECT_EQ(ended, static_cast<int>(kClients) + 1);
}

TEST(TokenProbabilitiesTest, AreThoseOfTheSoftmax)
{
    const std::vector<float> logits{1.0f, 3.0f, 2.0f, 3.0f, -200.0f};
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit));
    const TokenProbabilities all = probabilitiesOf(logits, 2, 3);
    EXPECT_EQ(all.drawn.token, 2);
    EXPECT_NEAR(all.drawn.logProbability, 2 - std::log(sum), 1e-12);
    ASSERT_EQ(all.best.size(), 3u);
    EXPECT_EQ(all.best[0].token, 1);
    EXPECT_EQ(all.best[1].token, 3);
    EXPECT_EQ(all.best[2].token, 2);
    EXPECT_NEAR(all.best[0].logProbability, 3 - std::log(sum), 1e-12);
    EXPECT_EQ(probabilitiesOf(logits, 0, 99).best.size(), logits.size());
    EXPECT_TRUE(probabilitiesOf(logits, 0, 0).best.empty());
}

} // namespace
} // namespace fireside
