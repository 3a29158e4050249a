#version 460
// GEMM on cooperative matrices. A workgroup computes a tile of out. x goes through as F16, or with
// kGemmExact as two F16 (leading bits, rest) that are multiplied into the same sums. While the subgroups
// multiply the present columns from shared memory, x and weights of the next are loaded to registers.
// Rows in shared memory are one uvec4 longer than needed, so that the rows of a matrix use different banks.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#endif
#include "shaders/common/activations.glsl"
#include "shaders/ops/matmul/gemm.h"
KERNEL(GEMM_MATRIX_CONSTANTS, GemmPush)
#include "shaders/ops/matmul/gemm_rows.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/quant/decode_halves.glsl"

const uint kMatrices = 1 + ((kFlags & kGemmGated) >> 3);
const uint kRowUnits = 4 * kStep + 1; // a unit: uvec4, eight F16 or four F32
const uint kParts = (kFlags & kGemmExact) != 0 ? 2 : 1; // of x
const uint kPartUnits = kTileRows * kRowUnits;
const uint kWBegin = kParts * kPartUnits;
const uint kBufferUnits = kWBegin + kMatrices * kTileOuts * kRowUnits;
const uint kSubRows = kTileRows / kSubgroupsRows; // of one subgroup
const uint kSubOuts = kTileOuts / kSubgroupsOuts;
const uint kAcrossRows = kSubRows / kMatrixM; // its matrices
const uint kAcrossOuts = kSubOuts / kMatrixN;
const uint kStripStride = kSubOuts / 4 + 1; // kMatrixM rows of sums to be stored
const uint kStripUnits = kMatrixM * kStripStride;
const uint kStripsUnits = kSubgroupsRows * kSubgroupsOuts * kMatrices * kStripUnits;
const uint kTileUnits = kBuffers * kBufferUnits;
shared uvec4 tiles[kTileUnits > kStripsUnits ? kTileUnits : kStripsUnits];

#include "shaders/common/matrix.glsl"

// What a thread fetches: units of x, eight columns each, and units of the weights. They are decoded
// only when they are stored, so that the multiplication does not wait for the loads. Adjacent threads have
// adjacent units, so that loads coalesce.
const uint kXUnitsPerRow = 4 * kStep;
const uint kXUnits = kTileRows * kXUnitsPerRow;
const uint kWUnitsPerRow = kStep * kUnitsPerGroup;
const uint kWUnits = kMatrices * kTileOuts * kWUnitsPerRow;
const uint kXOwn = (kXUnits + kThreads - 1) / kThreads;
const uint kWOwn = (kWUnits + kThreads - 1) / kThreads;
const bool kXReady = kXHalf && kXWide; // x can be copied as it is
const uint kXWords = kXReady ? 1 : 2;  // uvec4 of a unit
const bool kWhole = (kFlags & kGemmWhole) != 0; // all steps are whole: no bounds checks on columns
// A step never crosses a multiple of eight quantisation groups, where the next scales begin.
const bool kAligned = (kFlags & kGemmAligned) != 0;
uint xBegin[kXOwn]; // where the row begins
uint wPlace[kWOwn]; // the row's first quantisation group
uvec4 xFetched[kXOwn * kXWords];
#ifdef KEEPS_SCALES
Bare wFetched[kWOwn];
Kept wKept[kWOwn];
uint wGroup[kWOwn]; // of what is fetched
#else
Packed wFetched[kWOwn];
#endif

/// Eight elements of x as F16: rounded, or one of their parts.
uvec4 packPart(uvec4 first, uvec4 second, uint part)
{
    vec4 a = limited(uintBitsToFloat(first)), b = limited(uintBitsToFloat(second));
    if (kParts == 2) {
        a = part == 1 ? a - leadingBits(a) : leadingBits(a);
        b = part == 1 ? b - leadingBits(b) : leadingBits(b);
    }
    return packHalves(a, b);
}

