// Weights as F16 for matrices, eight at a time, with arithmetic on pairs of F16: a byte put into the
// mantissa of 1024 is 1024 + byte, exactly, and so is what remains when the 1024 is taken off. Then one
// multiply-add. Against F32, from which two are rounded, this is half the instructions; only scales
// lose bits, where they are products themselves (the K types): F16 keeps them to 2⁻¹¹ of their size.
#ifndef FIRESIDE_DECODE_HALVES_GLSL
#define FIRESIDE_DECODE_HALVES_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/quant/decode.glsl"

uvec4 packHalves(vec4 a, vec4 b)
{
    return uvec4(packHalf2x16(a.xy), packHalf2x16(a.zw), packHalf2x16(b.xy), packHalf2x16(b.zw));
}

#if defined(WEIGHT_q4_0) || defined(WEIGHT_q4_1) || defined(WEIGHT_q4_k)
#define PLAIN_NIBBLES
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

/// Signed bytes 0 and 1 of w as F16, and of w >> 8 bytes 1 and 2, less `zero`.
f16vec2 bytePair(uint w, float16_t zero)
{
    const uint spread = (w & 0xffu) | ((w & 0xff00u) << 8);
    return unpackFloat2x16(spread ^ 0x64806480u) - (1152.0hf + zero);
}

/// Elements 8·eighth … 8·eighth + 7 of a loaded unit.
uvec4 eightHalves(Packed p, uint eighth)
{
#if defined(WEIGHT_f16)
    return p.q;
#else
    if (!kIntegerQuads)
        return packHalves(valueQuad(p, 2 * eighth), valueQuad(p, 2 * eighth + 1));
    const vec2 scale = scaleOf(p, kHalfScales ? eighth >> 1 : 0);
    const f16vec2 d = f16vec2(float16_t(scale.x)), m = f16vec2(float16_t(scale.y));
    const float16_t zero = float16_t(kIntegerZero);
    f16vec2 v[4];
#ifdef PLAIN_NIBBLES
    // Bytes 0 2 1 3, so that neighbours are 16 bits apart; the high nibbles count 16 times.
    const uint w = p.q[eighth];
    const uint a = (w & 0xff0000ffu) | ((w & 0xff00u) << 8) | ((w >> 8) & 0xff00u), b = a >> 8;
    const f16vec2 low = f16vec2(1024.0hf + zero), high = f16vec2(64.0hf + zero);
    v[0] = unpackFloat2x16((a & 0x000f000fu) | 0x64006400u) - low;
    v[1] = unpackFloat2x16((b & 0x000f000fu) | 0x64006400u) - low;
    v[2] = fma(unpackFloat2x16((a & 0x00f000f0u) | 0x64006400u), f16vec2(0.0625hf), -high);
    v[3] = fma(unpackFloat2x16((b & 0x00f000f0u) | 0x64006400u), f16vec2(0.0625hf), -high);
#else
    [[unroll]] for (uint h = 0; h < 2; ++h) {
        const uint quad = uint(integerQuad(p, 2 * eighth + h));
        v[2 * h] = bytePair(quad, zero);
        v[2 * h + 1] = bytePair(quad >> 16, zero);
    }
#endif
    uvec4 result;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        result[i] = packFloat2x16(kOffset ? fma(v[i], d, m) : v[i] * d);
    return result;
#endif
}

#endif
