#include "engine/measure_model.h"

#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<TokenId> someTokens(std::size_t count, std::int64_t vocabulary)
{
    std::vector<TokenId> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<TokenId>(static_cast<std::int64_t>(i * 7919) % vocabulary);
    return ids;
}

/// Half of the time for prompts as long as it lets them be, half for single tokens.
Speed speedOf(Session &session, double seconds, const std::stop_token &stop)
{
    const std::int64_t vocabulary = session.model().config().vocabulary;
    const std::size_t room = static_cast<std::size_t>(session.capacity()) / 2;
    const std::size_t chunk = std::min(static_cast<std::size_t>(session.model().maxRows()),
                                       std::max<std::size_t>(1, room));
    Speed speed;
    double spent = 0;
    std::size_t rows = std::min<std::size_t>(16, chunk);
    bool cold = true; // so many rows may need other kernels, and pages that were not read yet
    for (int round = 0; round < 4; ++round) {
        session.truncate(0);
        const auto start = Clock::now();
        session.appendGreedy(someTokens(rows, vocabulary), {}, stop);
        if (std::exchange(cold, false))
            continue;
        const double took = since(start);
        spent += took;
        speed.prompt = static_cast<double>(rows) / took;
        const double twice = 2 * took / static_cast<double>(rows) * static_cast<double>(chunk);
        if (rows == chunk || spent + twice > seconds / 2)
            break;
        rows = chunk;
        cold = true;
    }
    TokenId id = session.appendGreedy(someTokens(1, vocabulary), {}, stop);
    const auto start = Clock::now();
    int tokens = 0;
    while (session.tokens().size() + 1 < static_cast<std::size_t>(session.capacity())) {
        id = session.appendGreedy(std::span(&id, 1), {}, stop);
        ++tokens;
        if (since(start) > seconds / 2 && tokens >= 2)
            break;
    }
    speed.generate = tokens / since(start);
    return speed;
}

/// Of what is being handled, why a place was not measured; one that was stopped goes on as it is.
std::string problemOf()
{
    try {
        throw;
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Cancelled)
            throw;
        return error.what();
    } catch (const std::bad_alloc &) {
        return outOfMemoryText();
    } catch (const std::exception &error) {
        return error.what();
    } catch (...) {
        return "an unknown fault";
    }
}

} // namespace

std::vector<PlacementMeasurement>
measureModel(Engine &engine, const std::filesystem::path &path, const LoadOptions &options,
             const std::function<void(const PlacementOption &, int done, int all)> &next,
             const std::stop_token &stop, double seconds)
{
    engine.rateProcessor(stop);
    const Engine::Choice choice = engine.choose(path, options, stop);
    std::vector<PlacementMeasurement> measured;
    for (const PlacementOption &option : choice.selection.options)
        measured.push_back({option, {}, 0, option.refusal});
    const auto count = static_cast<int>(std::count_if(
        measured.begin(), measured.end(), [](const auto &each) { return each.problem.empty(); }));
    int done = 0;
    for (PlacementMeasurement &each : measured) {
        if (!each.problem.empty())
            continue;
        if (next)
            next(each.option, done, count);
        ++done;
        LoadOptions there = options;
        there.placement = each.option.placement;
        there.backend = each.option.kind; // nothing else is tried
        there.context = each.option.context;
        there.kvType = each.option.kvType;
        there.idsOnly = true;
        try {
            const auto start = Clock::now();
            const Engine::Opened opened = engine.open(path, there, {}, stop);
            each.loadSeconds = since(start);
            each.speed = speedOf(*opened.session, seconds / count, stop);
            engine.noteSpeed(*opened.model, *each.speed);
        } catch (...) {
            each.speed.reset();
            each.problem = problemOf();
        }
    }
    return measured;
}

} // namespace fireside
