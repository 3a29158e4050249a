// Hugging Face folders against what transformers computes from them in float32.
#include "engine/backend/backend.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

namespace fireside {
namespace {

using test::GoldenLogits;
using test::ModelFixture;

/// A device and how near it must come.
struct Backend
{
    const char *name;
    ModelFixture::OpenDevice open;
    double bound; // largest absolute difference of a logit
    friend void PrintTo(const Backend &b, std::ostream *out) { *out << b.name; }
};

class GoldenModelTest : public testing::TestWithParam<std::tuple<const char *, Backend>>
{
protected:
    void SetUp() override
    {
        const auto folder = test::goldenFolder(name());
        if (!folder)
            GTEST_SKIP() << "the full set of golden models is not here: " << FIRESIDE_SHARED_DATA
                         << "/golden/models/" << name();
        m_golden = test::goldenFolderLogits(*folder);
        m_model = std::make_unique<ModelFixture>(*folder, backend().open);
    }
    static const char *name() { return std::get<0>(GetParam()); }
    static const Backend &backend() { return std::get<1>(GetParam()); }
    double differenceAt(std::size_t t, std::span<const float> row) const
    {
        return test::maxDifference(row, m_golden.row(t));
    }

    GoldenLogits m_golden;
    std::unique_ptr<ModelFixture> m_model;
};

TEST_P(GoldenModelTest, AllPositionsAtOnce)
{
    const auto session = m_model->session();
    const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
    EXPECT_LE(test::maxDifference(logits, m_golden.logits), backend().bound);
}

TEST_P(GoldenModelTest, TokenByToken)
{
    const auto session = m_model->session();
    std::vector<float> row(m_model->vocabulary());
    for (std::size_t t = 0; t < m_golden.ids.size(); ++t) {
        session->append(std::span(m_golden.ids).subspan(t, 1), row);
        EXPECT_LE(differenceAt(t, row), backend().bound) << "position " << t;
    }
}

TEST_P(GoldenModelTest, InChunks)
{
    for (const std::size_t chunk : {3u, 7u, 16u}) {
        const auto session = m_model->session();
        std::vector<float> row(m_model->vocabulary());
        for (std::size_t t = 0; t < m_golden.ids.size(); t += chunk) {
            const std::size_t count = std::min(chunk, m_golden.ids.size() - t);
            session->append(std::span(m_golden.ids).subspan(t, count), row);
            EXPECT_LE(differenceAt(t + count - 1, row), backend().bound)
                << "position " << t + count - 1 << " in chunks of " << chunk;
        }
    }
}

TEST_P(GoldenModelTest, GreedyTokensFollow)
{
    const auto session = m_model->session();
    std::vector<TokenId> greedy{session->appendGreedy(m_golden.ids)};
    while (greedy.size() < m_golden.greedy.size())
        greedy.push_back(session->appendGreedy(std::span(greedy).last(1)));
    EXPECT_EQ(greedy, m_golden.greedy);
}

std::vector<Backend> backends()
{
    return {{"cpu", [] { return std::shared_ptr<Device>(openCpu({.threads = 2})); }, 2e-4}};
}

std::string nameOf(const testing::TestParamInfo<std::tuple<const char *, Backend>> &test)
{
    std::string name = std::string(std::get<0>(test.param)) + '_' + std::get<1>(test.param).name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(
    Models, GoldenModelTest,
    testing::Combine(testing::Values("llama", "llama-attn-bias", "llama-linear-rope", "llama-yarn",
                                     "llama3-rope", "mistral-swa", "mixtral", "qwen3", "qwen3-moe"),
                     testing::ValuesIn(backends())),
    nameOf);

// The same weights under the names and in the order of a GGUF file.
class GoldenAsGgufTest : public GoldenModelTest
{
protected:
    void SetUp() override
    {
        GoldenModelTest::SetUp();
        if (!m_model)
            return;
        const std::filesystem::path path = m_dir / "model.gguf";
        test::writeGgufOf(*test::goldenFolder(name()), path);
        m_model = std::make_unique<ModelFixture>(path, backend().open);
    }
    test::TempDir m_dir;
};

TEST_P(GoldenAsGgufTest, GivesTheSameLogits)
{
    const auto session = m_model->session();
    const std::vector<float> logits = test::allLogits(*session, m_golden.ids);
    EXPECT_LE(test::maxDifference(logits, m_golden.logits), backend().bound);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenAsGgufTest,
                         testing::Combine(testing::Values("llama", "llama-attn-bias", "llama-yarn",
                                                          "qwen3", "qwen3-moe"),
                                          testing::ValuesIn(backends())),
                         nameOf);

} // namespace
} // namespace fireside
