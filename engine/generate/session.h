#pragma once
#include "engine/generate/kept_tokens.h"
#include "engine/generate/kv_cache.h"
#include "engine/generate/sampler.h"
#include "engine/model/model.h"
#include "engine/text/tokenizer.h"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace fireside {

/// One conversation's state on the engine: the tokens computed so far and their keys and values.
/// Mutable, cheap; not for several threads at once. The model must outlive it.
class Session
{
public:
    /// Error(Memory) with the numbers; Error(Unsupported) of an encoder, which has no cache.
    Session(const Model &model, int capacity, DType kvType);
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    const Model &model() const { return m_model; }
    std::span<const TokenId> tokens() const { return m_tokens; }
    int capacity() const { return m_cache.capacity(); }
    std::size_t kvBytes() const { return m_cache.bytes(); }
    /// Takes memory for so many tokens now. Error(Memory).
    void reserve(std::size_t tokens) { m_cache.reserve(m_model, tokens, m_tokens.size()); }

    /// Forgets everything past the first `length` tokens (edit, regenerate, branch). With recurrent
    /// states even more: back to where a copy of them was kept. tokens() are what is left.
    void truncate(std::size_t length);
    /// Whether the cache serves a chat that has become so long. LongRoPE turns keys in another way
    /// beyond the original context: then append() and the like compute all tokens once more.
    bool servesUpTo(std::size_t tokens) const;
    /// A second session that starts with the same tokens; copies the cache.
    std::unique_ptr<Session> fork() const;
    /// The same in this one, of the same model and settings, whose own tokens go: its memory is
    /// there already. Of `other` the first reusable(length) tokens.
    void become(const Session &other, std::size_t length);
    /// As many tokens as are left after truncate(length).
    std::size_t reusable(std::size_t length) const;
    /// Rows of the next pass over a prompt of which `left` tokens are missing, `most` at most. With
    /// recurrent states a long prompt has a pass of its own for its last few tokens: the copy of
    /// the states before it serves the same prompt again, and one whose end differs.
    std::size_t promptPass(std::size_t left, std::size_t most) const;

    /// Bytes that keep() takes of the host's memory for a token, and for the states at one time.
    std::size_t keptTokenBytes() const { return m_cache.tokenBytes() + sizeof(TokenId); }
    std::size_t keptStateBytes() const { return m_cache.states().bytesOfOne(); }
    /// Whether tokens of a kept chat are of use only up to where states were kept with them.
    bool needsStates() const { return m_cache.states().any(); }
    /// The tokens after which keep() can give the states, in (from, end of the chat], rising: with
    /// the end itself, whose states are copied now. Error(Memory), Error(Device).
    std::vector<std::size_t> keptStates(std::size_t from);
    /// Tokens [from, end) as they were computed, with those of `states` (keptStates()) in between.
    /// Error(Memory), Error(Device).
    KeptTokens keep(std::size_t from, std::size_t end, std::span<const std::size_t> states);
    /// Takes tokens [tokens().size(), end) over, which `kept` holds and which follow on what is
    /// there, for a chat that will have `total` tokens; they are as if they had been computed here.
    /// Where states are needed, the last of several calls ends at one of them. After an error the
    /// session is empty.
    void restore(const KeptTokens &kept, std::size_t end, std::size_t total);

    /// Computes `ids` after what is there, in chunks; the last row's logits go to `logits` [vocab],
    /// which is empty where nobody wants them.
    /// When cancelled, whole chunks that were done stay, and Error(Cancelled) is thrown. Recurrent
    /// states are undefined after any error: they go back as in truncate().
    void append(std::span<const TokenId> ids, std::span<float> logits,
                const std::function<void(int done)> &progress = {}, std::stop_token stop = {});
    /// As append, but the logits of every new position: [ids.size(), vocab].
    void appendAll(std::span<const TokenId> ids, std::vector<float> &logits,
                   std::stop_token stop = {});
    /// As append, but the final rows of the network in place of logits: [ids.size(), hidden].
    std::vector<float> appendRows(std::span<const TokenId> ids, std::stop_token stop = {});
    /// Running ahead: after this token the device may compute up to `most` more, each as if the one
    /// it chose itself were appended. Appending exactly that token then takes the finished result;
    /// appending another discards it. `choice` decides what is computed early, never the result.
    /// Where `goesOn` is there, it is asked shortly before a pass is done whether the next may
    /// begin, and no others run meanwhile: who wants something else waits for no more than one.
    struct Next
    {
        NextIds choice;
        std::int64_t most = 0;
        std::function<bool()> goesOn{};
    };
    /// As append, but the device picks the likeliest next token: 4 bytes come back.
    TokenId appendGreedy(std::span<const TokenId> ids,
                         const std::function<void(int done)> &progress = {},
                         std::stop_token stop = {}, const Next *next = nullptr);
    /// As append, but only the best next tokens come back, in falling order, as many as `best` has.
    void appendTop(std::span<const TokenId> ids, std::span<Candidate> best,
                   const std::function<void(int done)> &progress = {}, std::stop_token stop = {},
                   const Next *next = nullptr);

