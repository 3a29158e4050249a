#include "engine/engine.h"
#include "tests/support/fake_engine.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stop_token>

// What still happens after Stop, counted in passes, ops and tensors: a bound in time that holds on
// every machine whose ops take no longer than the bound.
namespace fireside {
namespace {

using At = test::DeviceScript::At;

class StopTest : public testing::Test
{
protected:
    std::shared_ptr<const LoadedModel> load(std::stop_token stop = {})
    {
        return m_engine.load(test::goldenGguf("f16"),
                             {.backend = BackendKind::Cpu, .context = 512, .threads = 2}, {}, stop);
    }
    GenerateRequest request(const LoadedModel &model, std::size_t promptTokens) const
    {
        GenerateRequest request;
        for (std::size_t i = 0; i < promptTokens; ++i)
            request.prompt.push_back(static_cast<TokenId>(
                i * 37 % static_cast<std::size_t>(model.summary().vocabulary)));
        request.sampler.temperature = 0;
        return request;
    }
    static std::int64_t opsThatRan(const LoadedModel &model)
    {
        const auto times = model.model().takeOpTimes();
        return std::accumulate(times.begin(), times.end(), std::int64_t{0},
                               [](std::int64_t sum, const OpTime &op) { return sum + op.calls; });
    }
    /// How many ops run when the nth one is where the reply is stopped, or where the device fails.
    enum class Until { Stop, Fault };
    std::int64_t opsUntil(const LoadedModel &model, int n, std::size_t promptTokens, Until until)
    {
        stopAt(until == Until::Stop ? At::Op : At::Count, n);
        if (until == Until::Fault)
            m_cpu->fail({.at = At::Op, .in = n, .kind = ErrorKind::Memory});
        const auto session = model.newSession();
        opsThatRan(model);
        try {
            const auto result = generate(*session, model.tokenizer(), request(model, promptTokens),
                                         {}, m_stop.get_token());
            EXPECT_EQ(until, Until::Stop);
            EXPECT_EQ(result.finish, FinishReason::Stopped);
        } catch (const Error &) {
            EXPECT_EQ(until, Until::Fault);
        }
        EXPECT_EQ(m_passes, 0);
        return opsThatRan(model);
    }
    /// From now on: stops when the count of events at `at` has risen by n.
    void stopAt(At at, int n)
    {
        m_stop = std::stop_source();
        m_at = at;
        m_left = n;
        m_passes = m_ops = m_weights = 0;
    }

    std::shared_ptr<test::DeviceScript> m_cpu = [this] {
        auto script = std::make_shared<test::DeviceScript>();
        script->seen = [this](At at, int) { see(at); };
        return script;
    }();
    Engine m_engine{test::fakeEngine(nullptr, m_cpu)};
    std::stop_source m_stop;
    int m_passes = 0, m_ops = 0, m_weights = 0; // after the stop

private:
    void see(At at)
    {
        if (m_stop.stop_requested()) {
            m_passes += at == At::Pass;
            m_ops += at == At::Op;
            m_weights += at == At::Weight;
        }
        if (at == m_at && --m_left == 0)
            m_stop.request_stop();
    }
    At m_at = At::Count;
    int m_left = 0;
};

TEST_F(StopTest, InAPromptNoFurtherOpRuns)
{
    const auto model = load();
    stopAt(At::Pass, 2);
    const auto session = model->newSession();
    const auto result =
        generate(*session, model->tokenizer(), request(*model, 500), {}, m_stop.get_token());
    EXPECT_EQ(result.finish, FinishReason::Stopped);
    EXPECT_EQ(result.stats.promptTokens, 256); // the whole chunk that was done is kept
    EXPECT_EQ(session->tokens().size(), 256U);
    EXPECT_EQ(m_passes, 0) << "passes begun after the stop";
    for (const int op : {1, 5, 12, 20}) // in the first chunk, and in the second
        EXPECT_EQ(opsUntil(*model, op, 500, Until::Stop), opsUntil(*model, op, 500, Until::Fault))
            << "ops that ran after the stop, at the " << op;
}

TEST_F(StopTest, InAReplyNoFurtherPassBegins)
{
    const auto model = load();
    const auto session = model->newSession();
    for (const int tokens : {1, 5, 20}) {
        stopAt(At::Count, 0);
        GenerateEvents events;
        events.text = [&](std::string_view, const GenerateStats &stats) {
            if (stats.generatedTokens >= tokens)
                m_stop.request_stop();
        };
        const auto result =
            generate(*session, model->tokenizer(), request(*model, 30), events, m_stop.get_token());
        EXPECT_EQ(result.finish, FinishReason::Stopped);
        EXPECT_EQ(m_passes, 0) << "after " << tokens << " tokens";
        EXPECT_EQ(m_ops, 0);
    }
    for (const int op : {60, 77, 200}) // in the middle of passes
        EXPECT_EQ(opsUntil(*model, op, 30, Until::Stop), opsUntil(*model, op, 30, Until::Fault));
}

TEST_F(StopTest, BeforeItBeginsNothingRuns)
{
    const auto model = load();
    const auto session = model->newSession();
    stopAt(At::Count, 0);
    m_stop.request_stop();
    opsThatRan(*model);
    const auto result =
        generate(*session, model->tokenizer(), request(*model, 400), {}, m_stop.get_token());
    EXPECT_EQ(result.finish, FinishReason::Stopped);
    EXPECT_LE(m_passes, 1); // the first chunk is begun, and none of it computed
    EXPECT_EQ(opsThatRan(*model), 0);
}

TEST_F(StopTest, ALoadEndsWithTheLayerItIsIn)
{
    constexpr int kTensorsOfALayer = 9;
    for (const int tensors : {1, 4, 12}) {
        stopAt(At::Weight, tensors);
        try {
            load(m_stop.get_token());
            FAIL() << "was not stopped";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Cancelled) << error.what();
        }
        EXPECT_LT(m_weights, kTensorsOfALayer) << "tensors after the stop, at the " << tensors;
        EXPECT_EQ(m_passes, 0);
    }
    EXPECT_NE(load(), nullptr);
}

TEST_F(StopTest, ALoadThatIsStoppedAtOnceOpensNothing)
{
    stopAt(At::Count, 0);
    m_stop.request_stop();
    try {
        m_engine.load("absent.gguf", {.backend = BackendKind::Cpu}, {}, m_stop.get_token());
        FAIL() << "was not stopped";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled) << error.what();
    }
}

} // namespace
} // namespace fireside
