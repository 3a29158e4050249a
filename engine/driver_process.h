#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace fireside {

/// A short-lived process that does what may crash or hang.
class DriverProcess
{
public:
    struct End
    {
        std::string output; // of its standard output, kMost at most
        int status = 0;     // that it ended with
        int signal = 0;     // that ended it; 0: none
        bool timedOut = false;
    };
    static constexpr std::size_t kMost = 1 << 20;

    /// Runs a program, its name first among the arguments, without input and messages, and waits at
    /// most so long: then it is killed. Error(Io) when it cannot be started.
    static End run(const std::filesystem::path &program, const std::vector<std::string> &arguments,
                   std::chrono::milliseconds limit);
};

} // namespace fireside
