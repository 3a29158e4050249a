#include "app/models/model_library.h"
#include "app/runtime/engine_text.h"
#include "app/runtime/placement_preview.h"
#include "ui/style/language.h"

#include <QRegularExpression>

#include <gtest/gtest.h>

// The engine's sentences in other languages.
namespace fireside::test {
namespace {

class EngineTextTest : public testing::Test
{
protected:
    static void speak(const char *language)
    {
        Language::apply(AppearanceSettings{.language = language});
    }
    void TearDown() override { speak("en"); }
};

TEST_F(EngineTextTest, InEnglishNothingChanges)
{
    for (const char *text :
         {"Running on the CPU because no Vulkan device was looked for (needs 1.2 GB, 16 GB of RAM "
          "is free; about 12 tokens a second expected)",
          "cannot open /a/100%1 sure.gguf: No such file or directory", "anything else; %2 of it"})
        EXPECT_EQ(engineText(QLatin1String(text)), QLatin1String(text));
}

TEST_F(EngineTextTest, SentencesWithinSentencesAreTranslated)
{
    speak("de");
    EXPECT_EQ(
        engineText(QStringLiteral("Running on the CPU because no Vulkan device was looked "
                                  "for (needs 1.2 GB, 16 GB of RAM is free; about 12 tokens "
                                  "a second expected)")),
        QStringLiteral("Läuft auf der CPU. Der Grund: nach Vulkan-Geräten wurde nicht gesucht "
                       "(braucht 1.2 GB, 16 GB Arbeitsspeicher sind frei; etwa 12 Token je "
                       "Sekunde erwartet)"));
    EXPECT_EQ(
        engineText(QStringLiteral("NVIDIA H200 (NVL): taken; needs 9.9 GB, 140 GB of memory "
                                  "on NVIDIA H200 (NVL) is free")),
        QStringLiteral("NVIDIA H200 (NVL): gewählt; braucht 9.9 GB, 140 GB Speicher sind frei "
                       "auf NVIDIA H200 (NVL)"));
    const QString software = engineText(QStringLiteral(
        "Running on the CPU because llvmpipe (LLVM 15.0.6, 256 bits) is a software device, slower "
        "than Fireside's own CPU kernels; choose Vulkan in the backend settings or --backend "
        "vulkan to force it (needs 78 MB, 24 GB of RAM is free)"));
    EXPECT_TRUE(software.contains(QStringLiteral("llvmpipe (LLVM 15.0.6, 256 bits)")));
    EXPECT_TRUE(
        software.endsWith(QStringLiteral("(braucht 78 MB, 24 GB Arbeitsspeicher sind frei)")))
        << software.toStdString();
    EXPECT_FALSE(software.contains(QStringLiteral("choose"))) << software.toStdString();
    EXPECT_EQ(engineText(QStringLiteral("all 8 layers on the CPU")),
              QStringLiteral("alle 8 Schichten auf: CPU"));
}

TEST_F(EngineTextTest, NamesStayAsTheyAre)
{
    speak("de");
    EXPECT_EQ(
        engineText(QStringLiteral("cannot open 100%1 sure.gguf: No such file or directory")),
        QStringLiteral("100%1 sure.gguf kann nicht geöffnet werden: Die Datei gibt es nicht"));
    EXPECT_EQ(engineText(QStringLiteral("what nobody knows")), QStringLiteral("what nobody knows"));
}

TEST_F(EngineTextTest, WhatTheEngineSaysOfARealModelIsKnown)
{
    speak("de");
    DeviceStatus cpu;
    cpu.id = cpu.kind = QStringLiteral("cpu");
    cpu.name = QStringLiteral("Processor");
    cpu.available = true;
    const PlacementStatus place =
        previewPlacement(ModelLibrary::starterModelPath(), LoadSettings(), {cpu}, {});
    ASSERT_TRUE(place.possible) << place.reason.toStdString();
    static const QRegularExpression english(
        QStringLiteral("because|needs|is free|Running|expected|taken|\\bthe\\b"));
    EXPECT_FALSE(engineText(place.reason).contains(english))
        << engineText(place.reason).toStdString();
    for (const PlacementOptionStatus &option : place.options)
        EXPECT_FALSE(engineText(option.sentence).contains(english))
            << engineText(option.sentence).toStdString();
    const PlacementStatus missing =
        previewPlacement(QStringLiteral("/nowhere/a.gguf"), LoadSettings(), {cpu}, {});
    EXPECT_TRUE(engineText(missing.reason).contains(QStringLiteral("Die Datei gibt es nicht")))
        << missing.reason.toStdString();
}

} // namespace
} // namespace fireside::test
