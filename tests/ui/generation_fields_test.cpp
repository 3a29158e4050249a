#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "tests/ui/private_home.h"
#include "ui/settings/settings_dialog.h"

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>

#include <gtest/gtest.h>

namespace fireside {
namespace {

class GenerationFieldsTest : public testing::Test
{
protected:
    template <typename Field>
    static Field *field(const SettingsDialog &dialog, const char *name)
    {
        return dialog.findChild<Field *>(QLatin1String(name));
    }
    static void expectShown(const SettingsDialog &dialog, const SamplingSettings &s)
    {
        EXPECT_EQ(field<QPlainTextEdit>(dialog, "systemPrompt")->toPlainText(), s.systemPrompt);
        EXPECT_EQ(field<QDoubleSpinBox>(dialog, "temperature")->value(), s.temperature);
        EXPECT_EQ(field<QSpinBox>(dialog, "topK")->value(), s.topK);
        EXPECT_EQ(field<QDoubleSpinBox>(dialog, "topP")->value(), s.topP);
        EXPECT_EQ(field<QDoubleSpinBox>(dialog, "minP")->value(), s.minP);
        EXPECT_EQ(field<QDoubleSpinBox>(dialog, "repeatPenalty")->value(), s.repeatPenalty);
        EXPECT_EQ(field<QLineEdit>(dialog, "seed")->text(),
                  s.seed < 0 ? QString() : QString::number(s.seed));
        EXPECT_EQ(field<QSpinBox>(dialog, "maxTokens")->value(), s.maxTokens);
        EXPECT_EQ(field<QPlainTextEdit>(dialog, "stopStrings")->toPlainText(),
                  s.stopStrings.join(QLatin1Char('\n')));
    }

    test::PrivateHome home;
    AppSettings settings;
    EngineService engine;
};

TEST_F(GenerationFieldsTest, EachShowsItsSetting)
{
    SamplingSettings s;
    s.systemPrompt = QStringLiteral("Be brief.");
    s.temperature = 0.3;
    s.topK = 17;
    s.topP = 0.6;
    s.minP = 0.1;
    s.repeatPenalty = 1.2;
    s.seed = 99;
    s.maxTokens = 321;
    s.stopStrings = {QStringLiteral("one"), QStringLiteral("two")};
    settings.setSampling(s);
    SettingsDialog dialog(settings, engine);
    expectShown(dialog, s);
    EXPECT_EQ(settings.sampling(), s) << "showing changes nothing";
    settings.setSampling({}); // from elsewhere, while it is open
    expectShown(dialog, {});
    EXPECT_EQ(settings.sampling(), SamplingSettings());
}

} // namespace
} // namespace fireside
