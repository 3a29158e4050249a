#include "engine/core/error.h"
#include "engine/engine.h"
#include "tests/support/fake_device.h"
#include "tests/support/require.h"
#include "tests/support/starter.h"
#include "tests/vulkan/lavapipe.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stop_token>

// Which device a load takes, and what becomes of one that failed.
namespace fireside {
namespace {

class EngineDevicesTest : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!m_lavapipe.present())
            FIRESIDE_SKIP("needs lavapipe (apt install mesa-vulkan-drivers)");
        m_selected = m_lavapipe.select();
    }

private:
    test::IgnoreDriverLeaks m_leaks;
    test::Lavapipe m_lavapipe;
    std::unique_ptr<test::Lavapipe::Selection> m_selected;
};

TEST_F(EngineDevicesTest, VulkanRunsWhenItIsChosen)
{
    Engine engine;
    const auto model =
        engine.load(test::starterModel(), {.backend = BackendKind::Vulkan, .context = 256});
    EXPECT_EQ(model->selection().kind, BackendKind::Vulkan);
    EXPECT_NE(model->selection().reason.find("through Vulkan"), std::string::npos)
        << model->selection().reason;
    EXPECT_NE(model->placementText().find("all 8 layers on"), std::string::npos)
        << model->placementText();
    EXPECT_TRUE(model->device().software);
}

/// The first tokens of a greedy reply, at most `most`.
std::vector<TokenId> reply(const LoadedModel &model, const std::string &prompt, int most)
{
    GenerateRequest request;
    request.prompt = model.tokenizer().encode(MarkedText::trusted(prompt), false);
    request.sampler.temperature = 0;
    request.maxTokens = most;
    return generate(*model.newSession(), model.tokenizer(), request).tokens;
}

TEST_F(EngineDevicesTest, TheStarterSaysTheSameOnBoth)
{
    Engine engine;
    const auto vulkan =
        engine.load(test::starterModel(), {.backend = BackendKind::Vulkan, .context = 512});
    const auto cpu =
        engine.load(test::starterModel(), {.backend = BackendKind::Cpu, .context = 512});
    std::ifstream file(std::string(FIRESIDE_TEST_DATA) + "/starter/expected.json");
    const nlohmann::json expected = nlohmann::json::parse(file);
    for (const nlohmann::json &e : expected) {
        const auto prompt = e["prompt"].get<std::string>();
        SCOPED_TRACE(prompt);
        // These replies have no near-ties; later in the others the CPU's 8-bit activations decide.
        const bool whole = prompt.find("Who are you?") != std::string::npos ||
                           prompt.find("How do I add a model?") != std::string::npos ||
                           prompt.find("Show me a table") != std::string::npos;
        const int most = whole ? 40 : 12;
        EXPECT_EQ(reply(*vulkan, prompt, most), reply(*cpu, prompt, most));
    }
}

TEST_F(EngineDevicesTest, RepliesEndInTheMiddleOfWhatRunsAhead)
{
    auto card = std::make_shared<test::DeviceScript>(); // counts
    EngineOptions watched;
    watched.open = [card](const DeviceReport &report, const LoadOptions &) {
        return test::fakeDevice(openVulkan(report, {.throughput = 1}), report, card);
    };
    Engine engine(watched);
    const auto model =
        engine.load(test::starterModel(), {.backend = BackendKind::Vulkan, .context = 512});
    GenerateRequest request;
    request.prompt = model->chatTokens({{"user", "Who are you?"}});
    request.sampler.temperature = 0;
    request.maxTokens = 24;
    const auto whole = generate(*model->newSession(), model->tokenizer(), request);
    ASSERT_EQ(whole.tokens.size(), 24u);
    const auto expectBeginning = [&](const GenerateResult &result, FinishReason why) {
        EXPECT_EQ(result.finish, why);
        EXPECT_LT(result.tokens.size(), whole.tokens.size());
        EXPECT_TRUE(std::equal(result.tokens.begin(), result.tokens.end(), whole.tokens.begin()));
    };
    // One session all the time: each reply begins while passes of the one before may still run.
    const auto session = model->newSession();
    for (const std::size_t place : {5u, 9u}) {
        std::stop_source stop;
        int passes = 0;
        GenerateEvents events;
        events.text = [&](std::string_view, const GenerateStats &stats) {
            if (stats.generatedTokens == static_cast<int>(place)) {
                passes = card->count(test::DeviceScript::At::Pass);
                stop.request_stop();
            }
        };
        expectBeginning(generate(*session, model->tokenizer(), request, events, stop.get_token()),
                        FinishReason::Stopped);
        EXPECT_GT(passes, static_cast<int>(place)) << "some run ahead";
        EXPECT_EQ(card->count(test::DeviceScript::At::Pass), passes) << "begun after the stop";
        GenerateRequest other = request;
        other.maxTokens = static_cast<int>(place);
        expectBeginning(generate(*session, model->tokenizer(), other), FinishReason::MaxTokens);
        other = request;
        other.stopStrings = {model->tokenizer().bytes(whole.tokens[place])};
        expectBeginning(generate(*session, model->tokenizer(), other), FinishReason::StopString);
        EXPECT_EQ(generate(*session, model->tokenizer(), request).tokens, whole.tokens);
    }
}

TEST_F(EngineDevicesTest, AutomaticTakesTheCpuRatherThanASoftwareDevice)
{
    Engine engine;
    const auto model = engine.load(test::starterModel(), {.context = 256});
    EXPECT_EQ(model->selection().kind, BackendKind::Cpu);
    EXPECT_NE(model->selection().reason.find("software device"), std::string::npos)
        << model->selection().reason;
}

TEST_F(EngineDevicesTest, ADeviceThatFailedIsNotTakenAgain)
{
    Engine engine;
    const std::string id = engine.devices().at(1).id;
    engine.markFailed(id, "it failed during a reply: lost");
    try {
        engine.load(test::starterModel(), {.backend = BackendKind::Vulkan});
        FAIL() << "the failed device was used";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_NE(std::string(error.what()).find("failed during a reply: lost"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(engine.load(test::starterModel(), {.context = 256})->selection().kind,
              BackendKind::Cpu);
}

} // namespace
} // namespace fireside
