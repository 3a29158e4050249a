// x in shared memory as it is, products in F32: for all types of weights.

// One vec4 of padding after each eight: whatever the unit's size, the threads of a subgroup then read
// from different banks.
const uint kXStride = kChunk / 4 + kChunk / 32;
shared vec4 xShared[kColumns * kXStride];

uint placeOf(uint quad)
{
    return quad + (quad >> 3);
}

/// Brings elements [first, end) of all columns to shared memory.
void stage(uint firstColumn, uint first, uint end)
{
    const uint quads = (end - first) / 4;
    // Several loads at once before the first is stored.
    for (uint from = gl_LocalInvocationID.x; from < quads; from += kBatch * gl_WorkGroupSize.x) {
        vec4 v[kBatch * kColumns];
        [[unroll]] for (uint i = 0; i < kBatch; ++i) {
            const uint element = first + 4 * (from + i * gl_WorkGroupSize.x);
            const vec4 weight = kNorm && element < push.cols ? loadNorm(element) : vec4(1);
            [[unroll]] for (uint c = 0; c < kColumns; ++c)
                v[i * kColumns + c] =
                    takeX(firstColumn, c, element < end ? element : push.cols, weight);
        }
        [[unroll]] for (uint i = 0; i < kBatch; ++i) {
            const uint quad = from + i * gl_WorkGroupSize.x;
            if (quad < quads) {
                [[unroll]] for (uint c = 0; c < kColumns; ++c)
                    xShared[c * kXStride + placeOf(quad)] = v[i * kColumns + c];
            }
        }
    }
}

float multiplyAdd(vec4 a, vec4 b, float sum)
{
    return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

/// Adds the products of one unit of each row, from `first` on in `now`, with x from `element` of the
/// chunk on, to `sums`. Where a unit has four elements only the first `inside` count.
void multiplyUnit(uint first, uint element, uint inside)
{
    [[unroll]] for (uint part = 0; part < kParts; ++part) {
        float raw[kSlots * kColumns], total[kColumns];
        [[unroll]] for (uint i = 0; i < kSlots * kColumns; ++i)
            raw[i] = 0;
        [[unroll]] for (uint c = 0; c < kColumns; ++c)
            total[c] = 0;
        [[unroll]] for (uint q = 0; q < kQuadsPerPart; ++q) {
            const uint quad = part * kQuadsPerPart + q;
            vec4 x[kColumns];
            [[unroll]] for (uint c = 0; c < kColumns; ++c) {
                x[c] = xShared[c * kXStride + placeOf(element / 4 + quad)];
                if (kOffset)
                    total[c] += (x[c].x + x[c].y) + (x[c].z + x[c].w);
            }
            [[unroll]] for (uint slot = 0; slot < kSlots; ++slot) {
                vec4 w = rawQuad(now[first + slot], quad);
                if (kUnit == 4 && !kFours) // a vector's memory has no zeros behind it
                    w = mix(w, vec4(0), greaterThanEqual(uvec4(0, 1, 2, 3), uvec4(inside)));
                [[unroll]] for (uint c = 0; c < kColumns; ++c)
                    raw[slot * kColumns + c] = multiplyAdd(w, x[c], raw[slot * kColumns + c]);
            }
        }
        [[unroll]] for (uint slot = 0; slot < kSlots; ++slot) {
            const vec2 scale = scaleOf(now[first + slot], part);
            [[unroll]] for (uint c = 0; c < kColumns; ++c) {
                const uint i = slot * kColumns + c;
                sums[i] = fma(raw[i], scale.x, sums[i]);
                if (kOffset)
                    sums[i] = fma(total[c], scale.y, sums[i]);
            }
        }
    }
}
