// The scales of Q4_K and Q5_K: 16 bytes for 256 elements.

/// Scale and offset of the j-th 32 elements.
vec2 scaleAndMinimum(uvec4 s, uint j)
{
    const uint scale = ((s.y >> (4 * j)) & 15u) | (((s.w >> (2 * j)) & 3u) << 4);
    const uint minimum = ((s.z >> (4 * j)) & 15u) | (((s.w >> (2 * j + 16)) & 3u) << 4);
    const vec2 d = unpackHalf2x16(s.x);
    return vec2(d.x * small(scale), -d.y * small(minimum));
}
