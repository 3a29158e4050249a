#version 460
// GEMV: y [T, rows] = (normed) x [T, cols] · weightᵀ, kColumns rows of x at a time (columns, below). A
// team of kTeam lanes computes kSets · kRows rows of the weight: in each pass over a row a lane multiplies
// its 32 elements of x, in registers, by its units of the row; then the lanes' sums are reduced. Adjacent
// lanes load adjacent units, so that loads coalesce. Weights are loaded one step ahead, the first of them
// before x, as they depend on nothing but the dispatch.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/activations.glsl"
#include "shaders/common/q8_activations.glsl"
#include "shaders/ops/matmul/gemv.h"
#include "shaders/quant/decode.glsl"

KERNEL(GEMV_CONSTANTS, GemvPush)

const uint kPerRow = kGated ? 2 : 1;             // rows of weights for a row of y
const uint kSlots = kPerRow * kRows;             // [gate or up][row]
const uint kUnits = 32 / kUnit;                  // of a thread, in one pass over a row
const uint kParts = kHalfScales ? 2 : 1;         // of a unit, each with a scale
const uint kQuadsPerPart = kQuadsPerUnit / kParts;
const uint kTeams = kThreads / kTeam;
const uint kTeamRows = kRows * kSets;
const uint kGroupRows = kTeams * kTeamRows;
const uint kMaxParts = kTeam / kSmallestSubgroup; // subgroups of a team
const uint kSums = kSlots * kColumns;
const uint kRowThreads = kTeam / kPairs;           // of a team, over one row of the weight
#ifdef INTEGER_DOT
const uint kKept = kPasses == 1 && kColumns == 2 ? 2 : 1; // rows of x in registers
#else
const uint kKept = 1;
#endif
const bool kOnce = kPasses == 1 && kKept == kColumns; // x is loaded once
const bool kSumming = kExperts == kSumExperts;
// Several sums over a subgroup: lanes halve the number of sums with each shuffle, the fewest steps.
const bool kHalving = kSums > 1 && kSums <= kSmallestSubgroup && (kSums & (kSums - 1)) == 0;

// The target this workgroup works for, and its rows of it.
GemvTarget target;
WeightRef first, second; // second: up, where gated
uint group, units, unitsPerRow, firstColumn;
// Position of the thread, by subgroups: their order in a workgroup is up to the driver.
uint index, team, lane;
uint part, parts; // subgroup of its team
uint firstRow, lastRow;

// What the functions below work on; arrays of such sizes cannot be arguments.
Packed packed[kSlots * kUnits]; // [slot][unit]
uint places[kUnits];            // units of this thread in a row
bool inside[kUnits];            // the row is that long
float share;                    // of this thread's expert in the sum
float sums[kSums];              // [slot][column]
float squares[kColumns];

shared float partShared[kTeams * kSets * kSums * kMaxParts];
shared float squareShared[kColumns * kMaxParts];
shared float finished[kNext ? kColumns * kGroupRows : 1];

#ifdef INTEGER_DOT
#include "shaders/ops/matmul/gemv_q8.glsl"
#else
#include "shaders/ops/matmul/gemv_float.glsl"
#endif

/// The i-th unit of a thread in a pass, which may lie beyond the row.
uint unitOf(uint pass, uint lane, uint i)
{
    return ((kSumming ? 0 : pass) * kUnits + i) * kRowThreads + lane % kRowThreads;
}
void findUnits(uint pass, uint lane, uint units)
{
    [[unroll]] for (uint i = 0; i < kUnits; ++i) {
        inside[i] = unitOf(pass, lane, i) < units;
        places[i] = min(unitOf(pass, lane, i), units - 1);
    }
}

const uint kNoExpert = 0xffffffffu;
#include "shaders/ops/matmul/gemv_route.glsl"
/// The j-th expert of a token, if there is one of that number.
uint expertOf(uint token, uint j)
{
    if (j >= push.GEMV_USED)
        return kNoExpert;
    const uint id = Uints(push.GEMV_IDS).v[token * push.GEMV_ID_STRIDE + j];
    return id < push.GEMV_EXPERTS ? id : kNoExpert;
}
/// The expert of the sum that this thread works for in a pass.
uint summand(uint pass, uint lane)
{
    return pass * kPairs + lane / kRowThreads;
}

