#include "engine/core/memory_info.h"
#include "engine/movable_model.h"
#include "tests/support/golden.h"
#include "tests/support/seed.h"
#include "tests/vulkan/lavapipe.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>
#include <vector>

#include <malloc.h>

// Not a test of the suite: thousands of replies, stops, branches and switches of models, with what
// the program takes of the system meanwhile. Ends with 1 where that grows.
//   long_run [REPLIES [cpu|lavapipe]]
namespace fireside {
namespace {

struct Taken
{
    std::uint64_t resident = 0, heap = 0; // bytes
    std::uint64_t spare = 0;              // of the resident ones: freed, kept by malloc for later
    long handles = 0, threads = 0;
};

long entries(const char *folder)
{
    const std::filesystem::directory_iterator all(folder);
    return std::distance(begin(all), end(all));
}

Taken taken()
{
    const auto heap = ::mallinfo2();
    return {currentResidentBytes().value_or(0), heap.uordblks + heap.hblkhd, heap.fordblks,
            entries("/proc/self/fd"), entries("/proc/self/task")};
}

/// Somebody who writes, changes his mind and tries other models.
class User
{
public:
    User(Engine &engine, BackendKind backend)
        : m_model(engine)
        , m_backend(backend)
    {
        switchModel();
    }
    void act()
    {
        if (pick(60) == 0)
            switchModel();
        branch();
        for (int n = 1 + pick(30); n > 0; --n)
            m_prompt.push_back(10 + pick(200));
        GenerateRequest request;
        request.prompt = m_prompt;
        request.maxTokens = 1 + pick(16);
        request.sampler.temperature = pick(2) == 0 ? 0.0F : 0.8F;
        request.sampler.repeatPenalty = pick(3) == 0 ? 1.1F : 1.0F;
        request.sampler.seed = static_cast<std::uint64_t>(pick(1000));
        std::stop_source stop;
        GenerateEvents events;
        const int last = pick(5) == 0 ? 1 + pick(8) : 1000;
        events.text = [&](std::string_view, const GenerateStats &stats) {
            if (stats.generatedTokens >= last)
                stop.request_stop();
        };
        const GenerateResult result = m_model.reply(request, events, stop.get_token());
        ++m_finishes[static_cast<int>(result.finish)];
        m_prompt.insert(m_prompt.end(), result.tokens.begin(), result.tokens.end());
    }
    /// Nothing is loaded and no card open, whichever model there was.
    Taken atRest()
    {
        m_model.rest(false);
        const Taken rest = taken();
        m_model.bringBack();
        return rest;
    }
    int switches() const { return m_switches; }
    int branches() const { return m_branches; }
    int stopped() const { return m_finishes[static_cast<int>(FinishReason::Stopped)]; }

private:
    static constexpr std::size_t kLongest = 400; // tokens of a chat

    int pick(int below) { return static_cast<int>(m_random() % static_cast<unsigned>(below)); }
    void branch()
    {
        const bool full = m_prompt.size() > kLongest;
        if (!full && pick(4) != 0)
            return;
        ++m_branches;
        m_prompt.resize(
            full ? 0 : static_cast<std::size_t>(pick(static_cast<int>(m_prompt.size()) + 1)));
    }
    void switchModel()
    {
        constexpr const char *kTypes[] = {"f16", "q4_k", "q8_0"};
        if (pick(3) == 0)
            m_model.rest();
        else
            m_model.load(test::goldenGguf(kTypes[pick(3)]),
                         {.backend = m_backend, .context = 512, .threads = 2});
        if (m_switches++ == 0 && m_model.model() == nullptr)
            m_model.load(test::goldenGguf("f16"),
                         {.backend = m_backend, .context = 512, .threads = 2});
        m_model.bringBack();
    }

    MovableModel m_model;
    BackendKind m_backend;
    std::mt19937 m_random{test::seed()};
    std::vector<TokenId> m_prompt;
    int m_switches = 0, m_branches = 0, m_finishes[5] = {};
};

/// The middle of each between two shares of the run: what is taken for a moment does not count.
Taken middle(const std::vector<Taken> &curve, double from, double to)
{
    const auto at = [&](double part) {
        return curve.begin() + static_cast<std::ptrdiff_t>(part * double(curve.size()));
    };
    const auto median = [&](auto member) {
        std::vector<std::decay_t<decltype(std::declval<Taken>().*member)>> all;
        for (auto it = at(from); it != at(to); ++it)
            all.push_back((*it).*member);
        std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
        return all[all.size() / 2];
    };
    return {median(&Taken::resident), median(&Taken::heap), median(&Taken::spare),
            median(&Taken::handles), median(&Taken::threads)};
}

int run(long replies, bool lavapipe)
{
    const test::Lavapipe driver;
    std::unique_ptr<test::Lavapipe::Selection> selected;
    if (lavapipe)
        selected = driver.select();
    Engine engine;
    User user(engine, lavapipe ? BackendKind::Vulkan : BackendKind::Cpu);
    constexpr long kPoints = 40;
    std::vector<Taken> curve;
    std::printf("                                          without a model\n"
                "replies  resident MB   heap MB  spare MB  resident MB   heap MB  handles  "
                "threads\n");
    for (long i = 1; i <= replies; ++i) {
        user.act();
        if (i % std::max(1L, replies / kPoints) != 0)
            continue;
        const Taken now = taken(), rest = user.atRest();
        curve.push_back(rest); // which model there is makes a greater difference than any growth
        std::printf("%7ld %12.1f %9.2f %9.2f %12.1f %9.2f %8ld %8ld\n", i,
                    double(now.resident) / 1e6, double(now.heap) / 1e6, double(now.spare) / 1e6,
                    double(rest.resident) / 1e6, double(rest.heap) / 1e6, rest.handles,
                    rest.threads);
        std::fflush(stdout);
    }
    const Taken early = middle(curve, 0.2, 0.5), late = middle(curve, 0.7, 1);
    const bool grows = late.resident > early.resident + early.resident / 20 + (2U << 20) ||
                       late.heap > early.heap + early.heap / 20 + (1U << 20) ||
                       late.handles > early.handles || late.threads > early.threads;
    std::printf("%ld replies, %d stopped, %d branches, %d switches: %s\n", replies, user.stopped(),
                user.branches(), user.switches(), grows ? "GROWS" : "steady");
    return grows ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace
} // namespace fireside

int main(int argc, char **argv)
{
    const long replies = argc > 1 ? std::atol(argv[1]) : 10'000;
    const bool lavapipe = argc > 2 && std::strcmp(argv[2], "lavapipe") == 0;
    try {
        return fireside::run(std::max(40L, replies), lavapipe);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "long_run: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
