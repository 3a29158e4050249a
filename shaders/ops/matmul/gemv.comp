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
#define SHARED_GRID
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

// Which of the three targets a workgroup works for is found by its number; else there is one.
const bool kSeveralTargets = !kGated && !kNext && kExperts == kNoExperts;

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

// What is uniform or the thread's own stays local to main(), as do its branches: with them in variables
// of the module and functions that return early, products of one row took 6 % longer on an H200.

/// The target of a workgroup, whose number becomes that among the target's workgroups; 3: none is left.
uint findTarget(inout uint group)
{
    uint which = 0;
    for (; which < 3; ++which) {
        const uint groups = (push.targets[which].rows + kGroupRows - 1) / kGroupRows;
        if (group < groups)
            break;
        group -= groups;
    }
    return which;
}

/// Whose matrix a thread reads at first. With experts the only column is a pair (token, expert), or a
/// token whose experts are summed.
uint firstExpert(uint column, uint group, uint lane)
{
    uint expert = 0;
    if (kExperts == kEachExpert && kChosen > 0)
        expert = chooseExpert(column / kChosen, column % kChosen, group == 0);
    else if (kExperts == kEachExpert)
        expert = expertOf(column / push.GEMV_USED, column % push.GEMV_USED);
    else if (kSumming)
        expert = expertOf(column, summand(0, lane));
    return expert;
}

/// Sums of squares of x over the subgroups of a team.
void reduceSquares(uint team, uint part)
{
    [[unroll]] for (uint c = 0; c < kColumns; ++c) {
        const float square = subgroupAdd(squares[c]);
        if (team == 0 && subgroupElect())
            squareShared[c * kMaxParts + part] = square;
    }
}
/// 1 / √(mean(x²) + eps)
float normFactor(uint c, uint parts)
{
    float square = 0;
    for (uint p = 0; p < parts; ++p)
        square += squareShared[c * kMaxParts + p];
    return inversesqrt(square / float(push.cols) + push.eps);
}

/// The element of y of a row and a column, from the sums of a team.
float finishedElement(uint inGroup, uint c, uint parts, uint row, uint rows, uint column, uvec2 bias,
                      uint expert)
{
    const float factor = kNorm ? normFactor(c, parts) : 1;
    const uint biasExpert = kSumming ? 0 : expert;
    float value = factor * sumOf(inGroup, 0, c, parts) + biasOf(bias, row, rows, column, biasExpert);
    if (kGated) {
        const float up = factor * sumOf(inGroup, 1, c, parts)
                         + biasOf(push.targets[1].bias, row, rows, column, biasExpert);
        value = gatedActivation(kActivation, value, up);
    } else {
        value = activation(kActivation, value);
    }
    if (kExperts == kEachExpert && expert == kNoExpert)
        value = 0; // a pair that names no expert
    return value;
}

/// Four of `finished`, of rows row … of y, as q8 activations.
void storeNext(uint at, uint column, uint row, uint rows, vec4 norm)
{
    const vec4 plain = vec4(finished[at], finished[at + 1], finished[at + 2], finished[at + 3]);
    const uint rowUnits = q8RowBytes(rows) / 256;
    storeQ8(addUnits256(push.GEMV_NEXT_ROWS, column * rowUnits), rows, row / 4, plain * norm, plain);
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint which = 0;
    if (kSeveralTargets) {
        which = findTarget(group);
        if (which == 3)
            return;
    } else if (group * kGroupRows >= push.targets[0].rows) {
        return;
    }
    const GemvTarget target = push.targets[which];
    const uint rowGroups = (push.cols + 31) / 32;
    const uint depth = kExperts == kNoExperts ? 1 : push.GEMV_EXPERTS;
    const WeightRef first = WeightRef(target.weight, depth * target.rows * rowGroups);
    const WeightRef second = WeightRef(push.targets[1].weight, first.groups); // up, where gated
    const uint unitsPerRow = rowGroups * kUnitsPerGroup;
    const uint units = (push.cols + kUnit - 1) / kUnit; // less the padding
    const uint firstColumn = gl_WorkGroupID.z * kColumns;

    // By subgroups: their order in a workgroup is up to the driver.
    const uint index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uint team = index / kTeam, lane = index % kTeam;
    const uint part = lane / gl_SubgroupSize, parts = kTeam / gl_SubgroupSize; // subgroups of a team
    const uint firstRow = group * kGroupRows + team * kTeamRows;
    const uint lastRow = target.rows - 1;

    uint expert = firstExpert(firstColumn, group, lane);
    uint depthUnits = (expert == kNoExpert ? 0 : expert) * target.rows * unitsPerRow; // rows before its
    findUnits(0, lane, units);
    [[unroll]] for (uint slot = 0; slot < kSlots; ++slot)
        [[unroll]] for (uint i = 0; i < kUnits; ++i)
            packed[slot * kUnits + i] =
                loadUnit(slot < kRows ? first : second,
                         depthUnits + min(firstRow + slot % kRows, lastRow) * unitsPerRow + places[i]);
    openGrid(target.weight, index, kThreads);
    // What is needed at the very end, by the thread that will need it.
    float old = 0;
    if (kAccumulate && index < kColumns * kGroupRows) {
        const uint row = group * kGroupRows + index % kGroupRows;
        const uint column = firstColumn + index / kGroupRows;
        if (row < target.rows && column < push.count)
            old = loadActivation(target.y, kYHalf, column * target.yStride + row);
    }
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
                depthUnits = (nextExpert == kNoExpert ? 0 : nextExpert) * target.rows * unitsPerRow;
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
        reduceSquares(team, part);
    barrier();

    for (uint i = index; i < kColumns * kGroupRows; i += kThreads) {
        const uint inGroup = i % kGroupRows, c = i / kGroupRows;
        const uint row = group * kGroupRows + inGroup, column = firstColumn + c;
        float value = 0;
        if (row < target.rows && column < push.count) {
            const uint at = column * target.yStride + row;
            value = finishedElement(inGroup, c, parts, row, target.rows, column, target.bias, expert);
            if (kAccumulate)
                value += i == index ? old : loadActivation(target.y, kYHalf, at);
            storeActivation(target.y, kYHalf, at, value);
        }
        if (kNext)
            finished[i] = value;
    }
    if (kNext) {
        barrier();
        const uint quads = kGroupRows / 4;
        for (uint i = index; i < kColumns * quads; i += kThreads) {
            const uint c = i / quads, column = firstColumn + c;
            const uint row = group * kGroupRows + i % quads * 4;
            if (row >= target.rows || column >= push.count)
                continue;
            vec4 norm = vec4(1);
            if (normedNext)
                norm = row / 4 == ownQuad ? nextNorm : Floats4(push.GEMV_NEXT_NORM).v[row / 4];
            storeNext(c * kGroupRows + i % quads * 4, column, row, target.rows, norm);
        }
    }
}
