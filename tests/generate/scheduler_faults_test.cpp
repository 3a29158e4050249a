// An exception anywhere in a scheduler ends the replies it belongs to; the others go on.
#include "engine/constrain/gbnf_reader.h"
#include "engine/core/error.h"
#include "engine/engine.h"
#include "engine/generate/scheduler.h"
#include "tests/support/fault_at.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <deque>

namespace fireside {
namespace {

using test::FaultAt;
constexpr int kFaultContext = 256;

class SchedulerFaultsTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
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

    struct Outcome
    {
        std::vector<TokenId> tokens;
        int finished = 0, failed = 0;
        std::string error;
        ErrorKind kind = ErrorKind::BadInput;
    };
    static GenerateRequest request(const std::string &question)
    {
        GenerateRequest r;
        r.prompt = model().chatTokens({{"user", question}});
        r.sampler.temperature = 0;
        r.maxTokens = 8;
        return r;
    }
    static ScheduledRequest scheduled(GenerateRequest request, Outcome &outcome)
    {
        ScheduledRequest all;
        all.request = std::move(request);
        all.finished = [&outcome](const GenerateResult &result) {
            outcome.tokens = result.tokens;
            ++outcome.finished;
        };
        all.failed = [&outcome](const Error &error) {
            outcome.error = error.what();
            outcome.kind = error.kind();
            ++outcome.failed;
        };
        return all;
    }
    static std::unique_ptr<Scheduler> scheduler()
    {
        return std::make_unique<Scheduler>(
            model().model(), model().tokenizer(),
            SchedulerSettings{.context = kFaultContext,
                              .kvType = DType::F32,
                              .contextBytes = std::uint64_t{kFaultContext} * 1000,
                              .promptChunk = 8});
    }
    static void finishAll(Scheduler &scheduler)
    {
        for (int steps = 0; scheduler.step(); ++steps)
            ASSERT_LT(steps, 10'000);
    }
    static std::vector<TokenId> alone(const GenerateRequest &request)
    {
        Session session(model().model(), kFaultContext, DType::F32);
        return generate(session, model().tokenizer(), request, {}).tokens;
    }
    static std::shared_ptr<const constrain::TokenGrammar> grammar(const std::string &text)
    {
        return model().constrained(constrain::readGbnf(text));
    }

    static inline test::TempDir *s_folder = nullptr;
    static inline Engine *s_engine = nullptr;
    static inline std::shared_ptr<const LoadedModel> *s_model = nullptr;
};

TEST_F(SchedulerFaultsTest, EveryFaultPointEndsOneReplyAtMostOrAllWithTheReason)
{
    const std::vector<std::string> questions{"What is Fireside?", "Hello there", "Who are you?"};
    std::vector<std::vector<TokenId>> expected;
    for (const std::string &question : questions)
        expected.push_back(alone(request(question)));
    const std::vector<std::pair<const char *, int>> points{
        {"scheduler.step", 3},    {"scheduler.begin", 1},  {"scheduler.prepare", 1},
        {"scheduler.compute", 1}, {"scheduler.report", 1}, {"scheduler.together", 1},
        {"scheduler.draw", 1},    {"scheduler.tell", 1},   {"scheduler.finish", 1},
        {"scheduler.finished", 1}};
    for (const auto &[point, most] : points)
        for (const auto kind : {FaultAt::Kind::Error, FaultAt::Kind::Standard,
                                FaultAt::Kind::Memory, FaultAt::Kind::Other})
            for (const int after : {0, 1, 4}) {
                SCOPED_TRACE(std::string(point) + " kind " +
                             std::to_string(static_cast<int>(kind)) + " after " +
                             std::to_string(after));
                const auto one = scheduler();
                std::deque<Outcome> outcomes(questions.size());
                const bool isSingle = std::string_view(point) == "scheduler.compute" ||
                                      std::string_view(point) == "scheduler.draw";
                int ended = 0, failed = 0;
                {
                    const FaultAt fault(point, kind, after);
                    for (std::size_t i = 0; i < questions.size(); ++i) {
                        one->submit(scheduled(request(questions[i]), outcomes[i]));
                        if (isSingle) // these belong to passes of one reply
                            finishAll(*one);
                    }
                    finishAll(*one);
                }
                for (std::size_t i = 0; i < questions.size(); ++i) {
                    ended += outcomes[i].finished + outcomes[i].failed;
                    failed += outcomes[i].failed;
                    if (outcomes[i].finished > 0) {
                        EXPECT_EQ(outcomes[i].tokens, expected[i]) << questions[i];
                    } else if (outcomes[i].failed > 0) {
                        EXPECT_FALSE(outcomes[i].error.empty());
                    }
                }
                // The callback that tells the end is what throws: this one end is not heard of.
                const bool unheard = std::string_view(point) == "scheduler.finished" && after < 3;
                EXPECT_EQ(ended, static_cast<int>(questions.size()) - unheard);
                const bool outOfMemory =
                    std::string_view(point) == "scheduler.step" && kind == FaultAt::Kind::Memory;
                EXPECT_LE(failed, outOfMemory ? 3 : most);
                // And it works as before.
                Outcome next;
                one->submit(scheduled(request(questions[0]), next));
                finishAll(*one);
                EXPECT_EQ(next.finished, 1);
                EXPECT_EQ(next.tokens, expected[0]);
                EXPECT_FALSE(one->busy());
            }
}

TEST_F(SchedulerFaultsTest, CallbacksThatThrowEndTheirReplyAlone)
{
    const std::vector<TokenId> expected = alone(request("Hello there"));
    using Spoil = void (*)(ScheduledRequest &);
    const std::vector<std::pair<const char *, Spoil>> spoils{
        {"prompt",
         [](ScheduledRequest &r) {
             r.events.prompt = [](int, int) { throw std::runtime_error("prompt"); };
         }},
        {"text",
         [](ScheduledRequest &r) {
             r.events.text = [](std::string_view, const GenerateStats &) {
                 throw std::runtime_error("text");
             };
         }},
        {"onToken",
         [](ScheduledRequest &r) {
             r.probabilities = 1;
             r.onToken = [](const TokenProbabilities &, const Tokenizer &) { throw 1; };
         }},
        {"opened",
         [](ScheduledRequest &r) { r.opened = [](Session &) { throw std::bad_alloc(); }; }},
        {"endThoughts", [](ScheduledRequest &r) {
             r.events.endThoughts = []() -> bool { throw std::runtime_error("thoughts"); };
             r.request.format = model().replyFormat();
             r.request.inReasoning = true;
         }}};
    for (const auto &[name, spoil] : spoils) {
        SCOPED_TRACE(name);
        const auto one = scheduler();
        Outcome bad, good;
        ScheduledRequest spoilt = scheduled(request("What is Fireside?"), bad);
        spoil(spoilt);
        one->submit(std::move(spoilt));
        one->submit(scheduled(request("Hello there"), good));
        finishAll(*one);
        EXPECT_EQ(bad.finished + bad.failed, 1);
        EXPECT_EQ(good.finished, 1);
        EXPECT_EQ(good.tokens, expected);
        if (std::string_view(name) != "endThoughts") { // which need not be asked
            EXPECT_EQ(bad.failed, 1);
        }
        EXPECT_EQ(one->counts().failed, static_cast<std::uint64_t>(bad.failed));
    }
    // What is called at the end may throw too.
    const auto one = scheduler();
    ScheduledRequest last;
    last.request = request("Hello there");
    last.finished = [](const GenerateResult &) { throw std::runtime_error("finished"); };
    one->submit(std::move(last));
    finishAll(*one);
    EXPECT_FALSE(one->busy());
    EXPECT_EQ(one->counts().finished, 1u);
}

TEST_F(SchedulerFaultsTest, AGrammarThatCannotBeFollowedFromItsStartIsRefused)
{
    const auto one = scheduler();
    Outcome outcome;
    GenerateRequest bad = request("x");
    bad.grammar = grammar("root ::= ((\"x\"?){60}){60}");
    try {
        one->submit(scheduled(bad, outcome));
        FAIL() << "not refused";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput);
        EXPECT_NE(std::string(error.what()).find("ways"), std::string::npos);
    }
    EXPECT_FALSE(one->busy());
}

TEST_F(SchedulerFaultsTest, AGrammarThatFailsLaterEndsItsReplyAlone)
{
    const std::vector<TokenId> expected = alone(request("Hello there"));
    const auto one = scheduler();
    Outcome bad, good;
    GenerateRequest later = request("x");
    later.grammar = grammar("root ::= \"a\" ((\"x\"?){60}){60}");
    one->submit(scheduled(request("Hello there"), good));
    try {
        one->submit(scheduled(later, bad));
    } catch (const Error &error) { // seen already
        bad.failed = 1;
        bad.error = error.what();
    }
    finishAll(*one);
    EXPECT_EQ(good.tokens, expected);
    EXPECT_EQ(bad.failed, 1);
    EXPECT_NE(bad.error.find("ways"), std::string::npos) << bad.error;
}

} // namespace
} // namespace fireside
