#version 460
// Small-batch GEMM: y [T, rows] = x [T, cols] · weightᵀ for up to 64 rows of x (columns, below) on
// cooperative matrices. Each weight is loaded and decoded once and put into matrix A by the lane that
// loaded it (matrix_direct.glsl). Subgroups of a workgroup take kAbreast tiles of 16 rows of the weight side
// by side; those of a tile share its columns, and with split-K (kSplit) workgroups do so, too. x is held in registers for all rows of the workgroup, or, with
// kSteps > 1, loaded again as a subgroup goes along a row, mostly from the first-level cache. Weights are
// loaded one step ahead; the subgroups' sums are added in shared memory. What a thread holds of x serves
// kDown tiles of 16 rows of the weight: x, which every subgroup fetches, is more than the weights.
//
// The order of a row's elements within the product is free, as long as x has the same: four adjacent
// lanes, which load adjacent units of a row, each give four elements of a unit to a matrix of 16 columns.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#endif
#extension GL_KHR_shader_subgroup_basic : require
#include "shaders/common/last_workgroup.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/ops/matmul/small_gemm.h"
KERNEL(SMALL_GEMM_CONSTANTS, SmallGemmPush)
#include "shaders/ops/matmul/small_gemm_result.glsl"

// Columns of sums are one unit longer than needed, so that they lie in different banks.
const uint kSumUnits = 5, kMatrixUnits = kColumns * kSumUnits;
const uint kSubgroupUnits = kMatrices * kMatrixUnits;
const uint kBufferUnits = kThreads / 32 * kSubgroupUnits;
shared uvec4 tiles[kBuffers * kBufferUnits];

#include "shaders/common/matrix_direct.glsl"
#include "shaders/ops/matmul/small_gemm_weights.glsl"

const uint kParts = kExact ? 2 : 1;
const uint kXOfEighth = kParts * kAcross;
const uint kXUnits = kAllEighths * kXOfEighth; // of a block
const uint kXEighths = kSteps > 1 ? kAhead : kAllEighths; // held; they divide kAllEighths
uvec4 x[kXEighths * kXOfEighth];    // [eighth][part][across]

void fetchRow(uint tile, uint row)
{
    UNROLL for (uint h = 0; h < kHeld; h += kTogether)
        fetchUnits(tile, h, row, 0);
}

/// This thread's part of x in a step, where small_gemm_input.comp brought it. Its parts lie at
/// distances known to the compiler, so that an address serves them all.
uvec2 xBlock(uint step)
{
    return addBytes(push.x, (blockOf(step) * kXUnits * 32 + matrixLane()) * 16);
}
uvec4 xPart(uvec2 block, uint i)
{
    return Uints4(block).v[i * 32];
}
/// The i-th part of x as it is, of this thread's units; zeros beyond the end.
uvec4 xPlain(uint i)
{
    const uint row = i % kAcross * 8 + matrixLane() / 4, eighth = i / kAcross;
    const uint element = unitOf(0, eighth / kEighths) * kUnit + eighth % kEighths * 8;
    const bool there = row < count && element < push.cols;
    return there ? reordered(Uints4(push.x).v[(row * push.cols + element) >> 3]) : uvec4(0);
}

MatrixSum sums[kTiles * kAcross];

/// Multiplies an eighth of the h-th units of two rows of a tile.
void multiplyEighth(uint m, uint h, uint e, Opened above, Opened below)
{
    const uvec4 low = eightHalves(above, e);
    const uvec4 high = eightHalves(below, e);
    UNROLL for (uint k = 0; k < 2; ++k) {
        MatrixA a;
        matrixTakeA(a, low[2 * k], high[2 * k], low[2 * k + 1], high[2 * k + 1]);
        UNROLL for (uint c = 0; c < kAcross; ++c) {
            UNROLL for (uint part = 0; part < kParts; ++part) {
                const uvec4 v = x[((h * kEighths + e) % kXEighths * kParts + part) * kAcross + c];
                MatrixB b;
                matrixTakeB(b, v[2 * k], v[2 * k + 1]);
                matrixMultiplyAdd(a, b, sums[m * kAcross + c]);
            }
        }
    }
}

/// A step of several over a row: each eighth of a unit is followed by the one that takes its place in
/// `x`, each unit by the weights of the next step, in which row `nextRow` is this thread's. The very last
/// is followed by itself: where a branch decides whether there is another, what was asked for is copied to
/// its place at once, and so waited for.
void multiplyStep(uint step, uint nextStep, uint nextRow)
{
    const uvec2 here = xBlock(step), next = xBlock(nextStep);
    UNROLL for (uint h = 0; h < kHeld; ++h) {
        Opened above[kTiles], below[kTiles];
        UNROLL for (uint m = 0; m < kTiles; ++m) {
            above[m] = opened(ring[(m * kHeld + h) * 2]);
            below[m] = opened(ring[(m * kHeld + h) * 2 + 1]);
        }
        UNROLL for (uint e = 0; e < kEighths; ++e) {
            UNROLL for (uint m = 0; m < kTiles; ++m)
                multiplyEighth(m, h, e, above[m], below[m]);
            const uint from = h * kEighths + e + kXEighths; // the eighth that takes its place
            UNROLL for (uint i = 0; i < kXOfEighth; ++i)
                x[from % kXEighths * kXOfEighth + i] =
                    xPart(from < kAllEighths ? here : next, from % kAllEighths * kXOfEighth + i);
        }
        if (h % kTogether == kTogether - 1)
            UNROLL for (uint m = 0; m < kTiles; ++m)
                fetchUnits(m, h + 1 - kTogether, nextRow, nextStep);
    }
}
/// All of a row, whose x the thread holds. The last one is followed by itself, see multiplyStep().
void multiplyRow(uint nextRow)
{
    UNROLL for (uint m = 0; m < kTiles; ++m) {
        UNROLL for (uint h = 0; h < kHeld; ++h) {
            const uint entry = (m * kHeld + h) * 2;
            const Opened above = opened(ring[entry]), below = opened(ring[entry + 1]);
            UNROLL for (uint e = 0; e < kEighths; ++e)
                multiplyEighth(m, h, e, above, below);
        }
        fetchRow(m, nextRow);
    }
}

