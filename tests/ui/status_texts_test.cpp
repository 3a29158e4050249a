#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/backend/status_texts.h"

#include <QLocale>
#include <gtest/gtest.h>

namespace fireside {
namespace {

ModelStatus llama()
{
    ModelStatus model;
    model.name = QStringLiteral("Llama 3.2 1B");
    model.quantisation = QStringLiteral("Q4_K_M");
    model.device = QStringLiteral("AMD EPYC");
    model.reason = QStringLiteral("Runs on the CPU because there is no graphics processor.");
    model.placement = QStringLiteral("all 16 layers on the CPU");
    model.context = 8192;
    model.contextTrained = 131072;
    model.plannedBytes = 1'210'000'000;
    model.weightBytes = 808'000'000;
    model.kvBytes = 268'000'000;
    return model;
}

StatusInputs ready()
{
    StatusInputs in;
    in.state = EngineState::Ready;
    in.hasModel = true;
    in.model = llama();
    return in;
}

class StatusTextsTest : public testing::Test
{
protected:
    StatusTextsTest() { QLocale::setDefault(QLocale::c()); }
    ~StatusTextsTest() override { QLocale::setDefault(m_before); }

private:
    QLocale m_before;
};

TEST(NumberTextTest, ASentenceBeginsWithACapitalUnlessANameBeginsIt)
{
    EXPECT_EQ(asSentence(QStringLiteral("it is full. Or not")),
              QStringLiteral("It is full. Or not"));
    EXPECT_EQ(asSentence(QStringLiteral("ärger: mehr")), QStringLiteral("Ärger: mehr"));
    for (const char *named :
         {"localhost:8717 has failed", "example.org is gone", "/tmp/a is full", "mcp.json is bad"})
        EXPECT_EQ(asSentence(QString::fromUtf8(named)), QString::fromUtf8(named));
    EXPECT_EQ(asSentence(QString()), QString());
}

TEST_F(StatusTextsTest, StartingSaysSo)
{
    const StatusTexts texts = statusTexts({});
    EXPECT_TRUE(texts.reason.contains("Looking"));
    EXPECT_EQ(texts.tone, StatusTexts::Tone::Busy);
    EXPECT_TRUE(texts.memory.isEmpty());
}

TEST_F(StatusTextsTest, NoModelAsksToChooseOne)
{
    StatusInputs in;
    in.state = EngineState::NoModel;
    const StatusTexts texts = statusTexts(in);
    EXPECT_EQ(texts.model, "No model");
    EXPECT_TRUE(texts.reason.contains("Choose"));
    EXPECT_EQ(texts.tone, StatusTexts::Tone::Quiet);
}

TEST_F(StatusTextsTest, FailedLoadNamesFileAndCause)
{
    StatusInputs in;
    in.state = EngineState::NoModel;
    in.failure = {.path = "/models/broken.gguf", .message = "the file is cut at byte 1024"};
    const StatusTexts texts = statusTexts(in);
    EXPECT_TRUE(texts.reason.contains("broken.gguf"));
    EXPECT_TRUE(texts.reason.contains("the file is cut at byte 1024"));
    EXPECT_EQ(texts.tone, StatusTexts::Tone::Error);
}

TEST_F(StatusTextsTest, CancelledLoadIsNoError)
{
    StatusInputs in;
    in.state = EngineState::NoModel;
    in.failure = {.path = "/models/big.gguf", .message = "cancelled", .cancelled = true};
    const StatusTexts texts = statusTexts(in);
    EXPECT_TRUE(texts.reason.contains("cancelled"));
    EXPECT_NE(texts.tone, StatusTexts::Tone::Error);
}

TEST_F(StatusTextsTest, LoadingNamesTheNewModelNotTheOld)
{
    StatusInputs in = ready();
    in.state = EngineState::Loading;
    in.loadingPath = "/models/next.gguf";
    const StatusTexts texts = statusTexts(in);
    EXPECT_TRUE(texts.model.contains("next.gguf"));
    EXPECT_FALSE(texts.model.contains("Llama"));
    EXPECT_TRUE(texts.memory.isEmpty());
}

TEST_F(StatusTextsTest, ReadyShowsReasonPlacementAndPrediction)
{
    const StatusTexts texts = statusTexts(ready());
    EXPECT_EQ(texts.model, "Llama 3.2 1B · Q4_K_M");
    EXPECT_EQ(texts.reason, llama().reason);
    EXPECT_EQ(texts.placement, llama().placement);
    EXPECT_EQ(texts.memory, "1.2 GB predicted");
    EXPECT_EQ(texts.answerRate, "–");
    EXPECT_EQ(texts.tone, StatusTexts::Tone::Good);
}

TEST_F(StatusTextsTest, StarterIsCalledWhatItIs)
{
    StatusInputs in = ready();
    in.model.builtIn = true;
    EXPECT_TRUE(statusTexts(in).model.contains("starter (built in)"));
}

TEST_F(StatusTextsTest, ReadingAPromptShowsProgressInsteadOfAnOldRate)
{
    StatusInputs in = ready();
    in.state = EngineState::Replying;
    in.hasStats = true;
    in.stats.generatedTokens = 10;
    in.stats.generateSeconds = 1;
    in.promptDone = 512;
    in.promptTotal = 2048;
    const StatusTexts texts = statusTexts(in);
    EXPECT_TRUE(texts.promptRate.contains("512"));
    EXPECT_TRUE(texts.promptRate.contains("2048") || texts.promptRate.contains("2,048"));
    EXPECT_EQ(texts.answerRate, "–");
    EXPECT_EQ(texts.tone, StatusTexts::Tone::Busy);
}

TEST_F(StatusTextsTest, RatesAndMemoryAreMeasuredOnes)
{
    StatusInputs in = ready();
    in.hasStats = true;
    in.stats.promptTokens = 300;
    in.stats.reusedTokens = 100;
    in.stats.promptSeconds = 2;
    in.stats.generatedTokens = 51; // the first one came with the prompt
    in.stats.generateSeconds = 4;
    in.stats.residentBytes = 1'150'000'000;
    in.model.residentBytes = 1'000'000'000; // as it was loaded
    const StatusTexts texts = statusTexts(in);
    EXPECT_EQ(texts.promptRate, "100 tok/s"); // reused tokens were not read again
    EXPECT_EQ(texts.answerRate, "12.5 tok/s");
    EXPECT_EQ(texts.memory, "1.1 GB of 1.2 GB predicted");
    in.model.residentBytes = -1; // unloaded
    EXPECT_EQ(residentNow(in), -1);
    EXPECT_EQ(statusTexts(in).memory, "1.2 GB predicted");
}

TEST_F(StatusTextsTest, AGuessIsNoRate)
{
    StatusInputs in = ready();
    in.state = EngineState::Replying;
    in.hasStats = true;
    in.stats.generatedTokens = 1;
    in.stats.generateSeconds = 0.00000275;
    EXPECT_EQ(statusTexts(in).answerRate, "–") << "the first token";
    in.stats.generatedTokens = 20;
    in.stats.generateSeconds = 0.29;
    EXPECT_EQ(statusTexts(in).answerRate, "–") << "a rate that would jump";
    in.stats.finish = QStringLiteral("end");
    EXPECT_EQ(statusTexts(in).answerRate, "65.5 tok/s") << "19 steps, and no more will come";
    in.stats.generatedTokens = 7;
    EXPECT_EQ(statusTexts(in).answerRate, "–") << "a short reply";
    in.stats.finish.clear();
    in.stats.generatedTokens = 8;
    in.stats.generateSeconds = 0.5;
    EXPECT_EQ(statusTexts(in).answerRate, "14.0 tok/s");
}

TEST_F(StatusTextsTest, AShortPromptSaysWhatWasReused)
{
    StatusInputs in = ready();
    in.hasStats = true;
    in.stats.promptTokens = 2048;
    in.stats.reusedTokens = 2020;
    in.stats.promptSeconds = 0.001;
    EXPECT_EQ(statusTexts(in).promptRate, "2020 of 2048 reused");
    in.stats.reusedTokens = 0;
    in.stats.promptTokens = 20;
    EXPECT_EQ(statusTexts(in).promptRate, "–");
    in.stats.promptTokens = 32;
    EXPECT_EQ(statusTexts(in).promptRate, "32000 tok/s");
}

TEST_F(StatusTextsTest, ContextSaysInWordsHowFullItIs)
{
    StatusInputs in = ready();
    in.hasStats = true;
    in.stats.contextTotal = 1000;
    in.stats.contextUsed = 899;
    EXPECT_FALSE(statusTexts(in).context.contains("full"));
    in.stats.contextUsed = 900;
    EXPECT_TRUE(statusTexts(in).context.contains("nearly full"));
    in.stats.contextUsed = 1000;
    EXPECT_TRUE(statusTexts(in).context.endsWith("full"));
    EXPECT_FALSE(statusTexts(in).context.contains("nearly"));
    in.trimmed = true;
    EXPECT_TRUE(statusTexts(in).context.contains("oldest left out"));
    in.stats = {}; // of a reply that was not written
    in.chatTokens = 700;
    EXPECT_EQ(usedContext(in), 700);
}

TEST_F(StatusTextsTest, FailedReplyStaysInSightUntilTheNext)
{
    StatusInputs in = ready();
    in.replyFailure = "the model file changed on disk";
    EXPECT_TRUE(statusTexts(in).reason.contains("the model file changed on disk"));
    EXPECT_EQ(statusTexts(in).tone, StatusTexts::Tone::Error);
    in.state = EngineState::Replying;
    EXPECT_EQ(statusTexts(in).reason, llama().reason);
}

TEST_F(StatusTextsTest, StoppingSaysSoWithAndWithoutAModel)
{
    StatusInputs in = ready();
    in.state = EngineState::Stopping;
    EXPECT_TRUE(statusTexts(in).reason.contains("Stopping"));
    in.hasModel = false;
    EXPECT_TRUE(statusTexts(in).reason.contains("Stopping"));
}

TEST_F(StatusTextsTest, NumbersUseDecimalUnits)
{
    EXPECT_EQ(bytesText(-1), "unknown");
    EXPECT_EQ(bytesText(0), "0 B");
    EXPECT_EQ(bytesText(999), "999 B");
    EXPECT_EQ(bytesText(1500), "1.5 kB");
    EXPECT_EQ(bytesText(763'000'000), "763 MB");
    EXPECT_EQ(bytesText(999'600'000), "1.0 GB");
    EXPECT_EQ(bytesText(1'234'567'890), "1.2 GB");
    EXPECT_EQ(parametersText(29'400'000), "29.4 M");
    EXPECT_EQ(parametersText(1'235'814'400), "1.2 B");
    EXPECT_EQ(parametersText(999'900'000), "1.0 B");
    EXPECT_EQ(parametersText(0), "unknown");
    EXPECT_EQ(rateText(0), "–");
    EXPECT_EQ(rateText(-1), "–");
}

} // namespace
} // namespace fireside
