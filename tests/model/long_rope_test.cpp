// LongRoPE: the length of a chat decides how all of its keys are turned, against a reference in
// double precision on both sides of the limit.
#include "engine/core/error.h"
#include "tests/support/long_rope_model.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fireside {
namespace {

using test::LongRopeModel;
constexpr std::size_t kLimit = LongRopeModel::kLimit;

class LongRopeTest : public testing::TestWithParam<bool>
{
protected:
    void SetUp() override
    {
        if (GetParam())
            m_reference.writeGguf(m_dir / "model");
        else
            m_reference.writeFolder(m_dir / "model");
        m_model = std::make_unique<test::ModelFixture>(m_dir / "model");
    }
    void expectLast(std::span<const float> row, std::span<const TokenId> ids,
                    const char *what) const
    {
        const std::vector<double> expected = m_reference.last(ids);
        ASSERT_EQ(row.size(), expected.size());
        for (std::size_t i = 0; i < row.size(); ++i)
            ASSERT_NEAR(double{row[i]}, expected[i], 2e-4) << what << ", " << ids.size();
    }

    test::TempDir m_dir;
    LongRopeModel m_reference;
    std::unique_ptr<test::ModelFixture> m_model;
};

TEST_P(LongRopeTest, AllAtOnce)
{
    for (const std::size_t count : {kLimit, kLimit + 1, std::size_t{30}}) {
        const std::vector<TokenId> ids = m_reference.text(count);
        const std::vector<float> logits = test::allLogits(*m_model->session(), ids);
        const std::vector<double> expected = m_reference.logits(ids);
        ASSERT_EQ(logits.size(), expected.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(double{logits[i]}, expected[i], 2e-4) << count;
    }
}

TEST_P(LongRopeTest, AcrossTheLimitAndBack)
{
    const std::vector<TokenId> ids = m_reference.text(20);
    const auto session = m_model->session();
    std::vector<float> row(m_model->vocabulary());
    for (std::size_t t = 0; t < ids.size(); ++t) {
        EXPECT_EQ(session->servesUpTo(t + 1), t != kLimit);
        session->append(std::span(ids).subspan(t, 1), row);
        expectLast(row, std::span(ids).first(t + 1), "one by one");
    }
    const auto copy = session->fork();
    session->truncate(5);
    EXPECT_EQ(session->tokens().size(), 5u);
    EXPECT_FALSE(session->servesUpTo(8));
    EXPECT_TRUE(session->servesUpTo(kLimit + 1));
    session->append(std::span(ids).subspan(5, 3), row);
    expectLast(row, std::span(ids).first(8), "after going back");
    EXPECT_FALSE(session->servesUpTo(kLimit + 1));
    session->append(std::span(ids).subspan(8, 12), row);
    expectLast(row, ids, "beyond again");
    EXPECT_EQ(session->tokens().size(), 20u);
    const std::vector<TokenId> more = m_reference.text(21);
    copy->append(std::span(more).last(1), row);
    expectLast(row, more, "a copy");
}

TEST_P(LongRopeTest, SessionsOnBothSidesInABatch)
{
    const std::vector<TokenId> ids = m_reference.text(kLimit + 6);
    const std::size_t starts[] = {3, kLimit + 2, kLimit - 1, kLimit};
    std::vector<float> row(m_model->vocabulary());
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<Session *> all;
    for (const std::size_t start : starts) {
        sessions.push_back(m_model->session());
        all.push_back(sessions.back().get());
        all.back()->append(std::span(ids).first(start), row);
    }
    for (std::size_t step = 0; step < 3; ++step) {
        std::vector<TokenId> next;
        for (const std::size_t start : starts)
            next.push_back(ids[start + step]);
        std::vector<std::vector<float>> rows;
        appendBatch(all, next, rows);
        for (std::size_t i = 0; i < all.size(); ++i)
            expectLast(rows[i], std::span(ids).first(starts[i] + step + 1), "in a batch");
    }
}

TEST_P(LongRopeTest, AFullContextIsNoReasonToReadAgain)
{
    const auto session = m_model->session(static_cast<int>(kLimit));
    const std::vector<TokenId> ids = m_reference.text(kLimit + 1);
    std::vector<float> row(m_model->vocabulary());
    session->append(std::span(ids).first(kLimit), row);
    EXPECT_THROW(session->append(std::span(ids).last(1), row), Error);
    EXPECT_EQ(session->tokens().size(), kLimit);
}

INSTANTIATE_TEST_SUITE_P(Forms, LongRopeTest, testing::Bool(),
                         [](const auto &test) { return test.param ? "Gguf" : "Folder"; });

TEST(LongRope, PhiMoesFactorsOfAttention)
{
    const LongRopeModel reference;
    const test::TempDir dir;
    reference.writeFolder(dir / "model", true);
    const test::ModelFixture model(dir / "model");
    for (const std::size_t count : {kLimit, kLimit + 1}) {
        const std::vector<TokenId> ids = reference.text(count);
        const std::vector<float> logits = test::allLogits(*model.session(), ids);
        const std::vector<double> expected = reference.logits(ids, true);
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(double{logits[i]}, expected[i], 2e-4) << count;
    }
}

} // namespace
} // namespace fireside
