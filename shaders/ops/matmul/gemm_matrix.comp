#version 460
// Many-row products on cooperative matrices. Each group computes a tile of out; x (rounded to F16, or
// with kGemmExact its leading bits and the rest as rows of their own, which go to the same sums) and the
// weights of the next columns are fetched to registers while the subgroups multiply the present ones from shared memory. Rows there
// are one uvec4 longer than needed, so that the rows of a matrix lie in different banks.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef EMULATE_MATRIX
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#endif
#include "shaders/ops/matmul/gemm_rows.glsl"
#include "shaders/common/unroll.glsl"
#include "shaders/quant/decode_halves.glsl"

layout(constant_id = 5) const uint SUBGROUPS_ROWS = 2; // the tile's rows are shared out to so many
layout(constant_id = 6) const uint SUBGROUPS_OUTS = 4;
layout(constant_id = 7) const uint STEP = 1;    // groups of 32 columns at a time
layout(constant_id = 8) const uint BUFFERS = 2; // in shared memory
layout(constant_id = 9) const uint MATRIX_M = 16;
layout(constant_id = 10) const uint MATRIX_N = 16;
layout(constant_id = 11) const uint MATRIX_K = 16;

const uint MATRICES = 1 + ((FLAGS & kGemmGated) >> 3);
const uint ROW_UNITS = 4 * STEP + 1; // a unit: uvec4, eight F16 or four F32
const uint PARTS = (FLAGS & kGemmExact) != 0 ? 2 : 1; // of x
const uint PART_UNITS = TILE_ROWS * ROW_UNITS;
const uint W_BEGIN = PARTS * PART_UNITS;
const uint BUFFER_UNITS = W_BEGIN + MATRICES * TILE_OUTS * ROW_UNITS;
const uint SUB_ROWS = TILE_ROWS / SUBGROUPS_ROWS; // of one subgroup
const uint SUB_OUTS = TILE_OUTS / SUBGROUPS_OUTS;
const uint ACROSS_ROWS = SUB_ROWS / MATRIX_M; // its matrices
const uint ACROSS_OUTS = SUB_OUTS / MATRIX_N;
const uint STRIP_STRIDE = SUB_OUTS / 4 + 1; // MATRIX_M rows of sums on their way out
const uint STRIP_UNITS = MATRIX_M * STRIP_STRIDE;
const uint STRIPS_UNITS = SUBGROUPS_ROWS * SUBGROUPS_OUTS * MATRICES * STRIP_UNITS;
const uint TILE_UNITS = BUFFERS * BUFFER_UNITS;
shared uvec4 tiles[TILE_UNITS > STRIPS_UNITS ? TILE_UNITS : STRIPS_UNITS];

#include "shaders/common/matrix.glsl"

// What a thread fetches: units of x, eight columns each, and units of the weights. They stay as loaded
// until stored, so that nothing waits for them before the multiplication. Neighbouring threads have
// neighbouring units, so that a load touches few lines of the cache.
const uint X_UNITS_PER_ROW = 4 * STEP;
const uint X_UNITS = TILE_ROWS * X_UNITS_PER_ROW;
const uint W_UNITS_PER_ROW = STEP * kUnitsPerGroup;
const uint W_UNITS = MATRICES * TILE_OUTS * W_UNITS_PER_ROW;
const uint X_OWN = (X_UNITS + THREADS - 1) / THREADS;
const uint W_OWN = (W_UNITS + THREADS - 1) / THREADS;
const bool X_READY = X_HALF && X_WIDE; // x can be copied as it is
const uint X_WORDS = X_READY ? 1 : 2;  // uvec4 of a unit
const bool WHOLE = (FLAGS & kGemmWhole) != 0; // all steps are: nothing to check as columns are read
// A step never goes over a multiple of eight groups, where the next scales begin.
const bool ALIGNED = (FLAGS & kGemmAligned) != 0;
uint xBegin[X_OWN]; // where the row begins
uint wPlace[W_OWN]; // the row's first group
uvec4 xFetched[X_OWN * X_WORDS];
#ifdef KEEPS_SCALES
Bare wFetched[W_OWN];
Kept wKept[W_OWN];
uint wGroup[W_OWN]; // of what is fetched
#else
Packed wFetched[W_OWN];
#endif

