#include "engine/cpu/linear/blas.h"

#include "engine/core/exception_guard.h"
#include "engine/cpu/linear/blas_choice.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <thread>

namespace fireside::cpu {
namespace {

// Where the variants have names of their own, the first is the threaded one; Debian's alternatives
// give the second name to whichever variant is preferred.
constexpr const char *kLibraries[] = {"libopenblasp.so.0", "libopenblas.so.0"};

// Values of cblas.h and of openblas_get_parallel().
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;
constexpr int kSerialBuild = 0, kPthreadBuild = 1;

void keepToOneProcessor()
{
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &allowed)) {
            CPU_ZERO(&allowed);
            CPU_SET(i, &allowed);
            ::sched_setaffinity(0, sizeof allowed, &allowed);
            return;
        }
}

/// While it is loaded, OpenBLAS starts a worker for each processor that the loading thread may use.
/// We want none. Its environment variable would do, but other threads may be reading the
/// environment; a short-lived thread with one processor harms nobody.
void *loadWithoutWorkers(const char *name, std::string &problem)
{
    void *library = nullptr;
    try {
        std::thread([&] {
            containExceptions("blas.load", [&] {
                keepToOneProcessor();
                library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
                if (!library)
                    if (const char *words = ::dlerror())
                        problem = words;
            });
        }).join();
    } catch (const std::system_error &error) {
        problem = error.what();
    }
    return library;
}

template <typename Function>
Function find(void *library, const char *name)
{
    return reinterpret_cast<Function>(::dlsym(library, name));
}

/// The word after `key` in a text of words; empty when there is none.
std::string wordAfter(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return "";
    text.remove_prefix(at + key.size());
    return std::string(text.substr(0, text.find(' ')));
}

/// OpenBLAS ends the program when it gets no memory for its buffers, so it is left alone where that
/// is to be expected. Empty when nothing is limited.
std::string memoryLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return "the address space is limited (ulimit -v)";
    if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return "the data segment is limited (ulimit -d)";
    int overcommit = 0;
    if (std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit && overcommit == 2)
        return "memory is not overcommitted (vm.overcommit_memory)";
    return "";
}

Blas openUnlessOff()
{
    if (floatProductsAsked().asked == FloatProducts::Own)
        return Blas::none("off (FIRESIDE_BLAS=off)");
    if (const std::string limit = memoryLimit(); !limit.empty())
        return Blas::none("not opened, because " + limit);
    return Blas::open(kLibraries);
}

} // namespace

Blas Blas::none(std::string why)
{
    Blas nothing;
    nothing.m_description = std::move(why);
    return nothing;
}

Blas Blas::open(std::span<const char *const> names)
{
    std::string refused;
    for (const char *name : names) {
        std::string problem;
        void *library = loadWithoutWorkers(name, problem);
        if (!library) {
            // A file that is there and cannot be loaded is worth the loader's own words.
            if (problem.find("No such file") == std::string::npos)
                refused = problem;
            continue;
        }
        const auto config = find<char *(*)()>(library, "openblas_get_config");
        const auto coreName = find<char *(*)()>(library, "openblas_get_corename");
        const auto parallel = find<int (*)()>(library, "openblas_get_parallel");
        const auto setThreads = find<void (*)(int)>(library, "openblas_set_num_threads");
        const auto sgemm = find<Sgemm>(library, "cblas_sgemm");
        if (!config || !coreName || !parallel || !setThreads || !sgemm) {
            refused = std::string(name) + " lacks functions of OpenBLAS";
            continue;
        }
        const std::string words = config();
        const std::string version = wordAfter(words, "OpenBLAS ");
        // The serial build has no locks around its buffers unless built so, which it does not tell;
        // the OpenMP build would start a team of its own under each of our threads.
        if (parallel() != kPthreadBuild) {
            refused = std::string(name) + " is " +
                      (parallel() == kSerialBuild ? "the serial" : "the OpenMP") +
                      " build (install libopenblas0-pthread)";
            continue;
        }
        if (version.empty() || words.find("USE64BITINT") != std::string::npos) {
            refused = std::string(name) + " has an unknown interface: " + words;
            continue;
        }
        setThreads(1);
        Blas found;
        found.m_sgemm = sgemm;
        found.m_description = "libopenblas " + version + " (" + coreName() + ")";
        found.m_kernels = blasKernels(coreName());
        // The library has room for twice as many callers as threads.
        found.m_maxCallers = static_cast<std::size_t>(
            std::max(1, std::atoi(wordAfter(words, "MAX_THREADS=").c_str())));
        return found;
    }
    return none(refused.empty() ? "not found (install libopenblas0-pthread)"
                                : "not usable: " + refused);
}

void Blas::multiply(const BlasProduct &p) const
{
    const auto n = [](std::size_t value) { return static_cast<int>(value); };
    m_sgemm(kRowMajor, kPlain, kTransposed, n(p.tokens), n(p.rows), n(p.cols), 1.0f, p.x,
            n(p.xStride), p.w, n(p.wStride), p.add ? 1.0f : 0.0f, p.out, n(p.outStride));
}

const Blas &blas()
{
    static const Blas library = openUnlessOff();
    return library;
}

BlasKernels blasKernels(std::string_view coreName)
{
    struct Known
    {
        std::string_view core;
        BlasKernels kernels;
    };
    // What is not here has at most 256 bits without fused multiply-add, or belongs to another
    // architecture.
    static constexpr std::array kKnown{
        Known{"haswell", BlasKernels::Fma256}, Known{"zen", BlasKernels::Fma256},
        Known{"skylakex", BlasKernels::Wide512}, Known{"cooperlake", BlasKernels::Wide512},
        Known{"sapphirerapids", BlasKernels::Wide512}};
    std::string lower(coreName);
    for (char &c : lower)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const Known &known : kKnown)
        if (lower == known.core)
            return known.kernels;
    return BlasKernels::Narrow;
}

} // namespace fireside::cpu
