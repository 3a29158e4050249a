// What the three shells need to complete the command line. A value without choices completes to
// files: most are, and of the others no shell knows better.
#include "app/cli/command_table.h"

#include <algorithm>

namespace fireside::cli {
namespace {

std::string joined(const std::vector<std::string> &words, const char *between)
{
    std::string all;
    for (const std::string &word : words)
        all += (all.empty() ? "" : between) + word;
    return all;
}

/// Between single quotes of a POSIX shell.
std::string quoted(const std::string &text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// fish knows \' and \\ between single quotes.
std::string quotedForFish(const std::string &text)
{
    std::string result = "'";
    for (const char c : text)
        result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
    return result + "'";
}

/// For the part of zsh's specifications that ends at a bracket or colon.
std::string spelledForZsh(const std::string &text)
{
    std::string result;
    for (const char c : text)
        result += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return result;
}

std::vector<std::string> names(const std::vector<CommandRow> &commands)
{
    std::vector<std::string> all;
    for (const CommandRow &command : commands) {
        if (!command.name.empty())
            all.push_back(command.name);
    }
    return all;
}

std::vector<std::string> flagsOf(const CommandRow &command)
{
    std::vector<std::string> all;
    for (const OptionRow &option : command.options)
        all.insert(all.end(), option.flags.begin(), option.flags.end());
    return all;
}

std::string zshOption(const OptionRow &option)
{
    std::string value;
    if (!option.value.empty())
        value = ":" + spelledForZsh(option.value) + ":" +
                (option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")");
    if (option.flags.empty())
        return "        " + quoted((option.several ? "*" : "") + value) + " \\\n";
    std::string lines;
    for (const std::string &flag : option.flags)
        lines += "        " +
                 quoted((option.several ? "*" : "") + flag + "[" +
                        spelledForZsh(firstSentence(option.about)) + "]" + value) +
                 " \\\n";
    return lines;
}

std::string fishOption(const std::string &condition, const OptionRow &option)
{
    std::string line = "complete -c fireside-cli -n " + quotedForFish(condition);
    for (const std::string &flag : option.flags)
        line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    if (!option.choices.empty())
        line += " -x -a " + quotedForFish(joined(option.choices, " "));
    else if (!option.value.empty())
        line += " -r";
    return line + " -d " + quotedForFish(firstSentence(option.about)) + "\n";
}

} // namespace

std::string bashCompletion(const std::vector<CommandRow> &commands)
{
    std::string values, flags;
    for (const CommandRow &command : commands) {
        for (const OptionRow &option : command.options) {
            if (option.flags.empty() || option.value.empty())
                continue;
            std::vector<std::string> patterns;
            for (const std::string &flag : option.flags)
                patterns.push_back(command.name + ":" + flag);
            values += "    " + joined(patterns, " | ") +
                      ") words=" + quoted(joined(option.choices, " ")) + " ;;\n";
        }
        flags += "    " + (command.name.empty() ? "''" : command.name) +
                 ") words=" + quoted(joined(flagsOf(command), " ")) + " ;;\n";
    }
    // An empty answer leaves it to the shell, which completes files.
    return "# bash completion for fireside-cli\n"
           "_fireside_cli() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} command='' words=none\n"
           "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    case $command:${COMP_WORDS[COMP_CWORD - 1]} in\n" +
           values +
           "    esac\n"
           "    if [[ $words == none ]]; then\n"
           "        words=\n"
           "        if [[ $cur == -* ]]; then\n"
           "            case $command in\n" +
           flags +
           "            esac\n"
           "        elif [[ -z $command ]]; then\n"
           "            words=" +
           quoted(joined(names(commands), " ")) +
           "\n"
           "        fi\n"
           "    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "}\n"
           "complete -o bashdefault -o default -F _fireside_cli fireside-cli\n";
}

std::string zshCompletion(const std::vector<CommandRow> &commands)
{
    std::string described, cases, own;
    for (const CommandRow &command : commands) {
        std::string options;
        for (const OptionRow &option : command.options)
            options += zshOption(option);
        if (command.name.empty()) {
            own = options;
            continue;
        }
        described += "    " + quoted(command.name + ":" + firstSentence(command.about)) + "\n";
        cases += "    " + command.name + ")\n        _arguments \\\n" + options +
                 "        && return\n        ;;\n";
    }
    return "#compdef fireside-cli\n"
           "local -a commands=(\n" +
           described +
           ")\n"
           "local context state state_descr line\n"
           "typeset -A opt_args\n"
           "_arguments -C \\\n" +
           own +
           "        '1: :->command' \\\n"
           "        '*:: :->options' && return\n"
           "if [[ $state == command ]]; then\n"
           "    _describe command commands\n"
           "    return\n"
           "fi\n"
           "case $line[1] in\n" +
           cases + "esac\n";
}

std::string fishCompletion(const std::vector<CommandRow> &commands)
{
    std::string lines = "# fish completion for fireside-cli\n";
    for (const CommandRow &command : commands) {
        const std::string condition = command.name.empty()
                                          ? "__fish_use_subcommand"
                                          : "__fish_seen_subcommand_from " + command.name;
        if (!command.name.empty())
            lines += "complete -c fireside-cli -n __fish_use_subcommand -f -a " + command.name +
                     " -d " + quotedForFish(firstSentence(command.about)) + "\n";
        for (const OptionRow &option : command.options) {
            if (!option.flags.empty())
                lines += fishOption(condition, option);
        }
    }
    return lines;
}

} // namespace fireside::cli
