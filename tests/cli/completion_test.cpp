#include "tests/cli/cli_process.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace fireside::test {
namespace {

using Names = std::set<std::string>;

/// The first words of the lines below a heading of a help text.
Names listedBelow(const std::string &help, const std::string &heading)
{
    std::istringstream lines(help.substr(std::min(help.find(heading), help.size())));
    std::string line;
    std::getline(lines, line);
    Names names;
    while (std::getline(lines, line) && line.starts_with("  ")) {
        std::istringstream words(line);
        std::string word;
        if (words >> word && line[2] != ' ')
            names.insert(word);
    }
    return names;
}

Names commands()
{
    return listedBelow(runCli("--help").first, "Subcommands:");
}

/// Both names of "-p,--prompt"; the long one of "--temp".
Names optionsOf(const std::string &command)
{
    Names options;
    for (const std::string &listed : listedBelow(runCli(command + " --help").first, "Options:")) {
        std::istringstream names(listed);
        for (std::string name; std::getline(names, name, ',');)
            options.insert(name);
    }
    return options;
}

std::string completion(const std::string &shell)
{
    const auto [text, status] = runCli("completion " + shell);
    EXPECT_EQ(status, 0) << text;
    return text;
}

/// What a shell says after a script.
std::string said(const std::string &script)
{
    FILE *pipe = popen(script.c_str(), "r");
    std::string out;
    for (int c; (c = fgetc(pipe)) != EOF;)
        out += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << script;
    return out;
}

TEST(Completion, HelpListsCommandsAndOptions)
{
    const Names names = commands(), options = optionsOf("run");
    EXPECT_GT(names.size(), 10u);
    EXPECT_TRUE(names.contains("quantize"));
    EXPECT_GT(options.size(), 20u);
    EXPECT_TRUE(options.contains("-p") && options.contains("--prompt"));
}

/// Bash itself is asked what it offers.
TEST(Completion, BashOffersEveryOption)
{
    const std::string offers =
        "bash -c 'source <(\"" FIRESIDE_CLI "\" completion bash); COMP_WORDS=(fireside-cli ";
    const std::string answer = "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fireside_cli; "
                               "printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
    const std::string first = said(offers + "\"\"" + answer);
    for (const std::string &command : commands()) {
        EXPECT_NE(("\n" + first).find("\n" + command + "\n"), std::string::npos) << command;
        const std::string offered = "\n" + said(offers + command + " -" + answer);
        for (const std::string &option : optionsOf(command))
            EXPECT_NE(offered.find("\n" + option + "\n"), std::string::npos)
                << command << ' ' << option << offered;
    }
    EXPECT_EQ(said(offers + "run --kv q" + answer), "q8_0\n");
}

TEST(Completion, FishAndZshNameEveryOption)
{
    const std::string fish = completion("fish"), zsh = completion("zsh");
    for (const std::string &command : commands()) {
        EXPECT_NE(fish.find(" -a " + command + " "), std::string::npos) << command;
        EXPECT_NE(zsh.find("'" + command + ":"), std::string::npos) << command;
        const auto part = zsh.find("\n    " + command + ")");
        ASSERT_NE(part, std::string::npos) << command;
        const std::string ofCommand = zsh.substr(part, zsh.find(";;", part) - part);
        for (const std::string &option : optionsOf(command)) {
            EXPECT_TRUE(std::regex_search(ofCommand, std::regex("[^-a-z]" + option + "[^-a-z]")))
                << command << ' ' << option;
            const bool isLong = option.starts_with("--");
            const std::string named = "_from " + command + "'.* -" + (isLong ? "l " : "s ") +
                                      option.substr(isLong ? 2 : 1) + " ";
            EXPECT_TRUE(std::regex_search(fish, std::regex(named))) << command << ' ' << option;
        }
    }
}

TEST(Completion, ManualPageDescribesEveryOption)
{
    const std::string page = completion("man");
    for (const std::string &command : commands()) {
        const auto part = page.find("\n.Ss " + command + "\n");
        ASSERT_NE(part, std::string::npos) << command;
        const std::string ofCommand = page.substr(part, page.find("\n.S", part + 4) - part);
        for (const std::string &option : optionsOf(command))
            EXPECT_TRUE(std::regex_search(
                ofCommand, std::regex("Fl (.* )?\\\\&" + option.substr(1) + "[ \n]")))
                << command << ' ' << option;
    }
}

TEST(Completion, AnotherWordIsRefused)
{
    const auto [text, status] = runCli("completion csh");
    EXPECT_EQ(status, 2);
    EXPECT_NE(text.find("'csh' is none of bash, zsh, fish, man"), std::string::npos) << text;
}

} // namespace
} // namespace fireside::test
