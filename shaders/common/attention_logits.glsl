// What all kernels of attention share: constants 1 … 7, logits and the scale of the result.
#ifndef FIRESIDE_ATTENTION_LOGITS_GLSL
#define FIRESIDE_ATTENTION_LOGITS_GLSL
#include "shaders/common/decay.glsl"
#include "shaders/ops/attention.h"

// Software devices compile unrolled loops for longer than it takes to run them.
#ifdef SMALL_CODE
#define UNROLL [[dont_unroll]]
#else
#define UNROLL [[unroll]]
#endif

layout(constant_id = 1) const uint kFlags = 0;
layout(constant_id = 2) const uint kHeads = 1;
layout(constant_id = 3) const uint kKvHeads = 1;
layout(constant_id = 4) const uint kHeadDim = 64;
layout(constant_id = 5) const uint kValueDim = 64;
layout(constant_id = 6) const uint kKeyType = 1; // as in cache.glsl
layout(constant_id = 7) const uint kValueType = 1;

const uint kGroup = kHeads / kKvHeads;  // query heads that share a kv head

bool has(uint flag)
{
    return (kFlags & flag) != 0;
}

/// tanh without the loss of bits that a fast hardware tanh has.
float exactTanh(float x)
{
    const float y = abs(x);
    if (y < 0.25) {
        const float z = x * x;
        return x + x * z * (-1.0 / 3.0 +
                            z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0))));
    }
    const float t = 1 - 2 / (exp(2 * min(y, 20.0)) + 1);
    return x < 0 ? -t : t;
}

/// A product of query (already scaled) and key becomes a logit.
float logitOf(float score, float softcap, float slope, uint at, uint key)
{
    if (has(kSoftcap))
        score = softcap * exactTanh(score / softcap);
    if (has(kSlopes))
        score += slope * float(int(key) - int(at));
    return score;
}

/// What to multiply a sum of weighted values by, given the largest logit and the sum of weights;
/// the sink counts with kSinks only.
float finalScale(float largest, float sum, float sink)
{
    if (!has(kSinks))
        return sum == 0 ? 0 : 1 / sum;
    if (sum == 0)
        return 0;
    const float top = max(largest, sink);
    const float weight = decay(largest - top);
    return weight / (sum * weight + decay(sink - top));
}

#endif
