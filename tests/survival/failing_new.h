#pragma once
#include <cstddef>

// The operators new of this program can run out of memory as told.
namespace fireside::test {

/// Requests of up to so many bytes are served from the reserve (core/memory_reserve.h) all the
/// same.
inline constexpr std::size_t kSmallRequest = 256;

/// From the nth larger allocation on, whichever thread asks for it, each fails; 0: none.
void failNew(long nth);
/// How many larger ones there have been since.
long newCalls();
/// Whether it has come to a failure.
bool newFailed();

} // namespace fireside::test
