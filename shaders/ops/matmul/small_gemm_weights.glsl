// How small_gemm_matrix.comp and staged_gemm_matrix.comp share out the weights, and how a thread gets its
// own.
#define HALVES_APART
#define HALVES_EXPONENT exponent
#define HIGH_EXPONENT highExponent
uint exponent, highExponent;
#include "shaders/quant/decode_halves.glsl"

const uint kSubgroups = kThreads / 32;
const uint kSharing = kSubgroups / kAbreast; // subgroups that share the columns of a row
const uint kTiles = kDown * kMatrices; // [down][matrix], of 16 rows of a weight each
const uint kEighths = kUnit / 8;       // two matrices each
const uint kAllEighths = kHeld * kEighths;

Packed ring[kTiles * kHeld * 2]; // [tile][held][row g or g + 8]
// What the workgroup works for.
WeightRef first, second; // second: up, where gated
uint count, tilesPerGroup, rowsPerGroup;
uint firstRow, lastRow; // of the weight
uint unitsPerRow;
uint allColumns; // of partial sums: rows of the weight of all workgroups

/// Which target this workgroup works for, and on which of its rows. False: none is left.
bool findRows()
{
    const uint unknown = push.counts >> 31; // 0, which the compiler does not know
    exponent = kHalvesExponent + unknown;
    highExponent = kHighExponent + unknown;
    count = push.counts & 255u;
    tilesPerGroup = push.counts >> 8;
    rowsPerGroup = kRowsAtOnce * tilesPerGroup;
    uint group = gl_WorkGroupID.x;
    if (!findTarget(rowsPerGroup, group))
        return false;
    const uint rowGroups = (push.cols + 31) / 32;
    first = WeightRef(target.weight, target.rows * rowGroups);
    second = WeightRef(push.targets[1].weight, target.rows * rowGroups);
    unitsPerRow = rowGroups * kUnitsPerGroup;
    firstRow = group * rowsPerGroup;
    lastRow = min(firstRow + rowsPerGroup, target.rows) - 1;
    allColumns = gl_NumWorkGroups.x * rowsPerGroup;
    return true;
}

/// The columns of a subgroup in a step.
uint blockOf(uint step)
{
    return (gl_WorkGroupID.z * kSteps + step) * kSharing + matrixSubgroup() / kAbreast;
}
/// The h-th unit of this thread in a step over a row, which may lie beyond the row's end.
uint unitOf(uint step, uint h)
{
    const uint first = blockOf(step) * kHeld * 4;
    return first + (h / kTogether * 4 + matrixLane() % 4) * kTogether + h % kTogether;
}
/// Loads the units from h on that this thread multiplies; beyond the end the last ones again. `row` is
/// that of the first tile.
void fetchUnits(uint tile, uint h, uint row, uint step)
{
    UNROLL for (uint j = 0; j < 2; ++j) {
        const uint begin = min(row + 16 * (tile / kMatrices) + 8 * j, lastRow) * unitsPerRow;
        const uint entry = (tile * kHeld + h) * 2 + j;
        const uint unit = begin + min(unitOf(step, h), unitsPerRow - kTogether);
        if (kTogether == 2)
            loadTwo(tile % kMatrices == 0 ? first : second, unit / 2, ring[entry], ring[entry + 2]);
        else
            ring[entry] = loadUnit(tile % kMatrices == 0 ? first : second, unit);
    }
}
