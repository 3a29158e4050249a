#include "engine/files/mapped_file.h"

#include "engine/core/error.h"
#include "engine/core/memory_info.h"
#include "engine/core/quote.h"
#include "engine/files/map_guard.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fireside {
namespace {

class FileDescriptor
{
public:
    explicit FileDescriptor(const std::filesystem::path &path)
        // Non-blocking, so that a pipe in a model folder cannot hang the scan.
        : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    {}
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor &) = delete;
    FileDescriptor &operator=(const FileDescriptor &) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

[[noreturn]] void throwIo(const char *action, const std::filesystem::path &path, int code)
{
    throw Error(ErrorKind::Io, std::string("cannot ") + action + " " + printable(path.string()) +
                                   ": " + std::generic_category().message(code));
}

/// A map of the file that begins where a huge page could, if it is big enough for several: its
/// pages may later be replaced by such. MAP_FAILED with errno.
void *mapFile(int file, std::size_t size)
{
    if (size < 8 * kHugePage)
        return ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    // Room with a huge page to spare, whose rest is given back.
    void *const room = ::mmap(nullptr, size + kHugePage, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return room;
    auto *const first = static_cast<std::byte *>(room);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(room) % kHugePage;
    void *const map = ::mmap(first + before, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    if (map == MAP_FAILED) {
        const int code = errno;
        ::munmap(room, size + kHugePage);
        errno = code;
        return map;
    }
    const auto page = static_cast<std::size_t>(std::max(4096L, ::sysconf(_SC_PAGESIZE)));
    const std::size_t mapped = (size + page - 1) / page * page;
    if (before > 0)
        ::munmap(room, before);
    if (before + mapped < size + kHugePage)
        ::munmap(first + before + mapped, size + kHugePage - before - mapped);
    return map;
}

std::int64_t modifiedNs(const struct stat &status)
{
    return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

} // namespace

MappedFile::MappedFile(const std::filesystem::path &path)
    : m_path(path)
{
    const std::string name = printable(path.string());
    const FileDescriptor file(path);
    if (file.get() < 0)
        throwIo("open", path, errno);
    struct stat status
    {};
    if (::fstat(file.get(), &status) != 0)
        throwIo("read the size of", path, errno);
    if (S_ISDIR(status.st_mode))
        throw Error(ErrorKind::Io, "cannot open " + name + ": it is a folder, not a file");
    if (!S_ISREG(status.st_mode))
        throw Error(ErrorKind::Io, "cannot open " + name + ": it is not a regular file");

    m_modifiedNs = modifiedNs(status);
    m_inode = status.st_ino;
    m_device = status.st_dev;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size == 0)
        return;
    if (size > std::numeric_limits<std::size_t>::max() / 2)
        throw Error(ErrorKind::Memory, "cannot map " + name + " (" + formatBytes(size) +
                                           "): larger than the address space");

    installMappedFileGuard();
    MapGuardRegion region; // taken first: it allocates
    void *const data = mapFile(file.get(), size);
    if (data == MAP_FAILED) {
        const int code = errno;
        if (code == ENOMEM)
            throw Error(ErrorKind::Memory,
                        "cannot map " + name + ": " + formatBytes(size) +
                            " of address space are not available (see ulimit -v)");
        throwIo("map", path, code);
    }
    m_data = static_cast<const std::byte *>(data);
    m_size = size;
    m_region = region.publish(m_data, m_size);
}

MappedFile::~MappedFile()
{
    release();
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : m_path(std::move(other.m_path))
    , m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
    , m_modifiedNs(other.m_modifiedNs)
    , m_inode(other.m_inode)
    , m_device(other.m_device)
    , m_region(std::exchange(other.m_region, nullptr))
{}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept
{
    if (this != &other) {
        release();
        m_path = std::move(other.m_path);
        m_data = std::exchange(other.m_data, nullptr);
        m_size = std::exchange(other.m_size, 0);
        m_modifiedNs = other.m_modifiedNs;
        m_inode = other.m_inode;
        m_device = other.m_device;
        m_region = std::exchange(other.m_region, nullptr);
    }
    return *this;
}

void MappedFile::release() noexcept
{
    if (m_data == nullptr)
        return;
    // Out of the registry first: the addresses may belong to another map right after munmap.
    MapGuardRegion::withdraw(std::exchange(m_region, nullptr));
    ::munmap(const_cast<std::byte *>(std::exchange(m_data, nullptr)), std::exchange(m_size, 0));
}

bool MappedFile::changedOnDisk() const
{
    struct stat status
    {};
    if (::stat(m_path.c_str(), &status) != 0)
        return true;
    return status.st_ino != m_inode || status.st_dev != m_device ||
           static_cast<std::uint64_t>(status.st_size) != m_size ||
           modifiedNs(status) != m_modifiedNs;
}

void MappedFile::dropPages() const noexcept
{
    if (m_data != nullptr)
        ::madvise(const_cast<std::byte *>(m_data), m_size, MADV_DONTNEED);
}

void MappedFile::requireUnchanged() const
{
    if (changedOnDisk())
        throw Error(ErrorKind::Io, "the model file changed on disk: " + printable(m_path.string()));
    if (faulted())
        throw Error(ErrorKind::Io, "the model file could not be read from its disk: " +
                                       printable(m_path.string()));
}

bool MappedFile::faulted() const noexcept
{
    return m_region != nullptr && MapGuardRegion::faulted(*m_region);
}

} // namespace fireside
