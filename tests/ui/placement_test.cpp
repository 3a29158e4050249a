#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "tests/support/require.h"
#include "tests/ui/private_home.h"
#include "ui/settings/backend_panel.h"
#include "ui/settings/device_list.h"
#include "ui/settings/measure_row.h"
#include "ui/settings/placement_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLayout>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <gtest/gtest.h>

// Where models may run: chosen, seen and measured.
namespace fireside {
namespace {

constexpr int kPlacementPatience = 120'000; // ms, on a busy machine

DeviceStatus placeOf(const char *id, const char *name, bool available = true)
{
    DeviceStatus device;
    device.id = QLatin1String(id);
    device.kind =
        device.id == QLatin1String("cpu") ? QStringLiteral("cpu") : QStringLiteral("vulkan");
    device.name = QLatin1String(name);
    device.reason = QStringLiteral("for a reason");
    device.available = available;
    return device;
}

QList<DeviceStatus> threePlaces()
{
    return {placeOf("cpu", "Processor"), placeOf("vulkan:0", "Card A"),
            placeOf("vulkan:1", "Card B"), placeOf("vulkan:2", "Broken", false)};
}

QStringList shownRows(const QList<DeviceRow> &rows)
{
    QStringList texts;
    for (const DeviceRow &row : rows)
        texts.append((row.used ? QStringLiteral("+") : QStringLiteral("-")) +
                     QString::fromStdString(toText(row.choice)) +
                     (row.present ? QString() : QStringLiteral("?")));
    return texts;
}

TEST(DeviceRows, AreThoseNamedAndTheComputersOthers)
{
    using Setting = std::vector<std::string>;
    const struct
    {
        Setting setting;
        QStringList rows;
    } table[] = {
        {{}, {"+vulkan:0", "+vulkan:1", "+cpu"}},
        {{"vulkan:1"}, {"+vulkan:1", "-vulkan:0", "+cpu"}},
        {{"vulkan:1=8-0.5", "vulkan:0"}, {"+vulkan:1=8-0.5", "+vulkan:0", "+cpu"}},
        {{"vulkan:0=0"}, {"-vulkan:0", "+vulkan:1", "+cpu"}},
        {{"vulkan:0=0", "vulkan:1=0"}, {"-vulkan:0", "-vulkan:1", "+cpu"}},
        {{"cpu=-2"}, {"+vulkan:0", "+vulkan:1", "+cpu=-2"}},
        {{"cpu=-2", "vulkan:7"}, {"+vulkan:7?", "-vulkan:0", "-vulkan:1", "+cpu=-2"}},
        {{"vulkan:2"}, {"+vulkan:2?", "-vulkan:0", "-vulkan:1", "+cpu"}},
        {{"vulkan:0", "vulkan:0=4"}, {"+vulkan:0", "-vulkan:1", "+cpu"}},
    };
    for (const auto &row : table)
        EXPECT_EQ(shownRows(deviceRows(row.setting, threePlaces())), row.rows);
}

TEST(DeviceRows, BecomeTheSettingAgain)
{
    using Setting = std::vector<std::string>;
    for (const Setting &setting :
         {Setting{}, Setting{"vulkan:1", "vulkan:0"}, Setting{"vulkan:0=8-0.5", "vulkan:1"},
          Setting{"vulkan:0", "vulkan:1=0"}, Setting{"vulkan:0=0", "vulkan:1=0"}, Setting{"cpu=-2"},
          Setting{"vulkan:1=4", "vulkan:0=0", "cpu=16-1"}})
        EXPECT_EQ(deviceSetting(deviceRows(setting, threePlaces()), threePlaces()), setting);
    // All are named, in their order and without bounds: as if nothing were said.
    EXPECT_EQ(deviceSetting(deviceRows({"vulkan:0", "vulkan:1"}, threePlaces()), threePlaces()),
              Setting{});
}

class DeviceListTest : public testing::Test
{
protected:
    using Setting = std::vector<std::string>;
    DeviceListTest()
    {
        list.setDevices(threePlaces());
        list.show();
        QObject::connect(&list, &DeviceList::edited, &list, [this] { ++edits; });
        view = list.findChild<QListWidget *>();
        view->setFocus();
    }
    template <typename Widget>
    Widget *child(const char *name)
    {
        return list.findChild<Widget *>(QLatin1String(name));
    }

