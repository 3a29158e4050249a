// What the tiled products have in common: which rows and columns a group computes, how x is read,
// and what becomes of a sum.
#include "shaders/common/activations.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/matmul/gemm.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 128;
layout(constant_id = 1) const uint FLAGS = 0;
layout(constant_id = 2) const uint ACTIVATION = kActivationNone;
layout(constant_id = 3) const uint TILE_ROWS = 64; // rows of x
layout(constant_id = 4) const uint TILE_OUTS = 64; // rows of the weight

layout(push_constant, scalar) uniform Push { GemmPush push; };

const bool X_HALF = (FLAGS & kGemmXHalf) != 0;
const bool OUT_HALF = (FLAGS & kGemmOutHalf) != 0;
const bool GATED = (FLAGS & kGemmGated) != 0;
const bool X_WIDE = (FLAGS & kGemmXWide) != 0;

const float kLargestHalf = 65504.0;
/// What is too large for F16 becomes its largest number: an infinity would spoil whole sums.
vec4 limited(vec4 x)
{
    return clamp(x, vec4(-kLargestHalf), vec4(kLargestHalf));
}

uint tileFirst; // row, or place in the order
uint tileCount; // rows there are, up to TILE_ROWS
uint tileDepth; // expert or head
uint tileOut;   // first row of the weight
uint tileXColumn, tileOutColumn;

/// False: nothing to compute here.
bool findTile()
{
    tileOut = push.firstOut + gl_WorkGroupID.y * TILE_OUTS;
    tileDepth = 0;
    tileXColumn = 0;
    tileOutColumn = 0;
    if ((FLAGS & kGemmExperts) != 0) {
        const uvec4 tile = Uints4(push.tiles).v[gl_WorkGroupID.x];
        tileDepth = tile.x;
        tileFirst = tile.y;
        tileCount = tile.z;
        return tileCount > 0;
    }
    if ((FLAGS & kGemmHeads) != 0) {
        tileDepth = gl_WorkGroupID.z;
        tileXColumn = tileDepth * push.cols;
        tileOutColumn = tileDepth * push.outs;
    }
    tileFirst = gl_WorkGroupID.x * TILE_ROWS;
    tileCount = min(TILE_ROWS, push.rows - tileFirst);
    return true;
}

/// The row of out of a row of the tile.
uint outputRow(uint row)
{
    return (FLAGS & kGemmExperts) != 0 ? Uints(push.order).v[tileFirst + row] : tileFirst + row;
}
/// Where a row of x begins, in elements.
uint inputBegin(uint row)
{
    const uint outRow = outputRow(row);
    return ((FLAGS & kGemmExperts) != 0 ? outRow / push.pairsPerRow : outRow) * push.xStride
           + tileXColumn;
}

/// x[begin + col …], four of them, zero beyond cols.
vec4 loadX4(uint begin, uint col)
{
    if (X_WIDE) {
        if (col >= push.cols)
            return vec4(0);
        if (!X_HALF)
            return Floats4(push.x).v[(begin + col) / 4];
        const uvec2 halves = Uints2(push.x).v[(begin + col) / 4];
        return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
    }
    vec4 value = vec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i)
        if (col + i < push.cols)
            value[i] = loadActivation(push.x, X_HALF, begin + col + i);
    return value;
}

/// Eight F16 of x as they are; only with X_HALF and X_WIDE. All of x's rows begin at multiples of 16
/// bytes then, and cols is a multiple of 8.
uvec4 loadXHalves8(uint begin, uint col)
{
    return col < push.cols ? Uints4(push.x).v[(begin + col) / 8] : uvec4(0);
}

/// Which groups of 32 columns this group sums.
uvec2 pieceOfCols()
{
    if ((FLAGS & kGemmPartial) == 0)
        return uvec2(0, push.groupsPerRow);
    const uint first = gl_WorkGroupID.z * push.groupsPerPiece;
    return uvec2(first, min(first + push.groupsPerPiece, push.groupsPerRow));
}

/// Adds biases, applies the activation and stores one element of out. `o` is a row of the weight.
void finish(uint outRow, uint o, float sum, float upSum)
{
    if ((FLAGS & kGemmPartial) != 0) {
        const uint plane = gl_WorkGroupID.z * (GATED ? 2 : 1);
        Floats(push.result).v[(plane * push.rows + outRow) * push.outs + o] = sum;
        if (GATED)
            Floats(push.result).v[((plane + 1) * push.rows + outRow) * push.outs + o] = upSum;
        return;
    }
    if ((FLAGS & kGemmBias) != 0)
        sum += Floats(push.bias).v[tileDepth * push.outs + o];
    if (GATED) {
        if ((FLAGS & kGemmUpBias) != 0)
            upSum += Floats(push.upBias).v[tileDepth * push.outs + o];
        sum = gatedActivation(ACTIVATION, sum, upSum);
    }
    const uint index = outRow * push.outStride + tileOutColumn + o;
    if ((FLAGS & kGemmAdd) != 0)
        sum += loadActivation(push.result, OUT_HALF, index);
    storeActivation(push.result, OUT_HALF, index, OUT_HALF ? limited(vec4(sum)).x : sum);
}

vec4 loadOut4(uint index)
{
    if (!OUT_HALF)
        return Floats4(push.result).v[index / 4];
    const uvec2 halves = Uints2(push.result).v[index / 4];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

/// The same for outs o … o + 3, o a multiple of 4.
void finish4(uint outRow, uint o, vec4 sum, vec4 upSum)
{
    if ((FLAGS & kGemmOutWide) == 0) {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (o + i < push.outs)
                finish(outRow, o + i, sum[i], upSum[i]);
        return;
    }
    if (o >= push.outs)
        return;
    if ((FLAGS & kGemmPartial) != 0) {
        const uint plane = gl_WorkGroupID.z * (GATED ? 2 : 1);
        Floats4(push.result).v[((plane * push.rows + outRow) * push.outs + o) / 4] = sum;
        if (GATED)
            Floats4(push.result).v[(((plane + 1) * push.rows + outRow) * push.outs + o) / 4] =
                upSum;
        return;
    }
    if ((FLAGS & kGemmBias) != 0)
        sum += Floats4(push.bias).v[(tileDepth * push.outs + o) / 4];
    if (GATED) {
        if ((FLAGS & kGemmUpBias) != 0)
            upSum += Floats4(push.upBias).v[(tileDepth * push.outs + o) / 4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            sum[i] = gatedActivation(ACTIVATION, sum[i], upSum[i]);
    }
    const uint index = outRow * push.outStride + tileOutColumn + o;
    if ((FLAGS & kGemmAdd) != 0)
        sum += loadOut4(index);
    if (OUT_HALF)
        Uints2(push.result).v[index / 4] =
            uvec2(packHalf2x16(limited(sum).xy), packHalf2x16(limited(sum).zw));
    else
        Floats4(push.result).v[index / 4] = sum;
}

/// The rows of pairs that named no expert.
void storeNothing()
{
    for (uint i = gl_LocalInvocationIndex; i < tileCount * TILE_OUTS; i += gl_WorkGroupSize.x) {
        const uint o = tileOut + i % TILE_OUTS;
        if (o < push.outs && (FLAGS & kGemmAdd) == 0)
            storeActivation(push.result, OUT_HALF,
                            outputRow(i / TILE_OUTS) * push.outStride + tileOutColumn + o, 0.0);
    }
}