void storeSums(uint begin, uint down)
{
    UNROLL for (uint m = 0; m < kMatrices; ++m)
        UNROLL for (uint c = 0; c < kAcross; ++c)
            matrixStoreColumns(sums[(down * kMatrices + m) * kAcross + c],
                               begin + matrixSubgroup() * kSubgroupUnits + m * kMatrixUnits
                                   + c * 8 * kSumUnits,
                               kSumUnits);
}

/// Adds up the subgroups' sums of tiles side by side, which begin `down` rows behind the group's first:
/// elements of y, or partial sums of a split.
void reduceSubgroups(uint begin, uint down)
{
    for (uint i = gl_LocalInvocationID.x; i < kColumns * 16 * kAbreast; i += kThreads) {
        const uint column = i / 16 % kColumns, beside = i / (kColumns * 16);
        const uint inGroup = down + beside * kDown * 16 + i % 16, row = firstRow + inGroup;
        if (row > lastRow || column >= count)
            continue;
        const uint at = begin + beside * kSubgroupUnits + column * kSumUnits + i % 16 / 4;
        float value = 0, up = 0;
        UNROLL for (uint s = 0; s < kSharing * kAbreast; s += kAbreast) {
            value += uintBitsToFloat(tiles[at + s * kSubgroupUnits][i % 4]);
            if (kGated)
                up += uintBitsToFloat(tiles[at + s * kSubgroupUnits + kMatrixUnits][i % 4]);
        }
        if (kSplit) {
            const uint from = gl_WorkGroupID.z * kMatrices * kColumns + column;
            const uint place = gl_WorkGroupID.x * rowsPerGroup + inGroup;
            PartialSums(push.partial).v[from * allColumns + place] = value;
            if (kGated)
                PartialSums(push.partial).v[(from + kColumns) * allColumns + place] = up;
        } else {
            finishOne(row, column, value, up);
        }
    }
}

/// By the last workgroup of the rows: the splits' partial sums, always in the same order.
void reduceSplits()
{
    memoryBarrierBuffer();
    for (uint i = gl_LocalInvocationID.x; i < rowsPerGroup * count; i += kThreads) {
        const uint column = i / rowsPerGroup, row = firstRow + i % rowsPerGroup;
        if (row > lastRow)
            continue;
        const uint place = gl_WorkGroupID.x * rowsPerGroup + i % rowsPerGroup;
        float value = 0, up = 0;
        for (uint split = 0; split < gl_NumWorkGroups.z; ++split) {
            const uint from = split * kMatrices * kColumns + column;
            value += PartialSums(push.partial).v[from * allColumns + place];
            if (kGated)
                up += PartialSums(push.partial).v[(from + kColumns) * allColumns + place];
        }
        finishOne(row, column, value, up);
    }
}

void main()
{
    if (!findRows())
        return;
    const uint ownRow = firstRow + matrixSubgroup() % kAbreast * kDown * 16 + matrixLane() / 4;
    UNROLL for (uint m = 0; m < kTiles; ++m)
        fetchRow(m, ownRow);
    const uvec2 block = xBlock(0);
    UNROLL for (uint i = 0; i < kXEighths * kXOfEighth; ++i)
        x[i] = kPlain ? xPlain(i) : xPart(block, i);

    uint sumsBegin = 0;
    for (uint tile = 0; tile < tilesPerGroup; ++tile) {
        UNROLL for (uint i = 0; i < kTiles * kAcross; ++i)
            matrixClear(sums[i]);
        const uint row = ownRow + tile * kRowsAtOnce;
        if (kSteps == 1)
            multiplyRow(row + kRowsAtOnce);
        else
            for (uint step = 0; step < kSteps; ++step) {
                const bool lastStep = step + 1 == kSteps;
                multiplyStep(step, lastStep ? 0 : step + 1, lastStep ? row + kRowsAtOnce : row);
            }
        UNROLL for (uint down = 0; down < kDown; ++down) {
            if (kBuffers == 1 && (tile > 0 || down > 0))
                barrier(); // the sums before have been read
            storeSums(sumsBegin, down);
            barrier();
            reduceSubgroups(sumsBegin, tile * kRowsAtOnce + down * 16);
            if (kBuffers == 2)
                sumsBegin = kBufferUnits - sumsBegin;
        }
    }
    if (kSplit && isLastWorkgroup(push.counters, gl_WorkGroupID.x, gl_NumWorkGroups.z,
                                  gl_LocalInvocationID.x))
        reduceSplits();
}
