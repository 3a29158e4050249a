#include "engine/driver_process.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace fireside {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

[[noreturn]] void fail(const char *what, int error)
{
    throw Error(ErrorKind::Io, std::string(what) + ": " + std::generic_category().message(error));
}

class Descriptor
{
public:
    ~Descriptor() { close(); }
    void close()
    {
        if (value >= 0)
            ::close(value);
        value = -1;
    }
    int value = -1;
};

pid_t start(const std::filesystem::path &program, const std::vector<std::string> &arguments,
            int output)
{
    std::vector<char *> words;
    for (const std::string &argument : arguments)
        words.push_back(const_cast<char *>(argument.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // Handlers and masks of this process are nothing to the other.
    posix_spawnattr_t how;
    ::posix_spawnattr_init(&how);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&how, &all);
    ::posix_spawnattr_setsigmask(&how, &none);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t child = -1;
    const int error = ::posix_spawn(&child, program.c_str(), &files, &how, words.data(), environ);
    ::posix_spawnattr_destroy(&how);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        fail(("cannot start " + program.string()).c_str(), error);
    return child;
}

/// Until the other end closes it, too much has come, or the time is over: then false.
bool readAll(int input, Clock::time_point end, std::string &output)
{
    std::array<char, 4096> part;
    while (output.size() < DriverProcess::kMost) {
        const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
        struct pollfd ready
        {
            input, POLLIN, 0
        };
        const int found = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
        if (found < 0 && errno == EINTR)
            continue;
        if (found <= 0)
            return false;
        const ssize_t n = ::read(input, part.data(), part.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        output.append(part.data(), static_cast<std::size_t>(n));
    }
    return true;
}

/// The status of a process that ends before the time is over.
bool waitUntil(pid_t child, Clock::time_point end, int &status)
{
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child)
            return true;
        if ((ended < 0 && errno != EINTR) || Clock::now() >= end)
            return false;
        std::this_thread::sleep_for(milliseconds(1));
    }
}

} // namespace

DriverProcess::End DriverProcess::run(const std::filesystem::path &program,
                                      const std::vector<std::string> &arguments, milliseconds limit)
{
    Descriptor input, output;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail("no pipe", errno);
    input.value = ends[0];
    output.value = ends[1];
    const auto until = Clock::now() + limit;
    const pid_t child = start(program, arguments, output.value);
    output.close();
    End end;
    int status = 0;
    const bool read = readAll(input.value, until, end.output);
    input.close(); // who goes on writing is to end
    end.timedOut = !read || !waitUntil(child, until, status);
    if (end.timedOut) {
        // One that sits in the kernel may stay for longer; it is then left to itself.
        constexpr milliseconds kDying{500};
        ::kill(child, SIGKILL);
        waitUntil(child, Clock::now() + kDying, status);
    } else if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
    } else {
        end.status = WEXITSTATUS(status);
    }
    return end;
}

} // namespace fireside
