#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <span>

namespace fireside {

/// Read-only memory map of a whole regular file. Owner: unmaps on destruction. Throws Error(Io)
/// with path and reason, Error(Memory) with the size when the address space is too small for the
/// map; an empty file maps to an empty span. Reading never ends the program: what can no longer be
/// read reads as zeros, so whoever trusts what he read asks requireUnchanged() afterwards.
class MappedFile
{
public:
    explicit MappedFile(const std::filesystem::path &path);
    ~MappedFile();
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;

    std::span<const std::byte> bytes() const noexcept { return {m_data, m_size}; }
    const std::filesystem::path &path() const noexcept { return m_path; }

    /// True when the path no longer leads to the file as it was mapped: truncated, rewritten,
    /// replaced or deleted. (A replaced or deleted file stays readable through the map, a truncated
    /// one does not.)
    bool changedOnDisk() const;

    /// Error(Io) "the model file changed on disk: PATH" when it did, "the model file could not be
    /// read from its disk: PATH" when a page could not: what was read until now may be damaged.
    void requireUnchanged() const;

    /// Gives the pages read so far back to the system; they are read again when they are needed.
    /// For files whose contents have been copied to a GPU, never where a processor reads weights
    /// in the map: pages that took the place of the file's would be lost
    /// (cpu/linear/weight_pages.h).
    void dropPages() const noexcept;

    /// True once a page of this map could not be read and was replaced by zeros.
    bool faulted() const noexcept;

    struct Region; // this map's entry in the guard's registry
private:
    void release() noexcept;

    std::filesystem::path m_path;
    const std::byte *m_data = nullptr;
    std::size_t m_size = 0;
    std::int64_t m_modifiedNs = 0;
    std::uint64_t m_inode = 0;
    std::uint64_t m_device = 0;
    Region *m_region = nullptr;
};

/// What `read()` gives, if `file` – a MappedFile or a ModelFile – did not change meanwhile; a
/// mistake that it finds in a file that did change is told as the change.
template <typename File, typename Read>
auto readUnchanged(const File &file, Read read)
{
    try {
        auto result = read();
        file.requireUnchanged();
        return result;
    } catch (const std::exception &) {
        file.requireUnchanged();
        throw;
    }
}

/// Installs, once for the process, a SIGBUS handler that keeps a cut or unreadable file from ending
/// the program; the first map does it too. When a page of any living MappedFile cannot be read,
/// that page and the rest of its map read as zeros from then on and MappedFile::faulted() tells, so
/// that the reply can end with "the model file changed on disk". Any other SIGBUS goes to the
/// handler that was there before.
void installMappedFileGuard();

} // namespace fireside
