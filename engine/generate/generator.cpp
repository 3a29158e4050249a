#include "engine/generate/generator.h"

#include "engine/core/error.h"
#include "engine/generate/reply_stream.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Keeps what the session shares with the prompt, or less where it cannot go back so exactly; at
/// least one token is left to compute, because its logits are needed.
std::size_t reusePrefix(Session &session, std::span<const TokenId> prompt, bool drafts)
{
    const auto tokens = session.tokens();
    const auto end = std::mismatch(tokens.begin(), tokens.end(), prompt.begin(), prompt.end());
    auto shared = static_cast<std::size_t>(end.first - tokens.begin());
    if (drafts) // the head is to know them as well
        shared = std::min(shared, session.draftedTokens());
    if (!session.servesUpTo(prompt.size()))
        shared = 0;
    session.truncate(std::min(shared, prompt.size() - 1));
    return session.tokens().size();
}

/// Computes tokens and draws the next one; as little as the sampler needs leaves the device.
class NextToken
{
public:
    /// drafts: tokens that are guessed at once, where the sampler lets them be
    NextToken(Sampler &sampler, int drafts)
        : m_sampler(sampler)
        , m_drafts(sampler.needs() == Sampler::Needs::Best ? drafts : 0)
    {
        if (sampler.needs() == Sampler::Needs::Candidates)
            m_best.resize(static_cast<std::size_t>(sampler.candidates()));
    }

    /// more: how many passes may follow this one. After an error nothing was drawn.
    TokenId after(Session &session, std::span<const TokenId> ids,
                  const std::function<void(int)> &progress, const std::stop_token &stop,
                  std::int64_t more)
    {
        if (m_drafts > 0)
            return drafted(session, ids, progress, stop, more);
        const Session::Next next{guess(), more};
        switch (m_sampler.needs()) {
        case Sampler::Needs::Best:
            return session.appendGreedy(ids, progress, stop, &next);
        case Sampler::Needs::Candidates:
            session.appendTop(ids, m_best, progress, stop,
                              m_sampler.foreseeable() ? &next : nullptr);
            ++m_used;
            return m_sampler.sample(std::span<const Candidate>(m_best), session.tokens());
        case Sampler::Needs::Logits:
            break;
        }
        m_logits.resize(static_cast<std::size_t>(session.model().config().vocabulary));
        session.append(ids, m_logits, progress, stop);
        return m_sampler.sample(m_logits, session.tokens());
    }

    /// Tokens of the session that nobody asked for go.
    void forget(Session &session)
    {
        if (!m_known.empty())
            session.truncate(session.tokens().size() - m_known.size());
        m_known.clear();
    }
    /// To another session, which may lack the head for drafting.
    void moved(const Session &session)
    {
        m_known.clear();
        m_drafts = session.canDraft() ? m_drafts : 0;
    }
    bool drafts() const { return m_drafts > 0; }
    int guessedRight() const { return m_right; }

private:
    /// Where the session holds what follows already, that is taken.
    TokenId drafted(Session &session, std::span<const TokenId> ids,
                    const std::function<void(int)> &progress, const std::stop_token &stop,
                    std::int64_t more)
    {
        TokenId token = -1;
        if (ids.size() == 1 && !m_known.empty()) {
            token = m_known.front();
            m_known.erase(m_known.begin());
            ++m_right;
            return token;
        }
        forget(session);
        const auto most =
            static_cast<int>(std::min<std::int64_t>(m_drafts, std::max<std::int64_t>(more, 0)));
        m_known = session.appendDrafted(ids, most, progress, stop);
        token = m_known.front();
        m_known.erase(m_known.begin());
        return token;
    }

    /// How the device predicts the draws; the result is always what the sampler draws.
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

    Sampler &m_sampler;
    std::vector<float> m_logits;
    std::vector<Candidate> m_best;
    std::vector<float> m_numbers; // that the next draws use
    std::size_t m_used = 0;       // of them
    int m_drafts = 0, m_right = 0;
    std::vector<TokenId> m_known; // what follows, all but the last in the session
};

/// The state of one reply: its text and statistics, and what it runs on.
class Reply
{
public:
    Reply(ReplyPlace place, const GenerateRequest &request, const GenerateEvents &events,
          std::stop_token stop)
        : m_place(place)
        , m_request(request)
        , m_events(events)
        , m_stop(std::move(stop))
        , m_sampler(request.sampler)
        , m_choose(m_sampler, request.drafts)
        , m_stream(request, events, *place.tokenizer)
        , m_all(request.prompt)
    {
        m_result.stats.promptTokens = static_cast<int>(request.prompt.size());
    }