/// As many leading bits as F16 keeps. Not by way of packHalf2x16: some compilers take that and the way
/// back for nothing at all.
vec4 leadingBits(vec4 x)
{
    return uintBitsToFloat(floatBitsToUint(x) & 0xffffe000u);
}
/// Eight elements of x as F16: rounded, or one of their parts.
uvec4 packPart(uvec4 first, uvec4 second, uint part)
{
    vec4 a = limited(uintBitsToFloat(first)), b = limited(uintBitsToFloat(second));
    if (PARTS == 2) {
        a = part == 1 ? a - leadingBits(a) : leadingBits(a);
        b = part == 1 ? b - leadingBits(b) : leadingBits(b);
    }
    return packHalves(a, b);
}

// Rows beyond the tile's end repeat its last one: what is summed there is not stored.
void findRows()
{
    UNROLL for (uint n = 0; n < X_OWN; ++n) {
        const uint row = (gl_LocalInvocationIndex + n * THREADS) / X_UNITS_PER_ROW;
        xBegin[n] = inputBegin(min(row, tileCount - 1));
    }
    UNROLL for (uint n = 0; n < W_OWN; ++n) {
        const uint row = (gl_LocalInvocationIndex + n * THREADS) / W_UNITS_PER_ROW;
        const uint o = min(tileOut + row % TILE_OUTS, push.outs - 1);
        wPlace[n] = (tileDepth * push.outs + o) * push.groupsPerRow;
    }
}

/// Reads columns from `group` on into registers. Beyond `end` x is zero and the weights are those of
/// the last columns again.
void fetch(uint group, uint end, bool first)
{
    UNROLL for (uint n = 0; n < W_OWN; ++n) {
        const uint i = gl_LocalInvocationIndex + n * THREADS;
        const uint unit = i % W_UNITS_PER_ROW;
        const uint place =
            wPlace[n] + (STEP == 1 || WHOLE ? group + unit / kUnitsPerGroup
                                            : min(group + unit / kUnitsPerGroup, end - 1));
        const bool second = MATRICES == 2 && i / W_UNITS_PER_ROW >= TILE_OUTS;
        const WeightRef weight = WeightRef(second ? push.up : push.weight, push.groups);
#ifdef KEEPS_SCALES
        wFetched[n] = loadBare(weight, place * kUnitsPerGroup + unit % kUnitsPerGroup);
        wGroup[n] = place;
        if (first || (group & 7) == 0 || !ALIGNED)
            wKept[n] = keepScales(weight, place >> 3);
#else
        wFetched[n] = loadUnit(weight, place * kUnitsPerGroup + unit % kUnitsPerGroup);
#endif
    }
    UNROLL for (uint n = 0; n < X_OWN; ++n) {
        const uint unit = (gl_LocalInvocationIndex + n * THREADS) % X_UNITS_PER_ROW;
        const uint col = group * 32 + unit * 8;
        const bool there = STEP == 1 || group + unit / 4 < end;
        UNROLL for (uint h = 0; h < X_WORDS; ++h) {
            uvec4 value = uvec4(0);
            if (WHOLE && X_WIDE)
                value = X_HALF ? Uints4(push.x).v[(xBegin[n] + col) / 8]
                               : Uints4(push.x).v[(xBegin[n] + col) / 4 + h];
            else if (there && X_READY)
                value = loadXHalves8(xBegin[n], col);
            else if (there)
                value = floatBitsToUint(loadX4(xBegin[n], col + 4 * h));
            xFetched[n * X_WORDS + h] = value;
        }
    }
}

