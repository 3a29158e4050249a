#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace fireside {

/// A file that appears under its name when it is complete, and not before: until keep() it has
/// another name in the same folder, or none where the system can do that. Owner: what was not kept
/// is gone. Throws Error(Io) with path and reason. A symbolic link is followed: the link stays, and
/// what it leads to is replaced. Only a regular file is replaced; a folder, device, pipe or socket
/// is Error(BadInput).
class NewFile
{
public:
    enum class Existing { Refuse, Replace };
    enum class Access { Shared, OwnerOnly }; // Shared: as the user's mask allows
    NewFile(const std::filesystem::path &path, Existing existing, Access access = Access::Shared);
    ~NewFile();
    NewFile(const NewFile &) = delete;
    NewFile &operator=(const NewFile &) = delete;

    /// Error(Io) when the file system has less room than that.
    void requireRoom(std::uint64_t bytes) const;
    void write(std::span<const std::byte> bytes);
    std::uint64_t size() const { return m_size; }
    /// Onto the disk, and under its name.
    void keep();

private:
    [[noreturn]] void fail(const char *what, int error) const;
    void requireReplaceable() const;

    std::filesystem::path m_path, m_temporary; // the second empty: it has no name yet
    Existing m_existing;
    int m_file = -1;
    std::uint64_t m_size = 0;
};

} // namespace fireside
