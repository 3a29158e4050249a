#include "app/cli/commands.h"
#include "app/cli/options.h"

#include <cstdio>
#include <memory>
#include <span>

namespace fireside::cli {
namespace {

struct LogitsOptions
{
    ModelOptions model;
    std::string tokens;
    bool all = false;
};

void printRow(std::span<const float> row, bool first)
{
    std::fputs(first ? "[" : ", [", stdout);
    for (std::size_t i = 0; i < row.size(); ++i)
        std::printf(i == 0 ? "%.9g" : ", %.9g", static_cast<double>(row[i]));
    std::fputc(']', stdout);
}

void logits(const LogitsOptions &o)
{
    const std::vector<TokenId> ids = parseTokenIds(o.tokens);
    Engine engine(engineOptions());
    LoadOptions options = o.model.loadOptions();
    options.idsOnly = true;
    if (options.context == 0) // LongRoPE has other frequencies for short contexts
        options.context = static_cast<int>(ids.size());
    const auto model = engine.load(o.model.path, options, {}, interruptToken());
    const auto session = model->newSession();
    const auto vocabulary = static_cast<std::size_t>(model->model().config().vocabulary);
    std::vector<float> values(vocabulary);
    if (o.all)
        session->appendAll(ids, values, interruptToken());
    else
        session->append(ids, values, {}, interruptToken());
    std::fputs("{\"logits\": [", stdout);
    for (std::size_t at = 0; at < values.size(); at += vocabulary)
        printRow(std::span(values).subspan(at, vocabulary), at == 0);
    std::fputs("]}\n", stdout);
}

} // namespace

void addLogits(CLI::App &app)
{
    const auto o = std::make_shared<LogitsOptions>();
    o->model.settings.kvType = "f32"; // exactness first: this command is for comparing numbers
    CLI::App *command = app.add_subcommand("logits", "Print a model's logits as JSON");
    o->model.addTo(*command);
    command->add_option("--tokens", o->tokens, "Token ids, like 1,2,3")->required();
    command->add_flag("--all", o->all, "One row for every position instead of the last");
    command->callback([o] { logits(*o); });
}

} // namespace fireside::cli
