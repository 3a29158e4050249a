// One program holds several targets; FIRESIDE_FUZZ_TARGET names the one to run.
#include "tests/fuzz/target.h"

#include <cstdio>

namespace {
fireside::fuzz::Target g_target{};
}

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    const char *const name = std::getenv("FIRESIDE_FUZZ_TARGET");
    for (const fireside::fuzz::Target &target : fireside::fuzz::targets())
        if (name != nullptr && std::string_view(target.name) == name)
            g_target = target;
    if (g_target.run != nullptr)
        return 0;
    std::fprintf(stderr, "FIRESIDE_FUZZ_TARGET must name one of:");
    for (const fireside::fuzz::Target &target : fireside::fuzz::targets())
        std::fprintf(stderr, " %s", target.name);
    std::fputc('\n', stderr);
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    g_target.run({data, size});
    return 0;
}
