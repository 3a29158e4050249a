#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/server/model_shelf.h"
#include "app/server/server.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace fireside::cli {
namespace {

struct ServeOptions
{
    std::vector<std::string> models, names;
    ModelOptions model; // its path is unused
    SamplingOptions sampling;
    server::ServerOptions server;
    int sequences = 4, waiting = 64, idleMinutes = 0;
};

server::ModelShelf::Settings shelfOf(const ServeOptions &o)
{
    server::ModelShelf::Settings shelf{.models = {}, .idle = std::chrono::minutes(o.idleMinutes)};
    for (std::size_t i = 0; i < o.models.size(); ++i) {
        server::HostedSettings one;
        one.id = i < o.names.size() ? o.names[i] : server::usualId(o.models[i]);
        one.path = o.models[i];
        one.load = o.model.loadOptions();
        one.sampling = o.sampling.settings;
        one.given = o.sampling.given;
        one.engine = engineOptions();
        one.sequences = o.sequences;
        one.waiting = o.waiting;
        one.tell = [](const std::string &text) {
            std::fprintf(stderr, "%s\n", printable(text).c_str());
        };
        shelf.models.push_back(std::move(one));
    }
    return shelf;
}

void serve(ServeOptions o)
{
    if (o.server.guard.key.empty())
        if (const char *key = std::getenv("FIRESIDE_KEY"))
            o.server.guard.key = key;
    (void)server::Guard(o.server.guard); // before minutes of loading
    if (o.names.size() > o.models.size())
        throwBadInput("there are more names than models");
    server::ModelShelf shelf(shelfOf(o));
    if (o.models.size() == 1)
        shelf.load(shelf.list().front().id, interruptToken());
    server::Server serving(shelf, o.server);
    const bool six = o.server.guard.host.find(':') != std::string::npos;
    std::string served;
    for (const auto &one : shelf.list())
        served += (served.empty() ? "" : ", ") + printable(one.id);
    std::fprintf(stderr, "Serving %s at http://%s%s%s:%d/v1%s\n", served.c_str(), six ? "[" : "",
                 o.server.guard.host.c_str(), six ? "]" : "", serving.port(),
                 o.server.guard.key.empty() ? "" : ", with a key");
    serving.run(interruptToken());
}

} // namespace

void addServe(CLI::App &app)
{
    const auto o = std::make_shared<ServeOptions>();
    CLI::App *command = app.add_subcommand(
        "serve",
        "Let other programs use models over HTTP, in the way of OpenAI's and Anthropic's APIs");
    command
        ->add_option("models", o->models,
                     "GGUF files or Hugging Face folders; several are loaded when they are asked "
                     "for, and the one used longest ago goes when memory is short")
        ->type_name("MODEL")
        ->required();
    o->model.addLoadTo(*command);
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
    command->add_option(
        "--name", o->names,
        "How clients call the model, else the name of its file; once for each model "
        "in their order");
    command->add_option("--sequences", o->sequences, "Replies of a model that are computed at once")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command
        ->add_option("--queue", o->waiting, "Requests to a model that may wait; more are refused")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command
        ->add_option(
            "--unload-after", o->idleMinutes,
            "Minutes without a request after which a model gives its memory back until the "
            "next; 0: never")
        ->check(CLI::Range(0, 100'000))
        ->capture_default_str();
    o->sampling.addTo(*command);
    command->callback([o] { serve(*o); });
}

} // namespace fireside::cli
