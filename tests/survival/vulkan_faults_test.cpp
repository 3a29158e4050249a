#include "engine/movable_model.h"
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/require.h"
#include "tests/support/scoped_env.h"
#include "tests/support/seed.h"
#include "tests/survival/vulkan_faults.h"
#include "tests/vulkan/lavapipe.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>

// Each call of Vulkan that can fail does, once, between opening a device and the last word of a
// reply: the layer of fault_layer.cpp lies below the engine as it is. FIRESIDE_FAULT_EVERY=N tries
// every Nth place for each kind of fault instead of a sample (1: all of them), from a random one on
// or from FIRESIDE_FAULT_FROM, for FIRESIDE_FAULT_SECONDS; FIRESIDE_FAULT_DEVICE=gpu takes the
// computer's own graphics card instead of lavapipe.
namespace fireside {
namespace {

using test::FaultKind;
using test::ScopedEnv;

constexpr int kTokens = 32;

const char *textOf(FaultKind kind)
{
    constexpr const char *kTexts[] = {"nothing",     "no host memory",        "no device memory",
                                      "device lost", "a wait that times out", "a hang"};
    return kTexts[static_cast<int>(kind)];
}

bool onGpu()
{
    const char *const asked = std::getenv("FIRESIDE_FAULT_DEVICE");
    return asked != nullptr && std::string(asked) == "gpu";
}

/// FIRESIDE_FAULT_EVERY; 0: a sample
int everyNth()
{
    const char *const asked = std::getenv("FIRESIDE_FAULT_EVERY");
    return asked != nullptr ? std::max(1, std::atoi(asked)) : 0;
}

/// FIRESIDE_FAULT_SECONDS: of each sweep, which then says where to go on.
std::chrono::seconds limit()
{
    const char *const asked = std::getenv("FIRESIDE_FAULT_SECONDS");
    return std::chrono::seconds(asked != nullptr ? std::atoi(asked) : 100'000);
}

/// Of so many places those to try: every Nth, or a sample spread evenly from a random start.
std::vector<int> places(int all, int sample)
{
    const int step = everyNth() > 0 ? everyNth() : std::max(1, all / sample);
    std::vector<int> chosen;
    const char *const from = std::getenv("FIRESIDE_FAULT_FROM");
    const int first = from != nullptr
                          ? std::atoi(from)
                          : static_cast<int>(test::generator()() % static_cast<unsigned>(step));
    for (int n = 1 + first; n <= all; n += step)
        chosen.push_back(n);
    return chosen;
}

class VulkanFaultsTest : public testing::Test
{
protected:
    void SetUp() override
    {
        m_layerFolder.emplace("VK_LAYER_PATH", FAULT_LAYER_FOLDER);
        m_layerName.emplace("VK_INSTANCE_LAYERS", test::kFaultLayer);
        m_layer.disarm();
        if (!onGpu()) {
            if (!m_lavapipe.present())
                FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
            m_driver = m_lavapipe.select();
        }
        m_reports = Engine().devices();
        ASSERT_GE(m_reports.size(), 2U);
        ASSERT_TRUE(m_reports[1].available) << m_reports[1].reason;
        m_reports[1].software = false; // so that it is what Automatic takes
        m_whole = run();
        ASSERT_EQ(m_whole.tokens.size(), static_cast<std::size_t>(kTokens)) << m_whole.error;
        ASSERT_EQ(m_whole.ended, BackendKind::Vulkan) << m_whole.reason;
        for (const char *const *name = m_layer.names(); *name != nullptr; ++name)
            m_calls[*name] = m_layer.calls(*name);
        m_calls[""] = m_layer.calls();
        ASSERT_GT(m_calls[""], 100) << "the layer is not below the engine";
    }

    struct Run
    {
        std::vector<TokenId> tokens;
        std::string streamed, error, reason;
        FinishReason finish = FinishReason::Stopped;
        BackendKind ended = BackendKind::Auto;
        int moves = 0;    // during the reply
        bool told = true; // a device that was given up says so in its report
    };
    EngineOptions engineOptions() const
    {
        EngineOptions options;
        options.probe = [this] { return m_reports; };
        if (!onGpu())
            options.open = [](const DeviceReport &report, const LoadOptions &load) {
                return report.kind == BackendKind::Cpu ? openCpu({.threads = load.threads})
                                                       : openVulkan(report, {.throughput = 1});
            };
        return options;
    }
    /// Loads a model on the card and lets it speak.
    Run run() const
    {
        Run run;
        try {
            Engine engine(engineOptions());
            MovableModel model(engine);
            // The card by its name: a fast processor would be chosen for so small a model.
            model.load(test::goldenGguf("f16"),
                       {.context = 2048, .threads = 2, .devices = {{.id = m_reports[1].id}}});
            GenerateRequest request;
            for (TokenId id = 0; id < 40; ++id)
                request.prompt.push_back(40 + id % 50);
            request.maxTokens = kTokens;
            request.sampler.temperature = 0;
            GenerateEvents events;
            events.text = [&](std::string_view text, const GenerateStats &) {
                run.streamed += text;
            };
            const auto moving = [&](const Error &) { ++run.moves; };
            const GenerateResult result = model.reply(request, events, {}, moving);
            run.tokens = result.tokens;
            run.finish = result.finish;
            run.ended = model.model()->selection().kind;
            run.reason = model.model()->selection().reason;
            run.told = run.ended == BackendKind::Vulkan || !engine.devices()[1].reason.empty();
        } catch (const std::exception &error) {
            run.error = error.what();
        }
        return run;
    }

    struct Tally
    {
        int tried = 0, whole = 0, same = 0, onCard = 0, moved = 0, quiet = 0;
    };
    /// One fault; whatever it was, the reply is whole.
    void expectSurvival(const char *call, int nth, FaultKind kind, Tally &tally)
    {
        m_layer.arm(call, nth, kind);
        const Run got = run();
        const char *const fired = m_layer.fired();
        if (fired == nullptr)
            return; // threads make that calls are not always as many
        const std::string what = std::string(textOf(kind)) + " at " + (call ? call : "call") + " " +
                                 std::to_string(nth) + ", " + fired;
        ++tally.tried;
        EXPECT_EQ(got.error, "") << what;
        EXPECT_EQ(got.tokens.size(), static_cast<std::size_t>(kTokens)) << what;
        EXPECT_EQ(m_layer.endlessWaits(), 0) << what;
        EXPECT_EQ(m_layer.destroyedHanging(), 0) << what;
        tally.whole += got.error.empty() && got.tokens.size() == kTokens;
        tally.same += got.tokens == m_whole.tokens && got.streamed == m_whole.streamed;
        tally.onCard += got.ended == BackendKind::Vulkan;
        tally.moved += got.moves > 0;
        // Whatever made a difference is told.
        const bool silent = got.reason == m_whole.reason;
        tally.quiet += silent;
        if (silent)
            ++m_quiet[fired];
        EXPECT_TRUE(!silent || got.ended == BackendKind::Vulkan) << what << ": " << got.reason;
        EXPECT_TRUE(!silent || got.moves == 0) << what << ": " << got.reason;
        EXPECT_TRUE(got.told) << what;
    }
    void report(const std::string &what, const Tally &t)
    {
        std::printf("%s: %d faults, %d replies whole, %d of them word for word, %d on the card in "
                    "the end, %d "
                    "moved in the middle, %d made no difference",
                    what.c_str(), t.tried, t.whole, t.same, t.onCard, t.moved, t.quiet);
        for (const auto &[call, times] : m_quiet)
            std::printf(", %s %d", call.c_str(), times);
        std::printf("\n");
        EXPECT_GT(t.tried, 0);
        EXPECT_EQ(t.whole, t.tried);
    }
    /// call: nullptr: the places are counted over all calls
    void sweep(const char *call, FaultKind kind, int sample)
    {
        Tally tally;
        m_quiet.clear();
        const auto start = std::chrono::steady_clock::now();
        for (const int nth : places(m_calls[call != nullptr ? call : ""], sample)) {
            if (std::chrono::steady_clock::now() - start > limit()) {
                std::printf("the time is over; on with FIRESIDE_FAULT_FROM=%d of %d\n", nth - 1,
                            m_calls[call != nullptr ? call : ""]);
                break;
            }
            expectSurvival(call, nth, kind, tally);
        }
        report(std::string(textOf(kind)) + (call != nullptr ? std::string(", ") + call : ""),
               tally);
    }

    const test::VulkanFaults m_layer;
    std::vector<DeviceReport> m_reports;
    std::map<std::string, int> m_calls; // of an undisturbed load and reply
    std::map<std::string, int> m_quiet; // calls whose failure made no difference

private:
    test::IgnoreDriverLeaks m_leaks;
    test::Lavapipe m_lavapipe;
    std::optional<ScopedEnv> m_layerFolder, m_layerName;
    const ScopedEnv m_patience{"FIRESIDE_FAULT_PATIENCE", "20"};
    std::unique_ptr<test::Lavapipe::Selection> m_driver;
    Run m_whole;
};

TEST_F(VulkanFaultsTest, MemoryOfTheHostRunsOut)
{
    sweep(nullptr, FaultKind::HostMemory, 3);
}

TEST_F(VulkanFaultsTest, MemoryOfTheDeviceRunsOut)
{
    sweep(nullptr, FaultKind::DeviceMemory, 3);
}

TEST_F(VulkanFaultsTest, TheDeviceIsLost)
{
    sweep(nullptr, FaultKind::Lost, 4);
}

TEST_F(VulkanFaultsTest, EveryKindOfCallFails)
{
    constexpr FaultKind kKinds[] = {FaultKind::HostMemory, FaultKind::DeviceMemory,
                                    FaultKind::Lost};
    Tally tally;
    std::mt19937 random = test::generator();
    const bool all = everyNth() == 1;
    for (const auto &[call, count] : m_calls)
        if (!call.empty() && count > 0 && (all || random() % 3 == 0))
            expectSurvival(call.c_str(), 1 + static_cast<int>(random() % unsigned(count)),
                           kKinds[random() % 3], tally);
    report("every kind of call", tally);
}

TEST_F(VulkanFaultsTest, TheDeviceHangs)
{
    sweep("vkQueueSubmit", FaultKind::Hang, 2);
    sweep("vkWaitSemaphores", FaultKind::Hang, 1);
    sweep("vkWaitSemaphores", FaultKind::Timeout, 1);
}

/// Waiting can lack memory while the device works on: nothing it uses may go, and nothing is lost.
TEST_F(VulkanFaultsTest, WaitsThatLackMemoryAreRepeated)
{
    Tally tally;
    for (const int nth : places(m_calls["vkWaitSemaphores"], 2))
        expectSurvival("vkWaitSemaphores", nth, FaultKind::DeviceMemory, tally);
    report("waits without memory", tally);
    EXPECT_EQ(tally.quiet, tally.tried);
}

/// A model that gives its memory back leaves its device open, with all kernels; one that was lost
/// meanwhile is opened anew.
TEST_F(VulkanFaultsTest, ARestMakesNothingAnew)
{
    EngineOptions options;
    options.probe = [this] { return m_reports; };
    Engine engine(options);
    MovableModel model(engine);
    GenerateRequest request;
    request.prompt = {40, 41, 42, 43};
    request.maxTokens = 2;
    request.sampler.temperature = 0;
    const auto made = [this] {
        return std::vector{m_layer.calls("vkCreateInstance"), m_layer.calls("vkCreateDevice"),
                           m_layer.calls("vkCreateComputePipelines")};
    };
    m_layer.disarm();
    model.load(test::goldenGguf("f16"),
               {.context = 128, .threads = 2, .devices = {{.id = m_reports[1].id}}});
    const std::vector<TokenId> whole = model.reply(request, {}).tokens;
    std::vector<int> before;
    for (int i = 0; i < 5 && before != made();
         ++i) { // a kernel may be needed by a later reply first
        before = made();
        EXPECT_EQ(model.reply(request, {}).tokens, whole);
    }
    EXPECT_GT(before[2], 0);
    model.rest();
    model.bringBack();
    EXPECT_EQ(model.reply(request, {}).tokens, whole);
    EXPECT_EQ(made(), before) << "instances, devices, pipelines";
    const std::string reason = model.model()->selection().reason;
    model.rest();
    m_layer.arm("vkAllocateMemory", 1, FaultKind::Lost);
    model.bringBack();
    EXPECT_STREQ(m_layer.fired(), "vkAllocateMemory");
    EXPECT_EQ(model.model()->selection().reason, reason);
    EXPECT_EQ(model.reply(request, {}).tokens, whole);
}

/// Replies that are computed together: one fault, and each of them is whole, word for word.
TEST_F(VulkanFaultsTest, RepliesComputedTogetherAllGoOn)
{
    constexpr int kReplies = 3, kEach = 12;
    using Words = std::vector<std::vector<TokenId>>;
    std::string failure;
    const auto together = [&] {
        Engine engine(engineOptions());
        MovableModel model(engine);
        model.load(test::goldenGguf("f16"), {.context = 512,
                                             .kvType = DType::F32,
                                             .threads = 2,
                                             .devices = {{.id = m_reports[1].id}}});
        model.share({.sequences = kReplies});
        Words words(kReplies);
        for (int i = 0; i < kReplies; ++i) {
            GenerateRequest request;
            for (TokenId id = 0; id < 20 + 15 * i; ++id)
                request.prompt.push_back(40 + (id * (i + 3)) % 50);
            request.maxTokens = kEach + i;
            request.sampler.temperature = 0;
            SharedReply reply;
            reply.finished = [&words, i](const GenerateResult &result) {
                words[static_cast<std::size_t>(i)] = result.tokens;
            };
            reply.failed = [&](const Error &error) { failure = error.what(); };
            model.begin(request, std::move(reply));
        }
        while (model.step())
            ;
        return words;
    };
    m_layer.disarm();
    const Words whole = together();
    ASSERT_EQ(failure, "");
    int tried = 0, replies = 0;
    std::map<std::string, int> calls;
    for (const char *const call : {"vkQueueSubmit", "vkWaitSemaphores", "vkAllocateMemory"})
        calls[call] = m_layer.calls(call);
    for (const auto &[call, kind, sample] :
         {std::tuple{"vkQueueSubmit", FaultKind::Lost, 1},
          std::tuple{"vkWaitSemaphores", FaultKind::Lost, 1},
          std::tuple{"vkAllocateMemory", FaultKind::DeviceMemory, 1},
          std::tuple{"vkQueueSubmit", FaultKind::Hang, 1}}) {
        for (const int nth : places(calls[call], sample)) {
            m_layer.arm(call, nth, kind);
            const Words got = together();
            if (m_layer.fired() == nullptr)
                continue;
            ++tried;
            EXPECT_EQ(failure, "") << textOf(kind) << " at " << call << " " << nth;
            EXPECT_EQ(got, whole) << textOf(kind) << " at " << call << " " << nth;
            for (int i = 0; i < kReplies; ++i)
                replies += got[static_cast<std::size_t>(i)] == whole[static_cast<std::size_t>(i)];
        }
    }
    std::printf("together: %d faults, %d of %d replies whole\n", tried, replies, kReplies * tried);
    EXPECT_GT(tried, 0);
    EXPECT_EQ(replies, kReplies * tried);
}

/// The whole program with the layer below it, told by its environment alone.
TEST_F(VulkanFaultsTest, TheProgramAsItIs)
{
    const auto reply = [](const std::string &fault) {
        return test::runCli("run '" + test::goldenGguf("f16").string() +
                                "' --raw -p 'Once upon a time' --temp 0 --max-tokens 8 --context "
                                "512 --threads 2 --backend vulkan",
                            "FIRESIDE_FAULT='" + fault + "'");
    };
    const auto [undisturbed, fine] = reply("");
    ASSERT_EQ(fine, 0) << undisturbed;
    EXPECT_EQ(undisturbed.find("VK_ERROR"), std::string::npos) << undisturbed;
    for (const char *const fault : {"vkWaitSemaphores 9 lost", "vkQueueSubmit 9 device-memory"}) {
        const auto [out, status] = reply(fault);
        EXPECT_EQ(status, 0) << out;
        EXPECT_NE(out.find(m_reports[1].name), std::string::npos) << "the reason: " << out;
    }
}

/// What fails while devices are probed is in the device's report, and the CPU is always there.
TEST_F(VulkanFaultsTest, ProbingFails)
{
    m_layer.disarm();
    Engine().devices();
    const int calls = m_layer.calls();
    ASSERT_GT(calls, 30);
    int tried = 0;
    for (const FaultKind kind : {FaultKind::HostMemory, FaultKind::Lost, FaultKind::Hang})
        for (const int nth : places(calls, 6)) {
            m_layer.arm(nullptr, nth, kind);
            Engine engine;
            const std::vector<DeviceReport> &reports = engine.devices();
            ASSERT_GE(reports.size(), 2U);
            EXPECT_TRUE(reports[0].available);
            const std::string what = std::string(textOf(kind)) + " at call " + std::to_string(nth);
            EXPECT_FALSE(reports[1].reason.empty()) << what;
            // A hang after the last wait changes nothing, waits that lack memory are repeated, and
            // layers between list devices too.
            const std::string fired = m_layer.fired() != nullptr ? m_layer.fired() : "";
            const bool repeated = kind == FaultKind::HostMemory && fired == "vkWaitSemaphores";
            if (kind != FaultKind::Hang && !repeated && fired.rfind("vkEnumerate", 0) != 0) {
                EXPECT_FALSE(reports[1].available) << what << ": " << reports[1].reason;
            }
            EXPECT_EQ(m_layer.endlessWaits(), 0) << what;
            EXPECT_EQ(m_layer.destroyedHanging(), 0) << what;
            tried += m_layer.fired() != nullptr;
        }
    std::printf("%d faults while probing %d calls\n", tried, calls);
}

} // namespace
} // namespace fireside
