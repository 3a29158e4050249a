#include "engine/measure_model.h"

#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"
#include "engine/measure_speed.h"

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

/// As replies compute: prompts in passes as long as the devices take them, of several where devices
/// work on them at the same time; tokens that the device chooses, with passes ahead.
Speed speedOf(Session &session, double seconds, const std::stop_token &stop)
{
    constexpr std::size_t kOverlappedPasses = 4;
    const Model &model = session.model();
    const std::int64_t vocabulary = model.config().vocabulary;
    const auto capacity = static_cast<std::size_t>(session.capacity());
    const std::size_t pass = static_cast<std::size_t>(model.maxRows());
    const std::size_t longest = std::max<std::size_t>(
        1, std::min(model.overlapsChunks() ? kOverlappedPasses * pass : pass, capacity / 2));
    TokenId id = 0;
    SpeedProbe probe;
    probe.readPrompt = [&](std::size_t tokens) {
        session.truncate(0);
        id = session.appendGreedy(someTokens(tokens, vocabulary), {}, stop);
    };
    probe.writeToken = [&] {
        const Session::Next ahead{
            {}, static_cast<std::int64_t>(capacity - session.tokens().size()) - 1};
        id = session.appendGreedy(std::span(&id, 1), {}, stop, &ahead);
    };
    probe.now = [start = Clock::now()] { return since(start); };
    return measureSpeed(probe, longest, capacity - longest, seconds);
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
