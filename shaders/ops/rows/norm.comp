#version 460
// Norms of rows, a workgroup for each row. A thread keeps its first units in registers and reads what is left
// of a very wide row again.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/rows.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/rows/norm.h"

KERNEL(NORM_CONSTANTS, NormPush)

uvec2 xRow, residualRow, outRow, weightRow, biasRow;

/// Where a row, or a group of it, begins.
void goToRow(uint index)
{
    const uint row = kGrouped ? index / push.groups : index;
    const uint first = kGrouped ? index % push.groups * push.cols : 0;
    xRow = rowAddress(rowAddress(push.x, row, push.xStride), first, kXHalf ? 2 : 4);
    residualRow = rowAddress(rowAddress(push.residual, row, push.residualStride), first,
                             kResidualHalf ? 2 : 4);
    outRow = rowAddress(rowAddress(push.result, row, push.outStride), first, kOutHalf ? 2 : 4);
    weightRow = rowAddress(push.weight, first, 4);
    biasRow = rowAddress(push.bias, first, 4);
}

/// Adds a unit's distances from the mean, and their squares.
void addDistances(vec4 unit, float mean, inout float sum, inout float squares)
{
    const vec4 d = unit - mean;
    sum += kFours ? dot(d, vec4(1.0)) : d.x;
    squares += kFours ? dot(d, d) : d.x * d.x;
}

/// The values to be normalised, the first time they are asked for.
vec4 take(uint unit)
{
    vec4 value = loadUnit(xRow, kXHalf, kFours, unit);
    if (kAdd) {
        value += loadUnit(residualRow, kResidualHalf, kFours, unit);
        storeUnit(residualRow, kResidualHalf, kFours, unit, value);
    }
    return value;
}
vec4 takeAgain(uint unit)
{
    return kAdd ? loadUnit(residualRow, kResidualHalf, kFours, unit)
                : loadUnit(xRow, kXHalf, kFours, unit);
}
void finish(uint unit, vec4 value, float mean, float correction, float factor)
{
    value = (value - mean) - correction;
    if (kNorm == kNormSparse) {
        const vec4 above = value - factor;
        for (uint i = 0; i < 4; ++i)
            value[i] = keepingNaN(above[i], max(above[i], 0.0));
    } else {
        value *= factor;
    }
    if (kHasWeight)
        value *= loadUnit(weightRow, false, kFours, unit);
    if (kHasBias)
        value += loadUnit(biasRow, false, kFours, unit);
    storeUnit(outRow, kOutHalf, kFours, unit, value);
}

void main()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const uint units = kFours ? push.cols / 4 : push.cols;
    const uint firstLeft = thread + kKept * threads;
    for (uint row = gl_WorkGroupID.x; row < push.rows; row += gl_NumWorkGroups.x) {
        goToRow(row);
        vec4 kept[kKept];
        float sum = 0.0, squares = 0.0;
        [[unroll]] for (uint i = 0; i < kKept; ++i) {
            const uint unit = thread + i * threads;
            kept[i] = unit < units ? take(unit) : vec4(0.0);
            sum += dot(kept[i], vec4(1.0));
            squares += dot(kept[i], kept[i]);
        }
        for (uint unit = firstLeft; unit < units; unit += threads) {
            const vec4 value = take(unit);
            sum += dot(value, vec4(1.0));
            squares += dot(value, value);
        }

        float mean = 0.0, correction = 0.0, factor;
        if (kNorm == kNormLayer || kNorm == kNormSparse) {
            // The variance in a second pass: the difference of large sums would lose it. The pass
            // also tells what rounding took from the mean, which matters where that is large.
            mean = groupSum(sum) / float(push.cols);
            sum = 0.0;
            squares = 0.0;
            [[unroll]] for (uint i = 0; i < kKept; ++i) {
                if (thread + i * threads < units)
                    addDistances(kept[i], mean, sum, squares);
            }
            for (uint unit = firstLeft; unit < units; unit += threads)
                addDistances(takeAgain(unit), mean, sum, squares);
            correction = groupSum(sum) / float(push.cols);
        }
        const float total = groupSum(squares);
        const float variance = max(total / float(push.cols) - correction * correction, 0.0);
        if (kNorm == kNormL2)
            factor = total + push.eps > 0.0 ? inversesqrt(total + push.eps) : 0.0;
        else if (kNorm == kNormSparse)
            factor = push.eps * sqrt(variance);
        else
            factor = inversesqrt(variance + push.eps);

        [[unroll]] for (uint i = 0; i < kKept; ++i) {
            const uint unit = thread + i * threads;
            if (unit < units)
                finish(unit, kept[i], mean, correction, factor);
        }
        for (uint unit = firstLeft; unit < units; unit += threads)
            finish(unit, takeAgain(unit), mean, correction, factor);
    }
}