    /// Whether the model has heads for drafting that can be used: recurrent states could not go
    /// back to the tokens that were guessed right.
    bool canDraft() const;
    /// As appendGreedy, but gives every token that is known then: the first follows `ids`, each of
    /// the others the one before it. All but the last are in the session already. Up to `most` are
    /// guessed by the model's heads for drafting, one each and the rest by the last, and checked in
    /// one pass. Tokens that the heads have not seen are computed once more for them.
    std::vector<TokenId> appendDrafted(std::span<const TokenId> ids, int most,
                                       const std::function<void(int done)> &progress = {},
                                       std::stop_token stop = {});
    /// So many of the tokens are known to all heads for drafting.
    std::size_t draftedTokens() const;
    /// What was guessed last, right or wrong; for tests.
    std::span<const TokenId> guesses() const { return m_guesses; }

private:
    friend class SessionBatch;
    /// With what may run ahead, which is read until the pass is done: null, or where there are
    /// recurrent states, which it would change before its tokens are accepted, nothing.
    Model::Output followedBy(const Next *next, Model::Output output) const;
    /// Keeps a copy of the states, if there are any.
    void checkpoint();
    void passed(std::span<const TokenId> ids);
    void took(std::span<const TokenId> ids);
    void keepStates();
    /// After an error in a pass.
    void failed();
    static void checkIds(std::span<const TokenId> ids, const Model &model);
    /// Before so many tokens more: see servesUpTo().
    void turnKeysFor(std::size_t more, const std::stop_token &stop);
    void pass(std::span<const TokenId> ids, const Model::Output &output, std::stop_token stop);
    std::size_t overlapped(std::span<const TokenId> ids, const Model::Output &last,
                           const std::function<void(std::size_t)> &progress,
                           const std::stop_token &stop);
    void chunks(std::span<const TokenId> ids, Model::Output last,
                const std::function<void(int done)> &progress, const std::stop_token &stop);
    void passes(std::span<const TokenId> ids, Model::Output last,
                const std::function<void(int done)> &progress, std::stop_token stop);

    /// What a head for drafting needs of the tokens so far. Head k joins what the head before it,
    /// or the model, gives for token i with token i + k + 1.
    struct DraftHead
    {
        std::size_t seen = 0;    // tokens whose rows in its cache are right
        std::vector<float> rows; // it joins next [.., hidden]; of the first head, none: not known
    };
    TokenId appendForDrafts(std::span<const TokenId> ids, const std::function<void(int)> &progress,
                            const std::stop_token &stop);
    void forgetDrafts();
    void showToHeads(const std::stop_token &stop);
    void guess(TokenId last, std::size_t count, const std::stop_token &stop);
    std::vector<float> guessOne(std::size_t head, std::span<const TokenId> following,
                                std::vector<float> &rows, TokenId &best,
                                const std::stop_token &stop);
    void runHead(std::size_t head, std::size_t past, std::span<const TokenId> following,
                 std::span<const float> rows, const Model::Output &output,
                 const std::stop_token &stop);

    const Model &m_model;
    KvCache m_cache;
    std::vector<TokenId> m_tokens;
    bool m_longContext = false; // how LongRoPE turned the cache's keys
    std::vector<DraftHead> m_heads;
    std::vector<TokenId> m_guesses;
};

/// Tokens that a pass over several sessions appends to one of them.
struct BatchPart
{
    Session *session = nullptr;
    std::span<const TokenId> ids{}; // Model::maxRows() at most
    bool wanted = true;             // what follows them is asked for
};

/// Tokens for each of several sessions of one model, in one pass where that can take them: some
/// go on with a token, of others a prompt is read. logits[i] is the row behind part i, empty
/// where it is not wanted.
void appendBatch(std::span<const BatchPart> parts, std::vector<std::vector<float>> &logits,
                 std::stop_token stop = {});
/// The same, but the device picks the likeliest next token; −1 where it is not wanted.
std::vector<TokenId> appendBatchGreedy(std::span<const BatchPart> parts, std::stop_token stop = {},
                                       const Session::Next *next = nullptr);
/// The same, but the best next tokens come back in falling order, `count` of them; id −1 where
/// there are fewer, and no entry where they are not wanted.
std::vector<std::vector<Candidate>> appendBatchTop(std::span<const BatchPart> parts,
                                                   std::size_t count, std::stop_token stop = {},
                                                   const Session::Next *next = nullptr);

/// One token for each session.
void appendBatch(std::span<Session *const> sessions, std::span<const TokenId> ids,
                 std::vector<std::vector<float>> &logits, std::stop_token stop = {});
std::vector<TokenId> appendBatchGreedy(std::span<Session *const> sessions,
                                       std::span<const TokenId> ids, std::stop_token stop = {},
                                       const Session::Next *next = nullptr);

} // namespace fireside
