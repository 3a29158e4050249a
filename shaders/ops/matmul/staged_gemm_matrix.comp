#version 460
// small_gemm_matrix.comp for more rows of x (columns, below) than threads can hold: each subgroup has kDown
// tiles of 16 rows of the weight (gated: of both weights) to itself, for all columns of x, and goes along
// them in steps. x goes through shared memory, in eighths of the units that four threads multiply, so that
// it is fetched once for all subgroups and one read of it serves all tiles of a subgroup. Sums go from
// registers to where they belong; with split-K (kSplit) small_gemm_reduce.comp adds up what workgroups leave.
//
// Shared memory holds kStages eighths. Half of them lie between two barriers, and as far ahead of its use
// each is stored; it is asked for one eighth earlier.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#endif
#extension GL_KHR_shader_subgroup_basic : require
#include "shaders/common/activations.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/ops/matmul/small_gemm.h"
KERNEL(SMALL_GEMM_CONSTANTS, SmallGemmPush)
#include "shaders/ops/matmul/small_gemm_result.glsl"
#define MATRIX_APART
#include "shaders/common/matrix_direct.glsl"
#include "shaders/ops/matmul/small_gemm_weights.glsl"

const uint kStages = kBuffers;
const uint kDistance = kStages / 2;
const uint kStageUnits = kAcross * 32;
const uint kMoved = (kStageUnits + kThreads - 1) / kThreads; // of a stage, by a thread
shared uvec4 stages[kStages * kStageUnits];

uvec4 carried[kMoved]; // on their way
MatrixSum sums[kTiles * kAcross];

/// This thread's part of the first eighth of x in a step.
uvec2 xBlock(uint step)
{
    const uint eighth = (gl_WorkGroupID.z * kSteps + step) * kAllEighths;
    return addBytes(push.x, (eighth * kStageUnits + gl_LocalInvocationIndex) * 16);
}
void fetchX(uvec2 block, uint n)
{
    UNROLL for (uint i = 0; i < kMoved; ++i)
        if ((i + 1) * kThreads <= kStageUnits || i * kThreads + gl_LocalInvocationIndex < kStageUnits)
            carried[i] = Uints4(block).v[n * kStageUnits + i * kThreads];
}
void storeX(uint n)
{
    const uint begin = n % kStages * kStageUnits + gl_LocalInvocationIndex;
    UNROLL for (uint i = 0; i < kMoved; ++i)
        if ((i + 1) * kThreads <= kStageUnits || i * kThreads + gl_LocalInvocationIndex < kStageUnits)
            stages[begin + i * kThreads] = carried[i];
}

Opened above[kTiles], below[kTiles];
MatrixA a[kTiles * 2];

void decodeEighth(uint e)
{
    UNROLL for (uint m = 0; m < kTiles; ++m) {
        const uvec4 low = eightHalves(above[m], e), high = eightHalves(below[m], e);
        UNROLL for (uint k = 0; k < 2; ++k)
            matrixTakeA(a[m * 2 + k], low[2 * k], high[2 * k], low[2 * k + 1], high[2 * k + 1]);
    }
}
/// Multiplies what was decoded by x in the stage that begins at `begin`.
void multiplyEighth(uint begin)
{
    UNROLL for (uint c = 0; c < kAcross; c += 2) {
        uvec4 x[2];
        UNROLL for (uint i = 0; i < 2; ++i)
            x[i] = stages[begin + (c + i) * 32 + matrixLane()];
        // Products that add to the same sums are not neighbours.
        UNROLL for (uint k = 0; k < 2; ++k)
            UNROLL for (uint i = 0; i < 2; ++i) {
                MatrixB b;
                matrixTakeB(b, x[i][2 * k], x[i][2 * k + 1]);
                UNROLL for (uint m = 0; m < kTiles; ++m)
                    matrixMultiplyAdd(a[m * 2 + k], b, sums[m * kAcross + c + i]);
            }
    }
}

/// A step over the rows, the last of which is followed by itself, as in small_gemm_matrix.comp.
void multiplyStep(uint step, uint nextStep, uint row)
{
    const uvec2 here = xBlock(step), next = xBlock(nextStep);
    UNROLL for (uint h = 0; h < kHeld; ++h) {
        UNROLL for (uint m = 0; m < kTiles; ++m) {
            above[m] = opened(ring[(m * kHeld + h) * 2]);
            below[m] = opened(ring[(m * kHeld + h) * 2 + 1]);
        }
        UNROLL for (uint e = 0; e < kEighths; ++e) {
            const uint n = h * kEighths + e; // of the step, whose number of eighths kStages divides
            decodeEighth(e); // while others still multiply
            if (n % kDistance == 0)
                barrier();
            storeX(n + kDistance);
            const uint coming = n + kDistance + 1;
            fetchX(coming < kAllEighths ? here : next, coming % kAllEighths);
            if (e == kEighths / 2) // as late as is early enough, since registers are few
                UNROLL for (uint m = 0; m < kTiles; ++m)
                    fetchUnits(m, h, row, nextStep);
            multiplyEighth(n % kStages * kStageUnits);
        }
    }
}

void finishSums(uint firstTileRow)
{
    UNROLL for (uint down = 0; down < kDown; ++down)
        UNROLL for (uint c = 0; c < kAcross; ++c)
            UNROLL for (uint i = 0; i < 4; ++i) {
                const uint row = firstTileRow + 16 * down + i / 2 * 8;
                const uint column = c * 8 + matrixLane() % 4 * 2 + i % 2;
                if (row > lastRow || column >= count)
                    continue;
                const float value = matrixElement(sums[down * kMatrices * kAcross + c], i);
                const float up =
                    kGated ? matrixElement(sums[(down * kMatrices + kMatrices - 1) * kAcross + c], i)
                           : 0.0;
                if (kSplit) {
                    const uint from = gl_WorkGroupID.z * kMatrices * kColumns + column;
                    const uint place = gl_WorkGroupID.x * rowsPerGroup + row - firstRow;
                    PartialSums(push.partial).v[from * allColumns + place] = value;
                    if (kGated)
                        PartialSums(push.partial).v[(from + kColumns) * allColumns + place] = up;
                } else {
                    finishOne(row, column, value, up);
                }
            }
}

void main()
{
    if (!findRows())
        return;
    const uint row = firstRow + matrixSubgroup() * kDown * 16 + matrixLane() / 4;
    UNROLL for (uint m = 0; m < kTiles; ++m)
        UNROLL for (uint h = 0; h < kHeld; ++h)
            fetchUnits(m, h, row, 0);
    const uvec2 block = xBlock(0);
    UNROLL for (uint n = 0; n < kDistance; ++n) {
        fetchX(block, n);
        storeX(n);
    }
    fetchX(block, kDistance);
    UNROLL for (uint i = 0; i < kTiles * kAcross; ++i)
        matrixClear(sums[i]);
    for (uint step = 0; step < kSteps; ++step)
        multiplyStep(step, min(step + 1, kSteps - 1), row);
    finishSums(row);
}
