// What gemm.comp and gemm_matrix.comp share: the rows and columns of a workgroup, how x is read, and what
// becomes of a sum.
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/pass_tables.glsl"

const bool kXHalf = (kFlags & kGemmXHalf) != 0;
const bool kOutHalf = (kFlags & kGemmOutHalf) != 0;
const bool kGated = (kFlags & kGemmGated) != 0;
const bool kXWide = (kFlags & kGemmXWide) != 0;

uint tileFirst; // row, or place in the order
uint tileCount; // rows there are, up to kTileRows
uint tileDepth; // expert or head
uint tileOut;   // first row of the weight
uint tileXColumn, tileOutColumn;
uvec2 latentRows; // with kGemmLatent
const bool kLatent = (kFlags & kGemmLatent) != 0;
#define X_ROWS (kLatent ? latentRows : push.x)

/// False: nothing to compute here.
bool findTile()
{
    tileOut = push.firstOut + gl_WorkGroupID.y * kTileOuts;
    tileDepth = 0;
    tileXColumn = 0;
    tileOutColumn = 0;
    if ((kFlags & kGemmExperts) != 0) {
        const uvec4 tile = Uints4(push.tiles).v[gl_WorkGroupID.x];
        tileDepth = tile.x;
        tileFirst = tile.y;
        tileCount = tile.z;
        return tileCount > 0;
    }
    if ((kFlags & kGemmHeads) != 0) {
        tileDepth = gl_WorkGroupID.z;
        tileXColumn = tileDepth * push.xStep;
        tileOutColumn = tileDepth * push.outStep;
    }
    tileFirst = gl_WorkGroupID.x * kTileRows;
    uint rows = push.rows;
    if (kLatent) {
        const PassItem item = PassItems(push.order).v[push.item];
        rows = min(rows, item.past + item.rows);
        latentRows = PassCaches(push.tiles).v[push.item].keys;
        tileOutColumn = 0u - push.outColumn;
        if (tileFirst >= rows)
            return false;
    }
    tileCount = min(kTileRows, rows - tileFirst);
    return true;
}

/// The row of out of a row of the tile.
uint outputRow(uint row)
{
    return (kFlags & kGemmExperts) != 0 ? Uints(push.order).v[tileFirst + row] : tileFirst + row;
}
/// Where a row of x begins, in elements.
uint inputBegin(uint row)
{
    const uint outRow = outputRow(row);
    return ((kFlags & kGemmExperts) != 0 ? outRow / push.pairsPerRow : outRow) * push.xStride
           + tileXColumn;
}

/// x[begin + col …], four of them, zero beyond cols.
vec4 loadX4(uint begin, uint col)
{
    return kXWide && col >= push.cols
               ? vec4(0)
               : loadFour(X_ROWS, kXHalf, kXWide, begin + col, col, push.cols);
}

/// Eight F16 of x as they are; only with kXHalf and kXWide. All of x's rows begin at multiples of 16
/// bytes then, and cols is a multiple of 8.
uvec4 loadXHalves8(uint begin, uint col)
{
    return col < push.cols ? Uints4(X_ROWS).v[(begin + col) / 8] : uvec4(0);
}

/// The quantisation groups (32 columns) [x, y) that this workgroup sums.
uvec2 splitOfCols()
{
    if ((kFlags & kGemmPartial) == 0)
        return uvec2(0, push.groupsPerRow);
    const uint first = gl_WorkGroupID.z * push.groupsPerSplit;
    return uvec2(first, min(first + push.groupsPerSplit, push.groupsPerRow));
}

/// Adds biases, applies the activation and stores one element of out. `o` is a row of the weight.
void finish(uint outRow, uint o, float sum, float upSum)
{
    if ((kFlags & kGemmPartial) != 0) {
        const uint plane = gl_WorkGroupID.z * (kGated ? 2 : 1);
        Floats(push.result).v[(plane * push.rows + outRow) * push.outs + o] = sum;
        if (kGated)
            Floats(push.result).v[((plane + 1) * push.rows + outRow) * push.outs + o] = upSum;
        return;
    }
    if ((kFlags & kGemmBias) != 0)
        sum += Floats(push.bias).v[tileDepth * push.outs + o];
    if (kGated) {
        if ((kFlags & kGemmUpBias) != 0)
            upSum += Floats(push.upBias).v[tileDepth * push.outs + o];
        sum = gatedActivation(kActivation, sum, upSum);
    } else {
        sum = activation(kActivation, sum);
    }
    const uint index = outRow * push.outStride + tileOutColumn + o;
    if ((kFlags & kGemmAdd) != 0)
        sum += loadActivation(push.result, kOutHalf, index);
    storeActivation(push.result, kOutHalf, index, kOutHalf ? limited(sum) : sum);
}

vec4 loadOut4(uint index)
{
    if (!kOutHalf)
        return Floats4(push.result).v[index / 4];
    const uvec2 halves = Uints2(push.result).v[index / 4];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

/// The same for outs o … o + 3, o a multiple of 4.
void finish4(uint outRow, uint o, vec4 sum, vec4 upSum)
{
    if ((kFlags & kGemmOutWide) == 0) {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            if (o + i < push.outs)
                finish(outRow, o + i, sum[i], upSum[i]);
        return;
    }
    if (o >= push.outs)
        return;
    if ((kFlags & kGemmPartial) != 0) {
        const uint plane = gl_WorkGroupID.z * (kGated ? 2 : 1);
        Floats4(push.result).v[((plane * push.rows + outRow) * push.outs + o) / 4] = sum;
        if (kGated)
            Floats4(push.result).v[(((plane + 1) * push.rows + outRow) * push.outs + o) / 4] =
                upSum;
        return;
    }
    if ((kFlags & kGemmBias) != 0)
        sum += Floats4(push.bias).v[(tileDepth * push.outs + o) / 4];
    if (kGated) {
        if ((kFlags & kGemmUpBias) != 0)
            upSum += Floats4(push.upBias).v[(tileDepth * push.outs + o) / 4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            sum[i] = gatedActivation(kActivation, sum[i], upSum[i]);
    } else {
        [[unroll]] for (uint i = 0; i < 4; ++i)
            sum[i] = activation(kActivation, sum[i]);
    }
    const uint index = outRow * push.outStride + tileOutColumn + o;
    if ((kFlags & kGemmAdd) != 0)
        sum += loadOut4(index);
    if (kOutHalf)
        Uints2(push.result).v[index / 4] =
            uvec2(packHalf2x16(limited(sum).xy), packHalf2x16(limited(sum).zw));
    else
        Floats4(push.result).v[index / 4] = sum;
}

/// The rows of pairs that named no expert.
void storeNothing()
{
    for (uint i = gl_LocalInvocationIndex; i < tileCount * kTileOuts; i += gl_WorkGroupSize.x) {
        const uint o = tileOut + i % kTileOuts;
        if (o < push.outs && (kFlags & kGemmAdd) == 0)
            storeActivation(push.result, kOutHalf,
                            outputRow(i / kTileOuts) * push.outStride + tileOutColumn + o, 0.0);
    }
}
