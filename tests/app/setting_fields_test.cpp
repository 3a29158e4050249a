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
using Groups = ::testing::Types<LoadSettings, PlacementSettings, SamplingSettings, ChatSettings,
                                CacheSettings, ServerSettings, AppearanceSettings>;
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

TEST(SettingFieldsTest, placesAreAskedForAsWell)
{
    EXPECT_TRUE(toLoadOptions({}).devices.empty());
    EXPECT_EQ(toLoadOptions({}).cardLayers, -1);
    const PlacementSettings placement{.devices = {"vulkan:1=8-0.5", "cpu=-2", "vulkan:0=0"},
                                      .fastest = true,
                                      .cardLayers = 5,
                                      .expertLayers = 3,
                                      .smallerCache = true,
                                      .leastContext = 777,
                                      .strict = true};
    const PlacementRequest asked = requestOf(toLoadOptions({.placement = placement}));
    ASSERT_EQ(asked.devices.size(), 3U);
    EXPECT_EQ(asked.devices[0].id, "vulkan:1");
    EXPECT_EQ(asked.devices[0].limit, 8'000'000'000U);
    EXPECT_EQ(asked.devices[0].reserve, 500'000'000U);
    EXPECT_EQ(asked.devices[1].id, "cpu");
    EXPECT_FALSE(asked.devices[1].limit);
    EXPECT_EQ(asked.devices[1].reserve, 2'000'000'000U);
    EXPECT_FALSE(asked.devices[2].used());
    EXPECT_TRUE(asked.fastest);
    EXPECT_EQ(asked.cardLayers, 5);
    EXPECT_EQ(asked.expertLayers, 3);
    EXPECT_TRUE(asked.smallerCache);
    EXPECT_EQ(asked.leastContext, 777);
    EXPECT_TRUE(asked.strict);
    EXPECT_THROW(toLoadOptions({.placement = {.devices = {"vulkan:0=much"}}}), Error);
}

TEST(DeviceChoiceTest, IsReadAndWritten)
{
    for (const char *text : {"vulkan:0", "vulkan:1=8", "vulkan:1=8-0.5", "cpu=-2", "a=0", "a=0.25"})
        EXPECT_EQ(toText(parseDeviceChoice(text).value()), text);
    EXPECT_EQ(toText(parseDeviceChoice("a=8-0").value()), "a=8");
    EXPECT_EQ(toText(parseDeviceChoice("a=8.004").value()), "a=8");
    EXPECT_FALSE(parseDeviceChoice("a=0")->used());
    EXPECT_TRUE(parseDeviceChoice("a=-3")->used());
    for (const char *text : {"", "=8", "a=", "a=8-", "a=-", "a=8-0.5-1", "a=8x", "a=x", "a=nan",
                             "a=inf", "a=1e9", "a=--1", "a b", "a\n", "a=8=9", "a=1000000"})
        EXPECT_FALSE(isDeviceChoice(text)) << text;
    EXPECT_FALSE(isDeviceChoice(std::string(65, 'a')));
    EXPECT_FALSE(isDeviceChoice(std::string("a\0b", 3)));
}

TEST(DeviceChoiceTest, ListsLoseWhatIsNone)
{
    PlacementSettings placement;
    placement.devices = {"vulkan:0", "", "vulkan:0=many", "cpu=1"};
    EXPECT_EQ(accepted(placement).devices, (std::vector<std::string>{"vulkan:0", "cpu=1"}));
}

TEST(WordBiasTest, IsAWordOrATokensNumber)
{
    const auto word = parseWordBias(" a=b=-2.5");
    ASSERT_TRUE(word);
    EXPECT_EQ(word->text, " a=b");
    EXPECT_EQ(word->bias, -2.5);
    EXPECT_FALSE(word->token);
    EXPECT_EQ(parseWordBias("#12=+3")->token, 12);
    EXPECT_FALSE(parseWordBias("#=3")->token);
    EXPECT_FALSE(parseWordBias("#-1=3")->token);
    for (const char *text : {"", "a", "=1", "a=", "a=x", "a=1x", "a=101", "a=nan", "a=--1"})
        EXPECT_FALSE(isWordBias(text)) << text;
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
    const SamplerSettings &s = request.sampler;
    const std::pair<float, double> numbers[]{
        {s.frequencyPenalty, sampling.frequencyPenalty},
        {s.presencePenalty, sampling.presencePenalty},
        {s.dryMultiplier, sampling.dryMultiplier},
        {s.dryBase, sampling.dryBase},
        {s.topNSigma, sampling.topNSigma},
        {s.typicalP, sampling.typicalP},
        {s.xtcProbability, sampling.xtcProbability},
        {s.xtcThreshold, sampling.xtcThreshold},
        {s.temperatureRange, sampling.temperatureRange},
        {s.temperatureExponent, sampling.temperatureExponent},
        {s.mirostatTarget, sampling.mirostatTarget},
        {s.mirostatRate, sampling.mirostatRate},
    };
    for (const auto &[asked, set] : numbers)
        EXPECT_EQ(asked, static_cast<float>(set));
    EXPECT_EQ(s.dryAllowedLength, sampling.dryAllowedLength);
    EXPECT_EQ(s.dryWindow, sampling.dryWindow);
    EXPECT_EQ(s.dryBreakers, sampling.dryBreakers);
    EXPECT_EQ(s.mirostat, 1);
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

LoadSettings otherLoad()
{
    auto load = allOther<LoadSettings>();
    load.placement = allOther<PlacementSettings>();
    return load;
}

TEST_F(SettingsFileTest, holdsEveryField)
{
    AppSettings settings;
    QSignalSpy load(&settings, &AppSettings::loadChanged);
    QSignalSpy sampling(&settings, &AppSettings::samplingChanged);
    QSignalSpy appearance(&settings, &AppSettings::appearanceChanged);
    QSignalSpy chat(&settings, &AppSettings::chatChanged);
    QSignalSpy cache(&settings, &AppSettings::cacheChanged);
    for (int twice = 0; twice < 2; ++twice) { // the second time nothing changes
        settings.setLoad(otherLoad());
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
    EXPECT_EQ(again.load(), otherLoad());
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
