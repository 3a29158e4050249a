// The manual page, in mdoc.
#include "app/cli/command_table.h"

#include <array>
#include <cstdio>

namespace fireside::cli {
namespace {

/// A line of text: nothing in it is a request or an escape.
std::string text(const std::string &words)
{
    std::string result = words.starts_with('.') || words.starts_with('\'') ? "\\&" : "";
    for (const char c : words) {
        const bool sentence = c == ' ' && result.ends_with('.'); // each in a line of its own
        result += c == '\\' ? "\\e" : std::string(1, sentence ? '\n' : c);
    }
    return result + "\n";
}

/// An argument of a macro: one word, and no macro itself.
std::string word(const std::string &name)
{
    return "\\&" + name;
}

std::string argument(const OptionRow &option)
{
    return " Ar " + word(option.value) + (option.several ? " ..." : "");
}

/// "2026-11-20" → "November 20, 2026"
std::string date()
{
    static constexpr std::array kMonths{"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    unsigned year = 0, month = 1, day = 1;
    std::sscanf(FIRESIDE_RELEASED, "%u-%u-%u", &year, &month, &day);
    return std::string(kMonths.at((month + 11) % 12)) + ' ' + std::to_string(day) + ", " +
           std::to_string(year);
}

std::string optionText(const OptionRow &option)
{
    std::string page = ".It";
    for (std::size_t i = 0; i < option.flags.size(); ++i)
        page += (i > 0 ? " , Fl " : " Fl ") + word(option.flags[i].substr(1));
    if (!option.value.empty())
        page += argument(option);
    page += '\n' + text(option.about);
    if (!option.standard.empty())
        page += text("Default: " + option.standard + ".");
    return page;
}

std::string optionList(const CommandRow &command)
{
    std::string page = ".Bl -tag -width Ds\n";
    for (const OptionRow &option : command.options)
        page += optionText(option);
    return page + ".El\n";
}

std::string commandText(const CommandRow &command)
{
    std::string page = ".Ss " + command.name + "\n" + text(command.about + ".") + ".Pp\n.Nm Cm " +
                       word(command.name) + "\n.Op Ar options\n";
    for (const OptionRow &option : command.options) {
        if (option.flags.empty())
            page += (option.required ? "." : ".Op") +
                    (option.required ? argument(option).substr(1) : argument(option)) + "\n";
    }
    return page + optionList(command);
}

constexpr const char *kEnd =
    R"(.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev FIRESIDE_KEY
The key of
.Cm serve ,
which other users cannot see there.
.It Ev XDG_CACHE_HOME
Holds the folder of compiled GPU programs and measured speeds.
.El
.Sh FILES
.Bl -tag -width Ds
.It Pa ~/.cache/fireside
What may be deleted at any time: compiled GPU programs and measured speeds.
.El
.Sh EXIT STATUS
0: done.
1: it could not be done; one line on standard error says why.
2: wrong usage.
.Sh EXAMPLES
.Dl fireside-cli devices
.Dl fireside-cli run model.gguf -p 'Why is the sky blue?'
.Sh SEE ALSO
.Xr fireside 1
)";

} // namespace

std::string manualPage(const std::vector<CommandRow> &commands)
{
    std::string page =
        ".Dd " + date() + "\n.Dt FIRESIDE-CLI 1\n.Os Fireside\n.Sh NAME\n" +
        ".Nm fireside-cli\n.Nd run language models on this computer\n" +
        ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar options\n.Sh DESCRIPTION\n" +
        "Replies and JSON go to standard output, everything else to standard error.\n" +
        optionList(commands.front()) + ".Sh COMMANDS\n";
    for (std::size_t i = 1; i < commands.size(); ++i)
        page += commandText(commands[i]);
    return page + kEnd;
}

} // namespace fireside::cli
