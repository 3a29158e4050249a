// How fast devices are, and what is remembered of it.
#include "engine/backend/measure_rates.h"
#include "engine/core/error.h"
#include "engine/engine.h"
#include "engine/measure_model.h"
#include "engine/measure_speed.h"
#include "tests/support/fake_device.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

namespace fireside {
namespace {

/// What a thread gets of a matrix that products are measured with is as much as of a model's, up to
/// where it would take too long.
TEST(MeasureRates, MatricesGrowWithTheThreads)
{
    const ProbeProducts card = probeProducts(0, false);
    // A card multiplies in tiles of 128 × 128 at most, each on one of its processors: an H200 has
    // 132 of them, and a model's products keep all of them busy.
    EXPECT_GE(card.rows / 128 * card.tokens / 128, 132);
    EXPECT_EQ(card.tokens, 512) << "as a prompt is read";
    EXPECT_GE(card.times, 4);
    std::int64_t before = 0;
    for (const int threads : {1, 2, 4, 8, 16, 32, 128}) {
        const ProbeProducts bytes = probeProducts(threads, false),
                            floats = probeProducts(threads, true);
        EXPECT_GE(bytes.rows, before);
        EXPECT_GE(bytes.rows, std::min(threads * 512, 8192));
        EXPECT_LE(bytes.rows, 8192);
        EXPECT_GE(floats.rows, std::min(threads * 512, 4096));
        EXPECT_LE(floats.rows, bytes.rows);
        for (const ProbeProducts &each : {bytes, floats}) {
            EXPECT_EQ(each.tokens, 256);
            EXPECT_GE(each.times, 1);
            EXPECT_LE(each.rows * each.times, std::max<std::int64_t>(each.rows, 4096));
        }
        before = bytes.rows;
    }
    EXPECT_EQ(probeProducts(2, false).rows, 1024);
    EXPECT_EQ(probeProducts(16, false).rows, 8192);
}

TEST(MeasureRates, AreThoseOfAProcessor)
{
    const auto device = openCpu({.threads = 2});
    const std::uint64_t before = device->memoryNow().use.total();
    const MachineRates rates = measureRates(*device);
    // From a slow small computer to ten times the fastest one there is.
    EXPECT_GT(rates.readBytes, 1e8);
    EXPECT_LT(rates.readBytes, 1e13);
    EXPECT_GT(rates.readFloats, 1e8);
    EXPECT_LT(rates.readFloats, 1e13);
    EXPECT_GT(rates.byteProducts, 1e8);
    EXPECT_LT(rates.byteProducts, 1e15);
    EXPECT_GT(rates.floatProducts, 1e8);
    EXPECT_LT(rates.floatProducts, 1e15);
    EXPECT_GT(rates.opSeconds, 0);
    EXPECT_LT(rates.opSeconds, 0.1);
    EXPECT_EQ(device->memoryNow().use.total(), before) << "all is given back";
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(measureRates(*device, stop.get_token()), Error);
}

/// Of a card that takes long for each op few are enough: nobody is to wait for seconds.
TEST(MeasureRates, ASlowCardIsMeasuredWithLess)
{
    const auto script = std::make_shared<test::DeviceScript>();
    script->seen = [](test::DeviceScript::At at, int) {
        if (at == test::DeviceScript::At::Op)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
    };
    const auto card = test::fakeDevice(openCpu({.threads = 2}), test::fakeCard(), script);
    const MachineRates rates = measureRates(*card);
    EXPECT_GT(rates.byteProducts, 0);
    EXPECT_GT(rates.readBytes, 0);
    // Of six measurements two passes each, of one product and an op that brings the row.
    EXPECT_EQ(script->count(test::DeviceScript::At::Op), 6 * 2 * 2);
}

TEST(Engine, RatesOfTheProcessorAloneAreFoundWhenAskedFor)
{
    const test::TempDir folder;
    const EngineOptions options{.cacheFolder = folder.path(),
                                .probe = [] { return std::vector{probeCpu()}; }};
    const auto expected = [&] {
        return Engine::preview(test::starterModel(), {.backend = BackendKind::Cpu}, {probeCpu()},
                               folder.path())
            .selection.options.back()
            .predicted;
    };
    EXPECT_FALSE(expected());
    Engine engine(options);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_THROW(engine.rateProcessor(stopped.get_token()), Error);
    EXPECT_FALSE(expected()) << "half a measurement is none";
    engine.rateProcessor();
    ASSERT_TRUE(expected());
    EXPECT_GT(expected()->generate, 1);
    const Speed first = *expected();
    Engine(options).rateProcessor();
    EXPECT_EQ(expected()->generate, first.generate) << "once is enough";
}

/// A model of which a pass takes some time for its weights and some for each token, at a clock of
/// its own; the first pass of each length takes ten times as long.
struct ClockedModel
{
    double perPass = 0, perToken = 0, perWritten = 0;
    double seconds = 0;
    int passes = 0, written = 0;
    std::set<std::size_t> seen{};
    std::size_t longest = 0;
    /// Of the passes one is disturbed.
    int disturbed = -1;

