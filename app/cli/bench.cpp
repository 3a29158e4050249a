#include "app/bench/benchmark.h"
#include "app/bench/shapes.h"
#include "app/bench/synthetic_model.h"
#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace fireside::cli {
namespace {

struct BenchOptions
{
    ModelOptions model;
    std::string shape, type = "q4_k_m", write;
    BenchSettings settings;
    bool json = false, ops = false, load = false;
};

nlohmann::ordered_json opsJson(std::vector<OpTime> ops)
{
    auto j = nlohmann::ordered_json::array();
    for (const OpTime &t : ops)
        j.push_back({{"op", t.op},
                     {"calls", t.calls},
                     {"dispatches", t.dispatches},
                     {"seconds", t.seconds}});
    return j;
}

void printOps(const char *title, std::vector<OpTime> ops)
{
    std::sort(ops.begin(), ops.end(),
              [](const OpTime &a, const OpTime &b) { return a.seconds > b.seconds; });
    double total = 0;
    for (const OpTime &t : ops)
        total += t.seconds;
    std::printf("%s\n", title);
    for (const OpTime &t : ops)
        std::printf("  %-18s %8lld calls %8s %10.3f ms %5.1f %%\n", t.op,
                    static_cast<long long>(t.calls),
                    t.dispatches > 0 ? (std::to_string(t.dispatches) + " launches").c_str() : "",
                    t.seconds * 1e3, total > 0 ? 100 * t.seconds / total : 0);
}

void printLoad(const BenchResult &r)
{
    std::printf("load\n");
    for (const auto &[stage, seconds] : r.loadStages)
        std::printf("  %-26s %8.1f ms\n", stage.c_str(), seconds * 1e3);
    std::printf("opening, each part alone\n");
    for (const auto &[part, seconds] : r.openingParts)
        std::printf("  %-26s %8.1f ms\n", part.c_str(), seconds * 1e3);
}

void bench(BenchOptions o)
{
    std::optional<SyntheticModel> synthetic;
    if (!o.shape.empty())
        synthetic.emplace(o.shape, o.type, o.write);
    o.settings.load = o.model.loadOptions();
    o.settings.engine = engineOptions();
    o.settings.opening = o.load;
    const BenchResult r =
        benchmark(synthetic ? synthetic->path() : std::filesystem::path(o.model.path), o.settings,
                  interruptToken());
    if (o.json) {
        nlohmann::ordered_json j{{"prompt_tok_s", r.promptRate},
                                 {"gen_tok_s", r.generateRate},
                                 {"load_s", r.loadSeconds},
                                 {"weights_bytes", r.weightBytes},
                                 {"kv_bytes", r.kvBytes},
                                 {"chats", o.settings.chats},
                                 {"peak_rss_bytes", r.peakResidentBytes},
                                 {"backend", r.backend},
                                 {"device", r.device}};
        if (o.load)
            for (const auto &[stage, seconds] : r.loadStages)
                j["load"].push_back({{"stage", stage}, {"seconds", seconds}});
        for (const auto &[part, seconds] : r.openingParts)
            j["opening"].push_back({{"part", part}, {"seconds", seconds}});
        if (o.ops)
            j["ops"] = {{"prompt", opsJson(r.promptOps)}, {"generation", opsJson(r.generateOps)}};
        std::printf("%s\n", j.dump(2).c_str());
        return;
    }
    std::printf("%s (%s)\n%s\n", r.device.c_str(), r.backend.c_str(), r.reason.c_str());
    const std::string chats =
        o.settings.chats > 1 ? " in each of " + std::to_string(o.settings.chats) + " chats" : "";
    std::printf("prompt %d at depth %d: %.1f tok/s\ngeneration %d%s: %.2f tok/s\nload: %.2f s\n",
                o.settings.prompt, o.settings.depth, r.promptRate, o.settings.generate,
                chats.c_str(), r.generateRate, r.loadSeconds);
    std::printf("weights %s, cache %s, peak resident %s\n", formatBytes(r.weightBytes).c_str(),
                formatBytes(r.kvBytes).c_str(), formatBytes(r.peakResidentBytes).c_str());
    if (o.load)
        printLoad(r);
    if (o.ops) {
        printOps("prompt", r.promptOps);
        printOps("generation", r.generateOps);
    }
}

} // namespace

void addBench(CLI::App &app)
{
    const auto o = std::make_shared<BenchOptions>();
    CLI::App *command = app.add_subcommand("bench", "Measure a model's speed and memory");
    o->model.addTo(*command, false);
    command->add_option("--shape", o->shape,
                        "Instead of MODEL: random weights of a real shape (" + knownShapes() + ")");
    command->add_option("--type", o->type, "Weight type for --shape")->capture_default_str();
    command->add_option("--write", o->write, "Keep the file of --shape, here");
    command->add_option("--prompt", o->settings.prompt, "Prompt tokens")
        ->check(CLI::Range(0, 1 << 20));
    command->add_option("--gen", o->settings.generate, "Generated tokens")
        ->check(CLI::Range(0, 1 << 20));
    command->add_option("--depth", o->settings.depth, "Tokens in the cache before")
        ->check(CLI::Range(0, 1 << 20));
    command
        ->add_option("--chats", o->settings.chats,
                     "Chats that generate in one batch, each its own tokens; of an encoder, "
                     "sequences of the prompt's length")
        ->check(CLI::Range(1, 256));
    command->add_option("--reps", o->settings.repetitions, "Repetitions")
        ->check(CLI::Range(1, 1000));
    command->add_flag("--json", o->json, "As JSON");
    command->add_flag("--load", o->load,
                      "Time per step of loading, and of each part of opening alone, too");
    command->add_flag("--ops", o->ops, "Time per op, too");
    command->callback([o] {
        if (o->model.path.empty() == o->shape.empty())
            throw CLI::ValidationError("bench", "give either MODEL or --shape");
        bench(*o);
    });
}

} // namespace fireside::cli
