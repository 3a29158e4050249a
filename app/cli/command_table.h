#pragma once
#include <CLI/App.hpp>

#include <string>
#include <vector>

// The program's commands and options as plain data, read from CLI11: what manual page and
// completions are made of, so that they cannot differ from the program.
namespace fireside::cli {

struct OptionRow
{
    std::vector<std::string> flags; // "-p", "--prompt"; empty: a positional
    std::string value;              // "MODEL", "TEXT"; empty: takes none
    std::string about;              // sentences
    std::string standard;           // what it is when it is not given; empty: nothing to say
    std::vector<std::string> choices;
    bool required = false, several = false;
};

struct CommandRow
{
    std::string name, about;
    std::vector<OptionRow> options; // positionals as well, in the order of --help
};

/// The program's own options stand first, under the empty name. Without hidden ones.
std::vector<CommandRow> commandTable(const CLI::App &app);

std::string firstSentence(const std::string &about); // without its full stop
std::string manualPage(const std::vector<CommandRow> &commands);
std::string bashCompletion(const std::vector<CommandRow> &commands);
std::string zshCompletion(const std::vector<CommandRow> &commands);
std::string fishCompletion(const std::vector<CommandRow> &commands);

} // namespace fireside::cli
