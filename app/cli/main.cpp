#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "engine/core/error.h"
#include "engine/core/memory_reserve.h"
#include "engine/core/quote.h"
#include "engine/probe_apart.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <new>
#include <system_error>

namespace {
constexpr int kUserError = 1;
constexpr int kUsageError = 2;
} // namespace

int main(int argc, char **argv)
{
    using namespace fireside;
    cli::reserveStandardFiles();
    if (serveProbe(argc, argv))
        return 0;
    CLI::App app{"Fireside's engine on the command line", "fireside-cli"};
    app.set_version_flag("--version", "fireside-cli " FIRESIDE_VERSION);
    app.require_subcommand(1);
    cli::addRun(app);
    cli::addChat(app);
    cli::addServe(app);
    cli::addBench(app);
    cli::addDevices(app);
    cli::addInspect(app);
    cli::addMeasure(app);
    cli::addMemory(app);
    cli::addQuantize(app);
    cli::addLogits(app);
    cli::addEmbed(app);
    cli::addTokenize(app);
    cli::addTemplate(app);
    cli::addCompletion(app);
    try {
        try {
            cli::installInterruptHandler();
            app.parse(argc, argv);
        } catch (const CLI::Success &e) {
            app.exit(e); // --help, --version
        }
        cli::checkOutput();
        return 0;
    } catch (const CLI::ParseError &e) {
        // CLI11 names the missing subcommand, not the word that is none.
        if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
            std::fprintf(stderr, "fireside-cli: unknown command '%s' (see fireside-cli --help)\n",
                         printable(argv[1], kLongestQuote).c_str());
        else
            std::fprintf(stderr, "fireside-cli: %s (see fireside-cli --help)\n",
                         printable(e.what()).c_str());
        return kUsageError;
    } catch (const Error &e) {
        std::fflush(stdout);
        std::fprintf(stderr, "fireside-cli: %s\n", printable(e.what()).c_str());
        return kUserError;
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr, "fireside-cli: %s\n", outOfMemoryText().c_str());
        return kUserError;
    } catch (const std::system_error &e) {
        const bool thread = e.code() == std::errc::resource_unavailable_try_again;
        std::fprintf(stderr, "fireside-cli: %s\n",
                     thread
                         ? "no thread can be started: memory, or how many there may be, is limited"
                         : printable(e.what()).c_str());
        return kUserError;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "fireside-cli: %s\n", printable(e.what()).c_str());
        return kUserError;
    }
}
