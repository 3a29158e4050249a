#pragma once
#include "engine/generate/generator.h"
#include "engine/generate/next_token.h"
#include "engine/generate/reply_constraint.h"
#include "engine/generate/reply_stream.h"

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fireside {

/// One reply while it grows: its tokens, its words and statistics, and why it ends. It draws and
/// tells; who owns it computes. Request and events must outlive it.
class ReplyState
{
public:
    ReplyState(const GenerateRequest &request, const GenerateEvents &events,
               const Tokenizer &tokenizer, std::stop_token stop);

    /// The prompt and what was generated.
    std::span<const TokenId> tokens() const { return m_all; }
    NextToken &choose() { return m_choose; }
    const GenerateStats &stats() const { return m_result.stats; }
    bool stopRequested() const { return m_stop.stop_requested(); }

    void started(std::size_t reused); // so many tokens of the prompt need not be computed
    void tellPrompt(std::size_t done) const;
    void promptDone();

    /// Adds the drawn token; why the reply ends with it, if it does. `ids` become the tokens to be
    /// computed next: it, where reasoning has become too long what ends that, and what the grammar
    /// leaves no choice about.
    std::optional<FinishReason> take(TokenId drawn, const Tokenizer &tokenizer,
                                     std::size_t capacity, std::vector<TokenId> &ids);
    /// How many passes may be wanted after the one that computes the last of tokens().
    std::int64_t more(std::size_t capacity) const;

    /// It ends; `read` are the tokens of the prompt that were computed if it ends within it.
    GenerateResult finish(FinishReason reason, std::size_t read);

private:
    using Clock = std::chrono::steady_clock;
    /// put: the token was not drawn.
    std::optional<FinishReason> add(TokenId token, const Tokenizer &tokenizer, std::size_t capacity,
                                    bool put = false);
    std::optional<FinishReason> addAll(std::span<const TokenId> more, const Tokenizer &tokenizer,
                                       std::size_t capacity, bool put, std::vector<TokenId> &ids);

    const GenerateRequest &m_request;
    const GenerateEvents &m_events;
    std::stop_token m_stop;
    Sampler m_sampler;
    NextToken m_choose;
    ReplyStream m_stream;
    std::optional<ReplyConstraint> m_constraint;
    std::vector<TokenId> m_all;
    GenerateResult m_result;
    Clock::time_point m_started, m_generating;
    bool m_promptDone = false;
};

} // namespace fireside
