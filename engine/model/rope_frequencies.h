#pragma once
#include "engine/backend/ops/transform_heads.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fireside {

/// What a model file says of its rotary embedding.
struct RopeSettings
{
    enum class Scaling { None, Linear, Yarn, Llama3 };
    std::int64_t headDim = 0;
    std::int64_t rotary = 0; // channels that rotate, even, ≤ headDim
    std::int64_t still = 0;  // of their pairs the last so many have no frequency: Gemma 4
    double base = 10000;
    Scaling scaling = Scaling::None;
    double factor = 1; // how much longer the context became
    std::int64_t contextTrained = 0;
    std::int64_t originalContext = 0;           // before scaling (YaRN, Llama 3)
    double attentionFactor = 1;                 // of cos and sin
    double betaFast = 32, betaSlow = 1;         // YaRN: rotations within the original context
    bool truncate = true;                       // YaRN: the ramp's ends are whole pairs
    double lowFrequency = 1, highFrequency = 4; // Llama 3: the same
    std::vector<float> divisors; // [rotary/2], factors of a file (Llama 3.1, LongRoPE), or empty
    bool yarnIsLongRope = false; // config.json: "yarn" with lists of factors means LongRoPE
    std::vector<float> shortDivisors; // LongRoPE: instead, for chats up to the original context
    std::optional<double> shortAttentionFactor{}; // the same
};

/// Inverse frequencies f_i = base^(−2i/rotary), scaled.
/// RoPE: arXiv 2104.09864; linear: arXiv 2306.15595; YaRN: arXiv 2309.00071, section 3;
/// Llama 3: https://github.com/meta-llama/llama-models (models/llama3/model.py, apply_scaling);
/// LongRoPE: arXiv 2402.13753, as divisors. Choices those leave open are those of transformers
/// (modeling_rope_utils.py).
Rope makeRope(const RopeSettings &settings, RopePairing pairing);

/// What YaRN multiplies cos and sin by: 0.1·scale·ln(factor) + 1, and 1 up to a factor of 1.
double yarnAttention(double factor, double scale = 1);
/// The same for LongRoPE: √(1 + ln(factor) / ln(originalContext)).
double longRopeAttention(double factor, std::int64_t originalContext);

/// Little-endian F32 file bytes as numbers, any alignment.
std::vector<float> floatsOf(std::span<const std::byte> bytes);

} // namespace fireside
