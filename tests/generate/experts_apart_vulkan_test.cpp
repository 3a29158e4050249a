#include "engine/core/error.h"
#include "engine/movable_model.h"
#include "tests/support/fake_device.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/text/tokenizer_builder.h"
#include "tests/vulkan/lavapipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

// Experts of mixtures on the CPU, everything else on a Vulkan device.
namespace fireside {
namespace {

class ExpertsApartTest : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!m_lavapipe.present())
            FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
        m_selected = m_lavapipe.select();
    }

    static LoadOptions apart(int expertLayers)
    {
        LoadOptions options{.backend = BackendKind::Vulkan, .context = 64, .kvType = DType::F32};
        options.threads = 2;
        options.idsOnly = true;
        options.expertLayers = expertLayers;
        return options;
    }

private:
    test::IgnoreDriverLeaks m_leaks;
    test::Lavapipe m_lavapipe;
    std::unique_ptr<test::Lavapipe::Selection> m_selected;
};

/// Within 3 %; tiny models' kernels take a little that is estimated.
void expectPlanned(const LoadedModel &model)
{
    ASSERT_EQ(model.memory().size(), 2u);
    for (const LoadedModel::DeviceUse &use : model.memory()) {
        SCOPED_TRACE(use.report.id);
        for (const MemoryPurpose purpose :
             {MemoryPurpose::Weights, MemoryPurpose::Cache, MemoryPurpose::Scratch}) {
            const auto planned = static_cast<double>(use.planned.at(purpose)),
                       taken = static_cast<double>(use.now.use.at(purpose));
            EXPECT_LE(std::abs(planned - taken), 0.03 * std::max(planned, taken))
                << toString(purpose) << ": " << planned << " predicted, " << taken << " taken";
        }
        EXPECT_LE(use.now.use.total(), use.planned.total() * 103 / 100);
    }
}

TEST_F(ExpertsApartTest, LogitsAreThoseOfOneDevice)
{
    // Plain, with biases and another activation, with shared experts, with recurrent layers.
    for (const char *name : {"qwen3-moe", "gpt-oss", "deepseek-v2", "granite-hybrid-moe"}) {
        SCOPED_TRACE(name);
        const auto path = test::goldenFolder(name);
        const test::GoldenLogits golden = test::goldenFolderLogits(path);
        for (const int onCard : {0, 1}) {
            Engine engine;
            const Engine::Opened opened = engine.open(path, apart(onCard));
            const LoadedModel &model = *opened.model;
            EXPECT_NE(model.placementText().find("experts of "), std::string::npos)
                << model.placementText();
            EXPECT_NE(model.selection().reason.find("attention on "), std::string::npos)
                << model.selection().reason;
            const auto vocabulary = static_cast<std::size_t>(golden.vocab);
            std::vector<float> logits;
            opened.session->appendAll(golden.ids, logits);
            EXPECT_LE(test::maxDifference(logits, golden.logits), 2e-4);
            // Token by token: most are replays.
            opened.session->truncate(0);
            std::vector<float> row(vocabulary);
            for (std::size_t t = 0; t < golden.ids.size(); ++t) {
                opened.session->append(std::span(golden.ids).subspan(t, 1), row);
                ASSERT_LE(test::maxDifference(row, golden.row(t)), 2e-4) << t;
            }
            expectPlanned(model);
        }
    }
}

/// Such a split whose device fails where the script says so.
class FailingExpertsApartTest : public ExpertsApartTest
{
protected:
    struct Run
    {
        std::vector<TokenId> tokens;
        std::vector<std::string> problems;
        std::string placement;
    };
    void SetUp() override
    {
        ExpertsApartTest::SetUp();
        std::filesystem::copy(test::goldenFolder("qwen3-moe"), m_folder.path(),
                              std::filesystem::copy_options::recursive);
        std::ofstream(m_folder / "tokenizer.json") << test::smallTokenizerJson();
    }
    Run run(const std::shared_ptr<test::DeviceScript> &script) const
    {
        EngineOptions options;
        options.open = [script](const DeviceReport &report, const LoadOptions &load) {
            if (report.kind == BackendKind::Cpu)
                return openCpu({.threads = load.threads});
            return test::fakeDevice(openVulkan(report, {.throughput = 1}), report, script);
        };
        Engine engine(options);
        MovableModel model(engine);
        LoadOptions load = apart(1);
        load.idsOnly = false;
        model.load(m_folder.path(), load);
        GenerateRequest request;
        request.prompt = {5, 17, 38, 9, 25, 3};
        request.maxTokens = 6;
        request.sampler.temperature = 0;
        Run run;
        run.tokens = model
                         .reply(request, {}, {},
                                [&](const Error &error) { run.problems.push_back(error.what()); })
                         .tokens;
        run.placement = model.model()->placementText();
        return run;
    }

private:
    const test::TempDir m_folder;
};

TEST_F(FailingExpertsApartTest, AReplyGoesOnWhereverTheCardFails)
{
    using Moment = test::DeviceScript::At;
    const auto script = std::make_shared<test::DeviceScript>();
    const Run whole = run(script);
    ASSERT_EQ(whole.tokens.size(), 6u);
    ASSERT_NE(whole.placement.find("experts of "), std::string::npos) << whole.placement;
    int survived = 0;
    for (const auto &[at, what] :
         {std::pair{Moment::Sync, "wait"}, std::pair{Moment::Pass, "pass"}}) {
        for (int n = 1; n <= script->count(at); ++n) {
            SCOPED_TRACE(std::string(what) + ' ' + std::to_string(n));
            const auto failing = std::make_shared<test::DeviceScript>();
            failing->fail({.at = at, .in = n});
            try {
                const Run lost = run(failing);
                EXPECT_EQ(lost.tokens, whole.tokens);
                EXPECT_LE(lost.problems.size(), 1u);
                survived += lost.problems.empty() ? 0 : 1;
            } catch (const Error &error) { // while it was loaded where it was asked for
                EXPECT_EQ(error.kind(), ErrorKind::Device) << error.what();
            }
        }
    }
    EXPECT_GE(survived, 12);
}

} // namespace
} // namespace fireside
