#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fireside {

/// XXH64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, by its library) of bytes
/// that come in any number of pieces: finds damage by chance, not by intent.
class Checksum
{
public:
    Checksum();
    ~Checksum();
    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const; // of all so far

private:
    struct State;
    std::unique_ptr<State> m_state;
};

inline std::uint64_t checksumOf(std::span<const std::byte> bytes)
{
    Checksum sum;
    sum.add(bytes);
    return sum.value();
}

} // namespace fireside
