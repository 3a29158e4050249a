#include "app/cli/commands.h"
#include "app/cli/constraint_options.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <cstdio>
#include <memory>

namespace fireside::cli {
namespace {

struct ChatOptions
{
    ModelOptions model;
    SamplingOptions sampling;
    ConstraintOptions form;
};

ChatMessage messageOf(const std::vector<ReplyPart> &parts)
{
    ChatMessage reply{"assistant", {}};
    for (const ReplyPart &part : parts) {
        if (part.call) {
            reply.calls.push_back(*part.call);
            continue;
        }
        std::string &text = part.kind == ReplyPartKind::Text ? reply.content : reply.reasoning;
        text += (text.empty() || part.text.empty() ? "" : "\n") + part.text;
    }
    return reply;
}

void chat(const ChatOptions &o)
{
    const auto grammar = o.form.read();
    TalkingModel talking(o.model, o.sampling);
    std::fputs("End with an empty line or Ctrl+D.\n", stderr);
    std::vector<ChatMessage> messages;
    if (!o.sampling.settings.systemPrompt.empty())
        messages.push_back({"system", o.sampling.settings.systemPrompt});

    for (std::string line; std::fputs("> ", stderr), readLine(line) && !line.empty();) {
        messages.push_back({"user", line});
        std::vector<ReplyPart> parts;
        try {
            GenerateRequest request = talking.request(o.sampling, messages);
            if (grammar)
                request.grammar = talking.model().constrained(*grammar);
            printStatistics(talking.reply(request, &parts));
        } catch (const Error &refusal) {
            if (refusal.kind() != ErrorKind::BadInput)
                throw;
            std::fprintf(stderr, "Error: %s\nThe message is left out; the chat continues.\n",
                         printable(refusal.what()).c_str());
            messages.pop_back();
            continue;
        }
        talking.keep();
        if (interruptToken().stop_requested())
            return;
        messages.push_back(messageOf(parts));
    }
}

} // namespace

void addChat(CLI::App &app)
{
    const auto o = std::make_shared<ChatOptions>();
    CLI::App *command = app.add_subcommand("chat", "Chat in the terminal");
    o->model.addTo(*command);
    o->model.addDrafts(*command);
    o->model.addCache(*command);
    o->sampling.addTo(*command);
    o->form.addTo(*command);
    command->callback([o] { chat(*o); });
}

} // namespace fireside::cli
