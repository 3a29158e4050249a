// Families from folders and as GGUF, against double precision.
#include "engine/core/error.h"
#include "tests/support/family_models.h"
#include "tests/support/gguf_from_folder.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

const std::vector<TokenId> kIds{5, 17, 38, 9, 25, 3, 11, 11, 30, 0, 39, 7};

class FamilyTest : public testing::TestWithParam<std::string>
{
protected:
    static void expectLogits(const std::filesystem::path &path, const test::FamilyModel &reference)
    {
        const test::ModelFixture model(path);
        const std::vector<double> expected = reference.logits(kIds);
        const std::vector<float> logits = test::allLogits(*model.session(), kIds);
        const std::size_t V = reference.options.vocabulary;
        ASSERT_EQ(logits.size(), expected.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(double{logits[i]}, expected[i], 2e-4) << path << ", position " << i / V;
        const auto session = model.session();
        std::vector<float> row(V);
        for (std::size_t t = 0; t < kIds.size(); ++t) {
            session->append(std::span(kIds).subspan(t, 1), row);
            for (std::size_t i = 0; i < V; ++i)
                ASSERT_NEAR(double{row[i]}, expected[t * V + i], 2e-4) << path << ", alone " << t;
        }
    }
    test::TempDir m_dir;
    test::FamilyModel m_reference = test::familyModel(GetParam());
};

TEST_P(FamilyTest, FolderComputesWhatTheMakersDo)
{
    m_reference.writeFolder(m_dir / "folder");
    expectLogits(m_dir / "folder", m_reference);
}

TEST_P(FamilyTest, GgufComputesTheSame)
{
    if (!m_reference.gguf)
        return;
    m_reference.writeFolder(m_dir / "folder");
    test::writeGgufOf(m_dir / "folder", m_dir / "model.gguf");
    expectLogits(m_dir / "model.gguf", m_reference);
}

TEST_P(FamilyTest, AWrongFolderIsRefusedInWords)
{
    m_reference.writeFolder(m_dir / "folder", true);
    try {
        const test::ModelFixture model(m_dir / "folder");
        FAIL() << "it loaded";
    } catch (const Error &e) {
        EXPECT_NE(std::string(e.what()).find(m_reference.words), std::string::npos) << e.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyTest, testing::ValuesIn(test::familyModelNames()),
                         [](const auto &test) { return test.param; });

} // namespace
} // namespace fireside
