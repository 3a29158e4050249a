// Weights as pairs of F16, eight elements at a time in the order 0 2, 1 3, 4 6, 5 7: so two of them lie
// 16 bits apart in the planes, and a mask puts both into the mantissas of 1024, which is 1024 + n
// exactly, and so is what remains when the 1024 is taken off. Only scales lose bits, where they are
// products themselves (the K types): F16 keeps them to 2⁻¹¹ of their size.
#ifndef FIRESIDE_DECODE_PAIRS_GLSL
#define FIRESIDE_DECODE_PAIRS_GLSL
#include "shaders/quant/decode.glsl"

#if defined(WEIGHT_q4_0) || defined(WEIGHT_q4_1) || defined(WEIGHT_q4_k)
#define PLAIN_NIBBLES
#endif

uvec4 pairsOf(vec4 a, vec4 b)
{
    return uvec4(packHalf2x16(a.xz), packHalf2x16(a.yw), packHalf2x16(b.xz), packHalf2x16(b.yw));
}

/// Elements 8·eighth … 8·eighth + 7 of a loaded unit.
uvec4 eightPairs(Packed p, uint eighth)
{
#if defined(WEIGHT_f16)
    const uvec4 q = p.q;
    return uvec4((q.x & 0xffffu) | (q.y << 16), (q.x >> 16) | (q.y & 0xffff0000u),
                 (q.z & 0xffffu) | (q.w << 16), (q.z >> 16) | (q.w & 0xffff0000u));
#elif defined(EMULATE_MATRIX)
    return pairsOf(valueQuad(p, 2 * eighth), valueQuad(p, 2 * eighth + 1));
#else
    if (!kIntegerQuads)
        return pairsOf(valueQuad(p, 2 * eighth), valueQuad(p, 2 * eighth + 1));
    const vec2 scale = scaleOf(p, kHalfScales ? eighth >> 1 : 0);
    const f16vec2 d = f16vec2(float16_t(scale.x)), m = f16vec2(float16_t(scale.y));
    const float16_t zero = float16_t(kIntegerZero);
    f16vec2 v[4];
#ifdef PLAIN_NIBBLES
    const uint a = p.q[eighth], b = a >> 8; // the high nibbles count 16 times
    const f16vec2 low = f16vec2(1024.0hf + zero), high = f16vec2(64.0hf + zero);
    v[0] = unpackFloat2x16((a & 0x000f000fu) | 0x64006400u) - low;
    v[1] = unpackFloat2x16((b & 0x000f000fu) | 0x64006400u) - low;
    v[2] = fma(unpackFloat2x16((a & 0x00f000f0u) | 0x64006400u), f16vec2(0.0625hf), -high);
    v[3] = fma(unpackFloat2x16((b & 0x00f000f0u) | 0x64006400u), f16vec2(0.0625hf), -high);
#else
    [[unroll]] for (uint h = 0; h < 2; ++h) { // signed bytes
        const uint quad = uint(integerQuad(p, 2 * eighth + h));
        const f16vec2 all = f16vec2(1152.0hf + zero);
        v[2 * h] = unpackFloat2x16((quad & 0x00ff00ffu) ^ 0x64806480u) - all;
        v[2 * h + 1] = unpackFloat2x16(((quad >> 8) & 0x00ff00ffu) ^ 0x64806480u) - all;
    }
#endif
    uvec4 result;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        result[i] = packFloat2x16(kOffset ? fma(v[i], d, m) : v[i] * d);
    return result;
#endif
}

#endif
