#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/model_server.h"
#include "app/settings/app_settings.h"
#include "tests/support/require.h"
#include "tests/ui/private_home.h"
#include "ui/settings/backend_panel.h"
#include "ui/settings/settings_dialog.h"
#include "ui/settings/stop_strings.h"
#include "ui/style/language.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QTcpServer>
#include <QTest>
#include <QTreeWidget>
#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr int kDialogPatience = 60'000; // ms, for loading a model on a busy machine

DeviceStatus gpu(bool available)
{
    DeviceStatus device;
    device.id = QStringLiteral("vulkan:0");
    device.kind = QStringLiteral("vulkan");
    device.name = QStringLiteral("Test GPU");
    device.reason = QStringLiteral("its driver is too old");
    device.available = available;
    return device;
}

DeviceStatus cpu()
{
    DeviceStatus device;
    device.id = device.kind = QStringLiteral("cpu");
    device.name = QStringLiteral("Test CPU");
    device.available = true;
    return device;
}

class SettingsDialogTest : public testing::Test
{
protected:
    template <typename Widget>
    Widget *child(const char *name)
    {
        auto *widget = dialog.findChild<Widget *>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }

    test::PrivateHome home;
    AppSettings settings;
    EngineService engine;
    Network network;
    SettingsDialog dialog{settings, engine, network};
};

TEST(StopStrings, RoundTrip)
{
    const QStringList strings{QStringLiteral("###"),   QStringLiteral("\n\nUser:"),
                              QStringLiteral("a\\nb"), QStringLiteral("tab\there"),
                              QStringLiteral("\\"),    QStringLiteral(" spaces ")};
    EXPECT_EQ(parseStopStrings(formatStopStrings(strings)), strings);
    EXPECT_EQ(parseStopStrings(QStringLiteral("\n\n")), QStringList());
    EXPECT_EQ(parseStopStrings(QStringLiteral("\\x\\")), QStringList{QStringLiteral("\\x\\")});
}

TEST_F(SettingsDialogTest, WhatIsKeptOfChatsIsShownWithItsLimit)
{
    const auto *used = child<QLabel>("cacheUsed");
    EXPECT_TRUE(used->text().contains(QStringLiteral("8.0 GB"))) << qPrintable(used->text());
    child<QSpinBox>("gigabytes")->setValue(3);
    EXPECT_EQ(AppSettings().cache().gigabytes, 3);
    EXPECT_TRUE(used->text().contains(QStringLiteral("3.0 GB"))) << qPrintable(used->text());
    EXPECT_FALSE(child<QPushButton>("cacheClear")->isEnabled()) << "there is nothing";
    EXPECT_TRUE(child<QLabel>("cacheProblem")->isHidden());
    const QString folder = child<QLabel>("cacheFolder")->text();
    EXPECT_TRUE(folder.endsWith(QStringLiteral("/chats"))) << qPrintable(folder);
}

TEST_F(SettingsDialogTest, EveryGenerationFieldIsStoredAtOnce)
{
    child<QPlainTextEdit>("systemPrompt")->setPlainText(QStringLiteral("Be brief."));
    child<QDoubleSpinBox>("temperature")->setValue(0.25);
    child<QSpinBox>("topK")->setValue(17);
    child<QDoubleSpinBox>("topP")->setValue(0.8);
    child<QDoubleSpinBox>("minP")->setValue(0.1);
    child<QDoubleSpinBox>("repeatPenalty")->setValue(1.15);
    child<QLineEdit>("seed")->setText(QStringLiteral("123456789012345678"));
    child<QSpinBox>("maxTokens")->setValue(256);
    child<QPlainTextEdit>("stopStrings")->setPlainText(QStringLiteral("###\n\\nUser:"));

    const SamplingSettings stored = AppSettings().sampling(); // from the file
    EXPECT_EQ(stored.systemPrompt, "Be brief.");
    EXPECT_DOUBLE_EQ(stored.temperature, 0.25);
    EXPECT_EQ(stored.topK, 17);
    EXPECT_DOUBLE_EQ(stored.topP, 0.8);
    EXPECT_DOUBLE_EQ(stored.minP, 0.1);
    EXPECT_DOUBLE_EQ(stored.repeatPenalty, 1.15);
    EXPECT_EQ(stored.seed, 123456789012345678LL);
    EXPECT_EQ(stored.maxTokens, 256);
    EXPECT_EQ(stored.stopStrings, (std::vector<std::string>{"###", "\nUser:"}));

    SettingsDialog again(settings, engine, network);
    EXPECT_EQ(again.findChild<QLineEdit *>("seed")->text(), "123456789012345678");
    EXPECT_EQ(again.findChild<QPlainTextEdit *>("stopStrings")->toPlainText(), "###\n\\nUser:");
}

