#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/server/server.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace fireside::cli {
namespace {

struct ServeOptions
{
    ModelOptions model;
    SamplingOptions sampling;
    server::ServerOptions server;
};

/// For caches: half of what the model leaves of its device's memory, one whole context at least.
std::uint64_t cacheBytesFor(const LoadedModel &model, int sequences)
{
    const std::uint64_t context = model.plan().kv(),
                        all = context * static_cast<unsigned>(sequences);
    const auto available = model.device().memoryFree;
    if (!available)
        return all;
    const std::uint64_t needed = model.plan().total();
    return std::max(context, *available > needed ? (*available - needed) / 2 : 0);
}

void serve(ServeOptions o)
{
    if (o.server.guard.key.empty())
        if (const char *key = std::getenv("FIRESIDE_KEY"))
            o.server.guard.key = key;
    (void)server::Guard(o.server.guard); // before minutes of loading
    Engine engine(engineOptions());
    LoadOptions load = o.model.loadOptions();
    load.embeddings = true;
    const auto model = engine.load(o.model.path, load, {}, interruptToken());
    o.server.sampling = o.sampling.settings;
    o.server.scheduler.cacheBytes = cacheBytesFor(*model, o.server.scheduler.sequences);
    if (o.server.modelId.empty())
        o.server.modelId = std::filesystem::path(o.model.path).stem().string();
    server::Server serving(*model, o.server);
    const bool six = o.server.guard.host.find(':') != std::string::npos;
    std::fprintf(stderr, "%s, %s: %s\nServing %s at http://%s%s%s:%d/v1%s\n",
                 printable(model->summary().name).c_str(), model->placementText().c_str(),
                 model->selection().reason.c_str(), printable(o.server.modelId).c_str(),
                 six ? "[" : "", o.server.guard.host.c_str(), six ? "]" : "", serving.port(),
                 o.server.guard.key.empty() ? "" : ", with a key");
    serving.run(interruptToken());
}

} // namespace

void addServe(CLI::App &app)
{
    const auto o = std::make_shared<ServeOptions>();
    CLI::App *command = app.add_subcommand(
        "serve",
        "Let other programs use a model over HTTP, in the way of OpenAI's and Anthropic's APIs");
    o->model.addTo(*command);
    server::GuardSettings &guard = o->server.guard;
    guard.port = 8080;
    command->add_option("--port", guard.port, "Port; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command
        ->add_option("--host", guard.host,
                     "Address to listen on; any but this computer's own needs a key")
        ->capture_default_str();
    command->add_option("--key", guard.key,
                        "What clients must send as their API key; better in FIRESIDE_KEY, which "
                        "other users of the computer cannot see");
    command->add_option("--origin", guard.origins,
                        "A web page's origin that may ask, like http://localhost:3000; may be "
                        "given several times");
    command->add_option("--name", o->server.modelId,
                        "How clients call the model; else the name of its file");
    command
        ->add_option("--sequences", o->server.scheduler.sequences,
                     "Replies that are computed at once")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command
        ->add_option("--queue", o->server.scheduler.waiting,
                     "Requests that may wait; more are refused")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    o->sampling.addTo(*command);
    command->callback([o] { serve(*o); });
}

} // namespace fireside::cli
