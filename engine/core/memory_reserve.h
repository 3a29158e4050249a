#pragma once
#include <cstddef>
#include <string>

namespace fireside {

/// Small requests that come while memory has run out are served from so much, kept for them.
inline constexpr std::size_t kMemoryReserve = std::size_t{4} << 20;

/// Keeps the reserve, and installs, once for the process, what gives it back (std::set_new_handler)
/// when an operator new finds no memory: what cleans up after a failure, and may not fail itself,
/// needs a little. Once it is used up, operators new throw as ever; called again, it is kept again
/// if there is room. From any thread.
void keepMemoryReserve() noexcept;

/// For std::bad_alloc: "not enough memory: an allocation failed, 1.2 GB of 16 GB are free"; without
/// the numbers where they are not known.
std::string outOfMemoryText();

} // namespace fireside
