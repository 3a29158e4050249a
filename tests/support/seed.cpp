#include "tests/support/seed.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fireside::test {

std::uint32_t seed()
{
    static const std::uint32_t value = [] {
        const char *const given = std::getenv("FIRESIDE_TEST_SEED");
        const std::uint32_t drawn = given != nullptr ? static_cast<std::uint32_t>(std::stoul(given))
                                                     : std::random_device()();
        std::printf("random data: FIRESIDE_TEST_SEED=%u repeats this run\n", drawn);
        return drawn;
    }();
    return value;
}

std::mt19937 generator()
{
    const auto *const test = testing::UnitTest::GetInstance()->current_test_info();
    std::uint32_t hash = seed();
    for (const char c :
         test != nullptr ? std::string(test->test_suite_name()) + test->name() : std::string())
        hash = hash * 31 + static_cast<unsigned char>(c);
    return std::mt19937(hash);
}

} // namespace fireside::test
