#include "engine/generate/reply_state.h"

#include <algorithm>

namespace fireside {

ReplyState::ReplyState(const GenerateRequest &request, const GenerateEvents &events,
                       const Tokenizer &tokenizer, std::stop_token stop)
    : m_request(request)
    , m_events(events)
    , m_stop(std::move(stop))
    , m_sampler(request.sampler)
    , m_choose(m_sampler, request.grammar ? 0 : request.drafts)
    , m_stream(request, events, tokenizer)
    , m_all(request.prompt)
    , m_started(Clock::now())
    , m_generating(m_started)
{
    m_sampler.learn(request.prompt, tokenizer);
    m_result.stats.promptTokens = static_cast<int>(request.prompt.size());
    if (request.grammar)
        m_choose.constrain(m_constraint.emplace(request, tokenizer));
}

void ReplyState::started(std::size_t reused)
{
    m_result.stats.reusedTokens = static_cast<int>(reused);
}

void ReplyState::tellPrompt(std::size_t done) const
{
    if (m_events.prompt)
        m_events.prompt(static_cast<int>(done), static_cast<int>(m_all.size()));
}

void ReplyState::promptDone()
{
    m_promptDone = true;
    m_generating = Clock::now();
    m_result.stats.promptSeconds = std::chrono::duration<double>(m_generating - m_started).count();
}

std::int64_t ReplyState::more(std::size_t capacity) const
{
    const std::size_t room = capacity - std::min(capacity, m_all.size());
    const int left = m_request.maxTokens - m_result.stats.generatedTokens - 1;
    return static_cast<std::int64_t>(
        m_request.maxTokens > 0 ? std::min(room, static_cast<std::size_t>(std::max(left, 0)))
                                : room);
}

std::optional<FinishReason> ReplyState::add(TokenId token, const Tokenizer &tokenizer,
                                            std::size_t capacity, bool put)
{
    if (tokenizer.endsGeneration(token))
        return FinishReason::EndOfText;
    GenerateStats &stats = m_result.stats;
    m_sampler.learn({&token, 1}, tokenizer);
    m_result.tokens.push_back(token);
    m_all.push_back(token);
    ++stats.generatedTokens;
    stats.generateSeconds = std::chrono::duration<double>(Clock::now() - m_generating).count();
    m_stream.push(token, tokenizer, stats);
    if (m_constraint)
        m_constraint->took(token, put, m_stream);
    if (m_stream.stopped())
        return FinishReason::StopString;
    if (m_request.maxTokens > 0 && stats.generatedTokens >= m_request.maxTokens)
        return FinishReason::MaxTokens;
    // All but the last are in the session, or wait to be computed with it.
    if (m_all.size() > capacity)
        return FinishReason::ContextFull;
    if (m_stop.stop_requested())
        return FinishReason::Stopped;
    return std::nullopt;
}

std::optional<FinishReason> ReplyState::take(TokenId drawn, const Tokenizer &tokenizer,
                                             std::size_t capacity, std::vector<TokenId> &ids)
{
    ids.assign(1, drawn);
    auto reason = add(drawn, tokenizer, capacity);
    if (!reason && m_stream.thoughtEnough()) {
        if (m_result.stats.thoughtTokens == 0)
            m_result.stats.thoughtTokens = m_stream.thoughts();
        reason = addAll(m_stream.endOfThoughts(tokenizer), tokenizer, capacity, true, ids);
    }
    while (!reason && m_constraint) {
        const auto forced = m_constraint->forced(tokenizer);
        if (forced.ids.empty())
            return m_constraint->isFinished() ? std::optional(FinishReason::EndOfText)
                                              : std::nullopt;
        reason = addAll(forced.ids, tokenizer, capacity, forced.put, ids);
    }
    return reason;
}

std::optional<FinishReason> ReplyState::addAll(std::span<const TokenId> more,
                                               const Tokenizer &tokenizer, std::size_t capacity,
                                               bool put, std::vector<TokenId> &ids)
{
    for (const TokenId id : more) {
        ids.push_back(id);
        m_result.stats.forcedTokens += !put;
        if (const auto reason = add(id, tokenizer, capacity, put))
            return reason;
    }
    return std::nullopt;
}

GenerateResult ReplyState::finish(FinishReason reason, std::size_t read)
{
    GenerateStats &stats = m_result.stats;
    if (!m_promptDone) { // stopped inside the prompt
        promptDone();
        stats.promptTokens = static_cast<int>(read);
    }
    m_result.finish = reason;
    if (reason == FinishReason::StopString)
        m_result.stopString = m_stream.stopString();
    stats.draftedTokens = m_choose.guessedRight();
    stats.generateSeconds = std::chrono::duration<double>(Clock::now() - m_generating).count();
    m_stream.finish(stats);
    return std::move(m_result);
}

} // namespace fireside