void store(uint begin)
{
    UNROLL for (uint n = 0; n < X_OWN; ++n) {
        const uint i = gl_LocalInvocationIndex + n * THREADS;
        if (X_UNITS % THREADS == 0 || i < X_UNITS)
            UNROLL for (uint part = 0; part < PARTS; ++part)
                tiles[begin + part * PART_UNITS + i / X_UNITS_PER_ROW * ROW_UNITS
                      + i % X_UNITS_PER_ROW] =
                    X_READY ? xFetched[n * X_WORDS]
                            : packPart(xFetched[n * X_WORDS], xFetched[n * X_WORDS + X_WORDS - 1],
                                       part);
    }
    UNROLL for (uint n = 0; n < W_OWN; ++n) {
        const uint i = gl_LocalInvocationIndex + n * THREADS;
        if (W_UNITS % THREADS == 0 || i < W_UNITS) {
            const uint at = begin + W_BEGIN + i / W_UNITS_PER_ROW * ROW_UNITS
                            + i % W_UNITS_PER_ROW * (kUnit / 8);
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
    if ((FLAGS & kGemmExperts) != 0 && tileDepth == kGemmNoExpert) {
        storeNothing();
        return;
    }
    const uint subRow = matrixSubgroup() / SUBGROUPS_OUTS * SUB_ROWS;
    const uint subOut = matrixSubgroup() % SUBGROUPS_OUTS * SUB_OUTS;

    MatrixSum sums[MATRICES * ACROSS_ROWS * ACROSS_OUTS];
    UNROLL for (uint i = 0; i < MATRICES * ACROSS_ROWS * ACROSS_OUTS; ++i)
        matrixClear(sums[i]);

    findRows();
    const uvec2 piece = pieceOfCols();
    uint begin = 0; // of the buffer in use
    fetch(piece.x, piece.y, true);
    const uint steps = (piece.y - piece.x + STEP - 1) / STEP;
    for (uint i = 0; i < steps; ++i) {
        if (BUFFERS == 1)
            barrier(); // the last columns are no longer needed
        store(begin);
        barrier();
        // The last columns are read once more rather than checked for.
        if (WHOLE || i + 1 < steps)
            fetch(piece.x + min(i + 1, steps - 1) * STEP, piece.y, false);
        UNROLL for (uint k = 0; k < 32 * STEP / MATRIX_K; ++k) {
            MatrixA a[PARTS * ACROSS_ROWS];
            UNROLL for (uint part = 0; part < PARTS; ++part)
                UNROLL for (uint i = 0; i < ACROSS_ROWS; ++i)
                    matrixLoadA(a[part * ACROSS_ROWS + i],
                                begin + part * PART_UNITS + (subRow + i * MATRIX_M) * ROW_UNITS
                                    + k * (MATRIX_K / 8),
                                ROW_UNITS);
            UNROLL for (uint m = 0; m < MATRICES; ++m)
                UNROLL for (uint j = 0; j < ACROSS_OUTS; ++j) {
                    MatrixB b;
                    matrixLoadB(b,
                                begin + W_BEGIN
                                    + (m * TILE_OUTS + subOut + j * MATRIX_N) * ROW_UNITS
                                    + k * (MATRIX_K / 8),
                                ROW_UNITS);
                    UNROLL for (uint part = 0; part < PARTS; ++part)
                        UNROLL for (uint i = 0; i < ACROSS_ROWS; ++i)
                            matrixMultiplyAdd(a[part * ACROSS_ROWS + i], b,
                                              sums[(m * ACROSS_ROWS + i) * ACROSS_OUTS + j]);
                }
        }
        if (BUFFERS == 2)
            begin = BUFFER_UNITS - begin;
    }

    const uint strip = matrixSubgroup() * MATRICES * STRIP_UNITS;
    UNROLL for (uint i = 0; i < ACROSS_ROWS; ++i) {
        barrier(); // the strip, or the columns before it, are no longer needed
        UNROLL for (uint m = 0; m < MATRICES; ++m)
            UNROLL for (uint j = 0; j < ACROSS_OUTS; ++j)
                matrixStore(sums[(m * ACROSS_ROWS + i) * ACROSS_OUTS + j],
                            strip + m * STRIP_UNITS + j * (MATRIX_N / 4), STRIP_STRIDE);
        barrier();
        for (uint e = matrixLane(); e < MATRIX_M * SUB_OUTS / 4; e += kMatrixLanes) {
            const uint row = e / (SUB_OUTS / 4), unit = e % (SUB_OUTS / 4);
            const uint tileRow = subRow + i * MATRIX_M + row;
            if (tileRow >= tileCount)
                continue;
            const uint at = strip + row * STRIP_STRIDE + unit;
            const vec4 sum = uintBitsToFloat(tiles[at]);
            const vec4 upSum = GATED ? uintBitsToFloat(tiles[at + STRIP_UNITS]) : vec4(0);
            finish4(outputRow(tileRow), tileOut + subOut + unit * 4, sum, upSum);
        }
    }
}
