#include "app/cli/commands.h"
#include "app/cli/options.h"

#include <cstdio>
#include <iostream>
#include <memory>

namespace fireside::cli {
namespace {

struct ChatOptions
{
    ModelOptions model;
    SamplingOptions sampling;
    std::string system;
};

void chat(const ChatOptions &o)
{
    const SamplerSettings sampler = o.sampling.settings(); // its mistakes are told before the load
    TalkingModel talking(o.model);
    std::fputs("End with an empty line or Ctrl+D.\n", stderr);
    std::vector<ChatMessage> messages;
    if (!o.system.empty())
        messages.push_back({"system", o.system});

    for (std::string line;
         std::fputs("> ", stderr), std::getline(std::cin, line) && !line.empty();) {
        messages.push_back({"user", line});
        GenerateRequest request;
        request.prompt = talking.model().chatTokens(messages);
        request.trimStart = true;
        request.sampler = sampler;
        request.maxTokens = o.sampling.maxTokens;
        request.stopStrings = o.sampling.stopStrings;
        std::string reply;
        printStatistics(talking.reply(request, &reply));
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
    command->add_option("--system", o->system, "System prompt");
    o->sampling.addTo(*command);
    command->callback([o] { chat(*o); });
}

} // namespace fireside::cli