/// Adds `sums` over the subgroup and leaves them in shared memory.
void reduceSums(uint set, uint team, uint part)
{
    uint mine = 0; // the sum this thread ends up with
    if (kHalving) {
        [[unroll]] for (uint half_ = kSums / 2, distance = 1; half_ > 0; half_ /= 2, distance *= 2) {
            const bool upper = (gl_SubgroupInvocationID & distance) != 0;
            [[unroll]] for (uint i = 0; i < half_; ++i) {
                const float keep = upper ? sums[half_ + i] : sums[i];
                const float give = upper ? sums[i] : sums[half_ + i];
                sums[i] = keep + subgroupShuffleXor(give, distance);
            }
            mine = 2 * mine + (upper ? 1 : 0);
        }
        for (uint distance = kSums; distance < gl_SubgroupSize; distance *= 2)
            sums[0] += subgroupShuffleXor(sums[0], distance);
        if (gl_SubgroupInvocationID < kSums)
            partShared[((team * kSets + set) * kSums + mine) * kMaxParts + part] = sums[0];
        return;
    }
    [[unroll]] for (uint i = 0; i < kSums; ++i)
        sums[i] = subgroupAdd(sums[i]);
    if (subgroupElect()) {
        [[unroll]] for (uint i = 0; i < kSums; ++i)
            partShared[((team * kSets + set) * kSums + i) * kMaxParts + part] = sums[i];
    }
}

/// The sum over a team of one row and column.
float sumOf(uint inGroup, uint which, uint column, uint parts)
{
    const uint team = inGroup / kTeamRows, inTeam = inGroup % kTeamRows;
    const uint slot = which * kRows + inTeam % kRows;
    const uint at = ((team * kSets + inTeam / kRows) * kSums + slot * kColumns + column) * kMaxParts;
    float sum = 0;
    for (uint part = 0; part < parts; ++part)
        sum += partShared[at + part];
    return sum;
}

/// Fetches x of a column for a pass, with experts the row of the pair.
void loadPassX(uint column, uint c, uint pass, uint lane, uint expert, bool firstTime)
{
    uint row = column;
    if (kExperts == kEachExpert)
        row = kChosen > 0 ? column / kChosen : column / push.GEMV_USED;
    if (kSumming) {
        const uint j = summand(pass, lane);
        share = expert == kNoExpert ? 0 : Floats(push.GEMV_SHARES).v[column * push.GEMV_SHARE_STRIDE + j];
        row = column * push.GEMV_USED + min(j, push.GEMV_USED - 1);
    }
    loadX(row, c, firstTime);
}

/// The bias of a row; kSumExperts: Σⱼ shares[j] · bias of expert j.
float biasOf(uvec2 bias, uint row, uint rows, uint column, uint expert)
{
    if (kChosen > 0 || bias == uvec2(0) || expert == kNoExpert)
        return 0;
    if (!kSumming)
        return Floats(bias).v[expert * rows + row];
    float sum = 0;
    for (uint j = 0; j < push.GEMV_USED; ++j) {
        const uint other = expertOf(column, j);
        if (other != kNoExpert)
            sum += Floats(push.GEMV_SHARES).v[column * push.GEMV_SHARE_STRIDE + j]
                   * Floats(bias).v[other * rows + row];
    }
    return sum;
}

