#pragma once
#include "engine/core/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

// A parser under test. Any bytes must give a result or a fireside::Error, in 512 MB and a second:
// whatever else happens – an exception that escapes, a sanitizer's finding, a check() that fails –
// is a finding. The same functions run under libFuzzer (packaging/fuzz.sh) and, once for each file
// of corpus/, in the ordinary suite.
namespace fireside::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target
{
    const char *name; // its corpus is corpus/NAME
    void (*run)(Bytes input);
};

std::vector<Target> targets(); // of this program

inline std::string_view textOf(Bytes bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// An input of several files is their texts with a line of its own, "-----", between them; absent
/// ones are empty.
std::vector<std::string_view> parts(Bytes input, std::size_t count);

inline void check(bool holds)
{
    if (!holds)
        std::abort();
}

/// Runs `body`; an Error is a fine end.
template <typename Body>
void attempt(Body body)
{
    try {
        body();
    } catch (const Error &error) {
        check(*error.what() != '\0');
    }
}

} // namespace fireside::fuzz
