#include "app/cli/command_table.h"
#include "app/cli/commands.h"

#include <cstdio>
#include <map>
#include <memory>

namespace fireside::cli {

void addCompletion(CLI::App &app)
{
    using Writer = std::string (*)(const std::vector<CommandRow> &);
    static const std::map<std::string, Writer> kWriters{{"bash", bashCompletion},
                                                        {"zsh", zshCompletion},
                                                        {"fish", fishCompletion},
                                                        {"man", manualPage}};
    CLI::App *command =
        app.add_subcommand("completion", "Print what a shell needs to complete this program's "
                                         "commands and options, or the manual page");
    const auto what = std::make_shared<std::string>();
    command->add_option("WHAT", *what, "One of bash, zsh, fish, man.")
        ->required()
        ->check([](const std::string &word) {
            return kWriters.contains(word) ? std::string()
                                           : "'" + word + "' is none of bash, zsh, fish, man";
        });
    command->callback(
        [what, &app] { std::fputs(kWriters.at(*what)(commandTable(app)).c_str(), stdout); });
}

} // namespace fireside::cli
