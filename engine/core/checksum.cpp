#include "engine/core/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fireside {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87u, kPrime2 = 0xC2B2AE3D27D4EB4Fu,
                        kPrime3 = 0x165667B19E3779F9u, kPrime4 = 0x85EBCA77C2B2AE63u,
                        kPrime5 = 0x27D4EB2F165667C5u;

template <typename T>
T wordAt(const std::byte *from)
{
    T word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

std::uint64_t roundOf(std::uint64_t lane, std::uint64_t word)
{
    return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

} // namespace

Checksum::Checksum()
    : m_lanes{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1}
{}

void Checksum::takeStripes(const std::byte *from, std::size_t count)
{
    std::array<std::uint64_t, 4> lanes = m_lanes; // in registers
    for (std::size_t i = 0; i < count; ++i, from += kStripe)
        for (std::size_t k = 0; k < lanes.size(); ++k)
            lanes[k] = roundOf(lanes[k], wordAt<std::uint64_t>(from + 8 * k));
    m_lanes = lanes;
}

void Checksum::add(std::span<const std::byte> bytes)
{
    const std::size_t held = m_length % kStripe;
    m_length += bytes.size();
    if (held > 0) {
        const std::size_t count = std::min(kStripe - held, bytes.size());
        std::copy_n(bytes.begin(), count, m_rest.begin() + static_cast<std::ptrdiff_t>(held));
        bytes = bytes.subspan(count);
        if (held + count < kStripe)
            return;
        takeStripes(m_rest.data(), 1);
    }
    const std::size_t stripes = bytes.size() / kStripe;
    takeStripes(bytes.data(), stripes);
    std::ranges::copy(bytes.subspan(stripes * kStripe), m_rest.begin());
}

std::uint64_t Checksum::value() const
{
    std::uint64_t hash = kPrime5; // of fewer bytes than a stripe
    if (m_length >= kStripe) {
        hash = std::rotl(m_lanes[0], 1) + std::rotl(m_lanes[1], 7) + std::rotl(m_lanes[2], 12) +
               std::rotl(m_lanes[3], 18);
        for (const std::uint64_t lane : m_lanes)
            hash = (hash ^ roundOf(0, lane)) * kPrime1 + kPrime4;
    }
    hash += m_length;
    const std::byte *rest = m_rest.data();
    std::size_t left = m_length % kStripe;
    for (; left >= 8; left -= 8, rest += 8)
        hash = std::rotl(hash ^ roundOf(0, wordAt<std::uint64_t>(rest)), 27) * kPrime1 + kPrime4;
    for (; left >= 4; left -= 4, rest += 4)
        hash = std::rotl(hash ^ (wordAt<std::uint32_t>(rest) * kPrime1), 23) * kPrime2 + kPrime3;
    for (; left > 0; --left, ++rest)
        hash = std::rotl(hash ^ (std::to_integer<std::uint64_t>(*rest) * kPrime5), 11) * kPrime1;
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
}

} // namespace fireside
