#include "engine/generate/reply_speed.h"

#include "engine/generate/reply_rates.h"

namespace fireside {
namespace {

constexpr int kWritten = 32, kRead = 256; // tokens: fewer are over too quickly for a rate
constexpr int kShortChat = 4096;          // tokens: in longer ones attention counts

} // namespace

std::optional<Speed> speedOf(const GenerateResult &result)
{
    const GenerateStats &stats = result.stats;
    const bool alone = stats.draftedTokens == 0 && stats.forcedTokens == 0;
    const bool brief = stats.promptTokens + stats.generatedTokens <= kShortChat;
    if (result.finish == FinishReason::Stopped || !alone || !brief ||
        stats.generatedTokens < kWritten || !(stats.generateSeconds > 0))
        return std::nullopt;
    Speed speed{.generate = writingRate(stats.generatedTokens, stats.generateSeconds)};
    const int read = stats.promptTokens - stats.reusedTokens;
    if (read >= kRead && stats.promptSeconds > 0)
        speed.prompt = read / stats.promptSeconds;
    return speed;
}

} // namespace fireside
