#version 460
// y = (normed) x · weightᵀ for a few rows of x, which are called columns here. A team (a subgroup, or
// the whole group for matrices of few rows) computes kRows rows of the weight: neighbouring threads
// read neighbouring units, so that loads are wide and whole; what they need of x lies in shared
// memory, chunk by chunk. The next units are on their way while the present ones are multiplied.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/activations.glsl"
#include "shaders/ops/matvec.h"
#include "shaders/quant/decode.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kRows = 2;           // of a target, computed together by a team
layout(constant_id = 2) const uint kColumns = 1;        // rows of x; the group's z counts more
layout(constant_id = 3) const uint kRowsPerGroup = 16;  // a multiple of kRows
layout(constant_id = 4) const bool kWide = false;       // the team is the group
layout(constant_id = 5) const uint kChunk = 4096;       // elements of x at once, a multiple of 32
layout(constant_id = 6) const uint kMostSubgroups = 64; // in a group
layout(constant_id = 7) const bool kXHalf = false;
layout(constant_id = 8) const bool kYHalf = false;
layout(constant_id = 9) const bool kFours = false; // x and norm are aligned for four at once
layout(constant_id = 10) const bool kNorm = false;
layout(constant_id = 11) const bool kAccumulate = false;
layout(constant_id = 12) const bool kGated = false;
layout(constant_id = 13) const uint kActivation = kActivationNone;
layout(constant_id = 14) const uint kDepth = 1;  // units of a row on their way at once
layout(constant_id = 15) const uint kPlanes = 3; // see matvec_integer.glsl
layout(constant_id = 16) const uint kBatch = 4;  // loads of x by a thread at once
layout(push_constant, scalar) uniform Push { MatvecPush push; };

const uint kSlots = kGated ? 2 * kRows : kRows; // rows of weights: first the gate's, then up's
const uint kParts = kHalfScales ? 2 : 1;        // of a unit, each with a scale
const uint kQuadsPerPart = kQuadsPerUnit / kParts;
const uint kSumPlaces = kWide ? kSlots * kColumns * kMostSubgroups : 1;

// What the functions below work on; arrays of such sizes cannot be arguments.
Packed now[kSlots * kDepth];  // [depth][slot]
float sums[kSlots * kColumns];
float squares[kColumns];

shared float squareShared[kColumns * kMostSubgroups];
shared float sumShared[kSumPlaces];

vec4 loadX(uint column, uint element)
{
    const uint at = column * push.xStride + element;
    if (kFours) {
        if (!kXHalf)
            return Floats4(push.x).v[at >> 2];
        const uvec2 halves = Uints2(push.x).v[at >> 2];
        return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
    }
    vec4 v = vec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i)
        if (element + i < push.cols)
            v[i] = loadActivation(push.x, kXHalf, at + i);
    return v;
}
vec4 loadNorm(uint element)
{
    if (kFours)
        return Floats4(push.norm).v[element >> 2];
    vec4 v = vec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i)
        if (element + i < push.cols)
            v[i] = Floats(push.norm).v[element + i];
    return v;
}

/// Four elements of a column with the norm's weight; beyond the end zeros. Adds up the squares.
vec4 takeX(uint firstColumn, uint column, uint element, vec4 weight)
{
    vec4 v = vec4(0);
    if (element < push.cols && firstColumn + column < push.count)
        v = loadX(firstColumn + column, element);
    if (kNorm) {
        squares[column] += dot(v, v);
        v *= weight;
    }
    return v;
}

#ifdef INTEGER_DOT
#include "shaders/ops/matvec_integer.glsl"
#else
#include "shaders/ops/matvec_float.glsl"
#endif

void storeRow(MatvecTarget target, uint row, uint column, float gate, float up)
{
    const bool biased = target.bias != uvec2(0);
    float value = gate + (biased ? Floats(target.bias).v[row] : 0.0);
    if (kGated) {
        const uvec2 upBias = push.targets[1].bias;
        const float other = up + (upBias != uvec2(0) ? Floats(upBias).v[row] : 0.0);
        value = gatedActivation(kActivation, value, other);
    }
    const uint at = column * target.yStride + row;
    if (kAccumulate)
        value += loadActivation(target.y, kYHalf, at);
    storeActivation(target.y, kYHalf, at, value);
}

