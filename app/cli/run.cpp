#include "app/cli/commands.h"
#include "app/cli/constraint_options.h"
#include "app/cli/options.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

struct RunOptions
{
    ModelOptions model;
    SamplingOptions sampling;
    ConstraintOptions form;
    std::string prompt;
    bool raw = false;
};

void run(const RunOptions &o)
{
    const auto grammar = o.form.read();
    TalkingModel talking(o.model, o.sampling);
    const LoadedModel &model = talking.model();

    GenerateRequest request = o.sampling.request(model);
    if (o.raw) {
        request.prompt = model.tokenizer().encode(MarkedText::trusted(o.prompt), true);
    } else {
        if (!model.chatTemplate())
            std::fputs("No usable chat template; using ChatML\n", stderr);
        std::vector<ChatMessage> messages;
        if (!o.sampling.settings.systemPrompt.empty())
            messages.push_back({"system", o.sampling.settings.systemPrompt});
        messages.push_back({"user", o.prompt});
        request = talking.request(o.sampling, messages);
    }

    if (grammar)
        request.grammar = model.constrained(*grammar);
    const GenerateResult result = talking.reply(request);
    std::fputc('\n', stdout);
    printStatistics(result);
    talking.keep();
}

} // namespace

void addRun(CLI::App &app)
{
    const auto o = std::make_shared<RunOptions>();
    CLI::App *command = app.add_subcommand("run", "Answer one prompt");
    o->model.addTo(*command);
    o->model.addDrafts(*command);
    o->model.addCache(*command);
    command->add_option("-p,--prompt", o->prompt, "What to say to the model")->required();
    command->add_flag("--raw", o->raw, "Continue the text as it is, without the chat template");
    o->sampling.addTo(*command);
    o->form.addTo(*command);
    command->callback([o] { run(*o); });
}

} // namespace fireside::cli
