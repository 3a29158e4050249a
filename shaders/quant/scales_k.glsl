// The scales of Q4_K and Q5_K: a byte each for scale and minimum, and d and dmin of 256 elements.
vec2 scaleAndMinimum(uint bytes, uint d)
{
    const vec2 factors = unpackHalf2x16(d);
    return vec2(factors.x * small(bytes & 255u), -factors.y * small(bytes >> 8));
}
