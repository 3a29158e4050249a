#pragma once
#include <cstddef>
#include <cstdint>

// Sixteen floats side by side, for the quantize_<isa>.cpp files alone: private to the including
// file, because each is compiled for another processor. All round alike, so that a file quantised
// on one processor has the bytes of one quantised on another.
namespace fireside {
namespace {

constexpr int kLanes = 16;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Masks = std::int32_t __attribute__((vector_size(4 * kLanes)));

inline Floats all(float x)
{
    return Floats{} + x;
}
inline Floats smaller(const Floats &a, const Floats &b)
{
    return a < b ? a : b;
}
inline Floats larger(const Floats &a, const Floats &b)
{
    return a > b ? a : b;
}
inline Floats magnitude(const Floats &x)
{
    return x < 0.0f ? -x : x;
}
/// To the nearest whole number, of numbers below 2^22.
inline Floats rounded(const Floats &x)
{
    constexpr float kMagic = 12582912.0f; // 1.5 · 2^23
    return (x + kMagic) - kMagic;
}
/// A code from 0 to `most`; of NaN and what overflowed 0 or `most`.
inline Floats codeOf(const Floats &x, float most)
{
    return rounded(smaller(larger(x, Floats{}), all(most)));
}

} // namespace
} // namespace fireside
