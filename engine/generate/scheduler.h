#pragma once
#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/generate/pass_times.h"
#include "engine/generate/reply_state.h"
#include "engine/generate/token_probabilities.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

struct SchedulerSettings
{
    int context = 0; // tokens that a request and its reply may have together
    DType kvType = DType::F16;
    int sequences = 4;              // computed at once
    std::uint64_t contextBytes = 0; // of the cache of a whole context (MemoryPlan::kv())
    std::uint64_t cacheBytes = 0;   // of all caches together; 0: no limit
    int waiting = 64;               // requests that may wait; more are refused
    /// Tokens of prompts in a pass with running replies; 0: as many as the devices compute at
    /// little more time, as measured.
    int promptChunk = 0;
};

/// What a scheduler tells who owns it. Each may be empty.
struct SchedulerOwner
{
    std::function<void()> asked{}; // by the thread that submits: step() has something to do
    /// By the thread that steps: the device failed. True after release() and resume(), and all
    /// replies go on; false, and nothing has happened: those that were to be computed fail. An
    /// Error: there is no model any more, and all fail with it.
    std::function<bool(const Error &)> elsewhere{};
    std::function<void()> wentThrough{}; // by the thread that steps: a reply came to its end
    /// By the thread that steps, before it computes. False: not now, possibly after release(); it
    /// is asked again with the next step. An Error: there is no model any more, and all fail.
    std::function<bool()> ready{};
};

/// A request for a reply, with who hears of it. Everything is called by the thread that steps; of
/// finished and failed exactly one, at the end. An exception of a callback ends this reply alone.
struct ScheduledRequest
{
    GenerateRequest request{}; // drafts count for nothing
    std::string client{};      // requests of one share its turns
    std::string realm{};       // begins only with what requests of the same realm have computed
    /// Before all that are not, beyond `sequences` and `cacheBytes`: the window's own chats.
    bool first = false;
    int probabilities = -1;  // so many of the likeliest tokens go to onToken; −1: nothing does
    GenerateEvents events{}; // without `elsewhere`
    std::function<void(const TokenProbabilities &, const Tokenizer &)> onToken{};
    /// The session that was found for the prompt may be given more of it, before it is read.
    std::function<void(Session &)> opened{};
    std::function<void(const GenerateResult &)> finished{};
    std::function<void(const Error &)> failed{};
    std::stop_token stop{};
};

/// So many requests wait already that one more is refused.
class QueueFull : public Error
{
public:
    explicit QueueFull(int waiting);
};

struct SchedulerCounts
{
    int running = 0, waiting = 0;
    int kept = 0; // sessions of replies that have ended, for what begins like them
    std::uint64_t cacheBytes = 0;
    std::uint64_t promptTokens = 0, reusedTokens = 0, generatedTokens = 0; // since it was made
    std::uint64_t finished = 0, stopped = 0, failed = 0, refused = 0;      // requests
    std::uint64_t passes = 0, passRows = 0; // of the model, and their tokens
    std::uint64_t passTokens = 0;           // drawn in them
    std::uint64_t sharedPasses = 0;         // with tokens of several replies
    /// Of the thread that steps: in passes, drawing, telling words, beginning replies.
    double passSeconds = 0, drawSeconds = 0, tellSeconds = 0, beginSeconds = 0;
};

/// Computes many replies of one model at once (continuous batching, Orca, OSDI 2022): each joins
/// and leaves at any token. A pass has the next token of each running reply and parts of prompts
/// (chunked prefill, Sarathi-Serve, OSDI 2024), as many as do not keep those waiting.
/// Clients take turns, and a request begins with what an earlier or running one of its realm has
/// computed of the same tokens. Each reply is what generate() gives alone, up to the rounding of
/// batched products.
/// Where a device fails, replies may go on elsewhere, as those of generate() do.
/// submit(), counts() and trim() are for any thread, the rest for one.
class Scheduler
{
public:
    /// Model and tokenizer must outlive it, or stay until release().
    Scheduler(const Model &model, const Tokenizer &tokenizer, SchedulerSettings settings,
              SchedulerOwner owner = {});
    ~Scheduler(); // what runs or waits ends as FinishReason::Stopped
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    /// Error(BadInput) for a prompt that is empty or too long, with both numbers, or settings out
    /// of range; Error(Memory) for one whose cache can never fit; QueueFull.
    void submit(ScheduledRequest asked);
    /// A pass, and what follows from it; between release() and resume() only stops are looked at.
    /// False: there is nothing to do. Throws nothing: errors end the replies they belong to, those
    /// that belong to none end all.
    bool step();
    /// Steps until stopped, and sleeps where there is nothing to do; then everything ends as
    /// FinishReason::Stopped.
    void run(const std::stop_token &stop);
    SchedulerCounts counts() const;
    /// Whether step() has something to do.
    bool busy() const;

