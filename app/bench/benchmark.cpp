#include "app/bench/benchmark.h"

#include "app/bench/comparison.h"
#include "engine/backend/backend.h"
#include "engine/backend/measure_rates.h"
#include "engine/backend/placement_speed.h"
#include "engine/core/cpu_info.h"
#include "engine/core/memory_info.h"
#include "engine/files/model_file.h"
#include "engine/generate/embedder.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void add(std::vector<OpTime> &sum, const std::vector<OpTime> &more)
{
    for (const OpTime &time : more) {
        const auto it = std::find_if(sum.begin(), sum.end(), [&](const OpTime &t) {
            return std::string_view(t.op) == time.op;
        });
        if (it == sum.end()) {
            sum.push_back(time);
        } else {
            it->calls += time.calls;
            it->seconds += time.seconds;
            it->dispatches += time.dispatches;
            it->work += time.work;
        }
    }
}

/// Sessions with a supply of random tokens.
class Runner
{
public:
    Runner(const LoadedModel &model, int chats, int candidates, std::stop_token stop)
        : m_loaded(model)
        , m_model(model.model())
        , m_logits(static_cast<std::size_t>(m_model.config().vocabulary))
        , m_candidates(static_cast<std::size_t>(candidates))
        , m_stop(std::move(stop))
    {
        for (int i = 0; i < chats; ++i) {
            m_owned.push_back(model.newSession());
            m_sessions.push_back(m_owned.back().get());
        }
        m_next.assign(m_sessions.size(), 1);
        m_model.prepareChats(chats);
    }

    /// Seconds for `count` random tokens in the first chat, the last row's logits read back.
    double append(int count) { return append(*m_sessions.front(), count); }
    /// The same in every other chat, for what comes before a generation.
    void appendToOthers(int count)
    {
        for (std::size_t i = 1; i < m_sessions.size(); ++i)
            append(*m_sessions[i], count);
    }
    /// Seconds for `count` tokens one after another, each chosen by the device from the one before.
    double generate(int count)
    {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) {
            const Session::Next next{{}, count - i - 1};
            if (m_sessions.size() == 1)
                m_next[0] = m_sessions[0]->appendGreedy(m_next, {}, m_stop, &next);
            else if (m_candidates == 1)
                m_next = appendBatchGreedy(m_sessions, m_next, m_stop, &next);
            else
                appendTop(next);
        }
        return secondsSince(start);
    }
    /// Seconds of a pass with a token of each chat and the first `count` of another one's prompt,
    /// behind which one is chosen, too: what a server computes when a request comes.
    double join(int count)
    {
        if (!m_joining)
            m_joining = m_loaded.newSession();
        m_joining->truncate(0);
        const std::vector<TokenId> prompt = randomTokens(count);
        std::vector<BatchPart> parts;
        for (std::size_t i = 0; i < m_sessions.size(); ++i)
            parts.push_back({m_sessions[i], std::span(m_next).subspan(i, 1)});
        parts.push_back({m_joining.get(), prompt});
        const auto start = Clock::now();
        std::vector<TokenId> chosen = appendBatchGreedy(parts, m_stop);
        const double seconds = secondsSince(start);
        chosen.pop_back();
        m_next = std::move(chosen);
        return seconds;
    }
    void clear()
    {
        for (Session *session : m_sessions)
            session->truncate(0);
    }
    std::vector<OpTime> takeOpTimes() { return m_model.takeOpTimes(); }

private:
    /// A token in each chat, the first of some candidates.
    void appendTop(const Session::Next &next)
    {
        std::vector<BatchPart> parts;
        for (std::size_t i = 0; i < m_sessions.size(); ++i)
            parts.push_back({m_sessions[i], std::span(m_next).subspan(i, 1)});
        const auto best = appendBatchTop(parts, m_candidates, m_stop, &next);
        for (std::size_t i = 0; i < best.size(); ++i)
            m_next[i] = best[i].front().id;
    }
    double append(Session &session, int count)
    {
        const std::vector<TokenId> ids = randomTokens(count);
        const auto start = Clock::now();
        if (!ids.empty())
            session.append(ids, m_logits, {}, m_stop);
        m_next.assign(m_sessions.size(), 1);
        return secondsSince(start);
    }

    std::vector<TokenId> randomTokens(int count)
    {
        std::vector<TokenId> ids(static_cast<std::size_t>(count));
        const auto vocabulary = static_cast<TokenId>(m_model.config().vocabulary);
        for (TokenId &id : ids)
            id = static_cast<TokenId>(m_random() %
                                      static_cast<std::uint64_t>(std::min(vocabulary, 1500)));
        return ids;
    }

    const LoadedModel &m_loaded;
    const Model &m_model;
    std::vector<std::unique_ptr<Session>> m_owned;
    std::unique_ptr<Session> m_joining; // whose prompt joins
    std::vector<Session *> m_sessions;
    std::vector<float> m_logits;
    std::vector<TokenId> m_next;
    const std::size_t m_candidates;
    std::stop_token m_stop;
    std::mt19937_64 m_random{1};
};

