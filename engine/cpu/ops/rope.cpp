#include "engine/cpu/ops/head_ops.h"

#include <cmath>

// Rotary position embedding, Su et al. 2021: pairs of channels rotate by position · frequency.
namespace fireside::cpu {

void ropeTable(ThreadPool &pool, const Rope &rope, std::span<const std::int32_t> positions,
               float *cosSin)
{
    const std::size_t half = rope.inverseFrequencies.size();
    constexpr std::size_t kCost = 16; // of a cosine and a sine, in floats of other ops
    forRows(pool, positions.size(), kCost * half, [&](std::size_t t) {
        float *cosine = cosSin + t * 2 * half;
        float *sine = cosine + half;
        // In double: far positions would lose most bits of the angle in float.
        const double position = positions[t];
        for (std::size_t i = 0; i < half; ++i) {
            const double angle = position * rope.inverseFrequencies[i];
            cosine[i] = static_cast<float>(std::cos(angle) * rope.attentionFactor);
            sine[i] = static_cast<float>(std::sin(angle) * rope.attentionFactor);
        }
    });
}

} // namespace fireside::cpu
