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

/// Computes tokens and draws the next one; as little as the sampler needs leaves the device.
class NextToken
{
public:
    NextToken(Session &session, Sampler &sampler)
        : m_session(session)
        , m_sampler(sampler)
    {
        if (sampler.needs() == Sampler::Needs::Logits)
            m_logits.resize(static_cast<std::size_t>(session.model().config().vocabulary));
        else if (sampler.needs() == Sampler::Needs::Candidates)
            m_best.resize(static_cast<std::size_t>(sampler.candidates()));
    }

    /// more: how many passes may follow this one.
    TokenId after(std::span<const TokenId> ids, const std::function<void(int)> &progress,
                  const std::stop_token &stop, std::int64_t more)
    {
        const Session::Next next{guess(), more};
        switch (m_sampler.needs()) {
        case Sampler::Needs::Best:
            return m_session.appendGreedy(ids, progress, stop, &next);
        case Sampler::Needs::Candidates:
            m_session.appendTop(ids, m_best, progress, stop,
                                m_sampler.foreseeable() ? &next : nullptr);
            ++m_used;
            return m_sampler.sample(std::span<const Candidate>(m_best), m_session.tokens());
        case Sampler::Needs::Logits:
            break;
        }
        m_session.append(ids, m_logits, progress, stop);
        return m_sampler.sample(m_logits, m_session.tokens());
    }

private:
    /// How the device may guess the draws; the sampler's own count.
    NextIds guess()
    {
        constexpr std::size_t kNumbers = 256, kFewest = 128;
        NextIds next = m_sampler.ahead();
        if (m_sampler.needs() != Sampler::Needs::Candidates)
            return next;
        if (m_used + kFewest > m_numbers.size()) {
            m_numbers.resize(kNumbers);
            m_sampler.upcoming(m_numbers);
            m_used = 0;
        }
        next.draws = std::span(m_numbers).subspan(m_used);
        return next;
    }

    Session &m_session;
    Sampler &m_sampler;
    std::vector<float> m_logits;
    std::vector<Candidate> m_best;
    std::vector<float> m_numbers; // that the next draws use
    std::size_t m_used = 0;       // of them
};

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
    NextToken choose(session, sampler);
    GenerateResult result;
    GenerateStats &stats = result.stats;
    stats.promptTokens = static_cast<int>(request.prompt.size());
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
    // How many passes may be wanted after the next one, when the session has so many tokens then.
    const auto more = [&](std::size_t tokens) {
        const std::size_t room = capacity - tokens;
        const int left = request.maxTokens - stats.generatedTokens - 1;
        return static_cast<std::int64_t>(
            request.maxTokens > 0 ? std::min(room, static_cast<std::size_t>(std::max(left, 0)))
                                  : room);
    };
    try {
        const std::size_t reused = reusePrefix(session, request.prompt);
        stats.reusedTokens = static_cast<int>(reused);
        TokenId next = choose.after(
            std::span(request.prompt).subspan(reused),
            [&](int done) {
                if (events.prompt)
                    events.prompt(static_cast<int>(reused) + done, stats.promptTokens);
            },
            stop, more(request.prompt.size()));
        stats.promptSeconds = secondsSince(started);
        generating = Clock::now();

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
            next = choose.after(std::span(&next, 1), {}, stop, more(session.tokens().size() + 1));
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
