#include "app/settings/app_settings.h"

#include "support.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>

#include <sys/stat.h>

namespace fireside::test {
namespace {

class SettingsTest : public ::testing::Test
{
protected:
    SettingsTest()
    {
        m_config = newFolder();
        qputenv("XDG_CONFIG_HOME", m_config.toUtf8());
    }
    QString file() const { return m_config + QStringLiteral("/fireside/fireside.ini"); }
    QStringList setAside() const
    {
        return QDir(m_config + QStringLiteral("/fireside"))
            .entryList({QStringLiteral("fireside.ini.bak-*")}, QDir::Files);
    }
    QString m_config;
};

TEST_F(SettingsTest, areStoredAsTheyChange)
{
    LoadSettings load;
    load.backend = "cpu";
    load.context = 4096;
    load.kvType = "q8_0";
    SamplingSettings sampling;
    sampling.temperature = 0.25;
    sampling.seed = 42;
    sampling.stopStrings = {"a,b", "c"};
    sampling.systemPrompt = "Zeile 1\nZeile „2“; # = %";
    AppSettings settings;
    EXPECT_EQ(settings.load(), LoadSettings());
    EXPECT_EQ(settings.sampling(), SamplingSettings());
    EXPECT_EQ(settings.cache(), CacheSettings());
    EXPECT_TRUE(settings.listShown());
    QSignalSpy loadChanged(&settings, &AppSettings::loadChanged);
    settings.setLoad(load);
    settings.setLoad(load);
    EXPECT_EQ(loadChanged.size(), 1);
    settings.setSampling(sampling);
    settings.setAppearance({.theme = "dark", .fontSize = 14});
    settings.setLastModel(QStringLiteral("/models/a b.gguf"));
    settings.setWindowGeometry(QByteArray("\0\1\2\xff", 4));
    settings.setListShown(false);
    settings.setCache({.gigabytes = 3});
    EXPECT_TRUE(QFile::exists(file()));

    const AppSettings again; // while the first one lives: as after a crash
    EXPECT_EQ(again.load(), load);
    EXPECT_EQ(again.sampling(), sampling);
    EXPECT_EQ(again.appearance().theme, "dark");
    EXPECT_EQ(again.appearance().fontSize, 14);
    EXPECT_EQ(again.lastModel(), QStringLiteral("/models/a b.gguf"));
    EXPECT_EQ(again.windowGeometry(), QByteArray("\0\1\2\xff", 4));
    EXPECT_FALSE(again.listShown());
    EXPECT_EQ(again.cache().gigabytes, 3);
    EXPECT_TRUE(again.problem().isEmpty());
}

TEST_F(SettingsTest, eachModelKeepsWhatItWasLoadedWith)
{
    const QString one = QStringLiteral("/models/a b/ü.gguf"), other = QStringLiteral("/models/c");
    LoadSettings own;
    own.quantize = "q4_k_m";
    own.context = 4096;
    own.placement.devices = {"vulkan:1=8-0.5", "cpu=-2"};
    own.placement.strict = true;
    {
        AppSettings settings;
        QSignalSpy loadChanged(&settings, &AppSettings::loadChanged);
        EXPECT_EQ(settings.loadOf(one), LoadSettings());
        settings.setLoadOf(one, own);
        EXPECT_EQ(loadChanged.size(), 0);
    }
    AppSettings again; // after a restart
    EXPECT_EQ(again.loadOf(one), own);
    EXPECT_EQ(again.loadOf(other), LoadSettings());
    EXPECT_EQ(again.load(), LoadSettings());
    LoadSettings all;
    all.backend = "cpu";
    all.placement.cardLayers = 12;
    again.setLoad(all);
    EXPECT_EQ(again.loadOf(one), own); // its own, the defaults among them too
    EXPECT_EQ(again.loadOf(other), all);
    again.setLoadOf(one, LoadSettings());
    EXPECT_EQ(AppSettings().loadOf(one), LoadSettings());
    again.setLoadOf(one, all); // no longer its own
    again.setLoad(own);
    EXPECT_EQ(AppSettings().loadOf(one), own);
}

TEST_F(SettingsTest, badValuesFallBackOneByOne)
{
    writeFile(file(),
              "[General]\nversion=1\n[load]\nbackend=warp\ncontext=-5\nthreads=many\nkvType=f16\n"
              "placement\\devices=nonsense=8=\nplacement\\cardLayers=-7\nplacement\\strict=maybe\n"
              "[sampling]\ntemperature=nan\ntopP=0.5\ntopK=1e99\nseed=-7\n[appearance]\n"
              "theme=pink\nfontSize=9999\n[cache]\ngigabytes=perhaps\n");
    const AppSettings settings;
    EXPECT_EQ(settings.load(), LoadSettings());
    SamplingSettings expected;
    expected.topP = 0.5;
    EXPECT_EQ(settings.sampling(), expected);
    EXPECT_EQ(settings.appearance(), AppearanceSettings());
    EXPECT_EQ(settings.cache(), CacheSettings());
    EXPECT_TRUE(settings.problem().isEmpty());
    EXPECT_TRUE(setAside().isEmpty());
}

TEST_F(SettingsTest, damagedFilesAreSetAside)
{
    for (const QByteArray &content :
         {QByteArray("\x7f"
                     "ELF\0\0\1\2 no settings",
                     20),
          QByteArray("just words\nand more words\n"), QByteArray("[General]\nversion=soon\n"),
          QByteArray("[load]\ncontext=4096\n")}) {
        m_config = newFolder();
        qputenv("XDG_CONFIG_HOME", m_config.toUtf8());
        writeFile(file(), content);
        AppSettings settings;
        EXPECT_FALSE(settings.problem().isEmpty()) << content.constData();
        ASSERT_EQ(setAside().size(), 1) << content.constData();
        EXPECT_EQ(QFile(m_config + QStringLiteral("/fireside/") + setAside().first()).size(),
                  content.size());
        EXPECT_EQ(settings.load(), LoadSettings());
        settings.setAppearance({.fontSize = 12});
        EXPECT_EQ(AppSettings().appearance().fontSize, 12);
        EXPECT_TRUE(AppSettings().problem().isEmpty());
    }
}

TEST_F(SettingsTest, newerFileIsSetAside)
{
    writeFile(file(), "[General]\nversion=99\n[appearance]\nfontSize=20\n");
    const AppSettings settings;
    EXPECT_TRUE(settings.problem().contains(QStringLiteral("newer")))
        << qPrintable(settings.problem());
    EXPECT_EQ(setAside().size(), 1);
    EXPECT_EQ(settings.appearance().fontSize, 0);
}

TEST_F(SettingsTest, readOnlyFolderIsToldOnce)
{
    QDir().mkpath(m_config + QStringLiteral("/fireside"));
    ::chmod((m_config + QStringLiteral("/fireside")).toUtf8().constData(), 0555);
    {
        const WithoutPrivileges unprivileged;
        AppSettings settings;
        QSignalSpy problems(&settings, &AppSettings::problemChanged);
        settings.setAppearance({.fontSize = 15});
        settings.setAppearance({.fontSize = 16});
        EXPECT_EQ(problems.size(), 1);
        EXPECT_FALSE(settings.problem().isEmpty());
        EXPECT_EQ(settings.appearance().fontSize, 16); // for this run
    }
    ::chmod((m_config + QStringLiteral("/fireside")).toUtf8().constData(), 0755);
}

} // namespace
} // namespace fireside::test
