#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

struct RunOptions
{
    ModelOptions model;
    SamplingOptions sampling;
    std::string prompt;
    bool raw = false;
};

void run(const RunOptions &o)
{
    Engine engine(engineOptions());
    const auto model = engine.load(o.model.path, o.model.loadOptions(), {}, interruptToken());
    std::fprintf(stderr, "%s, %s: %s\n", printable(model->summary().name).c_str(),
                 model->placementText().c_str(), model->selection().reason.c_str());

    GenerateRequest request = o.sampling.request();
    if (o.raw) {
        request.prompt = model->tokenizer().encode(MarkedText::trusted(o.prompt), true);
    } else {
        request.trimStart = true;
        if (!model->chatTemplate())
            std::fprintf(stderr, "%s; using ChatML\n", printable(model->templateProblem()).c_str());
        std::vector<ChatMessage> messages;
        if (!o.sampling.settings.systemPrompt.empty())
            messages.push_back({"system", o.sampling.settings.systemPrompt});
        messages.push_back({"user", o.prompt});
        request.prompt = model->chatTokens(messages);
    }

    const auto session = model->newSession();
    GenerateEvents events;
    events.text = [](std::string_view text, const GenerateStats &) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    };
    const GenerateResult result =
        generate(*session, model->tokenizer(), request, events, interruptToken());
    std::fputc('\n', stdout);
    printStatistics(result);
}

} // namespace

void addRun(CLI::App &app)
{
    const auto o = std::make_shared<RunOptions>();
    CLI::App *command = app.add_subcommand("run", "Answer one prompt");
    o->model.addTo(*command);
    command->add_option("-p,--prompt", o->prompt, "What to say to the model")->required();
    command->add_flag("--raw", o->raw, "Continue the text as it is, without the chat template");
    o->sampling.addTo(*command);
    command->callback([o] { run(*o); });
}

} // namespace fireside::cli
