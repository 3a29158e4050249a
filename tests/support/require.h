#pragma once
#include <gtest/gtest.h>
#include <string>

// What a test needs and a computer may lack: alone the test says so and skips; in continuous
// integration (CI=true) it fails, unless the list in require.cpp allows it, with its reason.
namespace fireside::test {

/// CI=true (or 1) in the environment.
bool skipsAreFailures();

/// Whether the list holds a beginning of `what`.
bool skipAllowed(const std::string &what);

} // namespace fireside::test

/// FIRESIDE_SKIP("lavapipe is not installed"): leaves the test, or its SetUp(), at once.
#define FIRESIDE_SKIP(what)                                                                        \
    do {                                                                                           \
        const std::string fireside_missing = (what);                                               \
        if (fireside::test::skipsAreFailures() && !fireside::test::skipAllowed(fireside_missing))  \
            FAIL() << fireside_missing << "\n(CI=true: only the skips listed in "                  \
                   << "tests/support/require.cpp are allowed)";                                    \
        GTEST_SKIP() << fireside_missing;                                                          \
    } while (false)
