#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace fireside::test {

/// A file in memory with a path, for readers that open files themselves.
class MemoryFile
{
public:
    MemoryFile()
        : m_fd(::memfd_create("fuzz", MFD_CLOEXEC))
        , m_path("/proc/self/fd/" + std::to_string(m_fd))
    {
        if (m_fd < 0)
            std::abort();
    }
    ~MemoryFile() { ::close(m_fd); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    void write(std::span<const std::uint8_t> bytes)
    {
        if (::ftruncate(m_fd, 0) != 0 ||
            ::pwrite(m_fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            std::abort();
    }

private:
    int m_fd;
    std::filesystem::path m_path;
};

} // namespace fireside::test
