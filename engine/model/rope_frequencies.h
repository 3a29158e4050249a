#pragma once
#include "engine/backend/backend.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fireside {

/// What a model file says of its rotary embedding.
struct RopeSettings
{
    enum class Scaling { None, Linear, Yarn };
    std::int64_t headDim = 0;
    std::int64_t rotary = 0; // channels that rotate, even, ≤ headDim
    double base = 10000;
    Scaling scaling = Scaling::None;
    double factor = 1; // how much longer the context became
    std::int64_t contextTrained = 0;
    std::int64_t originalContext = 0; // before scaling (YaRN)
    double attentionFactor = 1;       // extra factor a file may ask for
    double betaFast = 32, betaSlow = 1;
    std::vector<float> divisors; // [rotary/2], per-pair frequency factors (Llama 3.1), or empty
};

/// Inverse frequencies f_i = base^(−2i/rotary), scaled.
/// RoPE: arXiv 2104.09864; linear: arXiv 2306.15595; YaRN: arXiv 2309.00071, section 3.
Rope makeRope(const RopeSettings &settings, RopePairing pairing);

/// Little-endian F32 file bytes as numbers, any alignment.
std::vector<float> floatsOf(std::span<const std::byte> bytes);

} // namespace fireside
