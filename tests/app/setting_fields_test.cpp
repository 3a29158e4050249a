#include "app/chat/sampling_json.h"
#include "app/settings/app_settings.h"

#include "support.h"

#include <QJsonArray>
#include <QSignalSpy>

// Every setting by itself: none is forgotten on its way to the disk and back.
namespace fireside::test {
namespace {

/// All fields differ from the defaults.
SamplingSettings otherSampling()
{
    SamplingSettings s;
    s.temperature = 0.31;
    s.topK = 17;
    s.topP = 0.62;
    s.minP = 0.13;
    s.repeatPenalty = 1.24;
    s.seed = 99;
    s.maxTokens = 321;
    s.stopStrings = {QStringLiteral("one"), QStringLiteral("two")};
    s.systemPrompt = QStringLiteral("Be brief.");
    return s;
}

LoadSettings otherLoad()
{
    LoadSettings s;
    s.backend = QStringLiteral("vulkan");
    s.context = 1234;
    s.threads = 3;
    s.kvType = QStringLiteral("f32");
    return s;
}

TEST(SettingFieldsTest, jsonHoldsEveryField)
{
    const SamplingSettings other = otherSampling();
    EXPECT_EQ(samplingFromJson(toJson(other)), other);
    EXPECT_EQ(samplingFromJson(toJson(SamplingSettings()), other), SamplingSettings());
    EXPECT_EQ(samplingFromJson({}, other), other) << "what is missing keeps its value";
}

TEST(SettingFieldsTest, outOfRangeIsBroughtIntoRange)
{
    SamplingSettings wild;
    wild.temperature = 50;
    wild.topK = -1;
    wild.topP = 0;
    wild.minP = 2;
    wild.repeatPenalty = 100;
    wild.seed = -7;
    wild.maxTokens = -1;
    wild.stopStrings = {QString(), QStringLiteral("x")};
    const SamplingSettings tame = clamped(wild);
    EXPECT_EQ(tame.temperature, 5);
    EXPECT_EQ(tame.topK, 0);
    EXPECT_EQ(tame.topP, 0.01);
    EXPECT_EQ(tame.minP, 1);
    EXPECT_EQ(tame.repeatPenalty, 3);
    EXPECT_EQ(tame.seed, -1);
    EXPECT_EQ(tame.maxTokens, 0);
    EXPECT_EQ(tame.stopStrings, QStringList{QStringLiteral("x")});
    wild.repeatPenalty = 0;
    wild.minP = -1;
    EXPECT_EQ(clamped(wild).repeatPenalty, 0.5);
    EXPECT_EQ(clamped(wild).minP, 0);
}

class SettingsFileTest : public ::testing::Test
{
protected:
    SettingsFileTest() { qputenv("XDG_CONFIG_HOME", m_config.toUtf8()); }
    QString file() const { return m_config + QStringLiteral("/fireside/fireside.ini"); }

private:
    const QString m_config = newFolder();
};

TEST_F(SettingsFileTest, holdsEveryField)
{
    AppSettings settings;
    QSignalSpy load(&settings, &AppSettings::loadChanged);
    QSignalSpy sampling(&settings, &AppSettings::samplingChanged);
    QSignalSpy appearance(&settings, &AppSettings::appearanceChanged);
    QSignalSpy dropOldest(&settings, &AppSettings::dropOldestChanged);
    for (int twice = 0; twice < 2; ++twice) { // the second time nothing changes
        settings.setLoad(otherLoad());
        settings.setSampling(otherSampling());
        settings.setTheme(AppSettings::Theme::Light);
        settings.setFontSize(17);
        settings.setDropOldest(false);
    }
    settings.setSplitterState("state");
    EXPECT_EQ(load.size(), 1);
    EXPECT_EQ(sampling.size(), 1);
    EXPECT_EQ(appearance.size(), 2);
    EXPECT_EQ(dropOldest.size(), 1);

    AppSettings again;
    EXPECT_EQ(again.load(), otherLoad());
    EXPECT_EQ(again.sampling(), otherSampling());
    EXPECT_EQ(again.theme(), AppSettings::Theme::Light);
    EXPECT_EQ(again.fontSize(), 17);
    EXPECT_FALSE(again.dropOldest());
    EXPECT_EQ(again.splitterState(), QByteArray("state"));

    again.setLoad({});
    again.setSampling({});
    again.setTheme(AppSettings::Theme::System);
    again.setFontSize(0);
    EXPECT_EQ(AppSettings().load(), LoadSettings());
    EXPECT_EQ(AppSettings().sampling(), SamplingSettings());
    EXPECT_EQ(AppSettings().theme(), AppSettings::Theme::System);
    EXPECT_EQ(AppSettings().fontSize(), 0);
}

TEST_F(SettingsFileTest, numbersOutOfRangeCountAsMissing)
{
    writeFile(file(), "[General]\nversion=1\n[load]\ncontext=99999999\nthreads=2000\n"
                      "[sampling]\ntemperature=9\ntopK=2000000\ntopP=0\nminP=1.5\n"
                      "repeatPenalty=7\nmaxTokens=-1\n");
    const AppSettings settings;
    EXPECT_EQ(settings.load(), LoadSettings());
    EXPECT_EQ(settings.sampling(), SamplingSettings());
}

TEST_F(SettingsFileTest, bytesThatAreNoTextAreDamage)
{
    writeFile(file(), QByteArray("[General]\nversion=1\n[load]\ncontext=4096\n\0\0\1", 41));
    AppSettings settings;
    EXPECT_FALSE(settings.problem().isEmpty());
    EXPECT_EQ(settings.load(), LoadSettings());
}

} // namespace
} // namespace fireside::test