TEST_F(SettingsDialogTest, ResetCanBeUndone)
{
    auto *prompt = child<QPlainTextEdit>("systemPrompt");
    auto *reset = child<QPushButton>("samplingReset");
    prompt->setPlainText(QStringLiteral("A long and careful prompt."));
    child<QSpinBox>("topK")->setValue(5);
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(settings.sampling(), SamplingSettings());
    EXPECT_TRUE(prompt->toPlainText().isEmpty());
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(settings.sampling().systemPrompt, "A long and careful prompt.");
    EXPECT_EQ(settings.sampling().topK, 5);
    EXPECT_EQ(prompt->toPlainText(), "A long and careful prompt.");
}

TEST_F(SettingsDialogTest, EmptySeedMeansANewOneEachTime)
{
    child<QLineEdit>("seed")->setText(QStringLiteral("7"));
    EXPECT_EQ(settings.sampling().seed, 7);
    child<QLineEdit>("seed")->clear();
    EXPECT_EQ(settings.sampling().seed, -1);
}

TEST_F(SettingsDialogTest, LoadSettingsAreStored)
{
    child<QComboBox>("loadBackend")
        ->setCurrentIndex(child<QComboBox>("loadBackend")->findData("cpu"));
    child<QComboBox>("loadKvType")
        ->setCurrentIndex(child<QComboBox>("loadKvType")->findData("q8_0"));
    child<QSpinBox>("loadContext")->setValue(4096);
    child<QSpinBox>("loadThreads")->setValue(3);
    const LoadSettings stored = AppSettings().load();
    EXPECT_EQ(stored.backend, "cpu");
    EXPECT_EQ(stored.kvType, "q8_0");
    EXPECT_EQ(stored.context, 4096);
    EXPECT_EQ(stored.threads, 3);
}

TEST_F(SettingsDialogTest, ContextStepsByDoublingAndNeverStopsTooSmall)
{
    auto *context = child<QSpinBox>("loadContext");
    context->setValue(0);
    context->stepUp();
    EXPECT_EQ(context->value(), 256);
    context->stepUp();
    EXPECT_EQ(context->value(), 512);
    context->stepDown();
    context->stepDown();
    EXPECT_EQ(context->value(), 0);
}

TEST_F(SettingsDialogTest, ChoiceForFullContextsIsStored)
{
    auto *whenFull = child<QComboBox>("whenFull");
    whenFull->setCurrentIndex(1);
    emit whenFull->activated(1);
    EXPECT_EQ(AppSettings().sampling().whenFull, "drop");
}

TEST_F(SettingsDialogTest, AppearanceIsStored)
{
    child<QRadioButton>("themeDark")->click();
    EXPECT_EQ(settings.appearance().theme, "dark");
    child<QSpinBox>("fontSize")->setValue(14);
    EXPECT_EQ(settings.appearance().fontSize, 14);
    child<QSpinBox>("fontSize")->setValue(child<QSpinBox>("fontSize")->minimum());
    EXPECT_EQ(settings.appearance().fontSize, 0);
}

