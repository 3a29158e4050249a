#include "engine/files/new_file.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fireside {
namespace {

constexpr mode_t kSharedMode = 0666, kOwnerMode = 0600; // less what the user's mask takes

std::filesystem::path placeOf(const std::filesystem::path &path)
{
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Where a symbolic link leads to, or the path itself.
std::filesystem::path followed(const std::filesystem::path &path)
{
    std::error_code error;
    if (!std::filesystem::is_symlink(path, error))
        return path;
    std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    if (!error && std::filesystem::is_symlink(target, error)) // it leads to what is not there yet
        target = target.parent_path() / std::filesystem::read_symlink(target, error);
    if (error || std::filesystem::is_symlink(target, error))
        throwBadInput(printable(path.string()) + " is a link that leads nowhere");
    return target;
}

const char *kindOf(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISFIFO(mode))
        return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "not a regular file";
}

} // namespace

void NewFile::fail(const char *what, int error) const
{
    throw Error(ErrorKind::Io, printable(m_path.string()) + ": " + what + ": " +
                                   std::strerror(error)); // NOLINT: the text is copied at once
}

NewFile::NewFile(const std::filesystem::path &path, Existing existing, Access access)
    : m_path(path)
    , m_existing(existing)
{
    requireReplaceable(); // also of what a link of the system leads to, as /dev/stdout does
    m_path = followed(path);
    const mode_t mode = access == Access::OwnerOnly ? kOwnerMode : kSharedMode;
    std::error_code error;
    if (existing == Existing::Refuse && std::filesystem::exists(m_path, error))
        throwBadInput(printable(path.string()) + " exists already");
#ifdef O_TMPFILE
    m_file = ::open(placeOf(m_path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (m_file >= 0)
        return;
#endif
    m_temporary = m_path;
    m_temporary += ".part-" + std::to_string(::getpid());
    m_file = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (m_file >= 0)
        return;
    const int reason = errno;
    m_temporary.clear();
    fail("cannot be written", reason);
}

void NewFile::requireReplaceable() const
{
    struct stat status
    {};
    if (::stat(m_path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throwBadInput(printable(m_path.string()) + " is " + kindOf(status.st_mode));
}

NewFile::~NewFile()
{
    if (m_file >= 0)
        ::close(m_file);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

void NewFile::requireRoom(std::uint64_t bytes) const
{
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(placeOf(m_path), error);
    if (!error && space.available < bytes)
        throw Error(ErrorKind::Io, printable(m_path.string()) + ": needs " + formatBytes(bytes) +
                                       ", the disk has " + formatBytes(space.available) + " left");
}

void NewFile::write(std::span<const std::byte> bytes)
{
    constexpr std::size_t kMost = std::size_t{1} << 30; // of one call
    while (!bytes.empty()) {
        const ssize_t done = ::write(m_file, bytes.data(), std::min(bytes.size(), kMost));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            fail("cannot be written", done < 0 ? errno : ENOSPC);
        m_size += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
}

void NewFile::keep()
{
    if (::fsync(m_file) != 0)
        fail("cannot be written", errno);
    if (m_temporary.empty()) {
        // A name is given to what is complete; to replace another file it needs one to be renamed.
        const std::string own = "/proc/self/fd/" + std::to_string(m_file);
        std::filesystem::path name = m_path;
        if (m_existing == Existing::Replace)
            name += ".part-" + std::to_string(::getpid());
        if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
            fail("cannot be given its name", errno);
        if (m_existing == Existing::Refuse)
            return;
        m_temporary = name;
    }
    if (m_existing == Existing::Refuse) {
        // Unlike rename(), never in the place of a file that came meanwhile.
        if (::link(m_temporary.c_str(), m_path.c_str()) != 0)
            fail("cannot be given its name", errno);
        return; // the other name goes with this object
    }
    requireReplaceable(); // it may be another one by now
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        fail("cannot be given its name", errno);
    m_temporary.clear();
}

} // namespace fireside
