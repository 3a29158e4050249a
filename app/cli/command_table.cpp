#include "app/cli/command_table.h"

#include <algorithm>

namespace fireside::cli {
namespace {

/// "… One of auto, vulkan, cpu." → the three words; the tables of settings say choices so.
std::vector<std::string> choicesIn(const std::string &about)
{
    constexpr std::string_view kBegin = "One of ";
    const std::size_t begin = about.find(kBegin);
    if (begin == std::string::npos)
        return {};
    std::vector<std::string> words;
    std::string word;
    const auto end = [&] {
        if (!word.empty() && word != "or")
            words.push_back(word);
        word.clear();
    };
    for (std::size_t i = begin + kBegin.size(); i < about.size(); ++i) {
        const char c = about[i];
        if (c == ':' || (c == '.' && (i + 1 == about.size() || about[i + 1] == ' ')))
            break;
        if (c == ',' || c == ' ')
            end();
        else
            word += c;
    }
    end();
    return words;
}

OptionRow rowOf(const CLI::Option &option)
{
    OptionRow row;
    for (const std::string &name : option.get_snames())
        row.flags.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
        row.flags.push_back("--" + name);
    const bool positional = row.flags.empty();
    if (positional)
        row.value = option.get_name(true);
    else if (option.get_items_expected_max() > 0)
        row.value = option.get_type_name().substr(0, option.get_type_name().find(':'));
    if (!positional && row.value.empty() && option.get_items_expected_max() > 0)
        row.value = "VALUE";
    row.about = option.get_description();
    row.standard = row.value.empty() ? "" : option.get_default_str();
    row.choices = choicesIn(row.about);
    row.required = option.get_required();
    row.several = option.get_items_expected_max() > 1;
    return row;
}

/// Groups of options are commands without a name; some versions of CLI11 list their options twice.
void addOptions(const CLI::App &app, std::vector<const CLI::Option *> &options)
{
    for (const CLI::Option *option : app.get_options()) {
        const bool known = std::find(options.begin(), options.end(), option) != options.end();
        if (!known && !option->get_group().empty())
            options.push_back(option);
    }
    for (const CLI::App *group : app.get_subcommands({})) {
        if (group->get_name().empty())
            addOptions(*group, options);
    }
}

CommandRow commandOf(const CLI::App &app, const std::string &name)
{
    CommandRow row{name, app.get_description(), {}};
    std::vector<const CLI::Option *> options;
    addOptions(app, options);
    std::stable_partition(options.begin(), options.end(), [](const CLI::Option *option) {
        return option->nonpositional() == false;
    });
    for (const CLI::Option *option : options)
        row.options.push_back(rowOf(*option));
    return row;
}

} // namespace

std::vector<CommandRow> commandTable(const CLI::App &app)
{
    std::vector<CommandRow> commands{commandOf(app, "")};
    for (const CLI::App *command : app.get_subcommands({})) {
        if (!command->get_name().empty() && !command->get_group().empty())
            commands.push_back(commandOf(*command, command->get_name()));
    }
    return commands;
}

std::string firstSentence(const std::string &about)
{
    const std::size_t end = std::min(about.find(". "), about.size());
    const bool stop = end == about.size() && end > 0 && about.back() == '.';
    return about.substr(0, stop ? end - 1 : end);
}

} // namespace fireside::cli
