#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace fireside {

/// Read-only memory map of a whole file. Owner: unmaps on destruction. Throws Error(Io) with path and
/// reason; an empty file maps to an empty span.
class MappedFile
{
public:
    explicit MappedFile(const std::filesystem::path &path);
    ~MappedFile();
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;

    std::span<const std::byte> bytes() const noexcept { return {m_data, m_size}; }
    const std::filesystem::path &path() const noexcept { return m_path; }

    /// True when the file on disk was truncated, replaced or rewritten since it was mapped.
    bool changedOnDisk() const;

private:
    std::filesystem::path m_path;
    const std::byte *m_data = nullptr;
    std::size_t m_size = 0;
    std::int64_t m_modifiedNs = 0;
    std::uint64_t m_inode = 0;
};

/// While one exists on a thread, reading a mapped page whose file was cut (SIGBUS) is caught for
/// every thread of the process: the page reads as zeros and the flag is set, so that the reply can end
/// with "the model file changed on disk". Installed once, chains to an earlier handler.
void installMappedFileGuard();
bool mappedFileFaulted(); // true once any mapped page could not be read
void clearMappedFileFault();

} // namespace fireside
