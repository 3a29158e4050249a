#include "app/runtime/engine_service.h"
#include "tests/ui/private_home.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/backend/device_report_text.h"
#include "ui/style/language.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>

namespace fireside {
namespace {

QList<DeviceStatus> twoDevices()
{
    DeviceStatus cpu;
    cpu.id = cpu.kind = QStringLiteral("cpu");
    cpu.name = QStringLiteral("Test CPU");
    cpu.reason = QStringLiteral("The CPU can always run models.");
    cpu.available = true;
    cpu.memoryTotal = 16'000'000'000;
    cpu.memoryFree = 12'000'000'000;
    cpu.properties = {{QStringLiteral("Instruction set"), QStringLiteral("AVX2")}};

    DeviceStatus gpu;
    gpu.id = QStringLiteral("vulkan:0");
    gpu.kind = QStringLiteral("vulkan");
    gpu.name = QStringLiteral("Old GPU");
    gpu.reason = QStringLiteral("It lacks bufferDeviceAddress.");
    CheckStatus loader;
    loader.name = QStringLiteral("Vulkan loader");
    loader.detail = QStringLiteral("libvulkan.so.1");
    loader.outcome = CheckStatus::Passed;
    CheckStatus features;
    features.name = QStringLiteral("Features");
    features.rawError = QStringLiteral("VK_ERROR_FEATURE_NOT_PRESENT (-8)");
    features.advice = QStringLiteral("Update the driver.");
    features.outcome = CheckStatus::Failed;
    CheckStatus selfTest;
    selfTest.name = QStringLiteral("Shader self-test");
    gpu.checks = {loader, features, selfTest};
    return {cpu, gpu};
}

TEST(DeviceReportText, HoldsEveryRungWithItsOutcome)
{
    const QString text = deviceReportText(twoDevices(), nullptr);
    EXPECT_TRUE(text.contains("[passed] Vulkan loader: libvulkan.so.1")) << qPrintable(text);
    EXPECT_TRUE(text.contains("[failed] Features"));
    EXPECT_TRUE(text.contains("VK_ERROR_FEATURE_NOT_PRESENT (-8)"));
    EXPECT_TRUE(text.contains("Update the driver."));
    EXPECT_TRUE(text.contains("[not reached] Shader self-test"));
    EXPECT_TRUE(text.contains("Instruction set: AVX2"));
    EXPECT_TRUE(text.contains("No model is loaded."));
    EXPECT_LT(text.indexOf("Vulkan loader"), text.indexOf("Features"));
}

TEST(DeviceReportText, DescribesTheModelWithoutItsPath)
{
    ModelStatus model;
    model.path = QStringLiteral("/home/anna/secret/model.gguf");
    model.name = QStringLiteral("Tiny");
    model.reason = QStringLiteral("Runs on the CPU.");
    model.asked.backend = "vulkan";
    const QString text = deviceReportText(twoDevices(), &model);
    EXPECT_TRUE(text.contains("Tiny"));
    EXPECT_TRUE(text.contains("Runs on the CPU."));
    EXPECT_TRUE(text.contains("backend vulkan"));
    EXPECT_FALSE(text.contains("anna"));
}

TEST(DeviceReportText, NamesEveryWayToRunTheModelAndItsMemory)
{
    ModelStatus model;
    model.path = QStringLiteral("/home/anna/secret/model-q4.gguf");
    model.asked.placement.devices = {"vulkan:0=8-0.5", "cpu=-2"};
    model.asked.placement.strict = true;
    model.options = {
        {.name = QStringLiteral("Old GPU"),
         .sentence = QStringLiteral("Old GPU: the model needs 10 GB, only 8.0 GB is free")},
        {.name = QStringLiteral("the CPU"),
         .sentence = QStringLiteral("the CPU: taken; needs 10 GB"),
         .predicted = {5.5, 60},
         .measured = {4.5, 0},
         .chosen = true,
         .possible = true}};
    DeviceUseStatus use{.id = QStringLiteral("cpu"), .name = QStringLiteral("Processor")};
    use.shares = {{QStringLiteral("weights"), 2'000'000'000, 1'000'000'000},
                  {QStringLiteral("states"), 0, 0}};
    use.driver = 3'000'000'000;
    model.devices = {use};
    const QString text = deviceReportText(twoDevices(), &model);
    for (const char *part :
         {"model-q4.gguf", "[ ] Old GPU: the model needs 10 GB, only 8.0 GB is free",
          "[x] the CPU: taken; needs 10 GB", "expected: answer 5.5 tok/s, prompt 60.0 tok/s",
          "measured: answer 4.5 tok/s", "--device vulkan:0=8-0.5 cpu=-2, --strict",
          "Memory on Processor (cpu)", "weights: 2.0 GB, 1.0 GB", "the driver counts: 3.0 GB"})
        EXPECT_TRUE(text.contains(QLatin1String(part))) << part << "\n" << qPrintable(text);
    EXPECT_FALSE(text.contains("states"));
    EXPECT_FALSE(text.contains("anna") || text.contains("secret"));
    EXPECT_FALSE(text.contains("--layers")) << "as usual";
}

TEST(DeviceReportText, SaysWhyTheLastLoadFailed)
{
    LoadFailure failure{.path = QStringLiteral("/home/anna/secret/big-00001-of-00002.gguf"),
                        .message = QStringLiteral("/home/anna/secret/big-00002-of-00002.gguf: the "
                                                  "file is cut"),
                        .at = QDateTime::fromSecsSinceEpoch(0)};
    failure.asked.backend = "vulkan";
    failure.asked.quantize = "q4_k_m";
    failure.asked.placement.cardLayers = 7;
    ModelStatus fallback;
    fallback.name = QStringLiteral("Starter");
    const QString text = deviceReportText(twoDevices(), &fallback, failure);
    for (const char *part : {"Load that failed: big-00001-of-00002.gguf, 1970-01-01T00:00:00Z",
                             "Reason: big-00002-of-00002.gguf: the file is cut", "backend vulkan",
                             "weights q4_k_m", "--layers 7", "Loaded model: Starter"})
        EXPECT_TRUE(text.contains(QLatin1String(part))) << part << "\n" << qPrintable(text);
    EXPECT_FALSE(text.contains("anna")) << qPrintable(text);
    failure.cancelled = true;
    EXPECT_TRUE(deviceReportText({}, nullptr, failure).contains("Load that was cancelled: big-"));
    EXPECT_FALSE(deviceReportText({}, nullptr).contains("Load that"));
}

TEST(DeviceReportText, IsTheSameInEveryLanguage)
{
    ModelStatus model;
    model.name = QStringLiteral("Tiny");
    model.plannedBytes = 1'500'000'000;
    model.parameters = 1'200'000'000;
    model.options = {{.name = QStringLiteral("the CPU"),
                      .sentence = QStringLiteral("the CPU: taken"),
                      .predicted = {5.5, 60},
                      .chosen = true,
                      .possible = true}};
    const QString text = deviceReportText(twoDevices(), &model);
    for (const char *language : {"de", "ar"}) {
        Language::apply({.language = language});
        EXPECT_EQ(deviceReportText(twoDevices(), &model), text);
        EXPECT_EQ(deviceReportText({}, nullptr).count(QStringLiteral("have not been examined")), 1);
        EXPECT_NE(outcomeText(CheckStatus::Passed), QStringLiteral("passed")) << "unlike the page";
    }
    Language::apply({.language = "en"});
    EXPECT_TRUE(text.contains("1.5 GB") && text.contains("1.2 B") && text.contains("5.5 tok/s"));
}

TEST(DeviceReportText, UnknownMemoryIsNotZero)
{
    DeviceStatus device;
    EXPECT_EQ(memoryText(device), "unknown");
    device.memoryTotal = 8'000'000'000;
    EXPECT_TRUE(memoryText(device).contains("unknown"));
    EXPECT_TRUE(memoryText(device).contains("8"));
}

TEST(DeviceDetailsDialog, ShowsDevicesAsTheyArriveAndCopiesTheReport)
{
    test::PrivateHome home;
    EngineService engine;
    DeviceDetailsDialog dialog(engine);
    dialog.show();
    auto *list = dialog.findChild<QListWidget *>(QStringLiteral("deviceList"));
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->count(), 0);
    emit engine.devicesChanged(twoDevices());
    ASSERT_EQ(list->count(), 2);
    dialog.showDevice(QStringLiteral("vulkan:0"));
    EXPECT_EQ(list->currentRow(), 1);
    dialog.showDevice(QStringLiteral("no such device"));
    EXPECT_EQ(list->currentRow(), 1);

    const auto labels = dialog.findChildren<QLabel *>();
    const bool raw = std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text() == QLatin1String("VK_ERROR_FEATURE_NOT_PRESENT (-8)") &&
               label->textInteractionFlags().testFlag(Qt::TextSelectableByMouse) &&
               label->isVisible();
    });
    EXPECT_TRUE(raw) << "the raw error must be readable and selectable";

    QTest::mouseClick(dialog.findChild<QPushButton *>(QStringLiteral("copyReport")),
                      Qt::LeftButton);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), dialog.reportText());
    EXPECT_TRUE(dialog.reportText().contains("Old GPU"));
    EXPECT_FALSE(dialog.reportText().contains("Load that failed"));
    QSignalSpy failed(&engine, &EngineService::loadFailed);
    engine.loadModel(home.path(QStringLiteral("none.gguf")), {});
    ASSERT_TRUE(failed.wait());
    EXPECT_TRUE(dialog.reportText().contains("Load that failed: none.gguf"))
        << qPrintable(dialog.reportText());
    EXPECT_TRUE(dialog.reportText().contains(engine.loadFailure().message));
}

} // namespace
} // namespace fireside
