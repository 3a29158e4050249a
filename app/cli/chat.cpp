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
};

void chat(const ChatOptions &o)
{
    TalkingModel talking(o.model);
    std::fputs("End with an empty line or Ctrl+D.\n", stderr);
    std::vector<ChatMessage> messages;
    if (!o.sampling.settings.systemPrompt.empty())
        messages.push_back({"system", o.sampling.settings.systemPrompt});

    for (std::string line;
         std::fputs("> ", stderr), std::getline(std::cin, line) && !line.empty();) {
        messages.push_back({"user", line});
        GenerateRequest request = o.sampling.request();
        request.prompt = talking.model().chatTokens(messages);
        request.trimStart = true;
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
    o->sampling.addTo(*command);
    command->callback([o] { chat(*o); });
}

} // namespace fireside::cli
