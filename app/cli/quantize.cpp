#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "engine/convert/quantize_file.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace fireside::cli {
namespace {

struct QuantizeOptions
{
    std::string source, target, type;
    int threads = 0;
    bool force = false, requantize = false;
};

/// On a terminal one line that changes; else a line for every tenth.
class ProgressLine
{
public:
    void show(const std::string &tensor, double fraction)
    {
        const int percent = static_cast<int>(100 * fraction);
        if (m_terminal)
            std::fprintf(stderr, "\r%3d %%  %-50s", percent, printable(tensor).c_str());
        else if (percent / 10 > m_shown / 10)
            std::fprintf(stderr, "%d %%\n", percent);
        m_shown = percent;
        m_open = m_terminal;
    }
    ~ProgressLine()
    {
        if (m_open)
            std::fprintf(stderr, "\r%60s\r", "");
    }

private:
    const bool m_terminal = isatty(STDERR_FILENO) != 0;
    int m_shown = -1;
    bool m_open = false;
};

void quantize(const QuantizeOptions &o)
{
    QuantizeFileRequest request{
        .source = o.source,
        .target = o.target,
        .recipe = CLI::detail::to_lower(o.type) == "copy" ? nullptr : findRecipe(o.type),
        .threads = o.threads,
        .replace = o.force,
        .requantize = o.requantize};
    if (o.type.empty())
        throwBadInput("no type given");
    const auto start = std::chrono::steady_clock::now();
    QuantizeFileResult result;
    {
        ProgressLine line;
        result = quantizeFile(
            request,
            [&](const std::string &tensor, double fraction) { line.show(tensor, fraction); },
            interruptToken());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s: %s, of %s, %.2f bits for each weight, in %.1f s\n",
                 printable(o.target).c_str(), formatBytes(result.bytes).c_str(),
                 formatBytes(result.sourceBytes).c_str(),
                 8.0 * static_cast<double>(result.bytes) / static_cast<double>(result.weights),
                 took.count());
}

std::string typeHelp()
{
    std::string help = "One of ";
    for (const Recipe &recipe : recipes())
        help += std::string(recipe.name) + ", ";
    return help + "or COPY: weights stay as they are.";
}

} // namespace

void addQuantize(CLI::App &app)
{
    const auto o = std::make_shared<QuantizeOptions>();
    CLI::App *command =
        app.add_subcommand("quantize", "Write a model with smaller weights as a GGUF file");
    command
        ->add_option("SOURCE", o->source,
                     "GGUF file in F32, F16 or BF16, the first of several parts, or a folder of "
                     "Hugging Face's with config.json")
        ->required();
    command->add_option("OUT", o->target, "The new GGUF file")->required();
    command->add_option("--type", o->type, typeHelp())->required();
    command
        ->add_option("--threads", o->threads,
                     "Processor threads that calculate. 0: one for each physical core, of several "
                     "kinds the fast ones.")
        ->check(CLI::Range(0, 1024));
    command->add_flag("--force", o->force, "Replace OUT where it exists");
    command->add_flag("--allow-requantize", o->requantize,
                      "Take weights that are quantised already, with further losses. Those of a "
                      "folder stay as they are without it.");
    command->callback([o] { quantize(*o); });
}

} // namespace fireside::cli
