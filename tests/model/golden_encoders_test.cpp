// Encoders and rerankers against what transformers computes from the same folders in float32.
#include "engine/generate/embedder.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace fireside {
namespace {

constexpr double kEncoderBound = 2e-4; // largest absolute difference

using test::GoldenSequence;

/// As a folder, or as the GGUF file that the engine makes of it.
class GoldenEncoderTest : public testing::TestWithParam<std::tuple<std::string, bool>>
{
protected:
    void SetUp() override
    {
        const auto &[name, converted] = GetParam();
        const auto folder = test::goldenFolder(name);
        m_sequences = test::goldenSequences(folder);
        if (converted)
            test::writeGgufOf(folder, m_dir / "model.gguf");
        m_model = std::make_unique<test::ModelFixture>(converted ? m_dir / "model.gguf" : folder);
    }

    /// Some of the sequences, in one go.
    void expect(std::span<const GoldenSequence> sequences)
    {
        const Embedder embedder(m_model->model(), 64);
        std::vector<std::vector<TokenId>> ids;
        for (const GoldenSequence &s : sequences)
            ids.push_back(s.ids);
        const auto same = [&](EmbeddingForm form, const auto &golden) {
            const auto results = embedder.embed(ids, form);
            for (std::size_t i = 0; i < sequences.size(); ++i)
                EXPECT_LE(test::maxDifference(results[i], golden(sequences[i])), kEncoderBound)
                    << toString(form) << " of sequence " << i << " of " << sequences.size();
        };
        if (sequences.front().score)
            return same(EmbeddingForm::Score,
                        [](const GoldenSequence &s) { return std::vector{*s.score}; });
        same(EmbeddingForm::Rows, [](const GoldenSequence &s) { return s.rows; });
        same(EmbeddingForm::Mean, [](const GoldenSequence &s) { return s.mean; });
        same(EmbeddingForm::First, [](const GoldenSequence &s) { return s.first; });
        same(EmbeddingForm::Last, [&](const GoldenSequence &s) {
            return std::vector<float>(s.rows.end() - static_cast<std::ptrdiff_t>(s.mean.size()),
                                      s.rows.end());
        });
    }

    test::TempDir m_dir;
    std::vector<GoldenSequence> m_sequences;
    std::unique_ptr<test::ModelFixture> m_model;
};

TEST_P(GoldenEncoderTest, OneByOne)
{
    for (const GoldenSequence &s : m_sequences)
        expect({&s, 1});
}

TEST_P(GoldenEncoderTest, InOnePass)
{
    ASSERT_GT(m_sequences.size(), 1u);
    expect(m_sequences);
}

std::string encoderName(const testing::TestParamInfo<std::tuple<std::string, bool>> &test)
{
    std::string name = std::get<0>(test.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<std::string> encodersWithGguf()
{
    std::vector<std::string> names = test::goldenEncoderNames();
    std::erase(names, "mpnet");
    return names;
}

INSTANTIATE_TEST_SUITE_P(Folders, GoldenEncoderTest,
                         testing::Combine(testing::ValuesIn(test::goldenEncoderNames()),
                                          testing::Values(false)),
                         encoderName);
INSTANTIATE_TEST_SUITE_P(Renamed, GoldenEncoderTest,
                         testing::Combine(testing::ValuesIn(encodersWithGguf()),
                                          testing::Values(true)),
                         encoderName);

} // namespace
} // namespace fireside
