// Writes a row of a cache from `shared float staged[]`. The includer also declares
// `shared uint magnitudes[]` with room for a quarter of a row.
#include "shaders/common/cache.glsl"

/// All threads of the workgroup, after a barrier behind the writes to `staged`. Q8_0 rounds like the
/// CPU's engine/cpu/ops/kv_append.cpp: scale = largest magnitude / 127, quotients to nearest even.
void storeCacheRow(uvec2 row, uint type, uint channels)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    if (type == kCacheF32) {
        for (uint c = thread; c < channels; c += threads)
            Floats(row).v[c] = staged[c];
        return;
    }
    if (type == kCacheF16) {
        for (uint c = thread; c < channels; c += threads)
            Halves(row).v[c] = float16_t(staged[c]);
        return;
    }
    for (uint quad = thread; quad < channels / 4; quad += threads) {
        uint largest = 0; // magnitudes of floats order like their bits
        for (uint i = 0; i < 4; ++i)
            largest = max(largest, floatBitsToUint(staged[4 * quad + i]) & 0x7fffffffu);
        magnitudes[quad] = largest;
    }
    barrier();
    for (uint quad = thread; quad < channels / 4; quad += threads) {
        uint largest = 0;
        for (uint i = 0; i < 8; ++i)
            largest = max(largest, magnitudes[(quad & ~7u) + i]);
        // A broken activation must not turn into a plausible one: every value reads as NaN.
        const bool broken = largest >= 0x7f800000u;
        const float magnitude = uintBitsToFloat(largest);
        const float inverse = magnitude > 0 ? 127 / magnitude : 0;
        uint word = 0x01010101u;
        if (!broken) {
            word = 0;
            for (uint i = 0; i < 4; ++i) {
                const int q = int(roundEven(staged[4 * quad + i] * inverse));
                word |= (uint(q) & 0xffu) << (8 * i);
            }
        }
        const uvec2 at = addBytes(row, 4 * quad);
        Shorts(at).v[0] = uint16_t(word & 0xffffu);
        Shorts(at).v[1] = uint16_t(word >> 16);
        if (quad % 8 == 0) {
            const uvec2 scales = addBytes(row, channels);
            if (broken)
                Shorts(scales).v[quad / 8] = uint16_t(0x7e00);
            else
                Halves(scales).v[quad / 8] = float16_t(magnitude / 127);
        }
    }
}
