#include "engine/core/memory_reserve.h"

#include "engine/core/error.h"
#include "engine/core/memory_info.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

namespace fireside {
namespace {

std::atomic<void *> g_reserve{nullptr};
std::new_handler g_previous = nullptr;

/// Called by operators new, which try again when it returns.
void giveBack()
{
    if (void *const reserve = g_reserve.exchange(nullptr))
        std::free(reserve);
    else if (g_previous != nullptr)
        g_previous();
    else
        throw std::bad_alloc();
}

} // namespace

void keepMemoryReserve() noexcept
{
    static std::once_flag once;
    std::call_once(once, [] { g_previous = std::set_new_handler(giveBack); });
    if (g_reserve.load() != nullptr)
        return;
    void *const fresh = std::malloc(kMemoryReserve);
    void *expected = nullptr;
    if (!g_reserve.compare_exchange_strong(expected, fresh))
        std::free(fresh); // another thread was faster
}

std::string outOfMemoryText()
{
    std::string text = "not enough memory: an allocation failed";
    try {
        const MemoryInfo memory = queryMemory();
        if (memory.addressSpace)
            text += ", " + formatBytes(*memory.addressSpace) + " of address space are left";
        else if (memory.available && memory.total)
            text += ", " + formatBytes(*memory.available) + " of " + formatBytes(*memory.total) +
                    " are free";
    } catch (const std::bad_alloc &) { // then without the numbers
    }
    return text;
}

} // namespace fireside
