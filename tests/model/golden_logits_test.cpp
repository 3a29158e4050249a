// Whole models in every weight type against what llama.cpp computes from the same weights in F32,
// on every instruction set of this processor.
#include "tests/cpu/isa_test.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace fireside {
namespace {

using test::cosineSimilarity;
using test::GoldenLogits;
using test::ModelFixture;

/// Float weights meet x as it is; for quantised ones x is rounded to 8 bits.
bool exact(const std::string &name)
{
    return name == "f32" || name == "f16" || name == "bf16";
}

double bound(const std::string &name, DType cache)
{
    if (cache == DType::Q8_0) // rounds to 8 bits by itself
        return exact(name) ? 0.9997 : 0.9987;
    return exact(name) ? 0.99999 : 0.999;
}

class GoldenLogitsTest : public testing::TestWithParam<std::tuple<std::string, Isa>>
{
protected:
    void SetUp() override { selectIsa(std::get<Isa>(GetParam())); }
    void TearDown() override { selectIsa(m_usual); }

    const std::string &name() const { return std::get<std::string>(GetParam()); }
    void expectRow(std::span<const float> row, std::size_t t, DType cache, const std::string &way)
    {
        EXPECT_GE(cosineSimilarity(row, m_golden.row(t)), bound(name(), cache))
            << "position " << t << ' ' << way << ", cache " << fireside::name(cache);
    }
    const Isa m_usual = selectedIsa();
    ModelFixture m_model{test::goldenGguf(name())};
    GoldenLogits m_golden = test::goldenLogits(name());
};

constexpr DType kCaches[] = {DType::F32, DType::F16, DType::Q8_0};

TEST_P(GoldenLogitsTest, AllPositionsAtOnce)
{
    const std::size_t V = m_model.vocabulary();
    for (const DType cache : kCaches) {
        const auto session = m_model.session(32, cache);
        const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
        ASSERT_EQ(logits.size(), m_golden.logits.size());
        for (std::size_t t = 0; t < m_golden.ids.size(); ++t)
            expectRow(std::span(logits).subspan(t * V, V), t, cache, "at once");
    }
}

TEST_P(GoldenLogitsTest, InChunksAndTokenByToken)
{
    std::vector<float> row(m_model.vocabulary());
    for (const DType cache : kCaches)
        for (const std::size_t chunk : {1u, 3u, 7u}) {
            const auto session = m_model.session(32, cache);
            for (std::size_t t = 0; t < m_golden.ids.size(); t += chunk) {
                const std::size_t count = std::min(chunk, m_golden.ids.size() - t);
                session->append(std::span(m_golden.ids).subspan(t, count), row);
                expectRow(row, t + count - 1, cache, "in chunks of " + std::to_string(chunk));
            }
        }
}

TEST(GoldenLogits, EveryWeightTypeIsThere)
{
    const std::vector<std::string> names = test::goldenGgufNames();
    // Of these there are no files with llama.cpp's logits; folders have them (packed_weights_test).
    constexpr std::array kOfFolders{DType::F8_E4M3, DType::NVFP4, DType::NVFP4_F32};
    for (const DType type : kWeightTypes)
        if (std::find(names.begin(), names.end(), lowerName(type)) == names.end() &&
            std::find(kOfFolders.begin(), kOfFolders.end(), type) == kOfFolders.end())
            FIRESIDE_SKIP("the full set of golden data is not here: " FIRESIDE_SHARED_DATA);
}

INSTANTIATE_TEST_SUITE_P(Types, GoldenLogitsTest,
                         testing::Combine(testing::ValuesIn(test::goldenGgufNames()),
                                          testing::ValuesIn(availableIsas())),
                         [](const auto &test) {
                             const testing::TestParamInfo<Isa> isa(std::get<1>(test.param), 0);
                             return std::get<0>(test.param) + '_' + isaTestName(isa);
                         });

} // namespace
} // namespace fireside