/// Which target this workgroup works for, and on which of its rows. False: none is left.
bool findTarget()
{
    group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint which = 0;
    if (!kGated && !kNext && kExperts == kNoExperts) {
        for (; which < 3; ++which) {
            const uint groups = (push.targets[which].rows + kGroupRows - 1) / kGroupRows;
            if (group < groups)
                break;
            group -= groups;
        }
        if (which == 3)
            return false;
    } else if (group * kGroupRows >= push.targets[0].rows) {
        return false;
    }
    target = push.targets[which];
    const uint rowGroups = (push.cols + 31) / 32;
    const uint depth = kExperts == kNoExperts ? 1 : push.GEMV_EXPERTS;
    first = WeightRef(target.weight, depth * target.rows * rowGroups);
    second = WeightRef(push.targets[1].weight, first.groups);
    unitsPerRow = rowGroups * kUnitsPerGroup;
    units = (push.cols + kUnit - 1) / kUnit; // less the padding
    firstColumn = gl_WorkGroupID.z * kColumns;

    index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    team = index / kTeam;
    lane = index % kTeam;
    part = lane / gl_SubgroupSize;
    parts = kTeam / gl_SubgroupSize;
    firstRow = group * kGroupRows + team * kTeamRows;
    lastRow = target.rows - 1;
    return true;
}

/// Whose matrix this thread reads. With experts the only column is a pair (token, expert), or a token
/// whose experts are summed.
uint firstExpert()
{
    uint expert = 0;
    if (kExperts == kEachExpert && kChosen > 0)
        expert = chooseExpert(firstColumn / kChosen, firstColumn % kChosen, group == 0);
    else if (kExperts == kEachExpert)
        expert = expertOf(firstColumn / push.GEMV_USED, firstColumn % push.GEMV_USED);
    else if (kSumming)
        expert = expertOf(firstColumn, summand(0, lane));
    return expert;
}

/// Where the rows of an expert's matrix begin, in units.
uint unitsBefore(uint expert)
{
    return (expert == kNoExpert ? 0 : expert) * target.rows * unitsPerRow;
}

/// What the element of y that this thread will write holds so far: loaded early, needed last.
float oldElement()
{
    if (!kAccumulate || index >= kColumns * kGroupRows)
        return 0;
    const uint row = group * kGroupRows + index % kGroupRows;
    const uint column = firstColumn + index / kGroupRows;
    return row < target.rows && column < push.count
               ? loadActivation(target.y, kYHalf, column * target.yStride + row)
               : 0;
}

/// Sums of squares of x over the subgroups of a team.
void reduceSquares()
{
    [[unroll]] for (uint c = 0; c < kColumns; ++c) {
        const float square = subgroupAdd(squares[c]);
        if (team == 0 && subgroupElect())
            squareShared[c * kMaxParts + part] = square;
    }
}
/// 1 / √(mean(x²) + eps)
float normFactor(uint c)
{
    float square = 0;
    for (uint p = 0; p < parts; ++p)
        square += squareShared[c * kMaxParts + p];
    return inversesqrt(square / float(push.cols) + push.eps);
}

/// The element of y of a row and a column, from the sums of a team.
float finishedElement(uint inGroup, uint c, uint expert)
{
    const uint row = group * kGroupRows + inGroup, column = firstColumn + c;
    const float factor = kNorm ? normFactor(c) : 1;
    const uint biasExpert = kSumming ? 0 : expert;
    float value = factor * sumOf(inGroup, 0, c, parts)
                  + biasOf(target.bias, row, target.rows, column, biasExpert);
    if (kGated) {
        const float up = factor * sumOf(inGroup, 1, c, parts)
                         + biasOf(push.targets[1].bias, row, target.rows, column, biasExpert);
        value = gatedActivation(kActivation, value, up);
    }
    return kExperts == kEachExpert && expert == kNoExpert ? 0 : value; // a pair that names no expert
}

/// What is in `finished`, as q8 activations; `norm` is that of the thread's first four.
void storeNext(vec4 norm, uint normQuad, bool normed)
{
    const uint quads = kGroupRows / 4;
    for (uint i = index; i < kColumns * quads; i += kThreads) {
        const uint c = i / quads, column = firstColumn + c;
        const uint row = group * kGroupRows + i % quads * 4;
        if (row >= target.rows || column >= push.count)
            continue;
        const uint at = c * kGroupRows + i % quads * 4;
        const vec4 plain =
            vec4(finished[at], finished[at + 1], finished[at + 2], finished[at + 3]);
        vec4 v = plain;
        if (normed)
            v *= row / 4 == normQuad ? norm : Floats4(push.GEMV_NEXT_NORM).v[row / 4];
        const uint rowUnits = q8RowBytes(target.rows) / 256;
        storeQ8(addUnits256(push.GEMV_NEXT_ROWS, column * rowUnits), target.rows, row / 4, v,
                      plain);
    }
}

