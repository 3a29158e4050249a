#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/family_models.h"
#include "tests/support/kimi_model.h"
#include "tests/support/long_rope_model.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

// Small models against references in double precision. LongRoPE: passes for short and for long
// chats are recorded and replayed apart.
namespace fireside::conformance {
namespace {

class LongRopeModelsTest : public testing::TestWithParam<std::string>
{};

TEST_P(LongRopeModelsTest, AcrossTheLimitAndBack)
{
    const test::LongRopeModel reference;
    const test::TempDir dir;
    reference.writeFolder(dir / "model");
    const test::ModelFixture model(dir / "model", {target(GetParam()).shared()});
    const std::vector<TokenId> ids = reference.text(test::LongRopeModel::kLimit + 3);
    const auto session = model.session();
    std::vector<float> row(model.vocabulary());
    const auto check = [&](std::size_t count) {
        session->append(std::span(ids).subspan(count - 1, 1), row);
        const std::vector<double> expected = reference.last(std::span(ids).first(count));
        for (std::size_t i = 0; i < row.size(); ++i)
            ASSERT_NEAR(double{row[i]}, expected[i], 5e-3) << GetParam() << ", " << count;
        countCase(GetParam(), "models", "LongRoPE");
    };
    for (std::size_t count = 1; count <= ids.size(); ++count)
        check(count);
    session->truncate(4);
    for (std::size_t count = 5; count <= 7; ++count)
        check(count);
}

FIRESIDE_ON_EVERY_DEVICE(LongRopeModelsTest);

class KimiModelsTest : public testing::TestWithParam<std::string>
{};

TEST_P(KimiModelsTest, LayersOfBothKinds)
{
    const test::KimiModel reference;
    const test::TempDir dir;
    reference.writeFolder(dir / "model");
    const test::ModelFixture model(dir / "model", {target(GetParam()).shared()});
    const std::vector<TokenId> ids{5, 17, 38, 9, 25, 3, 11};
    const std::vector<float> logits = test::allLogits(*model.session(), ids);
    const std::vector<double> expected = reference.logits(ids);
    ASSERT_EQ(logits.size(), expected.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        ASSERT_NEAR(double{logits[i]}, expected[i], 5e-3) << GetParam() << ", " << i;
    countCase(GetParam(), "models", "Kimi Linear");
}

FIRESIDE_ON_EVERY_DEVICE(KimiModelsTest);

class FamilyModelsTest : public testing::TestWithParam<std::string>
{};

/// Norms without weights and clamped products; half of each head turned in pairs, with biases of
/// one product; groups of experts; scaled slopes; an output of unit rows; layers without parts.
TEST_P(FamilyModelsTest, OfEachMechanism)
{
    for (const char *name :
         {"OLMo1", "ChatGLM", "BailingMoE2", "FalconRW", "Baichuan13B", "NemotronNAS"}) {
        const test::FamilyModel reference = test::familyModel(name);
        const test::TempDir dir;
        reference.writeFolder(dir / "model");
        const test::ModelFixture model(dir / "model", {target(GetParam()).shared()});
        const std::vector<TokenId> ids{5, 17, 38, 9, 25, 3, 11};
        const std::vector<float> logits = test::allLogits(*model.session(), ids);
        const std::vector<double> expected = reference.logits(ids);
        ASSERT_EQ(logits.size(), expected.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(double{logits[i]}, expected[i], 5e-3)
                << GetParam() << ", " << name << ", " << i;
        countCase(GetParam(), "models", name);
    }
}

FIRESIDE_ON_EVERY_DEVICE(FamilyModelsTest);

} // namespace
} // namespace fireside::conformance
