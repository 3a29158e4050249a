#include "engine/files/map_guard.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

// A signal handler may neither lock nor allocate, so the registry is a list that only grows:
// entries are linked once at its head, never freed, and reused after their map is gone.
namespace fireside {

struct MappedFile::Region
{
    std::atomic<bool> taken{false};
    std::atomic<bool> faulted{false};
    std::atomic<std::uintptr_t> begin{0}; // 0: no map
    std::atomic<std::uintptr_t> end{0};
    Region *next = nullptr; // fixed once linked
};

namespace {

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

std::atomic<MappedFile::Region *> g_regions{nullptr};
std::uintptr_t g_pageSize = 4096;
struct sigaction g_previous
{};

/// Replaces the map from the page of `address` to its end by zeros. A cut file has nothing after
/// the page that failed, and one replacement costs one kernel mapping instead of one per page.
bool replaceByZeros(std::uintptr_t address)
{
    for (MappedFile::Region *region = g_regions.load(std::memory_order_acquire); region != nullptr;
         region = region->next) {
        const std::uintptr_t begin = region->begin.load(std::memory_order_acquire);
        const std::uintptr_t lastPage =
            region->end.load(std::memory_order_acquire) + g_pageSize - 1;
        const std::uintptr_t end = lastPage & ~(g_pageSize - 1);
        if (begin == 0 || address < begin || address >= end)
            continue;
        const std::uintptr_t page = address & ~(g_pageSize - 1);
        void *const zeros = ::mmap(reinterpret_cast<void *>(page), end - page, PROT_READ,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        if (zeros == MAP_FAILED)
            return false;
        region->faulted.store(true, std::memory_order_release);
        return true;
    }
    return false;
}

void passToPrevious(int signal, siginfo_t *info, void *context)
{
    if ((g_previous.sa_flags & SA_SIGINFO) != 0) {
        g_previous.sa_sigaction(signal, info, context);
    } else if (g_previous.sa_handler == SIG_DFL || g_previous.sa_handler == SIG_IGN) {
        // The faulting instruction runs again on return and meets the default action.
        ::signal(signal, SIG_DFL);
    } else {
        g_previous.sa_handler(signal);
    }
}

void onBusError(int signal, siginfo_t *info, void *context)
{
    const int savedErrno = errno;
    if (info == nullptr || info->si_code <= 0 ||
        !replaceByZeros(reinterpret_cast<std::uintptr_t>(info->si_addr)))
        passToPrevious(signal, info, context);
    errno = savedErrno;
}

} // namespace

MapGuardRegion::MapGuardRegion()
{
    for (m_region = g_regions.load(std::memory_order_acquire); m_region != nullptr;
         m_region = m_region->next) {
        bool expected = false;
        if (m_region->taken.compare_exchange_strong(expected, true))
            return;
    }
    // Lives as long as the process: a handler may be walking the list.
    m_region = std::make_unique<MappedFile::Region>().release();
    m_region->taken = true;
    m_region->next = g_regions.load(std::memory_order_relaxed);
    while (!g_regions.compare_exchange_weak(m_region->next, m_region, std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
}

MapGuardRegion::~MapGuardRegion()
{
    if (m_region != nullptr)
        m_region->taken.store(false, std::memory_order_release);
}

MappedFile::Region *MapGuardRegion::publish(const std::byte *data, std::size_t size) noexcept
{
    MappedFile::Region *const region = m_region;
    m_region = nullptr;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    region->faulted.store(false, std::memory_order_relaxed);
    region->end.store(begin + size, std::memory_order_release);
    region->begin.store(begin, std::memory_order_release);
    return region;
}

void MapGuardRegion::withdraw(MappedFile::Region *region) noexcept
{
    region->begin.store(0, std::memory_order_release);
    region->end.store(0, std::memory_order_release);
    region->taken.store(false, std::memory_order_release);
}

bool MapGuardRegion::faulted(const MappedFile::Region &region) noexcept
{
    return region.faulted.load(std::memory_order_acquire);
}

void installMappedFileGuard()
{
    static std::once_flag once;
    std::call_once(once, [] {
        if (const long size = ::sysconf(_SC_PAGESIZE); size > 0)
            g_pageSize = static_cast<std::uintptr_t>(size);
        struct sigaction action
        {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &g_previous);
    });
}

} // namespace fireside
