#include "app/hub/network.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "tests/support/other_settings.h"
#include "tests/ui/private_home.h"
#include "ui/settings/setting_editors.h"
#include "ui/settings/setting_spin_box.h"
#include "ui/settings/settings_dialog.h"

#include <QSignalSpy>

#include <gtest/gtest.h>

// Every setting of every group has a control that shows it and stores it.
namespace fireside {
namespace {

template <typename Group>
class SettingEditorsTest : public testing::Test
{};
using EditedGroups = testing::Types<LoadSettings, PlacementSettings, SamplingSettings, ChatSettings,
                                    CacheSettings, AppearanceSettings>;
TYPED_TEST_SUITE(SettingEditorsTest, EditedGroups);

TYPED_TEST(SettingEditorsTest, ShowEachSetting)
{
    QWidget page;
    SettingEditors<TypeParam> editors(QString(), &page);
    const auto other = test::allOther<TypeParam>();
    int told = 0;
    editors.onEdited(&page, [&] { ++told; });
    for (const TypeParam &group : {TypeParam(), other, TypeParam()}) {
        editors.show(group);
        EXPECT_TRUE(editors.shown() == group);
        EXPECT_TRUE(editors.complete());
    }
    EXPECT_EQ(told, 0) << "showing is no edit";
    for (const SettingEditor *editor : editors.all()) {
        EXPECT_FALSE(editor->control()->accessibleName().isEmpty());
        EXPECT_FALSE(editor->title().contains(QLatin1Char('&')));
    }
}

template <typename Group>
void expectStored(QWidget &dialog, const QString &prefix, const std::function<Group()> &stored)
{
    for (const SettingOf<Group> &row : Group::table()) {
        QString name = QString::fromLatin1(row.key);
        if (!prefix.isEmpty())
            name = prefix + name.at(0).toUpper() + name.mid(1);
        const auto all = dialog.findChildren<SettingEditor *>();
        const auto editor = std::find_if(all.begin(), all.end(), [&](const SettingEditor *e) {
            return e->control()->objectName() == name;
        });
        ASSERT_NE(editor, all.end()) << row.key;
        const SettingValue other = test::otherValue(row, row.read(stored()));
        (*editor)->setValue(other);
        emit(*editor)->edited(); // as after a key
        EXPECT_TRUE(row.read(stored()) == other) << row.key;
    }
}

TEST(SettingsDialogFields, EachIsOnItsPageAndStored)
{
    test::PrivateHome home;
    AppSettings settings;
    EngineService engine;
    Network network;
    SettingsDialog dialog(settings, engine, network);
    expectStored<LoadSettings>(dialog, QStringLiteral("load"), [] { return AppSettings().load(); });
    expectStored<PlacementSettings>(dialog, QStringLiteral("placement"),
                                    [] { return AppSettings().load().placement; });
    expectStored<SamplingSettings>(dialog, {}, [] { return AppSettings().sampling(); });
    expectStored<ChatSettings>(dialog, {}, [] { return AppSettings().chat(); });
    expectStored<CacheSettings>(dialog, {}, [] { return AppSettings().cache(); });
    expectStored<AppearanceSettings>(dialog, {}, [] { return AppSettings().appearance(); });
    settings.setAppearance({.theme = "light"});
}

TEST(SettingsDialogFields, ShowWhatChangesElsewhere)
{
    test::PrivateHome home;
    AppSettings settings;
    EngineService engine;
    Network network;
    SettingsDialog dialog(settings, engine, network);
    const auto shownSampling = [&] {
        SamplingSettings shown;
        for (const auto *editor : dialog.findChildren<SettingEditor *>())
            for (const auto &row : SamplingSettings::table())
                if (&editor->setting() == &row)
                    row.write(shown, editor->value());
        return shown;
    };
    const auto other = test::allOther<SamplingSettings>();
    settings.setSampling(other);
    EXPECT_EQ(shownSampling(), other);
    EXPECT_EQ(settings.sampling(), other) << "showing changes nothing";
    settings.setSampling({});
    EXPECT_EQ(shownSampling(), SamplingSettings());
}

TEST(SettingSpinBoxTest, JumpsTheGapAboveZero)
{
    const Setting adds{.key = "points", .low = 6, .high = 9, .orZero = true};
    SettingSpinBox box(adds, nullptr);
    QList<int> up, down;
    for (int i = 0; i < 6; ++i, box.stepUp())
        up.append(box.value());
    for (int i = 0; i < 6; ++i, box.stepDown())
        down.append(box.value());
    EXPECT_EQ(up, (QList<int>{0, 6, 7, 8, 9, 9}));
    EXPECT_EQ(down, (QList<int>{9, 8, 7, 6, 0, 0}));
    box.setValue(3);
    emit box.editingFinished();
    EXPECT_EQ(box.value(), 6);

    const Setting doubles{.key = "tokens", .low = 256, .high = 1000, .orZero = true, .step = 0};
    SettingSpinBox context(doubles, nullptr);
    context.stepBy(2);
    EXPECT_EQ(context.value(), 512);
    context.stepBy(3);
    EXPECT_EQ(context.value(), 1000);
    context.stepBy(-2);
    EXPECT_EQ(context.value(), 256);
}

} // namespace
} // namespace fireside
