#include "app/models/model_library.h"
#include "app/runtime/engine_sentences.h"
#include "app/runtime/engine_text.h"
#include "app/runtime/placement_preview.h"
#include "ui/backend/number_text.h"
#include "ui/models/model_details_pane.h"
#include "ui/models/model_list_model.h"
#include "ui/style/direction.h"
#include "ui/style/language.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QRegularExpression>

#include <gtest/gtest.h>

#include <tuple>

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

TEST(FullStopTest, ASentenceEndsOnce)
{
    for (const char *ended : {"", "Is there a connection?", "Stop!", "Done.", "What…"})
        EXPECT_EQ(withFullStop(QString::fromUtf8(ended)), QString::fromUtf8(ended));
    EXPECT_EQ(withFullStop(QStringLiteral("The host refused")),
              QStringLiteral("The host refused."));
}

TEST_F(EngineTextTest, SentencesWithinSentencesAreTranslated)
{
    speak("de");
    EXPECT_EQ(
        engineText(QStringLiteral("Running on the CPU because no Vulkan device was looked "
                                  "for (needs 1.2 GB, 16 GB of RAM is free; about 12 tokens "
                                  "a second expected)")),
        QStringLiteral("Läuft auf der CPU. Der Grund: nach Vulkan-Geräten wurde nicht gesucht "
                       "(braucht 1,2 GB, 16 GB Arbeitsspeicher sind frei; etwa 12 Token je "
                       "Sekunde erwartet)"));
    EXPECT_EQ(
        engineText(QStringLiteral("NVIDIA H200 (NVL): taken; needs 9.9 GB, 140 GB of memory "
                                  "on NVIDIA H200 (NVL) is free")),
        QStringLiteral("NVIDIA H200 (NVL): gewählt; braucht 9,9 GB, 140 GB Speicher sind frei "
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

TEST_F(EngineTextTest, ChecksOfDevicesAndFitsAreTranslated)
{
    speak("de");
    EXPECT_EQ(engineText(QStringLiteral("no Vulkan driver was found (VK_ERROR_INCOMPATIBLE_DRIVER "
                                        "(-9)); install the driver for /dev/dri/renderD128 with "
                                        "'sudo apt install mesa-vulkan-drivers'")),
              QStringLiteral("kein Vulkan-Treiber wurde gefunden (VK_ERROR_INCOMPATIBLE_DRIVER "
                             "(-9)); installieren Sie den Treiber für /dev/dri/renderD128 mit "
                             "'sudo apt install mesa-vulkan-drivers'"));
    EXPECT_EQ(engineText(QStringLiteral("the device lacks: 16-bit storage; needed for F16 weights "
                                        "and caches; update the graphics driver, or use the CPU")),
              QStringLiteral("dem Gerät fehlt: Speicher in 16 Bit; gebraucht, für Gewichte und "
                             "Zwischenspeicher in F16; aktualisieren Sie den Grafiktreiber, oder "
                             "nehmen Sie die CPU"));
    EXPECT_EQ(engineText(QStringLiteral("basic, cooperative matrix, built without integer dot")),
              QStringLiteral("Grundform, kooperative Matrizen, ohne Skalarprodukte ganzer Zahlen "
                             "gebaut"));
    EXPECT_EQ(engineText(QStringLiteral("AVX-512 VNNI (the processor has AMX, which FIRESIDE_ISA "
                                        "can choose)")),
              QStringLiteral("AVX-512 VNNI (der Prozessor hat AMX, das sich mit FIRESIDE_ISA "
                             "wählen lässt)"));
    EXPECT_EQ(engineText(QStringLiteral("CPU: needs 44 MB and 34 MB for the program, 24 GB of RAM "
                                        "is free")),
              QStringLiteral("CPU: braucht 44 MB und 34 MB für das Programm, 24 GB Arbeitsspeicher "
                             "sind frei"));
    EXPECT_EQ(engineText(QStringLiteral("CPU: needs 78 MB, 24 GB of RAM is free")),
              QStringLiteral("CPU: braucht 78 MB, 24 GB Arbeitsspeicher sind frei"));
    EXPECT_EQ(engineText(QStringLiteral("Vulkan: 28 on GPU (A) and 4 on the CPU of 32 layers")),
              QStringLiteral("Vulkan: von 32 Schichten 28 auf GPU (A) und 4 auf der CPU"));
    EXPECT_EQ(engineText(QStringLiteral("Always works: AMD EPYC, 2 cores, AVX2, 25 GB RAM")),
              QStringLiteral("Geht immer: AMD EPYC, 2 Kerne, AVX2, 25 GB Arbeitsspeicher"));
}

TEST_F(EngineTextTest, RejectedPlacesAreTranslated)
{
    static const QRegularExpression english(
        QStringLiteral("needs|only|free|asked|expected|fewer|first|layers|\\bthe\\b"));
    for (const char *language : {"de", "ar"}) {
        speak(language);
        for (const char *text :
             {"the CPU: the model needs 23 MB for a context of 2048 tokens, only 10 MB of RAM is "
              "free within the limit",
              "Card A: the model needs 9.0 GB and 157 MB for its driver, only 8.0 GB of memory on "
              "Card A is free",
              "the CPU: needs 44 MB and 34 MB for the program, 23 GB of RAM is free; 7.2 tokens a "
              "second measured; not asked for",
              "the CPU: needs 10 GB, 32 GB of RAM is free; about 5.7 tokens a second expected, "
              "fewer than the 90 of Card A",
              "3 on Card A and 1 on the CPU of 4 layers: Card B comes first",
              "llvmpipe (LLVM 15.0.6) is a software device, slower than Fireside's own CPU "
              "kernels"}) {
            const QString told = engineText(QLatin1String(text));
            EXPECT_FALSE(told.contains(english)) << told.toStdString();
        }
    }
}

TEST_F(EngineTextTest, ANameInFrontDoesNotTurnTheSentenceRound)
{
    const QString text = QStringLiteral("llvmpipe is a software device");
    EXPECT_EQ(inOrder(text), text);
    speak("ar");
    ASSERT_TRUE(QGuiApplication::isRightToLeft());
    EXPECT_TRUE(inOrder(text).isRightToLeft());
    EXPECT_TRUE(inOrder(text).endsWith(text));
    EXPECT_EQ(inOrder({}), QString());
}

TEST_F(EngineTextTest, NamesStayAsTheyAre)
{
    speak("de");
    EXPECT_EQ(
        engineText(QStringLiteral("cannot open 100%1 sure.gguf: No such file or directory")),
        QStringLiteral("100%1 sure.gguf kann nicht geöffnet werden: Die Datei gibt es nicht"));
    EXPECT_EQ(engineText(QStringLiteral("what nobody knows")), QStringLiteral("what nobody knows"));
}

TEST_F(EngineTextTest, DetailsOfAModelAreInTheLanguageOfTheWindow)
{
    ModelEntry entry;
    entry.name = QStringLiteral("Tiny");
    entry.quantisation = QStringLiteral("Q5_K_M");
    entry.quantisationHint = QStringLiteral("about 5 bits: close to the original");
    entry.source = QStringLiteral("Starter (built in)");
    entry.fit = ModelEntry::Fits;
    entry.fitText = QStringLiteral("CPU: needs 1.2 GB, 24 GB of RAM is free");
    for (const auto &[language, hint, source] :
         {std::tuple{"de", "nahe am Original", "Startmodell"},
          std::tuple{"ar", "قريب من الأصل", "نموذج البداية"}}) {
        speak(language);
        ModelDetailsPane pane;
        pane.showEntry(&entry);
        QString text;
        for (const QLabel *label : pane.findChildren<QLabel *>())
            text += label->text().remove(QChar(0x200B)) + QLatin1Char('\n');
        EXPECT_TRUE(text.contains(QString::fromUtf8(hint))) << text.toStdString();
        EXPECT_TRUE(text.contains(QString::fromUtf8(source))) << text.toStdString();
        EXPECT_TRUE(text.contains(bytesText(1'200'000'000))) << text.toStdString();
        EXPECT_FALSE(text.contains(QStringLiteral("original\n")) ||
                     text.contains(QStringLiteral("is free")))
            << text.toStdString();
        ModelListModel list;
        list.setEntries({entry}, true);
        EXPECT_TRUE(list.index(0, ModelListModel::Quantisation)
                        .data()
                        .toString()
                        .contains(QString::fromUtf8(hint)));
    }
}

TEST_F(EngineTextTest, NumbersAreWrittenAsTheWindowWritesThem)
{
    const QString needs = QStringLiteral("needs 1.2 GB, 16 GB of RAM is free; about 5.5 tokens a "
                                         "second expected");
    for (const char *language : {"en", "de", "ar"}) {
        speak(language);
        const QString text = engineText(needs);
        for (const qint64 bytes : {1'200'000'000LL, 16'000'000'000LL})
            EXPECT_TRUE(text.contains(bytesText(bytes))) << text.toStdString();
        EXPECT_TRUE(text.contains(QLocale().toString(5.5, 'f', 1))) << text.toStdString();
        EXPECT_TRUE(engineText(QStringLiteral("needs 44 MB and 34 MB for the program, 24 GB of RAM "
                                              "is free; 7.2 tokens a second measured"))
                        .contains(QLocale().toString(7.2, 'f', 1)));
        // What is no number stays.
        EXPECT_TRUE(engineText(QStringLiteral("the loader offers Vulkan 1.3"))
                        .contains(QStringLiteral("1.3")));
    }
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

/// The string literals of a source file, those that follow each other joined, as the compiler does.
QStringList literalsOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression token(
        QStringLiteral(
            "//[^\\n]*|^#[^\\n]*|'(?:[^'\\\\]|\\\\.)'|\"((?:[^\"\\\\\\n]|\\\\.)*)\"|(\\S)"),
        QRegularExpression::MultilineOption);
    QStringList found;
    bool follows = false;
    const QString text = QString::fromUtf8(file.readAll());
    for (auto each = token.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        if (match.hasCaptured(1) && follows)
            found.last() += match.captured(1);
        else if (match.hasCaptured(1))
            found += match.captured(1);
        if (match.hasCaptured(1) || match.hasCaptured(2))
            follows = match.hasCaptured(1);
    }
    return found;
}

/// What of a template is not a placeholder.
QStringList ownWords(const char *sentence)
{
    static const QRegularExpression place(QStringLiteral("%[1-9]"));
    return QString::fromUtf8(sentence).split(place, Qt::SkipEmptyParts);
}

/// Whether the words stand there, or their parts do: sentences are put together of literals,
/// between words.
bool madeOf(const QString &literals, const QString &words, int mostParts = 4)
{
    if (literals.contains(words))
        return true;
    if (mostParts == 1)
        return false;
    for (qsizetype end = words.size() - 1; end > 1; --end)
        if ((!words[end - 1].isLetter() || !words[end].isLetter()) &&
            literals.contains(words.left(end)) && madeOf(literals, words.mid(end), mostParts - 1))
            return true;
    return false;
}

// Who rewords a sentence in the engine is told here that its translations no longer find it.
TEST(EngineSentences, AreThoseOfTheEngine)
{
    // Of the program's list of models, and of the system.
    QStringList said{QStringLiteral("CPU: "),
                     QStringLiteral("Vulkan: "),
                     QStringLiteral("Starter (built in)"),
                     QStringLiteral("Added folder"),
                     QStringLiteral(" cores, "),
                     QStringLiteral(", 1 core, "),
                     QStringLiteral(": No such file or directory"),
                     QStringLiteral(": Permission denied")};
    for (const char *folder : {"/engine", "/app/runtime"}) {
        QDirIterator files(QLatin1String(FIRESIDE_SOURCE_DIR) + QLatin1String(folder),
                           {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            if (!file.endsWith(QLatin1String("engine_sentences.cpp")))
                said += literalsOf(file);
        }
    }
    ASSERT_GT(said.size(), 1000);
    const QString all = said.join(QLatin1Char('\n'));
    for (const char *sentence : engineSentences())
        for (const QString &words : ownWords(sentence))
            for (const QString &part : words.split(QStringLiteral("; "), Qt::SkipEmptyParts))
                EXPECT_TRUE(madeOf(all, part)) << '[' << part.toStdString() << "] of [" << sentence
                                               << "]: the engine no longer says it";
}

TEST(EngineSentences, HaveAllThatIsSaidOfDevicesAndPlaces)
{
    QString known;
    for (const char *sentence : engineSentences())
        known += QString::fromUtf8(sentence) + QLatin1Char('\n');
    // Words of the system, of drivers and of variables; what only a fault of ours can bring.
    static const QRegularExpression foreign(
        QStringLiteral("^(no check named |the list of devices has no CPU|wrong result:|, expected|"
                       "16-bit value|KHR and NV2)|FIRESIDE_"));
    int seen = 0;
    for (const char *file : {"backend/selection.cpp", "backend/placement_options.cpp",
                             "backend/memory_plan.cpp", "cpu/probe.cpp", "vulkan/vulkan_absent.cpp",
                             "vulkan/probe/probe.cpp", "vulkan/probe/check_list.h",
                             "vulkan/probe/requirements.cpp", "vulkan/probe/gpu_nodes.cpp",
                             "vulkan/probe/self_test.cpp", "vulkan/probe/describe.cpp"}) {
        const QStringList literals =
            literalsOf(QStringLiteral(FIRESIDE_SOURCE_DIR "/engine/") + QLatin1String(file));
        EXPECT_FALSE(literals.isEmpty()) << file;
        for (const QString &literal : literals) {
            const QString words = literal.trimmed();
            if (!words.contains(QLatin1Char(' ')) || words.contains(foreign))
                continue;
            ++seen;
            for (const QString &part :
                 (words + QLatin1Char(' ')).split(QStringLiteral("; "), Qt::SkipEmptyParts))
                EXPECT_TRUE(madeOf(known, part.trimmed(), 2))
                    << file << ": [" << words.toStdString() << "] stands in no template";
        }
    }
    EXPECT_GT(seen, 90);
}

} // namespace
} // namespace fireside::test
