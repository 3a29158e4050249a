#include "engine/core/error.h"
#include "engine/generate/kv_cache.h"
#include "tests/conformance/bench.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"

#include <algorithm>
#include <numeric>
#include <stop_token>

// Passes that run before they are asked for give what they give when they are asked for.
namespace fireside::conformance {
namespace {

class PassesAheadTest : public testing::TestWithParam<std::string>
{
protected:
    std::unique_ptr<Session> session(std::int32_t first, int capacity = 700)
    {
        auto s = m_model.session(capacity, DType::F16);
        s->appendGreedy(std::vector<TokenId>{first, 17, 5});
        return s;
    }
    std::vector<TokenId> greedy(Session &session, TokenId token, int count, bool ahead)
    {
        std::vector<TokenId> tokens;
        for (int i = 0; i < count; ++i) {
            const Session::Next next{{}, count - i - 1};
            token = session.appendGreedy(std::span(&token, 1), {}, {}, ahead ? &next : nullptr);
            tokens.push_back(token);
            m_maxAhead = std::max(m_maxAhead, model().passesAhead());
        }
        return tokens;
    }
    std::vector<TokenId> drawn(Session &session, TokenId token, int count, bool ahead,
                               const SamplerSettings &settings)
    {
        Sampler sampler(settings);
        std::vector<Candidate> best(static_cast<std::size_t>(settings.topK));
        std::vector<TokenId> tokens;
        for (int i = 0; i < count; ++i) {
            std::vector<float> numbers(100);
            sampler.upcoming(numbers);
            Session::Next next{sampler.ahead(), count - i - 1};
            next.choice.draws = numbers;
            session.appendTop(std::span(&token, 1), best, {}, {}, ahead ? &next : nullptr);
            token = sampler.sample(std::span<const Candidate>(best));
            tokens.push_back(token);
            if (ahead && i > 0)
                m_followed += model().passesAhead() > 0 ? 1 : 0;
        }
        return tokens;
    }
    /// Tokens one by one through a cache that grows, and forms of passes that change at 64, 128,
    /// 256 and 512; on software devices only those around these lengths.
    std::vector<TokenId> longReply(Session &session, bool ahead)
    {
        if (target(GetParam()).thorough())
            return greedy(session, 9, 600, ahead);
        std::vector<TokenId> tokens;
        for (const std::size_t edge : {64, 128, 256, 512}) {
            std::vector<TokenId> prompt;
            while (session.tokens().size() + prompt.size() + 10 < edge)
                prompt.push_back(static_cast<TokenId>(prompt.size() * 7 % 500));
            tokens.push_back(session.appendGreedy(prompt));
            const auto more = greedy(session, tokens.back(), 20, ahead);
            tokens.insert(tokens.end(), more.begin(), more.end());
        }
        return tokens;
    }
    /// Passes take long on software devices.
    int count(int usual, int few) const { return target(GetParam()).thorough() ? usual : few; }
    const Model &model() const { return m_model.model(); }
    bool goesAhead() const { return !target(GetParam()).isCpu(); }