    /// Lets go of the model: what was computed is forgotten, replies and requests stay.
    void release();
    void failAll(const Error &error); // what runs and what waits
    /// With the same model loaded again: replies go on, and first read all their tokens so far.
    /// Context and type may differ from those of the settings.
    void resume(const Model &model, const Tokenizer &tokenizer, int context, DType kvType);
    /// The context memory of ended replies goes with the next step.
    void trim();
    // For the owner, whose requests have no realm.
    /// A session of the same model and settings counts as that of an ended reply.
    void adopt(std::unique_ptr<Session> session);
    std::unique_ptr<Session> giveBack(); // the latest of them; nullptr: there is none
    /// That of the ended reply which begins with all of these tokens; nullptr: it is gone. Until
    /// the next step.
    Session *endedWith(std::span<const TokenId> tokens);
    /// The logits [vocabulary] behind the prompt, as a reply would draw from. Errors as of
    /// submit(), and those of passes.
    std::vector<float> logitsAfter(std::span<const TokenId> prompt, const std::stop_token &stop);

private:
    using Clock = std::chrono::steady_clock;
    struct Waiting
    {
        ScheduledRequest asked;
        std::uint64_t number = 0; // of arrival
    };
    struct Sequence
    {
        Sequence(ScheduledRequest asked, const Tokenizer &tokenizer);
        std::span<const TokenId> left() const; // to be computed
        const ScheduledRequest asked;
        const Sampler sampler; // as it is before the first draw
        const Sampler::Needs needs;
        ReplyState state;
        std::unique_ptr<Session> session{};
        std::uint64_t bytes = 0; // reserved
        std::uint64_t turn = 0;  // when its prompt was last read
        bool prompted = false;
    };
    struct Kept
    {
        std::unique_ptr<Session> session;
        std::uint64_t used = 0;
        std::string realm{};
    };
    /// Where a prompt's beginning is computed already.
    struct Source
    {
        std::size_t shared = 0; // tokens
        Session *session = nullptr;
    };

    void check(std::span<const TokenId> prompt) const;
    std::uint64_t bytesFor(const GenerateRequest &request) const;
    bool mayBegin(const ScheduledRequest &asked) const;
    void stuck(Sequence &sequence, const Error &error);
    bool movedAfter(const Error &error);
    bool helped(const Error &error);
    bool runs(const Sequence *sequence) const;
    bool ready();
    void outOfMemory();
    void dropStopped();
    void admit();
    bool hasNew() const;
    bool admitOne();
    Source sourceFor(std::span<const TokenId> prompt, const std::string &realm) const;
    bool comesSoon(const ScheduledRequest &asked, const Source &best) const;
    bool makeRoom(std::uint64_t bytes, const Session *spared);
    std::uint64_t cacheInUse(const Session *but) const;
    std::unique_ptr<Session> sessionFrom(const Source &source, std::uint64_t bytes);
    std::unique_ptr<Session> emptySession(std::uint64_t bytes, const Session *spared);
    std::size_t worthSharing() const;
    void begin(ScheduledRequest asked, Source source, std::uint64_t bytes);
    void countTurn(const std::string &client);

    /// What a pass computes of a sequence: so many of left().
    struct Part
    {
        Sequence *sequence = nullptr;
        std::size_t tokens = 0;
        bool isLast() const { return tokens == sequence->left().size(); }
    };
    /// What was drawn behind a part, with what goes to onToken.
    struct Drawn
    {
        TokenId token = -1;
        std::optional<TokenProbabilities> likely{};
    };
    bool compute();
    bool prepared(Sequence &sequence);
    std::vector<Part> generating();
    void addPrompts(std::vector<Part> &parts);
    std::size_t promptRows(std::size_t generating, std::size_t reading) const;
    void computeAlone(const Part &part);
    void computeTogether(std::span<const Part> parts);
    void eachAlone(std::span<const Part> parts, const Error &error);
    std::vector<Drawn> drawnTogether(std::span<const Part> parts);
    const Session::Next *aheadOf(std::span<const Part> parts);
    std::vector<Drawn> drawnFrom(std::span<const Part> parts,
                                 std::vector<std::vector<float>> &logits);
    Drawn drawFrom(Sequence &sequence, std::span<float> logits);
    void drawAlone(Sequence &sequence);
    Clock::time_point computed(std::size_t rows, Clock::time_point begun);
    void countPass(std::span<const Part> parts);
    bool reportPrompt(Sequence &sequence, std::size_t read);
    void tell(Sequence &sequence, const Drawn &drawn);
    void take(Sequence &sequence, TokenId token);
    void finish(Sequence &sequence, FinishReason reason);
    void fail(Sequence &sequence, const Error &error);
    void failed(const ScheduledRequest &asked, const Error &error);
    static void finished(const ScheduledRequest &asked, const GenerateResult &result);
    std::unique_ptr<Sequence> remove(Sequence &sequence);
    void endAll();
    void prepare();
    /// Adds the time since `begun` to one of the counts.
    void tally(double SchedulerCounts::*seconds, Clock::time_point begun);
    void count(const std::function<void(SchedulerCounts &)> &change);

    const Model *m_model; // nullptr between release() and resume()
    const Tokenizer *m_tokenizer;
    const std::int64_t m_vocabulary; // of the model's logits
    const std::size_t m_words;       // of the tokenizer
    SchedulerSettings m_settings;
    const SchedulerOwner m_owner;
    std::vector<std::unique_ptr<Sequence>> m_running;
    std::vector<Kept> m_kept;
    std::map<std::string, std::uint64_t> m_served; // when each client's turn was
    std::uint64_t m_turn = 0;
    PassTimes m_times;
    Session::Next m_next;       // what may run behind a pass
    std::size_t m_ahead = 0;    // replies whose next token may be computed already; 0: none is
    std::vector<float> m_draws; // of m_next
    std::unique_ptr<ThreadPool> m_drawers; // once there are logits of several replies
    std::stop_source m_end;
    std::atomic<bool> m_trim{false};

    mutable std::mutex m_mutex; // of what follows
    std::condition_variable_any m_changed;
    std::vector<Waiting> m_waiting;            // in the order of arrival
    std::uint64_t m_arrived = 0, m_looked = 0; // requests; when it was last looked who may begin
    SchedulerCounts m_counts;
};

} // namespace fireside
