#include "engine/engine.h"
#include "engine_fixture.h"
#include "tests/support/fake_device.h"
#include "tests/support/gate.h"
#include "tests/support/require.h"
#include "tests/vulkan/lavapipe.h"

namespace fireside::test {
namespace {

/// The engine's thread as the window uses it, with Mesa's Vulkan driver for the CPU and no other.
class VulkanWorkerTest : public EngineTest
{
protected:
    void SetUp() override
    {
        if (!m_lavapipe.present())
            FIRESIDE_SKIP("lavapipe is not installed (apt install mesa-vulkan-drivers)");
        m_selected = m_lavapipe.select();
    }

    void TearDown() override { service.shutdown(); } // before the driver's environment goes

    VulkanWorkerTest()
        : VulkanWorkerTest(std::make_shared<DeviceScript>())
    {}

    bool loadOn(const QString &backend)
    {
        LoadSettings settings;
        settings.backend = backend.toStdString();
        settings.threads = 2;
        const qsizetype before = loaded.size() + loadFailed.size();
        service.loadModel(kStarter, settings);
        return waitFor([&] { return loaded.size() + loadFailed.size() > before; }) &&
               service.hasModel();
    }

    QString failure() const
    {
        return loadFailed.isEmpty() ? QString() : loadFailed.last().at(1).toString();
    }

    std::shared_ptr<DeviceScript> card;
    Gate gate;
    std::atomic<int> heldPass = 0; // waits in the gate

private:
    explicit VulkanWorkerTest(const std::shared_ptr<DeviceScript> &script)
        : EngineTest(std::make_unique<EngineService>(watched(script)))
        , card(script)
    {
        card->seen = [this](DeviceScript::At at, int count) {
            if (at == DeviceScript::At::Pass && count == heldPass)
                gate.pass();
        };
    }
    /// The linked backends; what is asked of Vulkan devices is counted.
    static EngineOptions watched(const std::shared_ptr<DeviceScript> &script)
    {
        EngineOptions options;
        options.open = [script](const DeviceReport &report,
                                const LoadOptions &load) -> std::unique_ptr<Device> {
            if (report.kind == BackendKind::Cpu)
                return openCpu({.threads = load.threads});
            return fakeDevice(openVulkan(report, {.throughput = 1}), report, script);
        };
        return options;
    }
    Lavapipe m_lavapipe;
    std::unique_ptr<Lavapipe::Selection> m_selected;
};

TEST_F(VulkanWorkerTest, answersAsTheCpuDoes)
{
    constexpr int kTokens = 12; // a software device is slow
    ASSERT_TRUE(loadOn(QStringLiteral("vulkan"))) << qPrintable(failure());
    const ModelStatus model = service.model();
    EXPECT_EQ(model.backend, QStringLiteral("vulkan"));
    EXPECT_TRUE(model.device.contains(QStringLiteral("llvmpipe"))) << qPrintable(model.device);
    EXPECT_TRUE(model.reason.contains(QStringLiteral("through Vulkan as chosen")))
        << qPrintable(model.reason);
    EXPECT_TRUE(model.placement.contains(model.device)) << qPrintable(model.placement);
    service.reply(job(1, QStringLiteral("How do I add a model?"), kTokens));
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(statsOf(finished.first()).generatedTokens, kTokens);
    EXPECT_GT(text.size(), 1); // word by word, not at the end

    ASSERT_TRUE(loadOn(QStringLiteral("cpu"))) << qPrintable(failure());
    EXPECT_EQ(service.model().backend, QStringLiteral("cpu"));
    service.reply(job(2, QStringLiteral("How do I add a model?"), kTokens));
    ASSERT_TRUE(waitForReply(2));
    EXPECT_FALSE(textOf(1).isEmpty());
    EXPECT_EQ(textOf(1), textOf(2));
}

TEST_F(VulkanWorkerTest, stopInTheMiddleOfAPrompt)
{
    ASSERT_TRUE(loadOn(QStringLiteral("vulkan"))) << qPrintable(failure());
    QString words;
    for (int i = 0; i < 400; ++i)
        words += QStringLiteral("word%1 ").arg(i % 97);
    heldPass = card->count(DeviceScript::At::Pass) + 2;
    service.reply(job(1, words, 0));
    ASSERT_TRUE(waitFor([&] { return gate.reached(); }));
    service.stop();
    gate.open();
    ASSERT_TRUE(waitForReply(1));
    ASSERT_EQ(finished.size(), 1) << qPrintable(failed.value(0).value(1).toString());
    EXPECT_EQ(card->count(DeviceScript::At::Pass), heldPass);
    EXPECT_EQ(statsOf(finished.first()).promptTokens, 256); // the chunk that was done
    EXPECT_EQ(statsOf(finished.first()).finish, QStringLiteral("stopped"));
    EXPECT_TRUE(textOf(1).isEmpty()) << qPrintable(textOf(1));

    service.reply(job(2, QStringLiteral("Who are you?"), 2)); // and goes on as if nothing was
    ASSERT_TRUE(waitForReply(2));
    EXPECT_EQ(finished.size(), 2) << qPrintable(failed.value(0).value(1).toString());
}

} // namespace
} // namespace fireside::test
