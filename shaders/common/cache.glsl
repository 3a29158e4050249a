// Rows of keys and values in a cache: F32, F16 or Q8_0, read eight channels at a time and written
// from shared memory. A Q8_0 row of n channels is n signed bytes and then n / 32 scales (F16): the
// bytes of GGUF's blocks, with the scales moved behind so that the rest can be loaded in words.
#ifndef FIRESIDE_CACHE_GLSL
#define FIRESIDE_CACHE_GLSL
#include "shaders/common/references.glsl"

const uint kCacheF32 = 0, kCacheF16 = 1, kCacheQ8 = 2;

uint cacheRowBytes(uint type, uint channels)
{
    return type == kCacheF32 ? 4 * channels
           : type == kCacheF16 ? 2 * channels
                               : channels + channels / 16;
}

uvec2 addProduct(uvec2 address, uint a, uint b)
{
    uint high, low, carry;
    umulExtended(a, b, high, low);
    low = uaddCarry(address.x, low, carry);
    return uvec2(low, address.y + high + carry);
}

/// Eight channels as they lie in the row.
struct CacheChunk
{
    uvec4 a, b; // F16 needs a alone; Q8_0 a.xy and its scale in b.x
};
const CacheChunk kNoChunk = CacheChunk(uvec4(0), uvec4(0));

/// Channels first … first + 7 of a row of `channels`; beyond them zeros. Every row begins at a
/// multiple of `step` bytes; 16 also promises that channels is a multiple of 8.
CacheChunk fetchChunk(uvec2 row, uint type, uint step, uint channels, uint first)
{
    CacheChunk chunk = kNoChunk;
    if (type == kCacheF16) {
        const uvec2 at = addBytes(row, 2 * first);
        if (step >= 16) {
            chunk.a = Uints4(at).v[0];
        } else {
            for (uint i = 0; i < 4; ++i) {
                const uint c = first + 2 * i;
                if (c + 1 < channels && step >= 4)
                    chunk.a[i] = Uints(at).v[i];
                else if (c < channels)
                    chunk.a[i] = uint(Shorts(at).v[2 * i]) |
                                 (c + 1 < channels ? uint(Shorts(at).v[2 * i + 1]) << 16 : 0u);
            }
        }
    } else if (type == kCacheF32) {
        const uvec2 at = addBytes(row, 4 * first);
        if (step >= 16) {
            chunk.a = Uints4(at).v[0];
            chunk.b = Uints4(at).v[1];
        } else {
            for (uint i = 0; i < 4; ++i) {
                if (first + i < channels)
                    chunk.a[i] = Uints(at).v[i];
                if (first + 4 + i < channels)
                    chunk.b[i] = Uints(at).v[4 + i];
            }
        }
    } else {
        const uvec2 at = addBytes(row, first);
        if (step >= 8)
            chunk.a.xy = Uints2(at).v[0];
        else if (step >= 4)
            chunk.a.xy = uvec2(Uints(at).v[0], Uints(at).v[1]);
        else
            chunk.a.xy = uvec2(uint(Shorts(at).v[0]) | uint(Shorts(at).v[1]) << 16,
                               uint(Shorts(at).v[2]) | uint(Shorts(at).v[3]) << 16);
        chunk.b.x = uint(Shorts(addBytes(row, channels)).v[first / 32]);
    }
    return chunk;
}

vec4 signedBytes(uint word)
{
    const int w = int(word);
    return vec4(bitfieldExtract(w, 0, 8), bitfieldExtract(w, 8, 8), bitfieldExtract(w, 16, 8),
                bitfieldExtract(w, 24, 8));
}
/// Channels 0 … 3 of a chunk, and 4 … 7.
vec4 lowChannels(CacheChunk chunk, uint type)
{
    if (type == kCacheF16)
        return vec4(unpackHalf2x16(chunk.a.x), unpackHalf2x16(chunk.a.y));
    if (type == kCacheF32)
        return uintBitsToFloat(chunk.a);
    return signedBytes(chunk.a.x) * unpackHalf2x16(chunk.b.x).x;
}
vec4 highChannels(CacheChunk chunk, uint type)
{
    if (type == kCacheF16)
        return vec4(unpackHalf2x16(chunk.a.z), unpackHalf2x16(chunk.a.w));
    if (type == kCacheF32)
        return uintBitsToFloat(chunk.b);
    return signedBytes(chunk.a.y) * unpackHalf2x16(chunk.b.x).x;
}

#endif
