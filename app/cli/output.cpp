#include "app/cli/output.h"

#include "engine/core/error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace fireside::cli {

void reserveStandardFiles()
{
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // Opened so that what it is for fails still. Numbers below it are open: it gets its own.
        const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (const int file = ::open("/dev/null", mode); file >= 0 && file != number)
            ::close(file);
    }
}

void checkOutput()
{
    errno = 0;
    std::cout.flush();
    const bool flushed = std::fflush(stdout) == 0;
    int reason = errno;
    if (flushed && std::ferror(stdout) == 0 && std::cout)
        return;
    if (reason == 0 && ::write(STDOUT_FILENO, "\n", 1) < 0) // it failed earlier, unseen
        reason = errno;
    if (reason == EPIPE) { // the reader has enough: end as if the signal were not ignored
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    throw Error(ErrorKind::Io, std::string("standard output cannot be written") +
                                   (reason != 0 ? std::string(": ") + std::strerror(reason) : ""));
}

} // namespace fireside::cli
