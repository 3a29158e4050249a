#include "app/runtime/placement_preview.h"
#include "engine/engine.h"
#include "engine_fixture.h"

#include <QDir>
#include <QFileInfo>

// Where a model would run, and how fast it is there.
namespace fireside::test {
namespace {

DeviceStatus processor()
{
    DeviceStatus device;
    device.id = device.kind = QStringLiteral("cpu");
    device.name = QStringLiteral("Processor");
    device.available = device.unifiedMemory = true;
    device.properties = {{QStringLiteral("Threads"), QStringLiteral("2")}};
    return device;
}

DeviceStatus card(qint64 free)
{
    DeviceStatus device;
    device.id = QStringLiteral("vulkan:0");
    device.kind = QStringLiteral("vulkan");
    device.name = QStringLiteral("Card");
    device.available = true;
    device.memoryTotal = device.memoryFree = free;
    return device;
}

TEST(PlacementPreviewTest, IsTheEnginesOwnChoice)
{
    const auto preview = [](const LoadSettings &settings, qint64 free = 8'000'000'000) {
        return previewPlacement(kStarter, settings, {processor(), card(free)}, {});
    };
    const PlacementStatus usual = preview({});
    EXPECT_TRUE(usual.possible);
    EXPECT_TRUE(usual.reason.startsWith(QStringLiteral("Running on Card through Vulkan")))
        << qPrintable(usual.reason);
    ASSERT_EQ(usual.options.size(), 2);
    EXPECT_TRUE(usual.options[0].chosen);
    EXPECT_FALSE(usual.options[1].chosen);
    EXPECT_TRUE(usual.options[1].possible);
    EXPECT_EQ(usual.options[0].measured, SpeedStatus());
    // Too small, and not to be used.
    EXPECT_TRUE(preview({}, 1'000'000).options[0].sentence.contains(QStringLiteral("1.0 MB")));
    LoadSettings without;
    without.placement.devices = {"vulkan:0=0"};
    EXPECT_TRUE(preview(without).reason.contains(QStringLiteral("not among the devices to use")));
    LoadSettings strict;
    strict.placement = {.devices = {"vulkan:0=0.001", "cpu=0.001"}, .strict = true};
    const PlacementStatus none = preview(strict);
    EXPECT_FALSE(none.possible);
    EXPECT_TRUE(none.reason.contains(QStringLiteral("cannot be met"))) << qPrintable(none.reason);
    ASSERT_EQ(none.options.size(), 2);
    for (const PlacementOptionStatus &option : none.options)
        EXPECT_FALSE(option.possible || option.chosen) << qPrintable(option.sentence);
}

TEST(PlacementPreviewTest, WhatIsWrongIsTheReason)
{
    const auto reason = [](const QString &path, const LoadSettings &settings = {}) {
        const PlacementStatus status = previewPlacement(path, settings, {processor()}, {});
        EXPECT_FALSE(status.possible);
        EXPECT_TRUE(status.options.isEmpty());
        EXPECT_FALSE(status.reason.isEmpty());
        return status.reason;
    };
    EXPECT_FALSE(reason(QStringLiteral("/secret/none.gguf")).contains(QStringLiteral("/secret")));
    const QString rubbish = newFolder() + QStringLiteral("/rubbish.gguf");
    writeFile(rubbish, "GGUF and nothing else");
    reason(rubbish);
    LoadSettings odd;
    odd.placement.devices = {"vulkan:0=much"};
    EXPECT_TRUE(reason(kStarter, odd).contains(QStringLiteral("vulkan:0=much")));
    EXPECT_FALSE(previewPlacement(kStarter, {}, {}, {}).possible) << "no devices are known";
}

TEST(PlacementPreviewTest, KnowsWhatWasMeasured)
{
    const QString folder = newFolder();
    const std::filesystem::path cache = folder.toStdString();
    QList<DeviceStatus> devices;
    {
        Engine engine({.cacheFolder = cache});
        const auto model = engine.load(kStarter.toStdString(),
                                       {.backend = BackendKind::Cpu, .context = 512, .threads = 2});
        engine.noteSpeed(*model, {.generate = 123, .prompt = 456});
        DeviceStatus cpu = processor();
        cpu.name = QString::fromStdString(model->device().name);
        cpu.properties.clear();
        for (const auto &[name, value] : model->device().properties)
            cpu.properties.append({QString::fromStdString(name), QString::fromStdString(value)});
        devices = {cpu};
    }
    const PlacementStatus status = previewPlacement(kStarter, {}, devices, cache);
    ASSERT_EQ(status.options.size(), 1);
    EXPECT_EQ(status.options[0].measured, (SpeedStatus{123, 456}));
    EXPECT_TRUE(status.reason.contains(QStringLiteral("123 tokens a second measured")))
        << qPrintable(status.reason);
    devices[0].properties.clear(); // another processor
    EXPECT_EQ(previewPlacement(kStarter, {}, devices, cache).options[0].measured, SpeedStatus());
}

class MeasureTest : public EngineTest
{
protected:
    QSignalSpy measured{&service, &EngineService::measured};
    MeasureStatus result() const { return measured.last().first().value<MeasureStatus>(); }
    bool settled(qsizetype loads) const
    {
        return waitFor([&] { return loaded.size() == loads || !loadFailed.isEmpty(); });
    }
    bool started()
    {
        service.start();
        return waitFor([&] { return service.state() == EngineState::NoModel; });
    }
    LoadSettings onCpu() const
    {
        LoadSettings settings;
        settings.backend = "cpu";
        settings.context = 512;
        settings.threads = 2;
        return settings;
    }
};

TEST_F(MeasureTest, AModelThatIsNotLoadedLeavesTheLoadedOneAsItWas)
{
    ASSERT_TRUE(load(kTiny, 256));
    const ModelStatus before = service.model();
    service.measureModel(kStarter, onCpu());
    EXPECT_EQ(service.state(), EngineState::Loading);
    ASSERT_TRUE(settled(2));
    ASSERT_EQ(measured.size(), 1);
    EXPECT_EQ(result().path, kStarter);
    EXPECT_TRUE(result().problem.isEmpty()) << qPrintable(result().problem);
    EXPECT_TRUE(result().reason.contains(QStringLiteral("measured")));
    EXPECT_EQ(service.model().path, before.path);
    EXPECT_EQ(service.model().asked, before.asked);
    service.reply(job(1, QStringLiteral("Hello")));
    EXPECT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty());
}

TEST_F(MeasureTest, WithNothingLoadedTheModelItselfIsLoaded)
{
    ASSERT_TRUE(started());
    service.measureModel(kStarter, onCpu());
    service.stopMeasuring();
    ASSERT_TRUE(settled(1));
    ASSERT_EQ(measured.size(), 1);
    EXPECT_EQ(service.model().path, kStarter);
}

TEST_F(MeasureTest, WhatCannotBeMeasuredSaysWhy)
{
    ASSERT_TRUE(load(kTiny, 256));
    service.measureModel(QStringLiteral("/secret/none.gguf"), onCpu());
    ASSERT_TRUE(settled(2));
    ASSERT_EQ(measured.size(), 1);
    EXPECT_FALSE(result().problem.isEmpty());
    EXPECT_FALSE(result().problem.contains(QStringLiteral("/secret")));
    EXPECT_EQ(service.model().path, kTiny);
}

TEST_F(MeasureTest, CancellingTheLoadEndsIt)
{
    ASSERT_TRUE(started());
    service.measureModel(kStarter, onCpu());
    service.stop();
    ASSERT_TRUE(waitFor([&] { return measured.size() == 1 && loadFailed.size() == 1; }));
    EXPECT_TRUE(result().stopped);
    EXPECT_TRUE(loadFailed.first().at(2).toBool()) << "cancelled";
    EXPECT_FALSE(service.hasModel());
}

TEST_F(MeasureTest, ARunningReplyIsNotTouched)
{
    ASSERT_TRUE(load(kStarter, 512));
    service.reply(job(1, QStringLiteral("Hello"), 32));
    service.measureModel(kStarter, onCpu());
    ASSERT_EQ(measured.size(), 1) << "refused at once";
    EXPECT_FALSE(result().problem.isEmpty());
    ASSERT_TRUE(waitForReply(1));
    EXPECT_TRUE(failed.isEmpty());
    EXPECT_EQ(loaded.size(), 1);
}

} // namespace
} // namespace fireside::test
