// x in shared memory as whole numbers, products by the integer dot product of four bytes: each 32
// elements have a scale, and each element is kPlanes signed bytes b₀ + 256·b₁ + 65536·b₂. The sums are
// exact, so what is lost is x's rounding alone: 4e-3 of the largest of the 32 with one plane, 1.5e-5
// with two, 6e-8 with three.
#extension GL_EXT_integer_dot_product : require
#extension GL_KHR_shader_subgroup_shuffle : require

// In units of 16 bytes, with one more after each eight: see matvec_float.glsl.
const uint kXStride = kChunk / 16 + kChunk / 128;
shared uvec4 xShared[kColumns * kPlanes * kXStride];
shared float scaleShared[kColumns * kChunk / 32];
shared float totalShared[kColumns * kChunk / 16]; // sums of 16 elements

uint placeOf(uint sixteenth)
{
    return sixteenth + (sixteenth >> 3);
}

void storeX(uint column, uint quad, vec4 v)
{
    // Eight threads have the 32 elements; subgroups are at least as large. (Clustered sums are wrong in
    // some versions of Mesa.)
    float largest = max(max(abs(v.x), abs(v.y)), max(abs(v.z), abs(v.w)));
    [[unroll]] for (uint distance = 1; distance < 8; distance *= 2)
        largest = max(largest, subgroupShuffleXor(largest, distance));
    const float most = kPlanes == 1 ? 127.0 : kPlanes == 2 ? 127.0 * 256.0 : 127.0 * 65536.0;
    const float scale = largest / most;
    const float inverse = largest > 0 ? most / largest : 0;
    ivec4 n = ivec4(round(v * inverse));
    int total = (n.x + n.y) + (n.z + n.w);
    total += subgroupShuffleXor(total, 1);
    total += subgroupShuffleXor(total, 2);
    [[unroll]] for (uint plane = 0; plane < kPlanes; ++plane) {
        const ivec4 low = (n << 24) >> 24;
        const uvec4 bytes = uvec4(low) & 255u;
        xShared[(column * kPlanes + plane) * kXStride + placeOf(quad >> 2)][quad & 3] =
            bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24;
        n = (n - low) >> 8;
    }
    if ((quad & 3) == 0)
        totalShared[column * (kChunk / 16) + (quad >> 2)] = float(total) * scale;
    if ((quad & 7) == 0)
        scaleShared[column * (kChunk / 32) + (quad >> 3)] = scale;
}

/// Brings elements [first, end) of all columns to shared memory; end − first is a multiple of 32.
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
                    storeX(c, quad, v[i * kColumns + c]);
            }
        }
    }
}

/// Adds the products of one unit of each row, from `first` on in `now`, with x from `element` of the
/// chunk on, to `sums`.
void multiplyUnit(uint first, uint element, uint inside)
{
    [[unroll]] for (uint part = 0; part < kParts; ++part) {
        int dots[kSlots * kColumns * kPlanes];
        [[unroll]] for (uint i = 0; i < kSlots * kColumns * kPlanes; ++i)
            dots[i] = 0;
        [[unroll]] for (uint f = 0; f < kQuadsPerPart / 4; ++f) { // four quads: 16 elements
            const uint sixteenth = part * kQuadsPerPart / 4 + f;
            uvec4 x[kColumns * kPlanes];
            [[unroll]] for (uint i = 0; i < kColumns * kPlanes; ++i)
                x[i] = xShared[i * kXStride + placeOf(element / 16 + sixteenth)];
            [[unroll]] for (uint slot = 0; slot < kSlots; ++slot) {
                [[unroll]] for (uint q = 0; q < 4; ++q) {
                    const int w = integerQuad(now[first + slot], 4 * sixteenth + q);
                    [[unroll]] for (uint i = 0; i < kColumns * kPlanes; ++i) {
                        const uint at = slot * kColumns * kPlanes + i;
                        dots[at] += dotPacked4x8EXT(w, int(x[i][q]));
                    }
                }
            }
        }
        [[unroll]] for (uint c = 0; c < kColumns; ++c) {
            const float xScale = scaleShared[c * (kChunk / 32) + element / 32];
            const uint place = c * (kChunk / 16) + element / 16 + part * (kQuadsPerPart / 4);
            float total = totalShared[place];
            if (kQuadsPerPart == 8)
                total += totalShared[place + 1];
            [[unroll]] for (uint slot = 0; slot < kSlots; ++slot) {
                const uint i = slot * kColumns + c;
                float raw = smallSigned(dots[i * kPlanes + kPlanes - 1]);
                [[unroll]] for (uint p = 1; p < kPlanes; ++p)
                    raw = fma(raw, 256.0, smallSigned(dots[i * kPlanes + kPlanes - 1 - p]));
                raw *= xScale;
                if (kIntegerZero != 0)
                    raw = fma(total, -kIntegerZero, raw);
                const vec2 scale = scaleOf(now[first + slot], part);
                sums[i] = fma(raw, scale.x, sums[i]);
                if (kOffset)
                    sums[i] = fma(total, scale.y, sums[i]);
            }
        }
    }
}