    GenerateResult run()
    {
        m_started = m_generating = Clock::now();
        try {
            TokenId next = afterPrompt();
            for (;;) {
                std::vector<TokenId> ids{next};
                if (const auto reason = takeWithEnd(ids))
                    return finish(*reason);
                next = computed(ids, {});
            }
        } catch (const Error &e) {
            if (e.kind() != ErrorKind::Cancelled)
                throw;
        }
        GenerateStats &stats = m_result.stats;
        if (stats.promptSeconds == 0) { // stopped inside the prompt
            stats.promptTokens =
                m_place.session ? static_cast<int>(m_place.session->tokens().size()) : 0;
            stats.promptSeconds = secondsSince(m_started);
            m_generating = Clock::now();
        }
        return finish(FinishReason::Stopped);
    }

private:
    TokenId afterPrompt()
    {
        GenerateStats &stats = m_result.stats;
        const std::size_t reused =
            reusePrefix(*m_place.session, m_request.prompt, m_choose.drafts());
        stats.reusedTokens = static_cast<int>(reused);
        const TokenId next = computed(std::span(m_request.prompt).subspan(reused),
                                      [&](int done) { tellPrompt(reused, done); });
        stats.promptSeconds = secondsSince(m_started);
        m_generating = Clock::now();
        return next;
    }

    void tellPrompt(std::size_t reused, int done) const
    {
        if (m_events.prompt)
            m_events.prompt(static_cast<int>(reused) + done, static_cast<int>(m_all.size()));
    }

    /// The token after `ids`, the last of m_all; computed on another device if this one fails.
    TokenId computed(std::span<const TokenId> ids, std::function<void(int)> progress)
    {
        const auto fromStart = [&] {
            const std::size_t there = reusePrefix(*m_place.session, m_all, m_choose.drafts());
            ids = std::span<const TokenId>(m_all).subspan(there);
            progress = [this, there](int done) { tellPrompt(there, done); };
        };
        // The chat has become so long that all of it is read once more.
        if (!m_place.session->servesUpTo(m_all.size()))
            fromStart();
        for (;;) {
            try {
                return m_choose.after(*m_place.session, ids, progress, m_stop, more());
            } catch (const Error &error) {
                if (error.kind() == ErrorKind::Cancelled || !move(error))
                    throw;
            }
            fromStart();
        }
    }

    /// Asks for another device to go on with; false when there is none.
    bool move(const Error &error)
    {
        if (!m_events.elsewhere)
            return false;
        m_place.session = nullptr; // may be gone from here on
        const ReplyPlace place = m_events.elsewhere(error);
        if (place.session == nullptr)
            return false;
        m_place = place;
        m_choose.moved(*m_place.session);
        return true;
    }

    /// How many passes may be wanted after the one that computes the last of m_all.
    std::int64_t more() const
    {
        const auto capacity = static_cast<std::size_t>(m_place.session->capacity());
        const std::size_t room = capacity - std::min(capacity, m_all.size());
        const int left = m_request.maxTokens - m_result.stats.generatedTokens - 1;
        return static_cast<std::int64_t>(
            m_request.maxTokens > 0 ? std::min(room, static_cast<std::size_t>(std::max(left, 0)))
                                    : room);
    }

    /// Adds a token to the reply; why it ends here, if it does.
    std::optional<FinishReason> take(TokenId token)
    {
        const Tokenizer &tokenizer = *m_place.tokenizer;
        if (tokenizer.endsGeneration(token))
            return FinishReason::EndOfText;
        GenerateStats &stats = m_result.stats;
        m_result.tokens.push_back(token);
        m_all.push_back(token);
        ++stats.generatedTokens;
        stats.generateSeconds = secondsSince(m_generating);
        m_stream.push(token, tokenizer, stats);
        if (m_stream.stopped())
            return FinishReason::StopString;
        if (m_request.maxTokens > 0 && stats.generatedTokens >= m_request.maxTokens)
            return FinishReason::MaxTokens;
        // All but the last are in the session, or wait to be computed with it.
        if (m_all.size() > static_cast<std::size_t>(m_place.session->capacity()))
            return FinishReason::ContextFull;
        if (m_stop.stop_requested())
            return FinishReason::Stopped;
        return std::nullopt;
    }

    /// The same for the tokens that are to be computed together: where reasoning has become too
    /// long, its end joins them.
    std::optional<FinishReason> takeWithEnd(std::vector<TokenId> &ids)
    {
        auto reason = take(ids.front());
        if (reason || !m_stream.thoughtEnough())
            return reason;
        for (const TokenId id : m_stream.endOfThoughts(*m_place.tokenizer)) {
            ids.push_back(id);
            if ((reason = take(id)))
                return reason;
        }
        return std::nullopt;
    }

    GenerateResult finish(FinishReason reason)
    {
        m_result.finish = reason;
        if (m_place.session != nullptr)
            m_choose.forget(*m_place.session);
        m_result.stats.draftedTokens = m_choose.guessedRight();
        m_result.stats.generateSeconds = secondsSince(m_generating);
        m_stream.finish(m_result.stats);
        return std::move(m_result);
    }

    ReplyPlace m_place;
    const GenerateRequest &m_request;
    const GenerateEvents &m_events;
    std::stop_token m_stop;
    Sampler m_sampler;
    NextToken m_choose;
    ReplyStream m_stream;
    std::vector<TokenId> m_all; // the prompt and what was generated
    GenerateResult m_result;
    Clock::time_point m_started, m_generating;
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
    if (request.prompt.empty())
        throwBadInput("the prompt is empty");
    if (request.prompt.size() >= static_cast<std::size_t>(session.capacity()))
        throwBadInput("the prompt has " + std::to_string(request.prompt.size()) +
                      " tokens, the context " + std::to_string(session.capacity()));
    return Reply({&session, &tokenizer}, request, events, std::move(stop)).run();
}

} // namespace fireside
