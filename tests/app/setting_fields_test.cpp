#include "app/settings/app_settings.h"
#include "app/settings/engine_requests.h"
#include "app/settings/setting_values.h"

#include "engine/core/error.h"
#include "engine/model/quantize/recipe.h"
#include "support.h"
#include "tests/support/other_settings.h"

#include <QJsonArray>
#include <QSignalSpy>

#include <cmath>

// Every setting by itself: none is forgotten on its way to the disk and back.
namespace fireside::test {
namespace {

template <typename Group>
class SettingGroupTest : public ::testing::Test
{};
using Groups = ::testing::Types<LoadSettings, SamplingSettings, ChatSettings, CacheSettings,
                                AppearanceSettings>;
TYPED_TEST_SUITE(SettingGroupTest, Groups);

TYPED_TEST(SettingGroupTest, eachRowIsAnotherField)
{
    QStringList keys;
    for (const auto &row : TypeParam::table()) {
        EXPECT_FALSE(keys.contains(QLatin1String(row.key))) << row.key;
        keys.append(QLatin1String(row.key));
        EXPECT_STRNE(row.label, "") << row.key;
        TypeParam group;
        EXPECT_TRUE(isAccepted(row, row.read(group))) << row.key << ": the default";
        row.write(group, otherValue(row, row.read(group)));
        for (const auto &field : TypeParam::table()) {
            EXPECT_EQ(field.read(group) == field.read(TypeParam()), field.key != row.key)
                << "writing " << row.key << ", " << field.key;
        }
    }
    EXPECT_FALSE(allOther<TypeParam>() == TypeParam());
}

TYPED_TEST(SettingGroupTest, jsonHoldsEveryField)
{
    const auto other = allOther<TypeParam>();
    EXPECT_TRUE(groupFromJson<TypeParam>(toJson(other)) == other);
    EXPECT_TRUE(groupFromJson<TypeParam>(toJson(TypeParam()), other) == TypeParam());
    EXPECT_TRUE(groupFromJson<TypeParam>({}, other) == other) << "what is missing keeps its value";
    QJsonObject mistyped;
    for (const auto &row : TypeParam::table())
        mistyped[QLatin1String(row.key)] = QJsonObject();
    EXPECT_TRUE(groupFromJson<TypeParam>(mistyped, other) == other);
}

TYPED_TEST(SettingGroupTest, numbersBeyondTheirRangeAreBroughtBack)
{
    for (const auto &row : TypeParam::table()) {
        const TypeParam defaults;
        for (const double wild : {-1e6, 1e18, -1e300, 1e300, std::nan("")}) {
            SettingValue value = row.read(defaults);
            if (std::holds_alternative<double>(value))
                value = wild;
            else if (std::holds_alternative<std::int64_t>(value) && std::abs(wild) < 1e19)
                value = static_cast<std::int64_t>(wild);
            const SettingValue tame = accepted(row, value, row.read(defaults));
            EXPECT_TRUE(isAccepted(row, tame)) << row.key << ' ' << wild;
        }
    }
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
    wild.stopStrings = {"", "x"};
    const SamplingSettings tame = accepted(wild);
    EXPECT_EQ(tame.temperature, 5);
    EXPECT_EQ(tame.topK, 0);
    EXPECT_EQ(tame.topP, 0.01);
    EXPECT_EQ(tame.minP, 1);
    EXPECT_EQ(tame.repeatPenalty, 3);
    EXPECT_EQ(tame.seed, -1);
    EXPECT_EQ(tame.maxTokens, 0);
    EXPECT_EQ(tame.stopStrings, std::vector<std::string>{"x"});
    wild.repeatPenalty = 0;
    wild.minP = -1;
    EXPECT_EQ(accepted(wild).repeatPenalty, 0.5);
    EXPECT_EQ(accepted(wild).minP, 0);
}

TEST(SettingFieldsTest, theEngineIsAskedForEachOfThem)
{
    const auto sampling = allOther<SamplingSettings>();
    const GenerateRequest request = toRequest(sampling, 5);
    EXPECT_EQ(request.sampler.temperature, static_cast<float>(sampling.temperature));
    EXPECT_EQ(request.sampler.topK, sampling.topK);
    EXPECT_EQ(request.sampler.topP, static_cast<float>(sampling.topP));
    EXPECT_EQ(request.sampler.minP, static_cast<float>(sampling.minP));
    EXPECT_EQ(request.sampler.repeatPenalty, static_cast<float>(sampling.repeatPenalty));
    EXPECT_EQ(request.sampler.repeatWindow, sampling.repeatWindow);
    EXPECT_EQ(request.sampler.seed, 5U);
    EXPECT_EQ(request.maxTokens, sampling.maxTokens);
    EXPECT_EQ(request.stopStrings, sampling.stopStrings);
    const LoadOptions load =
        toLoadOptions({.backend = "vulkan", .context = 777, .threads = 3, .kvType = "q8_0"});
    EXPECT_EQ(load.backend, BackendKind::Vulkan);
    EXPECT_EQ(load.context, 777);
    EXPECT_EQ(load.threads, 3);
    EXPECT_EQ(load.kvType, DType::Q8_0);
    EXPECT_EQ(load.quantize, nullptr);
    EXPECT_EQ(toLoadOptions({.quantize = "q5_k_m"}).quantize->name, "Q5_K_M");
    for (const SettingChoice &choice : kQuantizeChoices)
        EXPECT_NO_THROW(toLoadOptions({.quantize = choice.word}));
    EXPECT_THROW(toLoadOptions({.quantize = "q5"}), Error);
    EXPECT_THROW(toLoadOptions({.backend = "warp"}), Error);
    EXPECT_THROW(toLoadOptions({.kvType = "q3"}), Error);
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
    QSignalSpy chat(&settings, &AppSettings::chatChanged);
    QSignalSpy cache(&settings, &AppSettings::cacheChanged);
    for (int twice = 0; twice < 2; ++twice) { // the second time nothing changes
        settings.setLoad(allOther<LoadSettings>());
        settings.setSampling(allOther<SamplingSettings>());
        settings.setAppearance(allOther<AppearanceSettings>());
        settings.setChat(allOther<ChatSettings>());
        settings.setCache(allOther<CacheSettings>());
    }
    settings.setSplitterState("state");
    EXPECT_EQ(load.size(), 1);
    EXPECT_EQ(sampling.size(), 1);
    EXPECT_EQ(appearance.size(), 1);
    EXPECT_EQ(chat.size(), 1);
    EXPECT_EQ(cache.size(), 1);

    AppSettings again;
    EXPECT_EQ(again.load(), allOther<LoadSettings>());
    EXPECT_EQ(again.sampling(), allOther<SamplingSettings>());
    EXPECT_EQ(again.appearance(), allOther<AppearanceSettings>());
    EXPECT_EQ(again.chat(), allOther<ChatSettings>());
    EXPECT_EQ(again.cache(), allOther<CacheSettings>());
    EXPECT_EQ(again.splitterState(), QByteArray("state"));

    again.setLoad({});
    again.setSampling({});
    again.setAppearance({});
    again.setChat({});
    again.setCache({});
    EXPECT_EQ(AppSettings().load(), LoadSettings());
    EXPECT_EQ(AppSettings().sampling(), SamplingSettings());
    EXPECT_EQ(AppSettings().appearance(), AppearanceSettings());
    EXPECT_EQ(AppSettings().chat(), ChatSettings());
    EXPECT_EQ(AppSettings().cache(), CacheSettings());
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
