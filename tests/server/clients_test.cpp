// The clients that other programs use, where node and their packages are at hand.
#include "tests/server/running_server.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fireside {
namespace {

struct Client
{
    const char *script;
    std::vector<const char *> packages;
};

class ClientsTest : public testing::TestWithParam<Client>
{};

TEST_P(ClientsTest, EveryCallPasses)
{
    const char *folder = std::getenv("FIRESIDE_NODE_CLIENTS");
    if (folder == nullptr)
        FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with npm packages");
    for (const char *package : GetParam().packages)
        if (!std::filesystem::exists(std::filesystem::path(folder) / "node_modules" / package))
            FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with the package " +
                          std::string(package));
    const test::RunningServer server({}, 1024);
    const std::string command =
        "cd '" + std::string(folder) + "' && node '" FIRESIDE_SOURCE_DIR "/tests/server/clients/" +
        GetParam().script + ".mjs' http://127.0.0.1:" + std::to_string(server.port()) + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string said;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        said.append(buffer.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << said;
    std::fputs(said.c_str(), stdout);
}

INSTANTIATE_TEST_SUITE_P(Npm, ClientsTest,
                         testing::Values(Client{"openai", {"openai"}},
                                         Client{"anthropic", {"@anthropic-ai/sdk"}},
                                         Client{"ai",
                                                {"ai", "@ai-sdk/openai-compatible",
                                                 "@ai-sdk/anthropic", "@ai-sdk/open-responses"}}),
                         [](const auto &test) { return std::string(test.param.script); });

} // namespace
} // namespace fireside