// Rows beyond the tile's end repeat its last one: what is summed there is not stored.
void findRows()
{
    UNROLL for (uint n = 0; n < kXOwn; ++n) {
        const uint row = (gl_LocalInvocationIndex + n * kThreads) / kXUnitsPerRow;
        xBegin[n] = inputBegin(min(row, tileCount - 1));
    }
    UNROLL for (uint n = 0; n < kWOwn; ++n) {
        const uint row = (gl_LocalInvocationIndex + n * kThreads) / kWUnitsPerRow;
        const uint o = min(tileOut + row % kTileOuts, push.outs - 1);
        wPlace[n] = (tileDepth * push.outs + o) * push.groupsPerRow;
    }
}

/// Reads columns from `group` on into registers. Beyond `end` x is zero and the weights are those of
/// the last columns again.
void fetch(uint group, uint end, bool first)
{
    UNROLL for (uint n = 0; n < kWOwn; ++n) {
        const uint i = gl_LocalInvocationIndex + n * kThreads;
        const uint unit = i % kWUnitsPerRow;
        const uint place =
            wPlace[n] + (kStep == 1 || kWhole ? group + unit / kUnitsPerGroup
                                            : min(group + unit / kUnitsPerGroup, end - 1));
        const bool second = kMatrices == 2 && i / kWUnitsPerRow >= kTileOuts;
        const WeightRef weight = WeightRef(second ? push.up : push.weight, push.groups);
#ifdef KEEPS_SCALES
        wFetched[n] = loadBare(weight, place * kUnitsPerGroup + unit % kUnitsPerGroup);
        wGroup[n] = place;
        if (first || (group & 7) == 0 || !kAligned)
            wKept[n] = keepScales(weight, place >> 3);
#else
        wFetched[n] = loadUnit(weight, place * kUnitsPerGroup + unit % kUnitsPerGroup);
#endif
    }
    UNROLL for (uint n = 0; n < kXOwn; ++n) {
        const uint unit = (gl_LocalInvocationIndex + n * kThreads) % kXUnitsPerRow;
        const uint col = group * 32 + unit * 8;
        const bool there = kStep == 1 || group + unit / 4 < end;
        UNROLL for (uint h = 0; h < kXWords; ++h) {
            uvec4 value = uvec4(0);
            if (kWhole && kXWide)
                value = kXHalf ? Uints4(X_ROWS).v[(xBegin[n] + col) / 8]
                               : Uints4(X_ROWS).v[(xBegin[n] + col) / 4 + h];
            else if (there && kXReady)
                value = loadXHalves8(xBegin[n], col);
            else if (there)
                value = floatBitsToUint(loadX4(xBegin[n], col + 4 * h));
            xFetched[n * kXWords + h] = value;
        }
    }
}

void store(uint begin)
{
    UNROLL for (uint n = 0; n < kXOwn; ++n) {
        const uint i = gl_LocalInvocationIndex + n * kThreads;
        if (kXUnits % kThreads == 0 || i < kXUnits)
            UNROLL for (uint part = 0; part < kParts; ++part)
                tiles[begin + part * kPartUnits + i / kXUnitsPerRow * kRowUnits
                      + i % kXUnitsPerRow] =
                    kXReady ? xFetched[n * kXWords]
                            : packPart(xFetched[n * kXWords], xFetched[n * kXWords + kXWords - 1],
                                       part);
    }
    UNROLL for (uint n = 0; n < kWOwn; ++n) {
        const uint i = gl_LocalInvocationIndex + n * kThreads;
        if (kWUnits % kThreads == 0 || i < kWUnits) {
            const uint at = begin + kWBegin + i / kWUnitsPerRow * kRowUnits
                            + i % kWUnitsPerRow * (kUnit / 8);
#ifdef KEEPS_SCALES
            const Opened unit = opened(joined(wFetched[n], wKept[n], wGroup[n]));
#else
            const Opened unit = opened(wFetched[n]);
#endif
            UNROLL for (uint h = 0; h < kUnit / 8; ++h)
                tiles[at + h] = eightHalves(unit, h);
        }
    }
}

