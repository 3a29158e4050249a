#include "engine/cpu/ops.h"

#include <algorithm>
#include <cmath>

// Rotary position embedding, Su et al. 2021: pairs of channels turn by position · frequency.
namespace fireside::cpu {
namespace {

/// Below this many floats a parallel region costs more than it saves.
constexpr std::size_t kGrain = 16384;

void rotateHalfSplit(float *head, const float *cosine, const float *sine, std::size_t half)
{
    for (std::size_t i = 0; i < half; ++i) {
        const float a = head[i], b = head[i + half];
        head[i] = a * cosine[i] - b * sine[i];
        head[i + half] = b * cosine[i] + a * sine[i];
    }
}

void rotateInterleaved(float *head, const float *cosine, const float *sine, std::size_t half)
{
    for (std::size_t i = 0; i < half; ++i) {
        const float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i] = a * cosine[i] - b * sine[i];
        head[2 * i + 1] = b * cosine[i] + a * sine[i];
    }
}

} // namespace

void ropeTable(ThreadPool &pool, const Rope &rope, std::span<const std::int32_t> positions,
               float *cosSin)
{
    const std::size_t half = rope.inverseFrequencies.size();
    pool.parallelFor(static_cast<std::ptrdiff_t>(positions.size()), 16,
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t t = begin; t < end; ++t) {
                             float *cosine = cosSin + t * 2 * half;
                             float *sine = cosine + half;
                             // In double: far positions would lose most bits of the angle in float.
                             const double position = positions[static_cast<std::size_t>(t)];
                             for (std::size_t i = 0; i < half; ++i) {
                                 const double angle = position * rope.inverseFrequencies[i];
                                 cosine[i] =
                                     static_cast<float>(std::cos(angle) * rope.attentionFactor);
                                 sine[i] =
                                     static_cast<float>(std::sin(angle) * rope.attentionFactor);
                             }
                         }
                     });
}

void applyRope(ThreadPool &pool, float *x, std::size_t xStride, const float *cosSin,
               std::size_t rotary, RopePairing pairing, std::size_t T, std::size_t heads,
               std::size_t headDim)
{
    const std::size_t half = rotary / 2;
    const auto rotate = pairing == RopePairing::HalfSplit ? rotateHalfSplit : rotateInterleaved;
    const std::size_t grain =
        std::max<std::size_t>(1, kGrain / std::max<std::size_t>(1, heads * headDim));
    pool.parallelFor(static_cast<std::ptrdiff_t>(T), static_cast<std::ptrdiff_t>(grain),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t t = begin; t < end; ++t) {
                             const float *cosine = cosSin + t * rotary;
                             for (std::size_t h = 0; h < heads; ++h)
                                 rotate(x + t * xStride + h * headDim, cosine, cosine + half, half);
                         }
                     });
}

} // namespace fireside::cpu
