#include "tests/conformance/bench.h"
#include "tests/conformance/statistics.h"
#include "tests/support/draft_folder.h"
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

// Guesses of a model's head for drafting on each device: they come, and change no token.
namespace fireside::conformance {
namespace {

class DraftModelsTest : public testing::TestWithParam<std::string>
{};

TEST_P(DraftModelsTest, GuessesChangeNoToken)
{
    constexpr std::size_t kTokens = 20;
    const test::TempDir folder;
    const test::DraftNames &names = test::draftNames().front();
    const auto golden = test::goldenFolder(names.golden);
    for (const test::DraftKind kind : {test::DraftKind::Random, test::DraftKind::Right}) {
        test::writeDraftFolder(golden, names, kind, folder / "model");
        const test::ModelFixture model(folder / "model", test::WithDrafts(),
                                       target(GetParam()).shared());
        std::vector<TokenId> ids{5, 17, 40, 9, 250, 3}, expected, tokens;
        const auto plain = model.session(64, DType::F16), session = model.session(64, DType::F16);
        for (std::vector<TokenId> next = ids; expected.size() < kTokens; next = {expected.back()})
            expected.push_back(plain->appendGreedy(next));
        std::size_t passes = 0;
        for (; tokens.size() < kTokens; ids = {tokens.back()}, ++passes) {
            const std::vector<TokenId> known = session->appendDrafted(ids, 3);
            tokens.insert(tokens.end(), known.begin(), known.end());
        }
        tokens.resize(kTokens);
        EXPECT_EQ(tokens, expected) << GetParam();
        EXPECT_LE(passes, kind == test::DraftKind::Right ? kTokens / 4 + 1 : kTokens);
        countCase(GetParam(), "drafts", names.golden);
    }
}

FIRESIDE_ON_EVERY_DEVICE(DraftModelsTest);

} // namespace
} // namespace fireside::conformance
