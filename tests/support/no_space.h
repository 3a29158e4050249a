#pragma once
#include <csignal>

#include <sys/resource.h>

namespace fireside::test {

/// No file of this process grows beyond so many bytes: writing fails as on a full disk.
inline void limitFileSize(rlim_t bytes)
{
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/// A full disk, for the life of the object: no file of this process grows beyond `bytes`.
class NoSpace
{
public:
    explicit NoSpace(rlim_t bytes = 0)
    {
        getrlimit(RLIMIT_FSIZE, &m_before);
        limitFileSize(bytes);
    }
    ~NoSpace() { setrlimit(RLIMIT_FSIZE, &m_before); }
    NoSpace(const NoSpace &) = delete;
    NoSpace &operator=(const NoSpace &) = delete;

private:
    rlimit m_before{};
};

} // namespace fireside::test
