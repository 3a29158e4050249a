#include "tests/survival/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace fireside::test {
namespace {

std::atomic<long> g_calls = 0, g_nth = 0;
std::atomic<bool> g_failed = false;

/// Whether no memory is left for a request of this size.
bool failsNow(std::size_t bytes)
{
    const long nth = g_nth.load(std::memory_order_relaxed);
    if (bytes > kSmallRequest) {
        if (g_calls.fetch_add(1, std::memory_order_relaxed) + 1 < nth || nth == 0)
            return false;
        g_failed = true;
        return true;
    }
    // Without a handler nobody has kept anything.
    return nth > 0 && g_failed && std::get_new_handler() == nullptr;
}

void *take(std::size_t bytes, std::size_t alignment)
{
    if (failsNow(bytes))
        return nullptr;
    void *memory = nullptr;
    if (alignment <= alignof(std::max_align_t))
        return std::malloc(bytes > 0 ? bytes : 1);
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void *takeOrThrow(std::size_t bytes, std::size_t alignment = 0)
{
    if (void *const memory = take(bytes, alignment))
        return memory;
    throw std::bad_alloc();
}

} // namespace

void failNew(long nth)
{
    g_nth = 0;
    g_calls = 0;
    g_failed = false;
    g_nth = nth;
}
long newCalls()
{
    return g_calls;
}
bool newFailed()
{
    return g_failed;
}

} // namespace fireside::test

using fireside::test::take;
using fireside::test::takeOrThrow;

void *operator new(std::size_t bytes)
{
    return takeOrThrow(bytes);
}
void *operator new[](std::size_t bytes)
{
    return takeOrThrow(bytes);
}
void *operator new(std::size_t bytes, std::align_val_t alignment)
{
    return takeOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t bytes, std::align_val_t alignment)
{
    return takeOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept
{
    return take(bytes, 0);
}
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept
{
    return take(bytes, 0);
}
// GCC takes these for others than the operators new above.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
