#include "engine/core/checksum.h"

#define XXH_INLINE_ALL // the header alone
#include <xxhash.h>

namespace fireside {

struct Checksum::State
{
    XXH64_state_t xxh;
};

Checksum::Checksum()
    : m_state(std::make_unique<State>())
{
    XXH64_reset(&m_state->xxh, 0);
}

Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes)
{
    XXH64_update(&m_state->xxh, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const
{
    return XXH64_digest(&m_state->xxh);
}

} // namespace fireside