TEST_F(SettingsDialogTest, ShowPageOpensIt)
{
    dialog.show();
    auto *pages = child<QListWidget>("settingsPages");
    for (const auto page : {SettingsDialog::Page::Shortcuts, SettingsDialog::Page::Generation,
                            SettingsDialog::Page::Appearance, SettingsDialog::Page::Backend}) {
        dialog.showPage(page);
        EXPECT_EQ(pages->currentRow(), static_cast<int>(page));
    }
    dialog.showPage(SettingsDialog::Page::Generation);
    EXPECT_TRUE(child<QDoubleSpinBox>("temperature")->isVisible());
    EXPECT_FALSE(child<QComboBox>("loadBackend")->isVisible());
}

TEST_F(SettingsDialogTest, ShortcutsAreTheWindowsOwn)
{
    QWidget window;
    auto *action = new QAction(QStringLiteral("&New chat…"), &window);
    action->setShortcut(QKeySequence(QStringLiteral("Ctrl+N")));
    SettingsDialog ofWindow(settings, engine, network, &window);
    auto *list = ofWindow.findChild<QTreeWidget *>(QStringLiteral("shortcutList"));
    ASSERT_NE(list, nullptr);
    const QList<QTreeWidgetItem *> found =
        list->findItems(QStringLiteral("New chat"), Qt::MatchExactly);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found.first()->text(1), "Ctrl+N");
}

BackendPanel::Meaning meaningOf(const char *backend, const QList<DeviceStatus> &devices,
                                const std::vector<std::string> &toUse = {})
{
    LoadSettings settings;
    settings.backend = backend;
    settings.placement.devices = toUse;
    return BackendPanel::meaningOf(settings, devices);
}

TEST(BackendPanelMeaning, NamesTheReasonAndWarnsBeforeAnError)
{
    const auto bad = meaningOf("vulkan", {cpu(), gpu(false)});
    EXPECT_TRUE(bad.warning);
    EXPECT_TRUE(bad.text.contains("its driver is too old"));
    const auto good = meaningOf("vulkan", {cpu(), gpu(true)});
    EXPECT_FALSE(good.warning);
    EXPECT_TRUE(good.text.contains("Test GPU"));
    const auto automatic = meaningOf("auto", {cpu(), gpu(false)});
    EXPECT_FALSE(automatic.warning);
    EXPECT_TRUE(automatic.text.contains("its driver is too old"));
    DeviceStatus software = gpu(true);
    software.software = true; // never taken by itself
    EXPECT_TRUE(meaningOf("auto", {cpu(), software}).text.startsWith("Models run on the CPU"));
    EXPECT_FALSE(meaningOf("cpu", {cpu(), gpu(false)}).warning);
    EXPECT_FALSE(meaningOf("vulkan", {}).warning); // not examined yet
    EXPECT_TRUE(meaningOf("vulkan", {cpu()}).warning);
    for (const char *backend : {"auto", "vulkan"})
        EXPECT_FALSE(meaningOf(backend, {cpu()}).text.contains(".."));
}

TEST(BackendPanelMeaning, IsOfTheDevicesThatAreToBeUsed)
{
    DeviceStatus second = gpu(true);
    second.id = QStringLiteral("vulkan:1");
    second.name = QStringLiteral("Second GPU");
    const QList<DeviceStatus> devices{cpu(), gpu(true), second};
    EXPECT_TRUE(meaningOf("auto", devices).text.contains("Test GPU"));
    EXPECT_TRUE(meaningOf("auto", devices, {"vulkan:1"}).text.contains("Second GPU"));
    EXPECT_TRUE(meaningOf("auto", devices, {"vulkan:1", "vulkan:0"}).text.contains("Second GPU"));
    const auto none = meaningOf("auto", devices, {"vulkan:0=0", "vulkan:1=0"});
    EXPECT_EQ(none.text, "Models run on the CPU, because no graphics processor is among the "
                         "devices to use.");
    EXPECT_FALSE(none.warning);
    EXPECT_TRUE(meaningOf("vulkan", devices, {"vulkan:0=0", "vulkan:1=0"}).warning);
    LoadSettings noLayers;
    noLayers.placement.cardLayers = 0;
    LoadSettings someLayers = noLayers;
    someLayers.placement.cardLayers = 12;
    EXPECT_TRUE(BackendPanel::meaningOf(someLayers, devices)
                    .text.startsWith("Up to 12 of a model's layers"))
        << qPrintable(BackendPanel::meaningOf(someLayers, devices).text);
    EXPECT_TRUE(BackendPanel::meaningOf(noLayers, devices)
                    .text.startsWith("Models run on the CPU, because no layers"));
}