void main()
{
    if (!findTile())
        return;
    if ((kFlags & kGemmExperts) != 0 && tileDepth == kGemmNoExpert) {
        storeNothing();
        return;
    }
    const uint subRow = matrixSubgroup() / kSubgroupsOuts * kSubRows;
    const uint subOut = matrixSubgroup() % kSubgroupsOuts * kSubOuts;

    MatrixSum sums[kMatrices * kAcrossRows * kAcrossOuts];
    UNROLL for (uint i = 0; i < kMatrices * kAcrossRows * kAcrossOuts; ++i)
        matrixClear(sums[i]);

    findRows();
    const uvec2 split = splitOfCols();
    uint begin = 0; // of the buffer in use
    fetch(split.x, split.y, true);
    const uint steps = (split.y - split.x + kStep - 1) / kStep;
    for (uint i = 0; i < steps; ++i) {
        if (kBuffers == 1)
            barrier(); // the last columns are no longer needed
        store(begin);
        barrier();
        // The last columns are read once more rather than checked for.
        if (kWhole || i + 1 < steps)
            fetch(split.x + min(i + 1, steps - 1) * kStep, split.y, false);
        UNROLL for (uint k = 0; k < 32 * kStep / kMatrixK; ++k) {
            MatrixA a[kParts * kAcrossRows];
            UNROLL for (uint part = 0; part < kParts; ++part)
                UNROLL for (uint i = 0; i < kAcrossRows; ++i)
                    matrixLoadA(a[part * kAcrossRows + i],
                                begin + part * kPartUnits + (subRow + i * kMatrixM) * kRowUnits
                                    + k * (kMatrixK / 8),
                                kRowUnits);
            UNROLL for (uint m = 0; m < kMatrices; ++m)
                UNROLL for (uint j = 0; j < kAcrossOuts; ++j) {
                    MatrixB b;
                    matrixLoadB(b,
                                begin + kWBegin
                                    + (m * kTileOuts + subOut + j * kMatrixN) * kRowUnits
                                    + k * (kMatrixK / 8),
                                kRowUnits);
                    UNROLL for (uint part = 0; part < kParts; ++part)
                        UNROLL for (uint i = 0; i < kAcrossRows; ++i)
                            matrixMultiplyAdd(a[part * kAcrossRows + i], b,
                                              sums[(m * kAcrossRows + i) * kAcrossOuts + j]);
                }
        }
        if (kBuffers == 2)
            begin = kBufferUnits - begin;
    }

    const uint strip = matrixSubgroup() * kMatrices * kStripUnits;
    UNROLL for (uint i = 0; i < kAcrossRows; ++i) {
        barrier(); // the strip, or the columns before it, are no longer needed
        UNROLL for (uint m = 0; m < kMatrices; ++m)
            UNROLL for (uint j = 0; j < kAcrossOuts; ++j)
                matrixStore(sums[(m * kAcrossRows + i) * kAcrossOuts + j],
                            strip + m * kStripUnits + j * (kMatrixN / 4), kStripStride);
        barrier();
        for (uint e = matrixLane(); e < kMatrixM * kSubOuts / 4; e += kMatrixLanes) {
            const uint row = e / (kSubOuts / 4), unit = e % (kSubOuts / 4);
            const uint tileRow = subRow + i * kMatrixM + row;
            if (tileRow >= tileCount)
                continue;
            const uint at = strip + row * kStripStride + unit;
            const vec4 sum = uintBitsToFloat(tiles[at]);
            const vec4 upSum = kGated ? uintBitsToFloat(tiles[at + kStripUnits]) : vec4(0);
            finish4(outputRow(tileRow), tileOut + subOut + unit * 4, sum, upSum);
        }
    }
}
