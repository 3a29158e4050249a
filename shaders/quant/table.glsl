// Sixteen values by nibble, kept in shared memory: sixteen banks, so no reads collide.
#define DECODER_TABLE
shared float decoderTable[16];

vec4 tableQuad(uvec4 plane, uint quad)
{
    const uint n = nibbles(plane, quad);
    return vec4(decoderTable[n & 15u], decoderTable[(n >> 8) & 15u], decoderTable[(n >> 16) & 15u],
                decoderTable[n >> 24]);
}