TEST(BackendPanelMeaning, SaysTheReasonInTheLanguageOfTheWindow)
{
    DeviceStatus absent = gpu(false);
    absent.reason = QStringLiteral("the device lacks: 16-bit storage; needed for F16 weights and "
                                   "caches; update the graphics driver, or use the CPU");
    Language::apply(AppearanceSettings{.language = "de"});
    for (const char *backend : {"auto", "vulkan"}) {
        const QString text = meaningOf(backend, {cpu(), absent}).text;
        EXPECT_TRUE(text.contains(QStringLiteral("dem Gerät fehlt"))) << text.toStdString();
        EXPECT_FALSE(text.contains(QStringLiteral("needed for"))) << text.toStdString();
    }
    Language::apply(AppearanceSettings{.language = "en"});
}

TEST_F(SettingsDialogTest, APortThatIsTakenIsSaidAtTheTop)
{
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    ServerSettings taken;
    taken.on = true;
    taken.port = other.serverPort();
    settings.setServer(taken);
    engine.modelServer().apply(taken, {}); // as the program does
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine.modelServer().status().problem.isEmpty(); },
                                kDialogPatience));
    dialog.showPage(SettingsDialog::Page::Server);
    dialog.show();
    QCoreApplication::processEvents();
    const auto *problem = child<QLabel>("serverProblem");
    EXPECT_FALSE(problem->text().isEmpty());
    EXPECT_EQ(problem->visibleRegion().boundingRect(), problem->rect()) << "without scrolling";
    EXPECT_FALSE(child<QLineEdit>("serverAddress")->placeholderText().contains("off"));
    EXPECT_FALSE(child<QLabel>("serverState")->text().contains("Off"));
    engine.modelServer().apply({}, {});
    ASSERT_TRUE(QTest::qWaitFor([&] { return problem->isHidden(); }, kDialogPatience));
    EXPECT_TRUE(child<QLineEdit>("serverAddress")->placeholderText().contains("off"));
}

TEST_F(SettingsDialogTest, ReloadIsOfferedWhenTheModelWasLoadedOtherwise)
{
    const QString starter = ModelLibrary::starterModelPath();
    if (starter.isEmpty())
        FIRESIDE_SKIP("the starter model is not here");
    dialog.show();
    auto *reload = child<QPushButton>("reloadNow");
    LoadSettings asked = settings.load();
    asked.backend = "cpu";
    asked.threads = 1;
    settings.setLoad(asked);
    engine.start();
    engine.loadModel(starter, asked);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return engine.state() == EngineState::Ready; }, kDialogPatience));
    EXPECT_FALSE(reload->isVisible());

    child<QSpinBox>("loadContext")->setValue(1024);
    ASSERT_TRUE(reload->isVisible());
    for (const QSize &size : {dialog.size(), QSize(620, 420)}) { // without scrolling
        dialog.resize(size);
        QCoreApplication::processEvents();
        EXPECT_EQ(reload->visibleRegion().boundingRect(), reload->rect()) << size.height();
    }
    QTest::mouseClick(reload, Qt::LeftButton);
    EXPECT_EQ(engine.state(), EngineState::Loading);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return engine.state() == EngineState::Ready; }, kDialogPatience));
    EXPECT_EQ(engine.model().context, 1024);
    EXPECT_FALSE(reload->isVisible());
}

} // namespace
} // namespace fireside