/// What the choice of devices expects of the CPU for this model, from the probe's rates. Of a
/// prompt without anything before it.
std::optional<Speed> expectedOnCpu(const LoadedModel &model, int threads,
                                   const std::stop_token &stop)
{
    const auto cpu = openCpu({.threads = threads});
    const KnownSpeeds known{.devices = {{cpu->report().id, measureRates(*cpu, stop)}},
                            .measured = {}};
    return predictSpeed(model.plan(), model.selection().placement, model.devices(), known);
}

/// The parts of opening, which overlap while a model is loaded, one after another.
std::vector<std::pair<std::string, double>> measureOpening(const std::filesystem::path &path,
                                                           bool tokenizer)
{
    constexpr int kTimes = 9;
    std::vector<double> opening, describing, reading;
    for (int i = 0; i < kTimes; ++i) {
        auto since = Clock::now();
        const auto lap = [&since](std::vector<double> &times) {
            times.push_back(secondsSince(since));
            since = Clock::now();
        };
        const ModelFile file = ModelFile::open(path);
        lap(opening);
        describeModel(file);
        lap(describing);
        if (tokenizer) {
            Tokenizer::fromModel(file);
            lap(reading);
        }
    }
    return {{"the file's header", median(opening)},
            {"its description", median(describing)},
            {"its tokenizer", median(reading)}};
}

/// An encoder's sequences, as many in one batch as there are chats.
void benchmarkEncoder(const LoadedModel &model, const BenchSettings &s, const std::stop_token &stop,
                      BenchResult &result)
{
    const Embedder embedder(model.model(), model.context());
    const auto length = std::min<std::int64_t>(s.prompt, embedder.mostTokens());
    std::mt19937_64 random{1};
    const auto words = static_cast<std::uint64_t>(model.model().config().vocabulary);
    std::vector<std::vector<TokenId>> sequences(static_cast<std::size_t>(s.chats));
    for (std::vector<TokenId> &sequence : sequences)
        for (std::int64_t i = 0; i < length; ++i)
            sequence.push_back(static_cast<TokenId>(random() % words));
    for (int i = 0; i <= s.repetitions; ++i) {
        const auto start = Clock::now();
        embedder.embed(sequences, EmbeddingForm::Mean, stop);
        if (i > 0) // the first warms up
            result.promptRates.push_back(static_cast<double>(s.chats * length) /
                                         secondsSince(start));
        const std::vector<OpTime> ops = model.model().takeOpTimes();
        if (i > 0)
            add(result.promptOps, ops);
    }
    result.promptRate = median(result.promptRates);
}

/// Generates, and on the CPU compares what that reads with what memory gives: others use it, too,
/// so bare reading and stretches of generation take turns.
class Generation
{
public:
    Generation(Runner &runner, const BenchSettings &s, BenchResult &result)
        : m_runner(runner)
        , m_settings(s)
        , m_result(result)
    {
        if (s.machine && result.threads > 0 && s.generate > 0)
            m_reading = openMemoryReading({.threads = result.threads});
    }

    /// Of one repetition.
    void run()
    {
        constexpr int kStretch = 16;
        double before = m_reading ? m_reading->rate(kReadSeconds) : 0, seconds = 0;
        for (int done = 0; done < m_settings.generate;) {
            const int count =
                m_reading ? std::min(kStretch, m_settings.generate - done) : m_settings.generate;
            const double passed = m_runner.generate(count);
            done += count;
            seconds += passed;
            const std::vector<OpTime> ops = m_runner.takeOpTimes();
            add(m_result.generateOps, ops);
            if (m_reading)
                before = compare(ops, passed, before);
        }
        m_result.generateRates.push_back(m_settings.chats * m_settings.generate / seconds);
    }

private:
    static constexpr double kReadSeconds = 0.05;

