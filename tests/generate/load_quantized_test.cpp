// Weights that become other types while a model is loaded.
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/engine.h"
#include "tests/support/golden.h"
#include "tests/support/poison.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <limits>

namespace fireside {
namespace {

namespace fs = std::filesystem;

class LoadQuantizedTest : public testing::Test
{
protected:
    static LoadOptions options(const char *recipe, BackendKind backend = BackendKind::Cpu)
    {
        return {.backend = backend,
                .context = 64,
                .kvType = DType::F32,
                .threads = 2,
                .quantize = findRecipe(recipe),
                .idsOnly = true};
    }
    static std::vector<float> logitsOf(const LoadedModel &model)
    {
        std::vector<float> logits;
        const std::vector<TokenId> ids{30, 17, 40, 44, 5, 99, 12, 25};
        model.newSession()->appendAll(ids, logits);
        return logits;
    }
    /// With its weights as they are in the file.
    std::vector<float> plainLogits(const fs::path &path, const LoadOptions &like)
    {
        LoadOptions plain = like;
        plain.quantize = nullptr;
        return logitsOf(*m_engine.load(path, plain));
    }

    Engine m_engine;
    const test::TempDir m_dir;
};

TEST_F(LoadQuantizedTest, IsWhatTheQuantisedFileWouldBe)
{
    for (const char *recipe : {"Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0", "Q2_K"}) {
        const fs::path file = m_dir / (std::string(recipe) + ".gguf");
        quantizeFile({.source = test::goldenGguf("f16"),
                      .target = file,
                      .recipe = findRecipe(recipe),
                      .threads = 2});
        const auto made = m_engine.load(test::goldenGguf("f16"), options(recipe));
        const auto read = m_engine.load(file, options(""));
        EXPECT_EQ(logitsOf(*made), logitsOf(*read)) << recipe;
        EXPECT_EQ(made->plan().layerWeights, read->plan().layerWeights) << recipe;
        EXPECT_EQ(made->plan().weights(), read->plan().weights()) << recipe;
        EXPECT_LT(made->plan().weights() - made->plan().madeWeights, 10'000u); // norms
        EXPECT_EQ(read->plan().madeWeights, 0u);
        EXPECT_EQ(made->summary().quantisedTo, recipe);
        EXPECT_EQ(made->placementText(), "all 2 layers on the CPU, weights quantised to " +
                                             std::string(recipe) + " while loading");
        EXPECT_EQ(made->summary().quantisation, "F16"); // of the file
    }
}

TEST_F(LoadQuantizedTest, FoldersOfEveryKindOfLayer)
{
    for (const std::string &name : test::goldenFolderNames()) {
        const auto folder = test::goldenFolder(name);
        const LoadOptions asked = options("Q8_0");
        const auto made = m_engine.load(folder, asked);
        EXPECT_EQ(made->summary().quantisedTo, "Q8_0") << name;
        // Less where another expert is chosen.
        EXPECT_GT(test::cosineSimilarity(logitsOf(*made), plainLogits(folder, asked)), 0.97)
            << name;
        const ModelSummary plain = describeModel(folder, 64);
        EXPECT_LT(made->plan().weights(), plain.plan.value().weights()) << name;
    }
}

TEST_F(LoadQuantizedTest, WhatIsQuantisedInTheFileStaysAsItIs)
{
    const LoadOptions asked = options("Q8_0");
    const auto model = m_engine.load(test::goldenGguf("q4_k"), asked);
    EXPECT_EQ(model->summary().quantisedTo, "");
    EXPECT_EQ(model->placementText(), "all 2 layers on the CPU");
    EXPECT_EQ(model->plan().madeWeights, 0u);
    EXPECT_EQ(logitsOf(*model), plainLogits(test::goldenGguf("q4_k"), asked));
    // What would grow stays too.
    EXPECT_EQ(describeModel(test::goldenGguf("f16"), 0, DType::F16, findRecipe("F32")).quantisedTo,
              "");
}

TEST_F(LoadQuantizedTest, ATensorThatIsNotFiniteIsNamed)
{
    const fs::path file = m_dir / "poisoned.gguf";
    test::writePoisoned(test::goldenGguf("f16"),
                        {.tensor = "blk.1.attn_k.weight",
                         .row = 3,
                         .column = 100,
                         .value = std::numeric_limits<float>::infinity(),
                         .where = {}},
                        file);
    EXPECT_EQ(test::badInputOf([&] { m_engine.load(file, options("Q4_K_M")); }),
              file.string() + ": tensor 'blk.1.attn_k.weight' holds NaN or an infinity");
}

TEST_F(LoadQuantizedTest, CanBeStopped)
{
    std::stop_source stop;
    int steps = 0;
    const LoadProgress progress = [&](const char *stage, double) {
        if (std::string(stage) == "quantising weights" && ++steps == 2)
            stop.request_stop();
    };
    try {
        m_engine.load(test::goldenGguf("f16"), options("Q4_K_M"), progress, stop.get_token());
        FAIL() << "no error";
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(steps, 2);
}

} // namespace
} // namespace fireside
