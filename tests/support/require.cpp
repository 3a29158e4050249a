#include "tests/support/require.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace fireside::test {
namespace {

struct AllowedSkip
{
    std::string_view what;   // how the skip's text begins
    std::string_view reason; // why no run of continuous integration has to have it
};

constexpr std::array kAllowed{
    AllowedSkip{"the full set of golden data is not here",
                "it lies beside the project, which holds a selection of its own"},
    AllowedSkip{"FIRESIDE_NODE_CLIENTS names no folder", "other people's programs: not installed"},
    AllowedSkip{"FIRESIDE_FOREIGN_SERVER names none", "a server that somebody starts by hand"},
    AllowedSkip{"real chat templates are not here", "other people's texts: not in the project"},
    AllowedSkip{"the CPU has its own tests of models", "a parameter that another program covers"},
    AllowedSkip{"FIRESIDE_BLAS is not off", "an entry of its own in ctest sets it"},
    AllowedSkip{"OpenBLAS: off (FIRESIDE_BLAS=off)", "that entry; the others use the library"},
    AllowedSkip{"sanitizers need the address space", "they map terabytes; plain builds run it"},
    AllowedSkip{"the thread sanitizer starts a thread of its own", "plain builds run it"},
    AllowedSkip{"the address space is limited already", "the limit is what the test would set"},
    AllowedSkip{"root reads everything", "access rights say nothing to root"},
    AllowedSkip{"no IPv6 here", "containers without it; IPv4 is tested"},
    AllowedSkip{"no integer dot products here", "older software drivers have none"},
    AllowedSkip{"the device cannot tell", "an op says so by Error(Unsupported), as it may"},
};

} // namespace

bool skipsAreFailures()
{
    const char *const ci = std::getenv("CI");
    return ci != nullptr && (std::string_view(ci) == "true" || std::string_view(ci) == "1");
}

bool skipAllowed(const std::string &what)
{
    return std::any_of(kAllowed.begin(), kAllowed.end(), [&](const AllowedSkip &skip) {
        return std::string_view(what).starts_with(skip.what);
    });
}

} // namespace fireside::test
