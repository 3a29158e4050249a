// Encoders and rerankers against what transformers computes from the same folders in float32.
#include "engine/generate/embedder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace fireside {
namespace {

constexpr double kEncoderBound = 2e-4; // largest absolute difference

using test::GoldenSequence;

class GoldenEncoderTest : public testing::TestWithParam<std::string>
{
protected:
    void SetUp() override
    {
        const auto folder = test::goldenFolder(GetParam());
        if (!folder && !test::fullGoldenModels())
            FIRESIDE_SKIP("the full set of golden data is not here: " FIRESIDE_SHARED_DATA);
        ASSERT_TRUE(folder) << GetParam() << " is missing";
        m_sequences = test::goldenSequences(*folder);
        m_model = std::make_unique<test::ModelFixture>(*folder);
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

INSTANTIATE_TEST_SUITE_P(Folders, GoldenEncoderTest, testing::ValuesIn(test::goldenEncoderNames()),
                         [](const auto &test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace fireside
