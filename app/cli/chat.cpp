#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <iostream>
#include <memory>

namespace fireside::cli {
namespace {

struct ChatOptions
{
    ModelOptions model;
    SamplingOptions sampling;
};

void chat(const ChatOptions &o)
{
    Engine engine(engineOptions());
    const auto model = engine.load(o.model.path, o.model.loadOptions(), {}, interruptToken());
    std::fprintf(stderr, "%s, %s: %s\nEnd with an empty line or Ctrl+D.\n",
                 printable(model->summary().name).c_str(), model->placementText().c_str(),
                 model->selection().reason.c_str());
    std::vector<ChatMessage> messages;
    if (!o.sampling.settings.systemPrompt.empty())
        messages.push_back({"system", o.sampling.settings.systemPrompt});

    const auto session = model->newSession();
    for (std::string line;
         std::fputs("> ", stderr), std::getline(std::cin, line) && !line.empty();) {
        messages.push_back({"user", line});
        GenerateRequest request = o.sampling.request();
        request.prompt = model->chatTokens(messages);
        request.trimStart = true;
        std::string reply;
        GenerateEvents events;
        events.text = [&](std::string_view text, const GenerateStats &) {
            reply += text;
            std::fwrite(text.data(), 1, text.size(), stdout);
            std::fflush(stdout);
        };
        printStatistics(generate(*session, model->tokenizer(), request, events, interruptToken()));
        if (interruptToken().stop_requested())
            return;
        messages.push_back({"assistant", reply});
    }
}

} // namespace

void addChat(CLI::App &app)
{
    const auto o = std::make_shared<ChatOptions>();
    CLI::App *command = app.add_subcommand("chat", "Chat in the terminal");
    o->model.addTo(*command);
    o->sampling.addTo(*command);
    command->callback([o] { chat(*o); });
}

} // namespace fireside::cli
