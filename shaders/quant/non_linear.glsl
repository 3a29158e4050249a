// The values of IQ4_NL and IQ4_XS, without a table. A nibble is kept as bits that lie in four words
// of slices (planes.h); each bit of value + 3 is a function of these four, found for all 32 elements at
// once. Then bits are put together: by two, four and eight. The types differ in how a unit is loaded and
// what its scale is.
const uint kUnit = 32;
const bool kHalfScales = false, kOffset = false, kIntegerQuads = true;
const float kIntegerZero = 3;

/// Bit k of value + 3, as a signed byte, of all elements.
void nonLinearBits(uvec4 q, out uint bit[8])
{
    const uint a = q.x, b = q.y, c = q.z, d = q.w;
    bit[0] = a & ~d;
    bit[1] = (a ^ b) & (b | c) & ~d;
    bit[2] = (d | (a ^ c)) & (b ^ c);
    bit[3] = a;
    bit[4] = c ^ ((d & (b | ~c)) | ~a);
    bit[5] = ((a ^ d) | (a & ~b)) & (b | ~c);
    bit[6] = b;
    bit[7] = d ^ ((b ^ c) | (b & ~d) | (a & d));
}
/// value + 3 of all 32 elements as signed bytes, four to a word.
uint[8] nonLinearQuads(uvec4 q)
{
    uint bit[8];
    nonLinearBits(q, bit);
    uint two[2][4], four[4][2]; // [lowest bits of the quad][which bits of the value]
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        const uint m = 0x55555555u, a = bit[2 * k], b = bit[2 * k + 1];
        two[0][k] = (a & m) | ((b << 1) & ~m);
        two[1][k] = ((a >> 1) & m) | (b & ~m);
    }
    [[unroll]] for (uint q0 = 0; q0 < 2; ++q0) {
        [[unroll]] for (uint k = 0; k < 2; ++k) {
            const uint m = 0x33333333u, a = two[q0][2 * k], b = two[q0][2 * k + 1];
            four[q0][k] = (a & m) | ((b << 2) & ~m);
            four[q0 + 2][k] = ((a >> 2) & m) | (b & ~m);
        }
    }
    uint w[8];
    [[unroll]] for (uint q1 = 0; q1 < 4; ++q1) {
        const uint m = 0x0f0f0f0fu, a = four[q1][0], b = four[q1][1];
        w[q1] = (a & m) | ((b << 4) & ~m);
        w[q1 + 4] = ((a >> 4) & m) | (b & ~m);
    }
    return w;
}

#define OPENS_UNITS
struct Opened
{
    uint w[8];
    float scale;
};
vec4 rawQuad(Opened p, uint quad)
{
    return fields(p.w[quad] ^ 0x80808080u, 0, 8, 128 + kIntegerZero);
}
vec2 scaleOf(Opened p, uint part)
{
    return vec2(p.scale, 0);
}
int integerQuad(Opened p, uint quad)
{
    return int(p.w[quad]);
}
