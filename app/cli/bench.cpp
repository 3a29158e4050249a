#include "app/bench/benchmark.h"
#include "app/bench/comparison.h"
#include "app/bench/shapes.h"
#include "app/bench/synthetic_model.h"
#include "app/cli/bench_report.h"
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
    bool json = false, ops = false, load = false, noCeiling = false, rest = false;
    std::string compare, peerTurn; // folders of another library
};

/// What measurePeerApart() asks of a process of its own.
void peerTurn(const BenchOptions &o)
{
    const PeerRates rates = measurePeer({.folder = o.peerTurn,
                                         .model = o.model.path,
                                         .prompt = o.settings.prompt,
                                         .generate = o.settings.generate,
                                         .depth = o.settings.depth,
                                         .threads = o.model.settings.threads,
                                         .gpu = o.model.settings.backend == "vulkan"});
    std::printf("%s\n", nlohmann::ordered_json{{"prompt_tok_s", rates.prompt},
                                               {"gen_tok_s", rates.generate},
                                               {"processor_library", rates.processorLibrary}}
                            .dump()
                            .c_str());
}

/// The other library's turn after each of ours.
void takeTurns(BenchReport &report, const std::string &model)
{
    if (report.settings.chats > 1)
        throwBadInput("--compare is for one chat");
    if (report.settings.load.kvType != DType::F16)
        throwBadInput("--compare is for a cache in F16, which the other library has");
    report.settings.afterEach = [&report, model](const BenchResult &soFar) {
        const PeerRates peer =
            measurePeerApart({.folder = report.peer,
                              .model = model,
                              .prompt = report.settings.prompt,
                              .generate = report.settings.generate,
                              .depth = report.settings.depth,
                              .threads = soFar.threads > 0 ? soFar.threads : 1,
                              .gpu = soFar.backend != toString(BackendKind::Cpu)});
        report.peerLibrary = peer.processorLibrary;
        if (!soFar.promptRates.empty()) {
            report.prompts.ours.push_back(soFar.promptRates.back());
            report.prompts.peers.push_back(peer.prompt);
        }
        if (!soFar.generateRates.empty()) {
            report.generations.ours.push_back(soFar.generateRates.back());
            report.generations.peers.push_back(peer.generate);
        }
    };
}

void bench(BenchOptions o)
{
    if (!o.peerTurn.empty())
        return peerTurn(o);
    std::optional<SyntheticModel> synthetic;
    if (!o.shape.empty())
        synthetic.emplace(o.shape, o.type, o.write);
    BenchReport report{.settings = o.settings, .ops = o.ops, .load = o.load, .peer = o.compare};
    report.settings.load = o.model.loadOptions();
    report.settings.engine = engineOptions();
    report.settings.opening = o.load;
    report.settings.machine = !o.noCeiling;
    const std::filesystem::path path =
        synthetic ? synthetic->path() : std::filesystem::path(o.model.path);
    if (!report.peer.empty())
        takeTurns(report, path.string());
    report.result = benchmark(path, report.settings, interruptToken());
    if (o.rest)
        report.comeback = measureComeback(path, report.settings, interruptToken());
    if (o.json)
        std::printf("%s\n", toJson(report).dump(2).c_str());
    else
        printText(report);
}

} // namespace

void addBench(CLI::App &app)
{
    const auto o = std::make_shared<BenchOptions>();
    CLI::App *command = app.add_subcommand("bench", "Measure a model's speed and memory");
    o->model.addTo(*command, false);
    command->add_option("--shape", o->shape,
                        "Instead of MODEL: random weights of a real shape (" + knownShapes() + ")");
    command->add_option("--type", o->type, "Weight type for --shape")
        ->transform([](std::string word) { return CLI::detail::to_lower(std::move(word)); })
        ->capture_default_str();
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
    command
        ->add_option("--joining", o->settings.joining,
                     "Tokens of one more chat's prompt that join passes of --chats: how long these "
                     "take")
        ->check(CLI::Range(0, 1 << 16));
    command
        ->add_option("--candidates", o->settings.candidates,
                     "Best tokens that the device gives for each of --chats, as for drawing one")
        ->check(CLI::Range(1, 256));
    command->add_option("--reps", o->settings.repetitions, "Repetitions")
        ->check(CLI::Range(1, 1000));
    command->add_flag("--json", o->json, "As JSON");
    command->add_flag("--load", o->load,
                      "Time per step of loading, and of each part of opening alone, too");
    command->add_flag(
        "--rest", o->rest,
        "Give the model's memory back in the middle of a chat of the prompt's length, "
        "and time until it goes on");
    command->add_flag("--ops", o->ops,
                      "Time per op, too; on the CPU with its share of what the processor can do");
    command->add_flag("--no-ceiling", o->noCeiling,
                      "Do not measure the processor itself, which takes 2 s");
    command->add_option("--compare", o->compare,
                        "Folder with llama.cpp's libraries: the same on the same file with them, "
                        "in turns, and the ratios");
    command->add_option("--peer-turn", o->peerTurn)->group(""); // for --compare
    command->callback([o] {
        if (o->model.path.empty() == o->shape.empty())
            throw CLI::ValidationError("bench", "give either MODEL or --shape");
        bench(*o);
    });
}

} // namespace fireside::cli