    SpeedProbe probe()
    {
        SpeedProbe all;
        all.readPrompt = [this](std::size_t tokens) {
            double taken = perPass + static_cast<double>(tokens) * perToken;
            taken *= seen.insert(tokens).second ? 10 : 1;
            taken *= passes++ == disturbed ? 5 : 1;
            seconds += taken;
            longest = std::max(longest, tokens);
        };
        all.writeToken = [this] { seconds += written++ < 2 ? 10 * perWritten : perWritten; };
        all.now = [this] { return seconds; };
        return all;
    }
};

/// Sixteen tokens take hardly less than 512 do: their rate says nothing of a prompt's.
TEST(MeasureSpeed, IsThatOfPromptsAsRepliesReadThem)
{
    struct Row
    {
        const char *what;
        double perPass, perToken, seconds;
    };
    const Row rows[] = {
        {"a fast card", 0.003, 0.00005, 8},
        {"a processor", 0.4, 0.0005, 8},
        {"a processor, one place of six", 0.4, 0.0005, 8.0 / 6},
        {"a slow processor", 2, 0.02, 1},
        {"time for nothing", 0.4, 0.0005, 0},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.what);
        ClockedModel model{row.perPass, row.perToken, row.perPass};
        const Speed speed = measureSpeed(model.probe(), 512, 1000, row.seconds);
        const double prompt = 512 / (row.perPass + 512 * row.perToken);
        EXPECT_NEAR(speed.prompt, prompt, 0.05 * prompt);
        EXPECT_NEAR(speed.generate, 1 / row.perPass, 0.05 / row.perPass);
    }
}

TEST(MeasureSpeed, LeavesOutWhatIsColdOrDisturbed)
{
    for (int disturbed = -1; disturbed < 12; ++disturbed) {
        ClockedModel model{0.004, 0.0001, 0.01};
        model.disturbed = disturbed;
        const Speed speed = measureSpeed(model.probe(), 512, 100, 8);
        EXPECT_EQ(model.longest, 512U);
        EXPECT_NEAR(speed.prompt, 512 / 0.0552, 1) << disturbed;
        EXPECT_NEAR(speed.generate, 100, 1e-6);
        EXPECT_EQ(model.written, 100) << "no more than there is room for";
    }
}

TEST(MeasureSpeed, KeepsToItsTime)
{
    ClockedModel slow{0.1, 0.001, 0.1};
    measureSpeed(slow.probe(), 2048, 100'000, 4);
    EXPECT_EQ(slow.longest, 128U) << "the longer one is not worth the time";
    EXPECT_LT(slow.seconds, 10);
    ClockedModel tiny{0.1, 0.001, 0.1};
    measureSpeed(tiny.probe(), 1, 1, 4);
    EXPECT_EQ(tiny.longest, 1U);
    EXPECT_EQ(tiny.written, 1);
}

/// A computer with a card that is none, whose speeds are kept in a folder.
class SpeedTest : public testing::Test
{
protected:
    EngineOptions options() const
    {
        EngineOptions options;
        options.cacheFolder = m_folder.path();
        options.probe = [] { return std::vector{probeCpu(), test::fakeCard()}; };
        options.open = [script = m_script](const DeviceReport &report, const LoadOptions &) {
            auto cpu = openCpu({.threads = 2});
            return report.kind == BackendKind::Cpu
                       ? std::move(cpu)
                       : test::fakeDevice(std::move(cpu), report, script);
        };
        return options;
    }

    test::TempDir m_folder;
    std::shared_ptr<test::DeviceScript> m_script = std::make_shared<test::DeviceScript>();
};

TEST_F(SpeedTest, WhatWasMeasuredDecidesTheNextTime)
{
    const LoadOptions load{.context = 256, .idsOnly = true};
    {
        Engine engine(options());
        const Engine::Choice choice = engine.choose(test::starterModel(), load);
        EXPECT_EQ(choice.selection.kind, BackendKind::Vulkan) << "nothing is known yet";
        ASSERT_EQ(choice.selection.options.size(), 2u);
        for (const PlacementOption &option : choice.selection.options) {
            LoadOptions there = load;
            there.placement = option.placement;
            const auto model = engine.load(test::starterModel(), there);
            EXPECT_EQ(model->selection().placement.layers, option.placement.layers);
            EXPECT_NE(model->selection().reason.find("as asked"), std::string::npos);
            const bool cpu = option.kind == BackendKind::Cpu;
            engine.noteSpeed(*model, {cpu ? 50.0 : 20.0, cpu ? 500.0 : 200.0});
        }
    }
    Engine engine(options());
    const auto model = engine.load(test::starterModel(), load);
    EXPECT_EQ(model->selection().kind, BackendKind::Cpu);
    for (const char *part : {"the faster one here", "50 tokens a second measured",
                             "20 tokens a second measured on Test card"})
        EXPECT_NE(model->selection().reason.find(part), std::string::npos)
            << model->selection().reason;
    const auto chosen = engine.load(
        test::starterModel(), {.backend = BackendKind::Vulkan, .context = 256, .idsOnly = true});
    EXPECT_EQ(chosen->selection().kind, BackendKind::Vulkan) << "who asks for it gets it";
}

TEST_F(SpeedTest, WhateverFailsInOnePlaceIsItsReasonAndTheOthersAreMeasured)
{
    const auto onCard = [this](const std::function<void()> &fail) {
        EngineOptions failing = options();
        failing.open = [fail, open = failing.open](const DeviceReport &report,
                                                   const LoadOptions &load) {
            if (report.kind == BackendKind::Vulkan)
                fail();
            return open(report, load);
        };
        Engine engine(failing);
        const auto measured =
            measureModel(engine, test::starterModel(), {.context = 64}, {}, {}, 0.01);
        EXPECT_EQ(measured.size(), 2u);
        EXPECT_FALSE(measured.front().speed.has_value());
        EXPECT_TRUE(measured.back().speed.has_value()) << measured.back().problem;
        EXPECT_EQ(measured.back().problem, "");
        return measured.front().problem;
    };
    EXPECT_EQ(onCard([] { throw Error(ErrorKind::Device, "it is gone"); }), "it is gone");
    EXPECT_EQ(onCard([] { throw std::bad_alloc(); }).rfind("not enough memory", 0), 0u);
    EXPECT_EQ(onCard([] { throw std::length_error("far too long"); }), "far too long");
    EXPECT_NE(onCard([] { throw 7; }), "");
    // Who stops it is not told of a fault.
    EXPECT_THROW(onCard([] { throwCancelled(); }), Error);
}

TEST_F(SpeedTest, ALimitOfACardSplitsTheModel)
{
    Engine engine(options());
    LoadOptions load{.context = 256, .idsOnly = true};
    const std::uint64_t most = std::uint64_t{230} << 20; // 150 for a driver, 67 for passes
    load.devices = {{.id = "vulkan:0", .limit = most}};
    const auto model = engine.load(test::starterModel(), load);
    const std::vector<int> &layers = model->selection().placement.layers;
    const auto onCard = std::count(layers.begin(), layers.end(), 1);
    EXPECT_GT(onCard, 0) << model->selection().reason;
    EXPECT_LT(onCard, 8) << model->selection().reason;
    EXPECT_NE(model->selection().reason.find("within the limit"), std::string::npos)
        << model->selection().reason;
    load.strict = true;
    load.backend = BackendKind::Vulkan;
    EXPECT_THROW(engine.load(test::starterModel(), load), Error);
}

} // namespace
} // namespace fireside