    double compare(const std::vector<OpTime> &ops, double seconds, double before)
    {
        double bytes = 0;
        for (const OpTime &op : ops)
            bytes += op.work.bytes;
        const double after = m_reading->rate(kReadSeconds), reads = bytes / seconds;
        m_result.generateReads.push_back(reads);
        m_result.generateShares.push_back(reads / ((before + after) / 2));
        return after;
    }

    Runner &m_runner;
    const BenchSettings &m_settings;
    BenchResult &m_result;
    std::unique_ptr<MemoryReading> m_reading;
};

constexpr int kJoinedPasses = 32, kWarmingPasses = 3; // of a repetition; before the first one

/// Passes that a prompt joins; the first ones may have kernels to make.
void benchmarkJoining(Runner &runner, const BenchSettings &s, BenchResult &result)
{
    if (result.joinedSeconds.empty())
        for (int i = 0; i < kWarmingPasses; ++i)
            runner.join(s.joining);
    runner.takeOpTimes();
    for (int i = 0; i < kJoinedPasses; ++i)
        result.joinedSeconds.push_back(runner.join(s.joining));
    add(result.joinedOps, runner.takeOpTimes());
}

/// A prompt and a generation in each repetition.
void benchmarkDecoder(const LoadedModel &model, const BenchSettings &s, const std::stop_token &stop,
                      BenchResult &result)
{
    Runner runner(model, s.chats, s.candidates, stop);
    runner.append(8);
    runner.appendToOthers(8);
    runner.generate(2);
    runner.takeOpTimes();
    Generation generation(runner, s, result);
    for (int i = 0; i < s.repetitions; ++i) {
        runner.clear();
        runner.append(s.depth);
        runner.takeOpTimes();
        if (s.prompt > 0)
            result.promptRates.push_back(s.prompt / runner.append(s.prompt));
        add(result.promptOps, runner.takeOpTimes());
        if (s.depth == 0) {
            runner.clear();
            runner.append(1);
        }
        runner.appendToOthers(s.depth == 0 ? 1 : s.depth + s.prompt);
        runner.takeOpTimes();
        if (s.generate > 0)
            generation.run();
        if (s.joining > 0)
            benchmarkJoining(runner, s, result);
        if (s.afterEach)
            s.afterEach(result);
    }
    result.promptRate = median(result.promptRates);
    result.generateRate = median(result.generateRates);
}

} // namespace

BenchResult benchmark(const std::filesystem::path &path, const BenchSettings &s,
                      std::stop_token stop)
{
    Engine engine(s.engine);
    if (s.load.backend != BackendKind::Cpu)
        engine.devices(); // probing is not part of loading
    LoadOptions load = s.load;
    load.embeddings = load.idsOnly = describeModel(path).encoder;
    load.context = s.depth + s.prompt + s.generate + 64;
    if (s.joining > 0) // repetitions begin with empty chats
        load.context += s.joining + kJoinedPasses + kWarmingPasses;
    BenchResult result;
    const auto loading = Clock::now();
    auto since = loading;
    const auto ended = [&] {
        if (!result.loadStages.empty())
            result.loadStages.back().second += secondsSince(since);
        since = Clock::now();
    };
    const auto model = engine.load(
        path, load,
        [&](const char *stage, double) {
            ended();
            if (result.loadStages.empty() || result.loadStages.back().first != stage)
                result.loadStages.emplace_back(stage, 0);
        },
        stop);
    ended();
    result.loadSeconds = secondsSince(loading);
    if (s.opening)
        result.openingParts = measureOpening(path, !load.idsOnly);
    result.weightBytes = model->plan().weights();
    result.kvBytes = model->plan().kv();
    result.backend = toString(model->selection().kind);
    result.device = model->device().name;
    result.reason = model->selection().reason;
    if (model->selection().kind == BackendKind::Cpu)
        result.threads = load.threads > 0 ? load.threads : cpuInfo().threads;

    if (model->summary().encoder)
        benchmarkEncoder(*model, s, stop, result);
    else
        benchmarkDecoder(*model, s, stop, result);
    result.peakResidentBytes = peakResidentBytes().value_or(0);
    if (s.machine && result.threads > 0) {
        result.machine = measureCpu({.threads = result.threads}, stop);
        result.expected = expectedOnCpu(*model, result.threads, stop);
    }
    return result;
}

double leastSeconds(const OpWork &work, const MachineRates &machine)
{
    return std::max(work.bytes / machine.readBytes, work.byteProducts / machine.byteProducts +
                                                        work.floatProducts / machine.floatProducts);
}

} // namespace fireside
