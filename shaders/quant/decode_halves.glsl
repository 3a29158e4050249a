// Weights as F16 for matrices, eight at a time, with arithmetic on pairs of F16: a field put into the
// mantissa of 1024 is 1024 + field, exactly, and so is what remains when the 1024 is taken off. Then one
// multiply-add. Against F32, from which two are rounded, this is half the instructions; only scales
// lose bits, where they are products themselves (the K types): F16 keeps them to 2⁻¹¹ of their size.
// Pairs are neighbours; with HALVES_APART they are elements 0 2, 1 3, 4 6, 5 7, which lie 16 bits apart
// in the planes, so that a mask is all it takes.
#ifndef FIRESIDE_DECODE_HALVES_GLSL
#define FIRESIDE_DECODE_HALVES_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/quant/decode.glsl"

/// What makes 1024 + field of a field in the mantissa. Mask and exponent are one instruction where the
/// exponent is in a register: a kernel for which these instructions count defines HALVES_EXPONENT as a
/// variable of this value that the compiler cannot know.
const uint kHalvesExponent = 0x64006400u;
/// The same for fields from bit 4 on, of which 64 + field is made.
const uint kHighExponent = 0x54005400u;
#ifndef HALVES_EXPONENT
#define HALVES_EXPONENT kHalvesExponent
#define HIGH_EXPONENT kHighExponent
#endif

#ifdef HALVES_APART
uvec4 packHalves(vec4 a, vec4 b)
{
    return uvec4(packHalf2x16(a.xz), packHalf2x16(a.yw), packHalf2x16(b.xz), packHalf2x16(b.yw));
}
uvec4 reordered(uvec4 q)
{
    return uvec4((q.x & 0xffffu) | (q.y << 16), (q.x >> 16) | (q.y & 0xffff0000u),
                 (q.z & 0xffffu) | (q.w << 16), (q.z >> 16) | (q.w & 0xffff0000u));
}
uint paired(uint w)
{
    return w;
}
#else
uvec4 packHalves(vec4 a, vec4 b)
{
    return uvec4(packHalf2x16(a.xy), packHalf2x16(a.zw), packHalf2x16(b.xy), packHalf2x16(b.zw));
}
/// F16 as they lie in memory, in the order of pairs.
uvec4 reordered(uvec4 q)
{
    return q;
}
/// Bytes so that those 16 bits apart are a pair.
uint paired(uint w)
{
    return (w & 0xff0000ffu) | ((w & 0xff00u) << 8) | ((w >> 8) & 0xff00u);
}
#endif

// Scales of eight groups lie together in 16 bytes: a thread that goes along a row keeps them and reads
// only the weights themselves (Bare) at each step.
//   Kept keepScales(WeightRef w, uint eight)   of groups 8·eight …
//   Bare loadBare(WeightRef w, uint unit)
//   Packed joined(Bare b, Kept k, uint group)
#if defined(WEIGHT_q4_k) || defined(WEIGHT_q6_k) || defined(WEIGHT_q8_0)
#define KEEPS_SCALES
struct Kept
{
    uvec4 scales;
    uint d; // of 256 elements
};
/// Sixteen bits of the group.
uint scaleBits(Kept k, uint group)
{
    const uvec2 two = (group & 4) != 0 ? k.scales.zw : k.scales.xy;
    return (((group & 2) != 0 ? two.y : two.x) >> (16 * (group & 1))) & 0xffffu;
}
#if defined(WEIGHT_q6_k)
struct Bare
{
    uvec4 q;
    uvec2 high;
};
Kept keepScales(WeightRef w, uint eight)
{
    const uvec2 scales = nextPlane(nextPlane(w.address, w.groups, 16), w.groups, 8);
    const uvec2 d = nextPlane(scales, w.groups >> 3, 16);
    return Kept(Uints4(scales).v[eight], uint(Shorts(d).v[eight]));
}
Bare loadBare(WeightRef w, uint unit)
{
    return Bare(Uints4(w.address).v[unit], Uints2(nextPlane(w.address, w.groups, 16)).v[unit]);
}
Packed joined(Bare b, Kept k, uint group)
{
    return Packed(b.q, b.high, scaleBits(k, group), unpackHalf2x16(k.d).x);
}
#else
struct Bare
{
    uvec4 q;
};
Bare loadBare(WeightRef w, uint unit)
{
    return Bare(Uints4(w.address).v[unit]);
}
#if defined(WEIGHT_q8_0)
Kept keepScales(WeightRef w, uint eight)
{
    return Kept(Uints4(nextPlane(w.address, w.groups, 32)).v[eight], 0);
}
Packed joined(Bare b, Kept k, uint group)
{
    return Packed(b.q, unpackHalf2x16(scaleBits(k, group)).x);
}
#else
Kept keepScales(WeightRef w, uint eight)
{
    const uvec2 scales = nextPlane(w.address, w.groups, 16);
    return Kept(Uints4(scales).v[eight], Uints(nextPlane(scales, w.groups, 2)).v[eight]);
}
Packed joined(Bare b, Kept k, uint group)
{
    return Packed(b.q, scaleBits(k, group), k.d);
}
#endif
#endif
#endif

