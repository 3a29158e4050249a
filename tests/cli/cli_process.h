#pragma once
#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <utility>

namespace fireside::test {

/// Runs fireside-cli in a shell, `environment` before it: standard output and error together, and
/// the status, −1 where a signal ended it.
inline std::pair<std::string, int> runCli(const std::string &arguments,
                                          const std::string &environment = "")
{
    FILE *pipe = popen((environment + " '" FIRESIDE_CLI "' " + arguments + " 2>&1").c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        out.append(buffer.data(), n);
    const int status = pclose(pipe);
    return {out, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

} // namespace fireside::test
