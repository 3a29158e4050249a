#include "engine/generate/embedder.h"
#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"

// Encoders and rerankers on graphics cards against what transformers computes in float32.
namespace fireside::conformance {
namespace {

class EncoderModelsTest : public testing::TestWithParam<std::string>
{
protected:
    void SetUp() override
    {
        if (target(GetParam()).isCpu())
            FIRESIDE_SKIP("the CPU has its own tests of models");
    }

    void expect(const std::string &what, const test::ModelFixture &model,
                std::span<const test::GoldenSequence> sequences)
    {
        // Matrices round what they multiply to F16.
        const double bound = target(GetParam()).uses("cooperative matrix") ? 2e-2 : 2e-3;
        std::vector<std::vector<TokenId>> ids;
        for (const test::GoldenSequence &s : sequences)
            ids.push_back(s.ids);
        const bool scores = sequences.front().score.has_value();
        const auto compare = [&](EmbeddingForm form, const auto &golden) {
            const auto results = Embedder(model.model(), 64).embed(ids, form);
            for (std::size_t i = 0; i < sequences.size(); ++i) {
                const double error = test::maxDifference(results[i], golden(sequences[i]));
                EXPECT_LE(error, bound) << what << ", " << toString(form) << " of sequence " << i;
                countCase(GetParam(), "encoders", what);
                noteError(GetParam(), "encoders", error);
            }
        };
        if (scores)
            return compare(EmbeddingForm::Score,
                           [](const test::GoldenSequence &s) { return std::vector{*s.score}; });
        compare(EmbeddingForm::Rows, [](const test::GoldenSequence &s) { return s.rows; });
        compare(EmbeddingForm::Mean, [](const test::GoldenSequence &s) { return s.mean; });
    }
};

TEST_P(EncoderModelsTest, AgreeWithTransformers)
{
    for (const std::string &name : test::goldenEncoderNames()) {
        const auto folder = test::goldenFolder(name);
        const auto sequences = test::goldenSequences(folder);
        const test::ModelFixture model(folder, [&] { return target(GetParam()).shared(); });
        for (const test::GoldenSequence &s : sequences)
            expect(name, model, {&s, 1});
        expect(name + ", in a batch", model, sequences);
    }
}

FIRESIDE_ON_EVERY_DEVICE(EncoderModelsTest);

} // namespace
} // namespace fireside::conformance
