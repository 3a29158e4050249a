// x in F32 in registers, products in F32: for all types of weights.
vec4 xOwn[8]; // 32 elements, unit by unit
float xTotal[kUnits * kParts]; // sums, where the weights have offsets

/// Fetches this thread's elements of a row of x; zeros beyond its end. The squares are added to those
/// of column c the first time.
void loadX(uint column, uint c, bool firstTime)
{
    [[unroll]] for (uint i = 0; i < kUnits; ++i) {
        [[unroll]] for (uint q = 0; q < kQuadsPerUnit; ++q) {
            const uint element = places[i] * kUnit + 4 * q;
            vec4 v = vec4(0);
            if (inside[i] && element < push.cols && (kExperts != kNoExperts || column < push.count))
                v = loadFour(push.x, kXHalf, kFours, column * push.xStride + element, element,
                             push.cols);
            if (kSumming)
                v *= share;
            if (kNorm) {
                if (firstTime)
                    squares[c] += dot(v, v);
                if (element < push.cols)
                    v *= loadFour(push.norm, false, kFours, element, element, push.cols);
            }
            xOwn[i * kQuadsPerUnit + q] = v;
        }
        [[unroll]] for (uint part = 0; part < kParts; ++part) {
            float total = 0;
            if (kOffset)
                [[unroll]] for (uint q = 0; q < kQuadsPerPart; ++q) {
                    const vec4 v = xOwn[i * kQuadsPerUnit + part * kQuadsPerPart + q];
                    total += (v.x + v.y) + (v.z + v.w);
                }
            xTotal[i * kParts + part] = total;
        }
    }
}

float multiplyAdd(vec4 a, vec4 b, float sum)
{
    return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

/// Adds the product of one unit of a slot's row with x to the sum of column c.
void multiplyUnit(uint slot, uint i, uint c)
{
    const Opened p = opened(packed[slot * kUnits + i]);
    [[unroll]] for (uint part = 0; part < kParts; ++part) {
        float raw = 0;
        [[unroll]] for (uint q = 0; q < kQuadsPerPart; ++q) {
            const uint quad = part * kQuadsPerPart + q;
            vec4 w = rawQuad(p, quad);
            if (kUnit == 4 && !kFours) // a vector's memory has no zeros behind it
                w = mix(w, vec4(0),
                        greaterThanEqual(uvec4(0, 1, 2, 3) + places[i] * kUnit, uvec4(push.cols)));
            raw = multiplyAdd(w, xOwn[i * kQuadsPerUnit + quad], raw);
        }
        const vec2 scale = scaleOf(p, part);
        const uint at = slot * kColumns + c;
        sums[at] = fma(raw, scale.x, sums[at]);
        if (kOffset)
            sums[at] = fma(xTotal[i * kParts + part], scale.y, sums[at]);
    }
}
