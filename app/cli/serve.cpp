#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/server/model_shelf.h"
#include "app/server/server.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <thread>

namespace fireside::cli {
namespace {

struct ServeOptions
{
    std::vector<std::string> models, names, keys, aliases;
    ModelOptions model; // its path is unused
    SamplingOptions sampling;
    server::ServerOptions server;
    int sequences = 4, waiting = 64, idleMinutes = 0;
};

/// As clients can ask for it, and people see it.
std::string checkedName(const std::string &name)
{
    const auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    const bool blank = name.find_first_not_of(' ') == std::string::npos;
    if (blank)
        throwBadInput("the name of a model (--name) is empty");
    if (name.front() == ' ' || name.back() == ' ' ||
        std::any_of(name.begin(), name.end(), isControl))
        throwBadInput("the model's name " + fireside::quoted(name) +
                      " has a space at an end or a control character");
    return name;
}

/// Of --key; else of FIRESIDE_KEY, one on each line.
std::vector<server::ApiKey> keysOf(const ServeOptions &o)
{
    std::vector<server::ApiKey> keys;
    for (const std::string &text : o.keys)
        keys.push_back(server::readApiKey(text));
    const char *const variable = std::getenv("FIRESIDE_KEY");
    if (!keys.empty() || variable == nullptr)
        return keys;
    std::istringstream lines(variable);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty())
            keys.push_back(server::readApiKey(line));
    if (keys.empty())
        throwBadInput("FIRESIDE_KEY is empty; unset it to serve without a key");
    return keys;
}

server::ModelShelf::Settings shelfOf(const ServeOptions &o)
{
    server::ModelShelf::Settings shelf{.models = {}, .idle = std::chrono::minutes(o.idleMinutes)};
    for (std::size_t i = 0; i < o.models.size(); ++i) {
        server::HostedSettings one;
        one.id = i < o.names.size() ? checkedName(o.names[i]) : server::usualId(o.models[i]);
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

/// NAME=MODEL, or a name alone where there is one model.
std::map<std::string, std::string> aliasesOf(const ServeOptions &o,
                                             const server::ModelShelf::Settings &shelf)
{
    std::map<std::string, std::string> aliases;
    for (const std::string &text : o.aliases) {
        const std::size_t at = text.rfind('=');
        const bool alone = at == std::string::npos;
        if (alone && shelf.models.size() > 1)
            throwBadInput("--alias " + fireside::quoted(text) +
                          ": with several models an alias is given as ALIAS=MODEL");
        const std::string model = alone ? shelf.models.front().id : text.substr(at + 1);
        const bool known = std::any_of(shelf.models.begin(), shelf.models.end(),
                                       [&](const auto &one) { return one.id == model; });
        if (!known)
            throwBadInput("--alias: there is no model called " + fireside::quoted(model));
        aliases[checkedName(text.substr(0, at))] = model;
    }
    return aliases;
}

/// The only model of the shelf. What is asked of it meanwhile waits.
void load(server::ModelShelf &shelf)
{
    try {
        shelf.load(shelf.list().front().id, interruptToken());
    } catch (const Error &) {
        if (!interruptToken().stop_requested())
            throw;
    }
}

void serve(ServeOptions o)
{
    o.server.guard.keys = keysOf(o);
    (void)server::Guard(o.server.guard); // before minutes of loading
    if (o.names.size() > o.models.size())
        throwBadInput("there are more names than models");
    server::ModelShelf::Settings models = shelfOf(o);
    o.server.aliases = aliasesOf(o, models);
    server::ModelShelf shelf(std::move(models));
    server::Server serving(shelf, o.server); // before minutes of loading: the port may be in use
    std::jthread answering([&](const std::stop_token &stop) { serving.run(stop); });
    const std::stop_callback end(interruptToken(), [&] { answering.request_stop(); });
    if (o.models.size() == 1)
        load(shelf);
    if (interruptToken().stop_requested())
        return;
    const bool six = o.server.guard.host.find(':') != std::string::npos;
    std::string served;
    for (const auto &one : shelf.list())
        served += (served.empty() ? "" : ", ") + printable(one.id);
    std::fprintf(stderr, "Serving %s at http://%s%s%s:%d/v1%s\n", served.c_str(), six ? "[" : "",
                 o.server.guard.host.c_str(), six ? "]" : "", serving.port(),
                 o.server.guard.keys.empty()       ? ""
                 : o.server.guard.keys.size() == 1 ? ", with a key"
                                                   : ", with several keys");
    answering.join();
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
    command
        ->add_option("--key", o->keys,
                     "API key that clients must send; give one per client, as NAME=KEY, to keep "
                     "their prompt caches and responses apart. Other users of the computer cannot "
                     "see FIRESIDE_KEY, which takes one on each line")
        ->type_name("[NAME=]KEY")
        ->allow_extra_args(false);
    command->add_flag(
        "--share-cache", o->server.shareCache,
        "Share the prompt cache between keys: faster for prompts that begin the same, "
        "but clients can find out what others sent");
    command
        ->add_option("--origin", guard.origins,
                     "Origin of web pages that may use the server, like http://localhost:3000; may "
                     "be given several times. '*' allows all pages and needs a key")
        ->allow_extra_args(false);
    command
        ->add_option("--name", o->names,
                     "Model name in the API, the file's name by default; once per model, in their "
                     "order")
        ->allow_extra_args(false);
    command
        ->add_option("--alias", o->aliases,
                     "Further name of a model, as ALIAS=MODEL; with one model the alias alone. May "
                     "be given several times. One model answers chats under any name")
        ->type_name("ALIAS[=MODEL]")
        ->allow_extra_args(false);
    command->add_flag("--strict-api", o->server.strictApi,
                      "Refuse requests with members that are unknown or have no effect, in place "
                      "of naming them in the header x-fireside-ignored of the answer");
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
