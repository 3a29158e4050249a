#include "app/runtime/engine_service.h"
#include "tests/ui/private_home.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/backend/device_report_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
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
}

} // namespace
} // namespace fireside