void main()
{
    prepareDecoder();
    // Which target this group works for, and on which of its rows.
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint which = 0;
    for (; which < 3; ++which) {
        const uint groups = (push.targets[which].rows + kRowsPerGroup - 1) / kRowsPerGroup;
        if (group < groups)
            break;
        group -= groups;
        if (kGated)
            return; // the second target is no further work
    }
    if (which == 3)
        return;
    const MatvecTarget target = push.targets[which];
    const uint rowGroups = (push.cols + 31) / 32;
    const WeightRef first = WeightRef(target.weight, target.rows * rowGroups);
    const WeightRef second = WeightRef(push.targets[1].weight, target.rows * rowGroups);

    const uint unitsPerRow = rowGroups * kUnitsPerGroup;
    const uint units = (push.cols + kUnit - 1) / kUnit; // less the padding
    const uint firstColumn = gl_WorkGroupID.z * kColumns;
    const uint chunks = (32 * rowGroups + kChunk - 1) / kChunk;
    const uint teams = kWide ? 1 : gl_NumSubgroups;
    const uint team = kWide ? 0 : gl_SubgroupID;
    const uint teamSize = kWide ? gl_WorkGroupSize.x : gl_SubgroupSize;
    const uint lane = kWide ? gl_LocalInvocationID.x : gl_SubgroupInvocationID;

    for (uint done = 0; done < kRowsPerGroup; done += teams * kRows) { // once, unless subgroups
        const uint inGroup = done + team * kRows;                      // are larger than usual
        const uint firstRow = group * kRowsPerGroup + inGroup;
        uint base[kRows];
        [[unroll]] for (uint r = 0; r < kRows; ++r)
            base[r] = min(firstRow + r, target.rows - 1) * unitsPerRow;
        [[unroll]] for (uint i = 0; i < kSlots * kColumns; ++i)
            sums[i] = 0;

        uint unit = lane;
        Packed next[kSlots * kDepth];
        [[unroll]] for (uint d = 0; d < kDepth; ++d) {
            if (unit + d * teamSize < units) {
                [[unroll]] for (uint slot = 0; slot < kSlots; ++slot)
                    next[d * kSlots + slot] = loadUnit(slot < kRows ? first : second,
                                                       base[slot % kRows] + unit + d * teamSize);
            }
        }
        for (uint chunk = 0; chunk < chunks; ++chunk) {
            const uint begin = chunk * kChunk, end = min(begin + kChunk, 32 * rowGroups);
            if (done == 0 || chunks > 1) {
                if (done > 0 || chunk > 0)
                    barrier(); // the chunk before is still being read
                if (chunk == 0) {
                    [[unroll]] for (uint c = 0; c < kColumns; ++c)
                        squares[c] = 0;
                }
                stage(firstColumn, begin, end);
                if (kNorm && chunk + 1 == chunks) {
                    [[unroll]] for (uint c = 0; c < kColumns; ++c) {
                        const float sum = subgroupAdd(squares[c]);
                        if (subgroupElect())
                            squareShared[c * kMostSubgroups + gl_SubgroupID] = sum;
                    }
                }
                barrier();
            }
            // A chunk is a multiple of the elements of kDepth steps, or the only one.
            for (; unit < units && unit * kUnit < end; unit += kDepth * teamSize) {
                [[unroll]] for (uint i = 0; i < kSlots * kDepth; ++i)
                    now[i] = next[i];
                [[unroll]] for (uint d = 0; d < kDepth; ++d) {
                    const uint later = unit + (kDepth + d) * teamSize;
                    if (later < units) {
                        [[unroll]] for (uint slot = 0; slot < kSlots; ++slot)
                            next[d * kSlots + slot] = loadUnit(slot < kRows ? first : second,
                                                               base[slot % kRows] + later);
                    }
                }
                [[unroll]] for (uint d = 0; d < kDepth; ++d) {
                    const uint at = unit + d * teamSize;
                    if (d == 0 || at < units)
                        multiplyUnit(d * kSlots, at * kUnit - begin, push.cols - at * kUnit);
                }
            }
        }

        [[unroll]] for (uint i = 0; i < kSlots * kColumns; ++i)
            sums[i] = subgroupAdd(sums[i]);
        if (kWide) {
            if (done > 0)
                barrier();
            if (subgroupElect()) {
                [[unroll]] for (uint i = 0; i < kSlots * kColumns; ++i)
                    sumShared[i * kMostSubgroups + gl_SubgroupID] = sums[i];
            }
            barrier();
            [[unroll]] for (uint i = 0; i < kSlots * kColumns; ++i) {
                sums[i] = 0;
                for (uint s = 0; s < gl_NumSubgroups; ++s)
                    sums[i] += sumShared[i * kMostSubgroups + s];
            }
        }
        [[unroll]] for (uint c = 0; c < kColumns; ++c) {
            float factor = 1;
            if (kNorm) {
                float square = 0;
                for (uint s = 0; s < gl_NumSubgroups; ++s)
                    square += squareShared[c * kMostSubgroups + s];
                factor = inversesqrt(square / float(push.cols) + push.eps);
            }
            [[unroll]] for (uint r = 0; r < kRows; ++r) {
                const uint row = firstRow + r;
                if (lane == (c * kRows + r) % teamSize && inGroup + r < kRowsPerGroup &&
                    row < target.rows && firstColumn + c < push.count)
                    storeRow(target, row, firstColumn + c, factor * sums[r * kColumns + c],
                             kGated ? factor * sums[(kSlots - kRows + r) * kColumns + c] : 0.0);
            }
        }
    }
}