    DeviceList list;
    QListWidget *view;
    int edits = 0;
};

TEST_F(DeviceListTest, SpaceTicksAndAltMoves)
{
    ASSERT_EQ(view->count(), 3);
    EXPECT_EQ(edits, 0);
    QTest::keyClick(view, Qt::Key_Down);
    EXPECT_EQ(view->currentRow(), 1);
    QTest::keyClick(view, Qt::Key_Up, Qt::AltModifier);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0"}));
    EXPECT_EQ(view->currentRow(), 0) << "the row is followed";
    QTest::keyClick(view, Qt::Key_Up, Qt::AltModifier); // it is the first
    EXPECT_EQ(edits, 1);
    QTest::keyClick(view, Qt::Key_Space);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1=0", "vulkan:0"}));
    QTest::keyClick(view, Qt::Key_Space);
    QTest::keyClick(view, Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(list.value(), Setting{}) << "as it was";
    QTest::keyClick(view, Qt::Key_Down, Qt::AltModifier); // the CPU stays last
    EXPECT_EQ(list.value(), Setting{});
    EXPECT_EQ(edits, 4);
}

TEST_F(DeviceListTest, ButtonsMoveAndBoxesBound)
{
    auto *up = child<QToolButton>("deviceUp"), *down = child<QToolButton>("deviceDown");
    EXPECT_FALSE(up->isEnabled());
    QTest::mouseClick(down, Qt::LeftButton);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0"}));
    EXPECT_FALSE(down->isEnabled()) << "below it is the CPU";
    EXPECT_EQ(list.focusWidget(), up) << "keys stay here";
    EXPECT_EQ(child<QLabel>("deviceOfBounds")->text(), "Memory of Card A:");
    child<QDoubleSpinBox>("deviceLimit")->setValue(8);
    child<QDoubleSpinBox>("deviceReserve")->setValue(0.5);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0=8-0.5"}));
    EXPECT_EQ(view->item(1)->text(), "Card A, at most 8 GB, 0.5 GB stay free");
    view->setCurrentRow(2);
    EXPECT_EQ(child<QDoubleSpinBox>("deviceReserve")->value(), 0);
    child<QDoubleSpinBox>("deviceReserve")->setValue(2);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0=8-0.5", "cpu=-2"}));
    // Unticked, and what it may take is kept.
    view->setCurrentRow(1);
    view->item(1)->setCheckState(Qt::Unchecked);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0=0", "cpu=-2"}));
    EXPECT_FALSE(child<QDoubleSpinBox>("deviceLimit")->isEnabled());
    view->item(1)->setCheckState(Qt::Checked);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0=8-0.5", "cpu=-2"}));
    child<QDoubleSpinBox>("deviceLimit")->setValue(0);
    EXPECT_EQ(list.value(), (Setting{"vulkan:1", "vulkan:0=0", "cpu=-2"}));
    EXPECT_EQ(view->item(1)->checkState(), Qt::Unchecked);
}

TEST_F(DeviceListTest, ShowsWhatItIsGivenAndKeepsIt)
{
    const Setting odd{"vulkan:9=3", "vulkan:1"};
    list.setValue(odd);
    EXPECT_EQ(list.value(), odd);
    EXPECT_TRUE(view->item(0)->text().contains("not found"));
    list.setDevices({});
    EXPECT_EQ(list.value(), odd) << "devices are not known yet";
    list.setDevices(threePlaces());
    EXPECT_EQ(view->count(), 4);
    EXPECT_EQ(view->item(2)->checkState(), Qt::Unchecked);
    list.setValue({});
    EXPECT_EQ(view->item(1)->checkState(), Qt::Checked);
    EXPECT_EQ(edits, 0);
}

/// The panel with the real engine.
class PlacementTest : public testing::Test
{
protected:
    void SetUp() override
    {
        starter = ModelLibrary::starterModelPath();
        if (starter.isEmpty())
            FIRESIDE_SKIP("the starter model is not here");
        asked.backend = "cpu";
        asked.threads = 1;
        asked.context = 512;
        engine.setPatience(kPlacementPatience);
    }
    template <typename Widget>
    static Widget *child(QWidget &parent, const char *name)
    {
        auto *widget = parent.findChild<Widget *>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    static bool waitFor(const std::function<bool()> &condition)
    {
        return QTest::qWaitFor(condition, kPlacementPatience);
    }
    bool ready()
    {
        return waitFor([&] { return engine.state() == EngineState::Ready; });
    }
    void load()
    {
        engine.start();
        engine.loadModel(starter, asked);
        ASSERT_TRUE(ready());
    }

    test::PrivateHome home;
    QString starter;
    LoadSettings asked;
    AppSettings settings;
    EngineService engine;
};

TEST_F(PlacementTest, SaysWhetherItFitsWhileValuesChange)
{
    engine.start();
    ASSERT_TRUE(waitFor([&] { return !engine.devices().isEmpty(); }));
    PlacementView view(engine);
    view.ask(starter, asked);
    ASSERT_TRUE(waitFor([&] { return view.shown().possible; }));
    const auto *reason = child<QLabel>(view, "placementReason");
    EXPECT_TRUE(reason->text().contains("Running on the CPU as chosen"))
        << qPrintable(reason->text());
    EXPECT_TRUE(reason->wordWrap());
    ASSERT_FALSE(view.shown().options.isEmpty());
    EXPECT_NE(view.findChild<QWidget *>(QStringLiteral("placementChosen")), nullptr);
    const auto *context = child<QLabel>(view, "placementContext");
    EXPECT_EQ(context->text(), "Context: 512 tokens.");
    LoadSettings tooLong = asked;
    tooLong.context = 100'000;
    view.ask(starter, tooLong);
    EXPECT_TRUE(waitFor([&] {
        return context->text() == QLatin1String("Context: 2,048 tokens, all that the model was "
                                                "trained for; 100,000 were asked for.");
    })) << qPrintable(context->text());
    // One byte is too little.
    asked.placement.devices = {"cpu=0.001"};
    view.ask(starter, asked);
    ASSERT_TRUE(waitFor([&] { return !view.shown().possible; }));
    EXPECT_TRUE(reason->text().contains("only 1.0 MB of RAM")) << qPrintable(reason->text());
    EXPECT_FALSE(view.shown().options.isEmpty()) << "each says what is in its way";
    EXPECT_EQ(view.findChild<QWidget *>(QStringLiteral("placementChosen")), nullptr);
    // What is no model says so.
    view.ask(QStringLiteral("/nowhere/model.gguf"), {});
    ASSERT_TRUE(waitFor([&] { return view.shown().options.isEmpty(); }));
    EXPECT_FALSE(reason->text().isEmpty());
    EXPECT_FALSE(reason->text().contains("/nowhere/"));
    view.ask({}, {});
    EXPECT_TRUE(waitFor([&] { return reason->text().contains("Choose a model"); }));
}

TEST_F(PlacementTest, OnlyTheNewestQuestionIsAnswered)
{
    engine.start();
    ASSERT_TRUE(waitFor([&] { return !engine.devices().isEmpty(); }));
    PlacementView view(engine);
    QSignalSpy answered(&view, &PlacementView::answered);
    for (int context = 256; context < 4096; context += 256) {
        asked.context = context;
        view.ask(starter, asked);
    }
    ASSERT_TRUE(waitFor([&] { return view.shown().possible; }));
    EXPECT_EQ(answered.size(), 1);
}

/// Where no graphics processor competes nothing needs the processor's speed, until somebody looks.
TEST_F(PlacementTest, ExpectsASpeedOfTheProcessorAlone)
{
    load();
    PlacementView view(engine);
    QSignalSpy rated(&engine, &EngineService::processorRated);
    view.ask(starter, asked);
    const auto expected = [&] {
        const QList<PlacementOptionStatus> &options = view.shown().options;
        return !options.isEmpty() && options.last().possible &&
               options.last().predicted.generate > 0 && options.last().predicted.prompt > 0;
    };
    ASSERT_TRUE(waitFor(expected));
    EXPECT_EQ(rated.size(), 1);
    EXPECT_TRUE(child<QLabel>(view, "placementReason")->text().contains("expected"))
        << qPrintable(child<QLabel>(view, "placementReason")->text());
    engine.rateProcessor(); // it is known
    PlacementView another(engine);
    another.ask(starter, {});
    ASSERT_TRUE(waitFor([&] { return !another.shown().options.isEmpty(); }));
    EXPECT_EQ(another.shown().options.last().predicted, view.shown().options.last().predicted);
    EXPECT_EQ(rated.size(), 1);
}

/// A panel that is opened after a load failed is about the model that did.
TEST_F(PlacementTest, APanelKnowsWhatFailedBeforeItWasOpened)
{
    const QString broken = home.path(QStringLiteral("broken.gguf"));
    QSignalSpy failed(&engine, &EngineService::loadFailed);
    engine.start();
    engine.loadModel(broken, asked);
    ASSERT_TRUE(waitFor([&] { return failed.size() == 1; }));
    EXPECT_EQ(engine.state(), EngineState::NoModel);
    EXPECT_EQ(engine.loadFailure().path, broken);
    EXPECT_EQ(engine.loadFailure().asked, asked);
    EXPECT_FALSE(engine.loadFailure().cancelled);
    BackendPanel panel(settings, engine);
    EXPECT_TRUE(child<QComboBox>(panel, "backendScope")->itemText(1).contains("broken"))
        << qPrintable(child<QComboBox>(panel, "backendScope")->itemText(1));
    EXPECT_TRUE(child<QLabel>(panel, "reloadText")->text().contains("is not loaded"));
    engine.loadModel(starter, asked);
    ASSERT_TRUE(ready());
    EXPECT_EQ(engine.loadFailure().path, broken) << "whoever reports it may do so later";
    engine.loadModel(broken, asked);
    ASSERT_TRUE(waitFor([&] { return failed.size() == 2; }));
    ASSERT_TRUE(ready());
    EXPECT_EQ(engine.model().path, starter) << "the former one is back";
    EXPECT_EQ(engine.loadFailure().path, broken);
    engine.loadModel(starter, asked);
    engine.stop();
    ASSERT_TRUE(waitFor([&] {
        return engine.state() == EngineState::NoModel || engine.state() == EngineState::Ready;
    }));
    engine.loadModel(starter, asked);
    ASSERT_TRUE(ready());
    EXPECT_NE(engine.loadFailure().path, starter) << "it is loaded now";
}

TEST_F(PlacementTest, SettingsAreOfEveryModelOrOfOne)
{
    settings.setLoad(asked);
    load();
    BackendPanel panel(settings, engine);
    panel.show();
    auto *scope = child<QComboBox>(panel, "backendScope");
    auto *context = child<QSpinBox>(panel, "loadContext");
    auto *strict = child<QCheckBox>(panel, "placementStrict");
    auto *reset = child<QPushButton>(panel, "loadReset");
    EXPECT_TRUE(scope->isVisible());
    scope->setCurrentIndex(1);
    EXPECT_FALSE(reset->isEnabled()) << "it has none of its own";
    context->setValue(1024);
    QTest::mouseClick(strict, Qt::LeftButton, {}, QPoint(8, strict->height() / 2));
    EXPECT_EQ(settings.load(), asked);
    EXPECT_EQ(AppSettings().loadOf(starter).context, 1024);
    EXPECT_TRUE(AppSettings().loadOf(starter).placement.strict);
    EXPECT_TRUE(child<QPushButton>(panel, "reloadNow")->isVisible());
    scope->setCurrentIndex(0);
    EXPECT_EQ(context->value(), 512);
    EXPECT_FALSE(strict->isChecked());
    EXPECT_FALSE(child<QPushButton>(panel, "reloadNow")->isVisible());
    scope->setCurrentIndex(1);
    EXPECT_EQ(context->value(), 1024);
    BackendPanel later(settings, engine);
    EXPECT_EQ(child<QComboBox>(later, "backendScope")->currentIndex(), 1) << "it has its own";
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(context->value(), 512);
    EXPECT_EQ(AppSettings().loadOf(starter), asked);
    EXPECT_FALSE(reset->isEnabled());
    scope->setCurrentIndex(0);
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(AppSettings().load(), LoadSettings());
}

void turnWheel(QWidget *control)
{
    const QPointF at = QRectF(control->rect()).center();
    QWheelEvent turn(at, control->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(control, &turn);
}

/// The wheel is left to the page; values change when they are meant.
TEST_F(PlacementTest, TheWheelChangesNothing)
{
    engine.start();
    ASSERT_TRUE(waitFor([&] { return !engine.devices().isEmpty(); }));
    QScrollArea page;
    auto *panel = new BackendPanel(settings, engine);
    page.setWidget(panel);
    page.resize(600, 300);
    page.show();
    const LoadSettings before = settings.load();
    int turned = 0;
    for (QWidget *control : panel->findChildren<QWidget *>()) {
        if (qobject_cast<QAbstractSpinBox *>(control) == nullptr &&
            qobject_cast<QComboBox *>(control) == nullptr)
            continue;
        control->setFocus();
        turnWheel(control);
        ++turned;
        EXPECT_EQ(settings.load(), before) << qPrintable(control->objectName());
    }
    EXPECT_GE(turned, 8);
}

/// Also in a narrow window no sentence about a place is cut off.
TEST_F(PlacementTest, ReasonsAreNeverCutOff)
{
    load();
    BackendPanel panel(settings, engine);
    for (const int width : {760, 380}) {
        panel.setFixedWidth(width);
        panel.show();
        auto *view = panel.findChild<PlacementView *>();
        ASSERT_TRUE(waitFor([&] { return !view->shown().options.isEmpty(); }));
        panel.setFixedHeight(panel.layout()->totalHeightForWidth(width));
        QApplication::processEvents();
        int looked = 0;
        for (const QLabel *label : view->findChildren<QLabel *>()) {
            if (label->text().isEmpty() || !label->isVisible())
                continue;
            ++looked;
            EXPECT_TRUE(label->wordWrap()) << qPrintable(label->text());
            EXPECT_GE(label->height(), label->heightForWidth(label->width()))
                << qPrintable(label->text());
        }
        EXPECT_GE(looked, 2);
    }
}

TEST_F(PlacementTest, MeasuredSpeedsAreShownAndTheModelComesBack)
{
    settings.setLoad(asked);
    load();
    BackendPanel panel(settings, engine);
    panel.show();
    auto *view = panel.findChild<PlacementView *>();
    const auto measuredNow = [&] {
        for (const PlacementOptionStatus &option : view->shown().options)
            if (option.measured.generate > 0)
                return true;
        return false;
    };
    ASSERT_TRUE(waitFor([&] { return view->shown().possible; }));
    EXPECT_FALSE(measuredNow());
    QSignalSpy progress(&engine, &EngineService::measureProgress);
    auto *measure = child<QPushButton>(panel, "measure"),
         *stop = child<QPushButton>(panel, "measureStop");
    ASSERT_TRUE(measure->isEnabled());
    EXPECT_FALSE(stop->isVisible());
    measure->setFocus();
    QTest::keyClick(measure, Qt::Key_Space);
    EXPECT_FALSE(measure->isVisible());
    EXPECT_EQ(panel.focusWidget(), stop) << "keys stay where they were";
    EXPECT_TRUE(stop->isVisible());
    EXPECT_FALSE(child<QPushButton>(panel, "reloadNow")->isVisible()) << "nothing moves";
    ASSERT_TRUE(waitFor([&] { return progress.size() > 0; }));
    ASSERT_TRUE(ready());
    EXPECT_EQ(engine.model().asked, asked) << "as it was";
    const auto *text = child<QLabel>(panel, "measureText");
    EXPECT_TRUE(text->text().contains("From now on: Running on the CPU"))
        << qPrintable(text->text());
    EXPECT_TRUE(text->text().contains("measured")) << "Automatic says so";
    ASSERT_TRUE(waitFor(measuredNow));
    EXPECT_TRUE(measure->isVisible());
    EXPECT_EQ(panel.focusWidget(), measure);
    LoadSettings other = asked;
    other.threads = 2;
    settings.setLoad(other);
    EXPECT_EQ(text->text(), QString()) << "that was of other settings";
}

TEST_F(PlacementTest, WhatKeptAModelFromLoadingCanBeMendedWhereItWasSet)
{
    settings.setLoad(asked);
    load();
    BackendPanel panel(settings, engine);
    panel.show();
    auto *scope = child<QComboBox>(panel, "backendScope");
    scope->setCurrentIndex(1);
    LoadSettings tooLittle = asked;
    tooLittle.placement.devices = {"cpu=0.001"};
    settings.setLoadOf(starter, tooLittle);
    scope->setCurrentIndex(0);
    scope->setCurrentIndex(1);
    auto *reload = child<QPushButton>(panel, "reloadNow");
    ASSERT_TRUE(reload->isVisible());
    QSignalSpy failed(&engine, &EngineService::loadFailed);
    reload->click();
    ASSERT_TRUE(waitFor([&] { return failed.size() == 1; }));
    ASSERT_TRUE(ready()) << "as it was loaded before";
    EXPECT_EQ(engine.model().asked, asked);
    EXPECT_TRUE(scope->isVisible());
    EXPECT_EQ(scope->currentIndex(), 1) << "still about that model";
    EXPECT_TRUE(child<QLabel>(panel, "reloadText")->text().contains("loaded with other settings"));
    auto *reset = child<QPushButton>(panel, "loadReset");
    ASSERT_TRUE(reset->isEnabled());
    reload->setFocus();
    reset->click();
    EXPECT_EQ(panel.focusWidget(), child<QToolButton>(panel, "placementExpander"))
        << "not wherever is next, to which the page would go";
    EXPECT_EQ(engine.model().path, starter);
    EXPECT_EQ(engine.model().asked, asked);
    EXPECT_FALSE(reload->isVisible());
}

TEST_F(PlacementTest, MeasuringCanBeStoppedAndHarmsNoReply)
{
    load();
    MeasureRow row(engine);
    row.setModel(starter, asked);
    row.show();
    auto *measure = child<QPushButton>(row, "measure");
    QTest::mouseClick(measure, Qt::LeftButton);
    QTest::mouseClick(child<QPushButton>(row, "measureStop"), Qt::LeftButton);
    ASSERT_TRUE(ready()) << "the model comes back";
    EXPECT_TRUE(child<QLabel>(row, "measureText")->text().contains("Stopped"));

    ReplyJob job;
    job.id = 7;
    job.messages = {{QStringLiteral("user"), QStringLiteral("Tell me something long.")}};
    QSignalSpy finished(&engine, &EngineService::replyFinished);
    engine.reply(job);
    EXPECT_FALSE(measure->isEnabled());
    EXPECT_TRUE(measure->toolTip().contains("reply"));
    QSignalSpy measured(&engine, &EngineService::measured);
    engine.measureModel(starter, asked); // as from elsewhere
    ASSERT_EQ(measured.size(), 1);
    EXPECT_FALSE(measured.first().first().value<MeasureStatus>().problem.isEmpty());
    ASSERT_TRUE(waitFor([&] { return finished.size() == 1; }));
    ASSERT_TRUE(ready());
    EXPECT_TRUE(measure->isEnabled());
}

} // namespace
} // namespace fireside
