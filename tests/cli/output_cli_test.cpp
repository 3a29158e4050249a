// Standard output that is full, closed or read no further: said once, with status 1, or SIGPIPE.
#include "tests/cli/cli_process.h"
#include "tests/support/golden.h"
#include "tests/support/starter.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fireside {
namespace {

/// The command's error output and status, standard output as `redirection` says.
std::pair<std::string, int> outputTo(const std::string &redirection, const std::string &arguments)
{
    FILE *pipe =
        popen(("('" FIRESIDE_CLI "' " + arguments + " " + redirection + ") 2>&1").c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        out.append(buffer.data(), n);
    const int status = pclose(pipe);
    return {out, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

std::vector<std::string> commandsThatPrint()
{
    const std::string starter = "'" + test::starterModel().string() + "'";
    const std::string tokens = " --tokens 300,17 --backend cpu --threads 1";
    return {"devices",
            "devices --json",
            "inspect " + starter,
            "inspect " + starter + " --json",
            "run " + starter + " -p Hello --max-tokens 3 --backend cpu",
            "logits " + starter + tokens,
            "tokenize " + starter + " --text Hello",
            "completion bash",
            "--help",
            "--version",
            "memory " + starter + " --backend cpu"};
}

TEST(OutputCliTest, AFullOrClosedOutputIsSaid)
{
    for (const std::string &command : commandsThatPrint()) {
        const auto [text, status] = outputTo("", command);
        ASSERT_EQ(status, 0) << command << ": " << text;
        for (const char *redirection : {">/dev/full", ">&-"}) {
            SCOPED_TRACE(command + " " + redirection);
            const auto [error, code] = outputTo("2>&1 " + std::string(redirection), command);
            EXPECT_EQ(code, 1) << error;
            const std::string said = "fireside-cli: standard output cannot be written: ";
            const std::size_t at = error.find(said);
            ASSERT_NE(at, std::string::npos) << error;
            EXPECT_EQ(error.find(said, at + 1), std::string::npos) << error;
            EXPECT_NE(error.find(redirection[1] == '/' ? "No space" : "Bad file"),
                      std::string::npos)
                << error;
        }
    }
}

TEST(OutputCliTest, AReaderThatHasEnoughIsNoError)
{
    const std::string inspect = "inspect '" + test::starterModel().string() + "' --json";
    for (const char *ignored : {"", "trap '' PIPE; "}) {
        FILE *pipe = popen((std::string("exec 2>&1; (") + ignored + "'" FIRESIDE_CLI "' " +
                            inspect + "; echo status $? >&2) | true")
                               .c_str(),
                           "r");
        std::string out;
        std::array<char, 4096> buffer;
        for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
            out.append(buffer.data(), n);
        pclose(pipe);
        // All of it may have gone into the pipe before its reader ended.
        EXPECT_TRUE(out == "status 141\n" || out == "status 0\n") << out;
    }
}

TEST(OutputCliTest, AFileDoesNotTakeTheNumberOfClosedErrors)
{
    const test::TempDir folder;
    const std::string source = test::goldenGguf("f16").string();
    const std::string open = (folder / "a.gguf").string(), closed = (folder / "b.gguf").string();
    const std::string type = "' --type Q8_0 --threads 1";
    ASSERT_EQ(test::runCli("quantize '" + source + "' '" + open + type).second, 0);
    ASSERT_EQ(outputTo("<&- >&- 2>&-", "quantize '" + source + "' '" + closed + type).second, 0);
    const auto content = [](const std::string &path) {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(content(open), content(closed));
}

TEST(OutputCliTest, QuantizeReplacesRegularFilesOnly)
{
    const test::TempDir folder;
    const std::string source = test::goldenGguf("f16").string();
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(std::system(("mkfifo '" + pipe + "'").c_str()), 0);
    for (const std::string &target : {pipe, std::string("/dev/full"), std::string("/dev/null")}) {
        const auto [text, status] =
            test::runCli("quantize '" + source + "' '" + target + "' --type Q8_0 --force");
        EXPECT_EQ(status, 1) << text;
        EXPECT_NE(text.find(target == pipe ? "is a pipe" : "is a device"), std::string::npos)
            << text;
        EXPECT_TRUE(std::filesystem::is_fifo(target) || std::filesystem::is_character_file(target))
            << target;
    }
}

} // namespace
} // namespace fireside
