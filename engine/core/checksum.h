#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fireside {

/// XXH64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) of bytes that come in
/// any number of pieces: finds damage by chance, not by intent.
class Checksum
{
public:
    Checksum();
    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const; // of all so far

private:
    static constexpr std::size_t kStripe = 32; // bytes
    void takeStripes(const std::byte *from, std::size_t count);

    std::array<std::uint64_t, 4> m_lanes;
    std::array<std::byte, kStripe> m_rest{};
    std::uint64_t m_length = 0;
};

inline std::uint64_t checksumOf(std::span<const std::byte> bytes)
{
    Checksum sum;
    sum.add(bytes);
    return sum.value();
}

} // namespace fireside
