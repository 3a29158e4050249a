// Flags, logits and the scale of the result. Behind constants and push block; the includer says what
// the addresses of slopes and sinks are: SLOPES, SINKS.
#ifndef FIRESIDE_ATTENTION_LOGITS_GLSL
#define FIRESIDE_ATTENTION_LOGITS_GLSL
#include "shaders/common/decay.glsl"
#include "shaders/common/references.glsl"
#include "shaders/common/unroll.glsl"

const uint kGroup = kHeads / kKvHeads; // query heads that share a kv head

bool has(uint flag)
{
    return (kFlags & flag) != 0;
}

const bool kPlain = (kFlags & (kSoftcap | kSlopes | kDistances)) == 0; // a logit is a score times the scale
const float kLog2E = 1.4426950408889634;
// In units of log2: the level that weights are relative to, before the first logit; the logit of a key
// that the query does not see.
const float kNoLevel = -1e30, kUnseen = -1e35;

float exp2OrZero(float x) // NaN stays NaN
{
    return x < -126 ? 0 : exp2(x);
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

/// A product of query (already scaled) and key becomes a logit; slope is that of slopeOf().
float logitOf(float score, float slope, uint at, uint key)
{
    if (has(kSoftcap))
        score = push.softcap * exactTanh(score / push.softcap);
    if (has(kSlopes))
        score += slope * float(int(key) - int(at));
    if (has(kDistances)) {
        const int reach = int(kFlags >> kReachShift);
        const int distance = clamp(int(key) - int(at), -reach, reach);
        score += Floats(SLOPES).v[uint(int(slope) * (2 * reach + 1) + reach + distance)];
    }
    return score;
}

/// Of ALiBi; with kDistances the head itself.
float slopeOf(uint head)
{
    if (has(kDistances))
        return float(head);
    return has(kSlopes) ? Floats(SLOPES).v[head] : 0;
}

/// What to multiply a sum of weighted values by, given the largest logit and the sum of weights.
float finalScale(uint head, float largest, float sum)
{
    if (!has(kSinks))
        return sum == 0 ? 0 : 1 / sum;
    if (sum == 0)
        return 0;
    const float sink = Floats(SINKS).v[head];
    const float top = max(largest, sink);
    const float weight = decay(largest - top);
    return weight / (sum * weight + decay(sink - top));
}

#endif
