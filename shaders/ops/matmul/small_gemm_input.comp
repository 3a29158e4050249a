#version 460
// x [T, cols], normed or not, as matrix B of small_gemm_matrix.comp: F16, ordered so that a lane loads 16
// bytes for two matrices. With kExact two F16 for each element: the leading bits, then the rest.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/ops/matmul/small_gemm.h"

KERNEL(SMALL_GEMM_INPUT_CONSTANTS, SmallGemmInputPush)

const uint kParts = kExact ? 2 : 1;

vec4 loadX(uint column, uint element)
{
    return kFours && element >= push.cols
               ? vec4(0)
               : loadFour(push.x, kXHalf, kFours, column * push.xStride + element, element, push.cols);
}
vec4 loadNorm(uint element)
{
    return kFours && element >= push.cols
               ? vec4(0)
               : loadFour(push.norm, false, kFours, element, element, push.cols);
}
uvec4 halvesOf(vec4 a, vec4 b)
{
    return uvec4(packHalf2x16(a.xz), packHalf2x16(a.yw), packHalf2x16(b.xz), packHalf2x16(b.yw));
}

void store(uint row, uint element, vec4 a, vec4 b)
{
    a = limited(a);
    b = limited(b);
    const uint unit = element / kUnit, eighth = element % kUnit / 8;
    const uint held = unit / (4 * kTogether) * kTogether + unit % kTogether;
    const uint step = (held * (kUnit / 8) + eighth) * kParts; // two matrices each
    const uint place = row % 8 * 4 + unit / kTogether % 4, across = kColumns / 8;
    const uint at = (step * across + row / 8) * 32 + place;
    if (kExact) {
        const vec4 leadingA = leadingBits(a), leadingB = leadingBits(b);
        Uints4(push.result).v[at] = halvesOf(leadingA, leadingB);
        Uints4(push.result).v[at + across * 32] = halvesOf(a - leadingA, b - leadingB);
    } else {
        Uints4(push.result).v[at] = halvesOf(a, b);
    }
}

void main()
{
    const uint row = gl_WorkGroupID.x, threads = gl_WorkGroupSize.x;
    const uint step = 8 * threads * gl_NumWorkGroups.y;
    const uint begin = 8 * (gl_WorkGroupID.y * threads + gl_LocalInvocationID.x);
    if (row >= push.count) {
        for (uint e = begin; e < push.paddedCols; e += step)
            store(row, e, vec4(0), vec4(0));
        return;
    }
    float factor = 1;
    vec4 first[2];
    [[unroll]] for (uint i = 0; i < 2; ++i)
        first[i] = loadX(row, begin + 4 * i);
    if (kNorm) { // one workgroup for each row
        float squares = dot(first[0], first[0]) + dot(first[1], first[1]);
        for (uint e = begin + step; e < push.cols; e += step) {
            const vec4 a = loadX(row, e), b = loadX(row, e + 4);
            squares += dot(a, a) + dot(b, b);
        }
        factor = inversesqrt(groupSum(squares) / float(push.cols) + push.eps);
    }
    for (uint e = begin; e < push.paddedCols; e += step) {
        vec4 a = e == begin ? first[0] : loadX(row, e);
        vec4 b = e == begin ? first[1] : loadX(row, e + 4);
        if (kNorm) {
            a *= factor * loadNorm(e);
            b *= factor * loadNorm(e + 4);
        }
        store(row, e, a, b);
    }
}
