#include "app/chat/chat_controller.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "app/settings/preset_store.h"
#include "app/settings/sampling_json.h"
#include "app/settings/setting_values.h"
#include "tests/support/other_settings.h"

#include "support.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>

namespace fireside::test {
namespace {

class SamplingLayersTest : public ::testing::Test
{
protected:
    SamplingLayersTest()
    {
        m_config = newFolder();
        qputenv("XDG_CONFIG_HOME", m_config.toUtf8());
    }
    QString m_config;
};

TEST_F(SamplingLayersTest, laterOnesWinAndAreTheSource)
{
    SamplingLayers layers{{SamplingSource::Model, "Qwen", {{"temperature", 0.6}, {"topP", 0.8}}}};
    SamplingChoice all;
    all.own = {{"topP", 0.7}, {"nonsense", 1.0}, {"minP", 17.0}, {"topK", 2.5}};
    addChoice(layers, all, false);
    SamplingChoice chat;
    chat.choose("Mine", {{"topP", 0.9}, {"topK", std::int64_t{7}}});
    addChoice(layers, chat, true);
    const SamplingSettings settings = resolved(layers);
    EXPECT_EQ(settings.temperature, 0.6);
    EXPECT_EQ(settings.topP, 0.9);
    EXPECT_EQ(settings.topK, 7);
    EXPECT_EQ(settings.minP, SamplingSettings().minP) << "17 is no such part";
    EXPECT_EQ(sourceOf(layers, "temperature")->name, "Qwen");
    EXPECT_EQ(sourceOf(layers, "topP")->source, SamplingSource::ChatPreset);
    EXPECT_EQ(sourceOf(layers, "seed"), nullptr);
}

TEST_F(SamplingLayersTest, aPresetTakesThePlaceOfWhatWasChanged)
{
    SamplingChoice choice;
    choice.own = {{"temperature", 1.5}, {"systemPrompt", std::string("Be kind.")}};
    choice.choose("Precise", {{"temperature", 0.2}});
    EXPECT_EQ(choice.own.size(), 1u);
    EXPECT_EQ(choice.values(),
              (SettingValues{{"temperature", 0.2}, {"systemPrompt", std::string("Be kind.")}}));
    choice.own["temperature"] = 0.3;
    EXPECT_EQ(choice.values().at("temperature"), SettingValue(0.3));
}

TEST_F(SamplingLayersTest, choicesAreStoredExactly)
{
    SamplingChoice choice(allOther<SamplingSettings>());
    EXPECT_EQ(choice.own.size(), SamplingSettings::table().size());
    choice.choose("Mine", {{"temperature", 0.2}, {"topK", std::int64_t{5}}});
    choice.own["minP"] = SamplingSettings().minP; // as usual, but decided
    EXPECT_EQ(samplingChoiceFrom(toJson(choice)), choice);
    EXPECT_EQ(samplingChoiceFrom({}), SamplingChoice());
    // A chat of an older version holds everything; what is usual was nobody's choice.
    SamplingSettings old;
    old.temperature = 0.1;
    EXPECT_EQ(samplingChoiceFrom(toJson(old)).own, (SettingValues{{"temperature", 0.1}}));
}

TEST_F(SamplingLayersTest, settingsKeepWhatWasDecidedAndReadOldFiles)
{
    writeFile(m_config + QStringLiteral("/fireside/fireside.ini"),
              "[General]\nversion=1\n[sampling]\ntemperature=0.7\ntopK=40\ntopP=0.5\n");
    AppSettings settings;
    SamplingChoice choice = settings.samplingChoice();
    EXPECT_EQ(choice.own, (SettingValues{{"topP", 0.5}}));
    choice.choose("Mine", {{"minP", 0.2}});
    choice.own["temperature"] = SamplingSettings().temperature;
    QSignalSpy changed(&settings, &AppSettings::samplingChanged);
    settings.setSampling(choice);
    settings.setSampling(choice);
    EXPECT_EQ(changed.size(), 1);
    EXPECT_EQ(AppSettings().samplingChoice(), choice);
    EXPECT_EQ(AppSettings().sampling().minP, 0.2);
    settings.setSampling(SamplingChoice());
    EXPECT_EQ(AppSettings().samplingChoice(), SamplingChoice());
}

TEST_F(SamplingLayersTest, aChatHasItsOwnAboveWhatChanges)
{
    ConversationStore store{newFolder()};
    EngineService engine;
    ChatController chat{store, engine};
    chat.setSamplingBase({{SamplingSource::Model, "A", {{"temperature", 0.6}}}});
    const qint64 id = store.addConversation(QStringLiteral("one"), {});
    chat.openConversation(id);
    EXPECT_EQ(chat.sampling().temperature, 0.6);
    SamplingSettings changed = chat.sampling();
    changed.topK = 3;
    chat.setSampling(changed);
    EXPECT_EQ(chat.samplingChoice().own, (SettingValues{{"topK", std::int64_t{3}}}));
    chat.setSamplingBase({{SamplingSource::Model, "B", {{"temperature", 1.0}, {"topK", 9.0}}}});
    EXPECT_EQ(chat.sampling().temperature, 1.0) << "another model recommends other things";
    EXPECT_EQ(chat.sampling().topK, 3);
    chat.newConversation();
    EXPECT_EQ(chat.sampling().topK, 40) << "9 is no number of the setting's kind";
    chat.openConversation(id);
    EXPECT_EQ(chat.sampling().topK, 3);
}

TEST_F(SamplingLayersTest, presetsAreKeptRenamedAndDeleted)
{
    PresetStore presets;
    ASSERT_EQ(presets.presets().size(), 3);
    EXPECT_TRUE(presets.find(QStringLiteral("PRECISE"))->builtIn);
    EXPECT_FALSE(presets.refusalOf(QStringLiteral("precise")).isEmpty());
    EXPECT_FALSE(presets.refusalOf(QStringLiteral("  ")).isEmpty());
    EXPECT_FALSE(presets.refusalOf(QString(81, u'x')).isEmpty());
    presets.save(QStringLiteral("precise"), {{"topK", std::int64_t{1}}});
    EXPECT_EQ(presets.presets().size(), 3);
    presets.save(QStringLiteral(" Mine "), {{"topK", std::int64_t{1}}});
    presets.save(QStringLiteral("mine"), {{"topK", std::int64_t{2}}});
    presets.save(QStringLiteral("Other"), {{"systemPrompt", std::string("x")}});
    EXPECT_EQ(presets.presets().size(), 5);
    presets.rename(QStringLiteral("mine"), QStringLiteral("other")); // there is one
    EXPECT_TRUE(presets.find(QStringLiteral("mine")));
    presets.rename(QStringLiteral("mine"), QStringLiteral("Yours"));
    presets.remove(QStringLiteral("Balanced")); // comes with the program
    const PresetStore again;
    ASSERT_EQ(again.presets().size(), 5);
    EXPECT_EQ(again.find(QStringLiteral("yours"))->values,
              (SettingValues{{"topK", std::int64_t{2}}}));
    presets.remove(QStringLiteral("Yours"));
    EXPECT_EQ(PresetStore().presets().size(), 4);
}

TEST_F(SamplingLayersTest, presetsGoAndComeAsAFile)
{
    const QString path = newFolder() + QStringLiteral("/p.json");
    PresetStore presets;
    presets.save(QStringLiteral("Mine"), SamplingChoice(allOther<SamplingSettings>()).own);
    ASSERT_TRUE(presets.exportTo(path));
    EXPECT_EQ(presets.importFrom(path), 1);
    EXPECT_EQ(presets.find(QStringLiteral("Mine (2)"))->values,
              presets.find(QStringLiteral("Mine"))->values);
    for (const char *bad : {"", "[]", "{}", "{\"format\":\"fireside-prompts\",\"entries\":[]}",
                            "{\"format\":\"fireside-presets\",\"entries\":7}"}) {
        writeFile(path, bad);
        EXPECT_EQ(presets.importFrom(path), -1) << bad;
        EXPECT_FALSE(presets.problem().isEmpty());
    }
    writeFile(path, "{\"format\":\"fireside-presets\",\"entries\":[7,{\"name\":\"x\"},"
                    "{\"name\":\"y\",\"values\":{\"topK\":-1}},{\"values\":{\"topK\":1}},"
                    "{\"name\":\"Precise\",\"values\":{\"topK\":5,\"minP\":\"z\"}}]}");
    EXPECT_EQ(presets.importFrom(path), 1) << "only one of them is a preset";
    EXPECT_TRUE(presets.find(QStringLiteral("Precise (2)")));
    EXPECT_EQ(presets.importFrom(path + QStringLiteral(".none")), -1);
}

TEST_F(SamplingLayersTest, aDamagedFileIsKeptAside)
{
    const QString folder = m_config + QStringLiteral("/fireside");
    writeFile(folder + QStringLiteral("/presets.json"), "{\"format\":\"fireside-presets\",");
    PresetStore presets;
    EXPECT_TRUE(presets.problem().contains(QStringLiteral("presets.json.bak-")));
    presets.save(QStringLiteral("Mine"), {{"topK", std::int64_t{1}}});
    EXPECT_EQ(PresetStore().presets().size(), 4);
    EXPECT_EQ(QDir(folder).entryList({QStringLiteral("presets.json.bak-*")}).size(), 1);
}

} // namespace
} // namespace fireside::test
