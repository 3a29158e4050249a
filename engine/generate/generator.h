#pragma once
#include "engine/core/error.h"
#include "engine/generate/sampler.h"
#include "engine/generate/session.h"
#include "engine/text/reply/reply_format.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fireside {

namespace constrain {
class TokenGrammar; // engine/constrain/constraint.h
}

struct GenerateRequest
{
    std::vector<TokenId>
        prompt; // the whole context; what the session already holds is not computed again
    /// Of the prompt's tokens that the session holds so many are taken over at most: a reply that
    /// is computed once more rounds alike when the same passes compute it.
    std::optional<int> reuse{};
    SamplerSettings sampler;
    int maxTokens = 0; // 0: until the context is full
    std::vector<std::string> stopStrings;
    bool trimStart = false; // drop white space before the first word: a reply, not a continuation
    bool showControlTokens = false; // print <|…|> tokens instead of hiding them
    /// Cuts the reply into parts for events.parts; without, events.text takes it as it is.
    std::optional<ReplyFormat> format{};
    bool inReasoning = false; // the prompt ends inside of reasoning
    bool inAnswer = false;    // the prompt ends inside of the answer, which goes on
    /// After so many tokens of reasoning its end is put in, and the answer goes on; 0: no limit.
    int thinkingBudget = 0;
    /// Tokens that the model's head for drafting guesses at once; 0: none. Only where the likeliest
    /// token is always taken: the reply stays the same, it comes faster.
    int drafts = 0;
    /// The form that the answer must have, made for the tokenizer's vocabulary
    /// (LoadedModel::constrained()); thoughts before it are free. There are no drafts then.
    std::shared_ptr<const constrain::TokenGrammar> grammar{};
};

enum class FinishReason { EndOfText, StopString, MaxTokens, ContextFull, Stopped };
const char *
toString(FinishReason reason); // "end", "stop string", "length", "context full", "stopped"

struct GenerateStats
{
    int promptTokens = 0; // in the request; of a reply stopped before: how many were read
    int reusedTokens = 0; // of them taken from the cache
    int generatedTokens = 0;
    int draftedTokens = 0; // of them guessed right by the head for drafting
    int thoughtTokens = 0; // of reasoning, when its end was first put in; 0: it was not
    int forcedTokens = 0;  // of them left without a choice by the grammar: the model was not asked
    double promptSeconds = 0;
    double generateSeconds = 0;
};

/// What a reply runs on.
struct ReplyPlace
{
    Session *session = nullptr;
    const Tokenizer *tokenizer = nullptr;
};

struct GenerateEvents
{
    std::function<void(int done, int total)> prompt{};                             // tokens
    std::function<void(std::string_view text, const GenerateStats &stats)> text{}; // valid UTF-8
    std::function<void(std::span<const ReplyDelta> parts, const GenerateStats &stats)> parts{};
    /// Asked after each token of reasoning: true puts its end in, as when the budget is spent.
    std::function<bool()> endThoughts{};
    /// A device failed during the reply. Returns the session and tokenizer to go on with; that
    /// session first reads all tokens so far. Without a session the error is thrown. The session
    /// and tokenizer used until then are not touched any more.
    std::function<ReplyPlace(const Error &)> elsewhere{};
    /// Before each pass, between chunks of a prompt too. An Error(Device) that it throws is as if
    /// the device had failed.
    std::function<void()> beforePass{};
};

struct GenerateResult
{
    FinishReason finish = FinishReason::EndOfText;
    std::vector<TokenId> tokens; // generated, without the end token
    GenerateStats stats;
    std::string stopString{}; // of FinishReason::StopString
};

/// Prefill in chunks, then decode token by token. The stop token is checked at every op and ends
/// the reply with FinishReason::Stopped; the session stays valid. Error(BadInput) when the prompt
/// is empty or longer than the session's capacity − 1; Error(Unsupported) when the session cannot
/// draft as asked for.
GenerateResult generate(Session &session, const Tokenizer &tokenizer,
                        const GenerateRequest &request, const GenerateEvents &events = {},
                        std::stop_token stop = {});

} // namespace fireside
