#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/core/error.h"
#include "engine/files/model_file.h"

#include <cstdio>
#include <memory>
#include <optional>

namespace fireside::cli {
namespace {

struct TemplateOptions
{
    std::string source, context, now;
};

bool endsWith(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A template file as it is, or the template inside a model, whose BOS/EOS texts join the context.
std::string templateSource(const std::string &path, nlohmann::ordered_json &context)
{
    if (endsWith(path, ".jinja"))
        return readTextFile(path);
    const ModelFile file = ModelFile::open(path);
    const auto source = file.chatTemplate();
    if (!source)
        throwBadInput(path + " has no chat template");
    const auto tokenizer = Tokenizer::fromModel(file);
    context.emplace("bos_token", tokenizer->bosText());
    context.emplace("eos_token", tokenizer->eosText());
    return *source;
}

void render(const TemplateOptions &o)
{
    nlohmann::ordered_json context = readJsonFile(o.context);
    if (!context.is_object())
        throwBadInput(o.context + " holds no JSON object");
    const ChatTemplate chatTemplate(templateSource(o.source, context));
    const MarkedText text = chatTemplate.render(
        context, o.now.empty() ? std::nullopt : std::optional<std::string>(o.now));
    std::fwrite(text.text.data(), 1, text.text.size(), stdout);
}

} // namespace

void addTemplate(CLI::App &app)
{
    const auto o = std::make_shared<TemplateOptions>();
    CLI::App *command = app.add_subcommand("template", "Render a chat template");
    command->add_option("SOURCE", o->source, "Model (GGUF file or folder) or FILE.jinja")
        ->required();
    command->add_option("--context", o->context, "JSON object: messages, add_generation_prompt, …")
        ->required();
    command->add_option("--now", o->now, "Time the template sees, like 2026-11-20T12:00:00");
    command->callback([o] { render(*o); });
}

} // namespace fireside::cli
