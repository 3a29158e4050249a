#include "app/bench/comeback.h"

#include "engine/movable_model.h"

#include <algorithm>
#include <chrono>

namespace fireside {
namespace {

double middleOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

Comeback measureComeback(const std::filesystem::path &path, const BenchSettings &s,
                         const std::stop_token &stop)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kRoom = 64; // tokens besides those of the prompt
    Engine engine(s.engine);
    PrefixCache cache({}); // takes over only what is quicker than reading it again
    MovableModel model(engine, {}, &cache);
    LoadOptions load = s.load;
    load.context = s.prompt + s.repetitions + kRoom;
    model.load(path, load, {}, stop);
    const std::int64_t vocabulary = model.model()->model().config().vocabulary;
    GenerateRequest request;
    request.maxTokens = 1;
    request.sampler.temperature = 0;
    const auto add = [&] {
        request.prompt.push_back(static_cast<TokenId>(
            static_cast<std::int64_t>(request.prompt.size()) * 7919 % vocabulary));
    };
    while (static_cast<int>(request.prompt.size()) < std::max(1, s.prompt))
        add();
    model.reply(request, {}, stop);
    std::vector<double> weights, tokens, readings;
    int read = 0;
    for (int i = 0; i < s.repetitions; ++i) {
        model.keep(stop);
        model.rest();
        add();
        const auto start = Clock::now();
        const auto since = [&] { return std::chrono::duration<double>(Clock::now() - start); };
        model.bringBack(stop);
        weights.push_back(since().count());
        const GenerateStats stats = model.reply(request, {}, stop).stats;
        tokens.push_back(since().count());
        readings.push_back(stats.promptSeconds);
        read = stats.promptTokens - stats.reusedTokens;
    }
    return {middleOf(weights), middleOf(tokens), middleOf(readings), read};
}

} // namespace fireside
