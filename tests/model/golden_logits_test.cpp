// Whole models against what llama.cpp computes from the same files.
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

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

// The rarer weight types, from the full set of golden models, which is not part of the project.
class FullGoldenSetTest : public testing::TestWithParam<const char *>
{};

TEST_P(FullGoldenSetTest, AllPositionsAtOnce)
{
    const std::filesystem::path folder =
        std::filesystem::path(FIRESIDE_SHARED_DATA) / "golden/gguf";
    const std::filesystem::path model = folder / (std::string(GetParam()) + ".gguf");
    if (!std::filesystem::exists(model))
        GTEST_SKIP() << "the full set of golden models is not here: " << model;
    std::ifstream file(folder / (std::string(GetParam()) + ".json"));
    const nlohmann::json golden = nlohmann::json::parse(file);
    const auto ids = golden.at("input_ids").get<std::vector<TokenId>>();
    const auto rows = golden.at("logits").get<std::vector<std::vector<float>>>();
    const ModelFixture fixture(model);
    const auto session = fixture.session();
    const std::vector<float> logits = test::allLogits(*session, ids);
    ASSERT_EQ(rows.size(), ids.size());
    for (std::size_t t = 0; t < rows.size(); ++t)
        EXPECT_GE(
            cosineSimilarity(
                std::span(logits).subspan(t * fixture.vocabulary(), fixture.vocabulary()), rows[t]),
            0.999)
            << "position " << t;
}

INSTANTIATE_TEST_SUITE_P(Types, FullGoldenSetTest,
                         testing::Values("q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "iq4_nl", "iq4_xs",
                                         "mxfp4"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace fireside
