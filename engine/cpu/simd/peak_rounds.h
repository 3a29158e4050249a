#pragma once
// Loops around product instructions. Private to the including file (see tensor/unpack.h).
#include <cstdint>

#if defined(__aarch64__)
#define FIRESIDE_VECTOR_REGISTER "+w"
#else
#define FIRESIDE_VECTOR_REGISTER "+x"
#endif

namespace {

/// The compiler no longer knows the value.
template <typename Vector>
inline void forget(Vector &value)
{
    asm volatile("" : FIRESIDE_VECTOR_REGISTER(value));
}

/// multiplyAdd(sum) is done to kSums sums in turn, which do not wait for each other. None can be
/// left out, as the compiler does not know their values.
template <typename Vector, typename MultiplyAdd>
inline std::int64_t productRounds(std::int64_t rounds, std::int64_t productsEach,
                                  const MultiplyAdd &multiplyAdd)
{
    constexpr int kSums = 12;
    Vector sums[kSums] = {};
    for (std::int64_t round = 0; round < rounds; ++round)
#pragma GCC unroll 12
        for (int i = 0; i < kSums; ++i) {
            sums[i] = multiplyAdd(sums[i]);
            forget(sums[i]);
        }
    return rounds * kSums * productsEach;
}

} // namespace
