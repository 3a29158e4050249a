// The client that other programs use, where node and its package are at hand.
#include "tests/server/running_server.h"
#include "tests/support/require.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fireside {
namespace {

TEST(ClientsTest, OpenAisOwnPackage)
{
    const char *folder = std::getenv("FIRESIDE_NODE_CLIENTS");
    if (folder == nullptr)
        FIRESIDE_SKIP("FIRESIDE_NODE_CLIENTS names no folder with the package openai");
    const test::RunningServer server;
    const std::string command = "cd '" + std::string(folder) +
                                "' && node '" FIRESIDE_SOURCE_DIR
                                "/tests/server/clients.mjs' http://127.0.0.1:" +
                                std::to_string(server.port()) + "/v1 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string said;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        said.append(buffer.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << said;
    std::fputs(said.c_str(), stdout);
}

} // namespace
} // namespace fireside
