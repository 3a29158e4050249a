#include "engine/generate/generator.h"

#include "engine/core/error.h"
#include "engine/generate/stop_strings.h"
#include "engine/text/utf8_stream.h"

#include <algorithm>
#include <chrono>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Keeps what the session shares with the prompt; at least one token is left to compute, because
/// its logits are needed.
std::size_t reusePrefix(Session &session, std::span<const TokenId> prompt)
{
    const auto tokens = session.tokens();
    const auto end = std::mismatch(tokens.begin(), tokens.end(), prompt.begin(), prompt.end());
    const auto shared = static_cast<std::size_t>(end.first - tokens.begin());
    const std::size_t kept = std::min(shared, prompt.size() - 1);
    session.truncate(kept);
    return kept;
}

} // namespace

const char *toString(FinishReason reason)
{
    switch (reason) {
    case FinishReason::EndOfText:
        return "end";
    case FinishReason::StopString:
        return "stop string";
    case FinishReason::MaxTokens:
        return "length";
    case FinishReason::ContextFull:
        return "context full";
    case FinishReason::Stopped:
        return "stopped";
    }
    return "";
}

GenerateResult generate(Session &session, const Tokenizer &tokenizer,
                        const GenerateRequest &request, const GenerateEvents &events,
                        std::stop_token stop)
{
    const auto capacity = static_cast<std::size_t>(session.capacity());
    if (request.prompt.empty())
        throwBadInput("the prompt is empty");
    if (request.prompt.size() >= capacity)
        throwBadInput("the prompt has " + std::to_string(request.prompt.size()) +
                      " tokens, the context " + std::to_string(capacity));

    Sampler sampler(request.sampler);
    // Greedy without penalty needs no logits on this side: 4 bytes a token come back.
    const bool greedy = request.sampler.temperature <= 0 && request.sampler.repeatPenalty == 1.0f;
    GenerateResult result;
    GenerateStats &stats = result.stats;
    stats.promptTokens = static_cast<int>(request.prompt.size());
    std::vector<float> logits(static_cast<std::size_t>(session.model().config().vocabulary));
    Utf8Stream characters;
    StopStrings stops(request.stopStrings);
    bool trimming = request.trimStart;
    const auto show = [&](std::string_view text) {
        if (trimming)
            text.remove_prefix(std::min(text.find_first_not_of(" \n\t"), text.size()));
        trimming = trimming && text.empty();
        if (!text.empty() && events.text)
            events.text(text, stats);
    };

    const auto started = Clock::now();
    auto generating = started;
    const auto finish = [&](FinishReason reason) {
        result.finish = reason;
        stats.generateSeconds = secondsSince(generating);
        show(stops.push(characters.finish()));
        show(stops.finish());
        return result;
    };
    try {
        const std::size_t reused = reusePrefix(session, request.prompt);
        stats.reusedTokens = static_cast<int>(reused);
        session.append(
            std::span(request.prompt).subspan(reused), logits,
            [&](int done) {
                if (events.prompt)
                    events.prompt(static_cast<int>(reused) + done, stats.promptTokens);
            },
            stop);
        stats.promptSeconds = secondsSince(started);
        generating = Clock::now();

        TokenId next = sampler.sample(logits, session.tokens());
        for (;;) {
            if (tokenizer.endsGeneration(next))
                return finish(FinishReason::EndOfText);
            result.tokens.push_back(next);
            ++stats.generatedTokens;
            stats.generateSeconds = secondsSince(generating);
            show(stops.push(characters.push(tokenizer.bytes(next, request.showControlTokens))));
            if (stops.found())
                return finish(FinishReason::StopString);
            if (request.maxTokens > 0 && stats.generatedTokens >= request.maxTokens)
                return finish(FinishReason::MaxTokens);
            if (session.tokens().size() >= capacity)
                return finish(FinishReason::ContextFull);
            if (stop.stop_requested())
                return finish(FinishReason::Stopped);
            if (greedy) {
                next = session.appendGreedy(next, stop);
            } else {
                session.append(std::span(&next, 1), logits, {}, stop);
                next = sampler.sample(logits, session.tokens());
            }
        }
    } catch (const Error &e) {
        if (e.kind() != ErrorKind::Cancelled)
            throw;
        if (stats.promptSeconds == 0) { // stopped inside the prompt
            stats.promptTokens = static_cast<int>(session.tokens().size());
            stats.promptSeconds = secondsSince(started);
            generating = Clock::now();
        }
        return finish(FinishReason::Stopped);
    }
}

} // namespace fireside
