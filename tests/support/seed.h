#pragma once
#include <cstdint>
#include <random>

namespace fireside::test {

/// The seed of all random test data of this process: FIRESIDE_TEST_SEED, else a fresh one. Printed
/// once, so that a failure can be repeated.
std::uint32_t seed();

/// Random numbers for the running test: the same for the same seed, whatever ran before.
std::mt19937 generator();

} // namespace fireside::test
