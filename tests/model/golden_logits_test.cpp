// Whole models against what llama.cpp computes from the same files.
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace fireside {
namespace {

using test::cosineSimilarity;
using test::GoldenLogits;
using test::ModelFixture;

/// The reference rounds activations to 8 bits for quantised weights and to 16 bits for 16-bit ones.
double bound(const std::string &name)
{
    return name == "f16" || name == "bf16" ? 0.99999 : 0.999;
}

class GoldenLogitsTest : public testing::TestWithParam<std::string>
{
protected:
    void expectRow(std::span<const float> row, std::size_t t)
    {
        EXPECT_GE(cosineSimilarity(row, m_golden.row(t)), bound(GetParam())) << "position " << t;
    }
    ModelFixture m_model{test::goldenGguf(GetParam())};
    GoldenLogits m_golden = test::goldenLogits(GetParam());
};

TEST_P(GoldenLogitsTest, AllPositionsAtOnce)
{
    const auto session = m_model.session();
    const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
    ASSERT_EQ(logits.size(), m_golden.logits.size());
    for (std::size_t t = 0; t < m_golden.ids.size(); ++t)
        expectRow(std::span(logits).subspan(t * m_model.vocabulary(), m_model.vocabulary()), t);
}

TEST_P(GoldenLogitsTest, TokenByTokenWithEveryCacheType)
{
    for (const DType kv : {DType::F32, DType::F16, DType::Q8_0}) {
        SCOPED_TRACE(name(kv));
        const auto session = m_model.session(32, kv);
        std::vector<float> row(m_model.vocabulary());
        for (std::size_t t = 0; t < m_golden.ids.size(); ++t) {
            session->append(std::span(m_golden.ids).subspan(t, 1), row);
            if (kv == DType::Q8_0) // the cache itself rounds to 8 bits
                EXPECT_GE(cosineSimilarity(row, m_golden.row(t)), 0.998) << "position " << t;
            else if (kv == DType::F16)
                EXPECT_GE(cosineSimilarity(row, m_golden.row(t)),
                          std::min(bound(GetParam()), 0.9999));
            else
                expectRow(row, t);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, GoldenLogitsTest, testing::ValuesIn(test::goldenGgufNames()),
                         [](const auto &test) { return test.param; });

} // namespace
} // namespace fireside