    const test::ModelFixture m_model{test::goldenGguf("f16"), {target(GetParam()).shared()}};
    std::int64_t m_maxAhead = 0, m_followed = 0;
};

TEST_P(PassesAheadTest, GreedyTokensAreTheSame)
{
    const auto plain = session(3), ahead = session(3);
    const auto expected = longReply(*plain, false);
    EXPECT_EQ(m_maxAhead, 0);
    EXPECT_EQ(longReply(*ahead, true), expected);
    EXPECT_EQ(m_maxAhead > 0, goesAhead());
    EXPECT_EQ(model().passesAhead(), 0) << "no more than are wanted";
    EXPECT_TRUE(std::equal(plain->tokens().begin(), plain->tokens().end(), ahead->tokens().begin(),
                           ahead->tokens().end()));
    // The caches hold the same.
    std::vector<float> a(m_model.vocabulary()), b(m_model.vocabulary());
    plain->append(std::vector<TokenId>{4, 8}, a);
    ahead->append(std::vector<TokenId>{4, 8}, b);
    EXPECT_EQ(a, b);
}

TEST_P(PassesAheadTest, WhatRunsIsTakenWhenItIsAskedFor)
{
    const auto one = session(3);
    TokenId token = 9;
    const auto pass = [&](std::int64_t maxAhead) {
        const Session::Next next{{}, maxAhead};
        token = one->appendGreedy(std::span(&token, 1), {}, {}, &next);
        return model().passesAhead();
    };
    std::int64_t running = 0; // how many it is depends on how long they take
    for (int i = 0; i < 30 && running < 2; ++i)
        running = pass(3);
    while (running > 0) {
        EXPECT_EQ(pass(0), running - 1);
        --running;
    }
}

TEST_P(PassesAheadTest, DrawnTokensAreTheSame)
{
    const int tokens = count(150, 48);
    for (const SamplerSettings &settings :
         {SamplerSettings{.temperature = 0.9f, .topK = 40, .seed = 3},
          SamplerSettings{.temperature = 2, .topK = 256, .topP = 1, .minP = 0, .seed = 4},
          SamplerSettings{.temperature = 1.5f, .topK = 7, .topP = 0.5f, .minP = 0, .seed = 5},
          SamplerSettings{.temperature = 1, .topK = 2, .topP = 1, .minP = 0.3f, .seed = 6}}) {
        const auto plain = session(3), ahead = session(3);
        m_followed = 0;
        const auto expected = drawn(*plain, 9, tokens, false, settings);
        EXPECT_EQ(drawn(*ahead, 9, tokens, true, settings), expected);
        EXPECT_GE(m_followed, goesAhead() ? tokens * 2 / 3 : 0)
            << "guesses are right nearly always";
    }
}

TEST_P(PassesAheadTest, WhatComesOtherwiseIsForgotten)
{
    const auto plain = session(3), ahead = session(3), second = session(5), alone = session(5);
    std::vector<float> a(m_model.vocabulary()), b(m_model.vocabulary());
    const auto both = [&](Session &one, bool goes) {
        auto tokens = greedy(one, 9, 20, goes);
        const Session::Next next{{}, 50};
        for (int i = 0; i < 12; ++i) { // with passes left running
            TokenId token = tokens.back();
            token = one.appendGreedy(std::span(&token, 1), {}, {}, goes ? &next : nullptr);
            tokens.push_back(i % 5 == 4 ? (token + 1) % 500 : token); // a token of one's own
        }
        one.truncate(25);
        const auto more = greedy(one, 33, 30, goes);
        tokens.insert(tokens.end(), more.begin(), more.end());
        return tokens;
    };
    EXPECT_EQ(both(*ahead, true), both(*plain, false));
    // Another session in between, and one that ends.
    const Session::Next next{{}, 50};
    TokenId x = 9, y = 9;
    for (int i = 0; i < 10; ++i) {
        auto third = session(7);
        x = second->appendGreedy(std::span(&x, 1), {}, {}, &next);
        TokenId z = 1;
        z = third->appendGreedy(std::span(&z, 1), {}, {}, &next);
        third->appendGreedy(std::span(&z, 1), {}, {}, &next);
        y = alone->appendGreedy(std::span(&y, 1));
        EXPECT_EQ(x, y);
    }
    // A stop with passes running.
    for (int i = 0; i < 6; ++i)
        x = second->appendGreedy(std::span(&x, 1), {}, {}, &next);
    std::stop_source stop;
    stop.request_stop();
    const std::size_t before = second->tokens().size();
    EXPECT_THROW(second->appendGreedy(std::span(&x, 1), {}, stop.get_token(), &next), Error);
    EXPECT_EQ(second->tokens().size(), before);
    for (int i = 0; i < 6; ++i)
        y = alone->appendGreedy(std::span(&y, 1));
    second->append(std::span(&x, 1), a);
    alone->append(std::span(&y, 1), b);
    EXPECT_EQ(a, b);
}

TEST_P(PassesAheadTest, SeveralChatsInOneBatch)
{
    constexpr std::size_t kChats = 3;
    const int passes = count(60, 20);
    std::vector<std::vector<std::int32_t>> ids(2, {1, 2, 3});
    for (const bool ahead : {false, true}) {
        std::vector<std::unique_ptr<KvCache>> caches;
        for (std::size_t i = 0; i < kChats; ++i)
            caches.push_back(std::make_unique<KvCache>(model(), 200, DType::F16));
        const std::vector<std::int32_t> rows{0, 1, 2};
        const NextIds next;
        std::vector<std::int32_t> &all = ids[ahead ? 1 : 0];
        for (std::int32_t past = 0; past < passes; ++past) {
            const std::vector<std::int32_t> positions(kChats, past);
            std::vector<BatchItem> items;
            for (std::size_t i = 0; i < kChats; ++i)
                items.push_back({caches[i]->layers(), static_cast<std::int64_t>(i), 1, past});
            std::vector<std::int32_t> chosen(kChats);
            model().run({std::span(all).last(kChats), positions, items},
                        {.rows = rows,
                         .greedy = chosen,
                         .next = ahead ? &next : nullptr,
                         .maxAhead = passes - 1 - past});
            all.insert(all.end(), chosen.begin(), chosen.end());
            m_maxAhead = std::max(m_maxAhead, model().passesAhead());
        }
        model().settle();
    }
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_EQ(m_maxAhead > 0, goesAhead());
}

FIRESIDE_ON_EVERY_DEVICE(PassesAheadTest);

} // namespace
} // namespace fireside::conformance