/// Scale and offset of a part, in F16: without a detour where they are whole numbers times F16.
f16vec2 halfScale(Opened p, uint part)
{
#if defined(WEIGHT_q4_k) || defined(WEIGHT_q5_k)
    const uint bytes = ((p.scales | (p.scales << 8)) & 0x00ff00ffu) | 0x64006400u; // 1024 + each
    const f16vec2 both = (unpackFloat2x16(bytes) - 1024.0hf) * unpackFloat2x16(p.d);
    return f16vec2(both.x, -both.y);
#elif defined(WEIGHT_q6_k)
    const uint bytes = ((p.scales | (p.scales << 8)) & 0x00ff00ffu) ^ 0x64806480u; // 1152 + each
    const f16vec2 both = (unpackFloat2x16(bytes) - 1152.0hf) * float16_t(p.d);
    return f16vec2(both[part], 0.0hf);
#else
    const vec2 scale = scaleOf(p, part);
    return f16vec2(float16_t(scale.x), float16_t(scale.y));
#endif
}

#if defined(WEIGHT_q6_k)
/// w moved so that bit `at` comes to bit `to`.
uint moved(uint w, uint at, uint to)
{
    return at > to ? w >> (at - to) : w << (to - at);
}
#endif

/// Elements 8·eighth … 8·eighth + 7 of an opened unit.
uvec4 eightHalves(Opened p, uint eighth)
{
#if defined(WEIGHT_f16)
    return reordered(p.q);
#else
    if (!kIntegerQuads)
        return packHalves(valueQuad(p, 2 * eighth), valueQuad(p, 2 * eighth + 1));
    const f16vec2 scale = halfScale(p, kHalfScales ? eighth >> 1 : 0);
    const f16vec2 d = f16vec2(scale.x), m = f16vec2(scale.y);
    const float16_t zero = float16_t(kIntegerZero);
    f16vec2 v[4];
#if defined(WEIGHT_q4_0) || defined(WEIGHT_q4_1) || defined(WEIGHT_q4_k) || defined(WEIGHT_q6_k)
    const uint a = paired(p.q[eighth]), b = a >> 8;
    uvec4 n = uvec4((a & 0x000f000fu) | HALVES_EXPONENT, (b & 0x000f000fu) | HALVES_EXPONENT,
                    (a & 0x00f000f0u) | HIGH_EXPONENT, (b & 0x00f000f0u) | HIGH_EXPONENT);
#if defined(WEIGHT_q6_k)
    const uint more = paired(p.high[eighth / 2]), at = 4 * (eighth & 1); // of byte 0, a low nibble
    n |= uvec4(moved(more, at, 4) & 0x00300030u, moved(more, at + 8, 4) & 0x00300030u,
               moved(more, at + 2, 8) & 0x03000300u, moved(more, at + 10, 8) & 0x03000300u);
#endif
    const f16vec2 low = f16vec2(1024.0hf + zero), high = f16vec2(64.0hf + zero);
    v[0] = unpackFloat2x16(n[0]) - low;
    v[1] = unpackFloat2x16(n[1]) - low;
    v[2] = unpackFloat2x16(n[2]) - high;
    v[3] = unpackFloat2x16(n[3]) - high;
#else
    const uint sign = HALVES_EXPONENT ^ 0x00800080u;
    [[unroll]] for (uint h = 0; h < 2; ++h) { // signed bytes
        const uint quad = paired(uint(integerQuad(p, 2 * eighth + h)));
        const f16vec2 all = f16vec2(1152.0hf + zero);
        v[2 * h] = unpackFloat2x16((quad & 0x00ff00ffu) ^ sign) - all;
        v[2 * h + 1] = unpackFloat2x16(((quad >> 8) & 0x00ff00ffu) ^ sign) - all;
    }
#endif
    uvec4 result;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        result[i] = packFloat2x16(kOffset ? fma(v[i], d, m) : v[i] * d);
    return result;
#endif
}

#endif