void main()
{
    if (!findTarget())
        return;
    uint expert = firstExpert(), depthUnits = unitsBefore(expert);
    findUnits(0, lane, units);
    [[unroll]] for (uint slot = 0; slot < kSlots; ++slot)
        [[unroll]] for (uint i = 0; i < kUnits; ++i)
            packed[slot * kUnits + i] =
                loadUnit(slot < kRows ? first : second,
                         depthUnits + min(firstRow + slot % kRows, lastRow) * unitsPerRow + places[i]);
    const float old = oldElement();
    vec4 nextNorm = vec4(1);
    const uint ownQuad = group * kGroupRows / 4 + index % max(kGroupRows / 4, 1);
    const bool normedNext = kNext && push.GEMV_NEXT_NORM != uvec2(0);
    if (normedNext && 4 * ownQuad < target.rows)
        nextNorm = Floats4(push.GEMV_NEXT_NORM).v[ownQuad];

    [[unroll]] for (uint c = 0; c < kColumns; ++c)
        squares[c] = 0;
    if (kOnce) {
        [[unroll]] for (uint c = 0; c < kColumns; ++c)
            loadPassX(firstColumn + c, c, 0, lane, expert, true);
    }
    if (kChosen > 0 && group == 0 && gl_SubgroupID == 0 && subgroupElect())
        storeChoice(firstColumn / kChosen, firstColumn % kChosen);
    for (uint set = 0; set < kSets; ++set) {
        [[unroll]] for (uint i = 0; i < kSums; ++i)
            sums[i] = 0;
        for (uint pass = 0; pass < kPasses; ++pass) {
            if (kPasses > 1)
                findUnits(pass, lane, units);
            const bool lastPass = pass + 1 == kPasses;
            const bool more = !lastPass || set + 1 < kSets;
            const uint nextPass = lastPass ? 0 : pass + 1;
            const uint nextRow = firstRow + (lastPass ? set + 1 : set) * kRows;
            uint nextExpert = expert;
            if (kSumming && kPasses > 1) {
                nextExpert = expertOf(firstColumn, summand(nextPass, lane));
                depthUnits = unitsBefore(nextExpert);
            }
            [[unroll]] for (uint c = 0; c < kColumns; c += kKept) {
                if (!kOnce)
                    loadPassX(firstColumn + c, c, pass, lane, expert, set == 0);
                [[unroll]] for (uint slot = 0; slot < kSlots; ++slot) {
                    [[unroll]] for (uint i = 0; i < kUnits; ++i)
                        multiplyUnit(slot, i, c);
                    if (c + kKept < kColumns || !more)
                        continue;
                    const uint row = depthUnits + min(nextRow + slot % kRows, lastRow) * unitsPerRow;
                    [[unroll]] for (uint i = 0; i < kUnits; ++i)
                        packed[slot * kUnits + i] =
                            loadUnit(slot < kRows ? first : second,
                                     row + min(unitOf(nextPass, lane, i), units - 1));
                }
            }
            expert = nextExpert;
        }
        reduceSums(set, team, part);
    }
    if (kNorm)
        reduceSquares();
    barrier();

    for (uint i = index; i < kColumns * kGroupRows; i += kThreads) {
        const uint inGroup = i % kGroupRows, c = i / kGroupRows;
        const uint row = group * kGroupRows + inGroup, column = firstColumn + c;
        float value = 0;
        if (row < target.rows && column < push.count) {
            const uint at = column * target.yStride + row;
            value = finishedElement(inGroup, c, expert);
            if (kAccumulate)
                value += i == index ? old : loadActivation(target.y, kYHalf, at);
            storeActivation(target.y, kYHalf, at, value);
        }
        if (kNext)
            finished[i] = value;
    }
    if (kNext) {
        barrier();
        storeNext(nextNorm, ownQuad, normedNext);
    }
}
