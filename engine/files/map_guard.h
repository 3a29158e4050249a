#pragma once
#include "engine/files/mapped_file.h"

#include <cstddef>

namespace fireside {

/// A MappedFile's entry in the registry that the SIGBUS handler walks. Reserving may allocate and
/// throw; publishing and withdrawing do not. An entry that is never published is given back.
class MapGuardRegion
{
public:
    MapGuardRegion();
    ~MapGuardRegion();
    MapGuardRegion(const MapGuardRegion &) = delete;
    MapGuardRegion &operator=(const MapGuardRegion &) = delete;

    MappedFile::Region *publish(const std::byte *data, std::size_t size) noexcept;
    static void withdraw(MappedFile::Region *region) noexcept;
    static bool faulted(const MappedFile::Region &region) noexcept;

private:
    MappedFile::Region *m_region;
};

} // namespace fireside
