#version 460
// GEMV with a matrix for each row: the experts chosen for a token, or a head's own. x goes to shared
// memory, multiplied by the norm's weights or an expert's share, and each subgroup computes kOuts rows of
// the weight over all of it. With kExpertSum the rows of all experts of a token are one long row.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/quant/decode.glsl"
#include "shaders/ops/matmul/expert_rows.h"

KERNEL(EXPERT_ROWS_CONSTANTS, ExpertRowsPush)

const bool kXHalf = (kFlags & kExpertXHalf) != 0;
const bool kOutHalf = (kFlags & kExpertOutHalf) != 0;
const bool kGated = (kFlags & kExpertGated) != 0;
const bool kNorm = (kFlags & kExpertNorm) != 0;
const bool kSum = (kFlags & kExpertSum) != 0;
const bool kHeads = (kFlags & kExpertHeads) != 0;
const uint kMatrices = 1 + ((kFlags & kExpertGated) >> 3);

// 32 columns take nine vec4, so that threads that read different columns use different banks.
const uint kChunk = 128; // times 32 columns in shared memory
shared vec4 xShared[kChunk * 9];
shared uint expertOf[kExpertMostUsed];
shared float shareOf[kExpertMostUsed];

const uint kNoExpert = 0xffffffffu;

uint validExpert(int id)
{
    return id >= 0 && uint(id) < push.experts ? uint(id) : kNoExpert;
}

float squares; // of this thread's part of x

void stage(uint chunk, uint end, uint xBegin)
{
    for (uint i = gl_LocalInvocationIndex; i < (end - chunk) * 8; i += gl_WorkGroupSize.x) {
        const uint group = chunk + i / 8;
        const uint row = kSum ? group / kPerRow : 0;
        const uint col = (kSum ? group % kPerRow : group) * 32 + i % 8 * 4;
        vec4 value = vec4(0);
        if (!kSum || expertOf[row] != kNoExpert)
            [[unroll]] for (uint c = 0; c < 4; ++c)
                if (col + c < push.cols)
                    value[c] = loadActivation(push.x, kXHalf,
                                              xBegin + row * push.xStride + col + c);
        if (kSum)
            value *= shareOf[row];
        if (kNorm) {
            squares += dot(value, value);
            [[unroll]] for (uint c = 0; c < 4; ++c)
                if (col + c < push.cols)
                    value[c] *= Floats(push.norm).v[col + c];
        }
        xShared[i / 8 * 9 + i % 8] = value;
    }
}

float sums[kOuts * kMatrices];

/// Adds what this thread's units of the chunk give to the sums of outs first … first + kOuts − 1.
void accumulate(uint chunk, uint end, uint expert, uint first)
{
    const uint units = (end - chunk) * kUnitsPerGroup;
    for (uint u = gl_SubgroupInvocationID; u < units; u += gl_SubgroupSize) {
        const uint group = chunk + u / kUnitsPerGroup;
        const uint matrix = kSum ? expertOf[group / kPerRow] : expert;
        if (kSum && matrix == kNoExpert)
            continue;
        const uint within = (kSum ? group % kPerRow : group) * kUnitsPerGroup + u % kUnitsPerGroup;
        Packed packed[kOuts * kMatrices];
        [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i) {
            const uint o = min(first + i % kOuts, push.endOut - 1);
            const WeightRef weight = WeightRef(i < kOuts ? push.weight : push.up, push.groups);
            packed[i] =
                loadUnit(weight, (matrix * push.outs + o) * (kPerRow * kUnitsPerGroup) + within);
        }
        Opened p[kOuts * kMatrices];
        [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i)
            p[i] = opened(packed[i]);
        const uint at = u / kUnitsPerGroup * 9 + u % kUnitsPerGroup * kQuadsPerUnit;
        vec2 raw[kOuts * kMatrices]; // of each half, where they have scales of their own
        [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i)
            raw[i] = vec2(0);
        vec2 xSum = vec2(0);
        [[unroll]] for (uint quad = 0; quad < kQuadsPerUnit; ++quad) {
            const uint part = kHalfScales ? quad >> 2 : 0;
            const vec4 x = xShared[at + quad];
            if (kOffset)
                xSum[part] += x.x + x.y + x.z + x.w;
            [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i)
                raw[i][part] += dot(rawQuad(p[i], quad), x);
        }
        [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i)
            [[unroll]] for (uint part = 0; part < (kHalfScales ? 2 : 1); ++part) {
                const vec2 scale = scaleOf(p[i], part);
                sums[i] += scale.x * raw[i][part];
                if (kOffset)
                    sums[i] += scale.y * xSum[part];
            }
    }
}

/// Σⱼ shares[j] · bias of expert j, by the first threads of a subgroup.
float sharedBias(uint o)
{
    float sum = 0;
    for (uint j = gl_SubgroupInvocationID; j < push.used; j += gl_SubgroupSize)
        if (expertOf[j] != kNoExpert)
            sum += shareOf[j] * Floats(push.bias).v[expertOf[j] * push.outs + o];
    return sum;
}

void finish(uint expert, uint o, float sum, float upSum, uint outBegin)
{
    const uint biased = !kSum && expert == kNoExpert ? 0 : expert; // no bias is read beyond the last
    if (!kSum && (kFlags & kExpertBias) != 0)
        sum += Floats(push.bias).v[biased * push.outs + o];
    if (kGated) {
        if ((kFlags & kExpertUpBias) != 0)
            upSum += Floats(push.upBias).v[biased * push.outs + o];
        sum = gatedActivation(kActivation, sum, upSum);
    } else {
        sum = activation(kActivation, sum);
    }
    if (!kSum && expert == kNoExpert)
        sum = 0;
    if ((kFlags & kExpertAdd) != 0)
        sum += loadActivation(push.result, kOutHalf, outBegin + o);
    storeActivation(push.result, kOutHalf, outBegin + o, sum);
}

// The row of out that the workgroup computes.
uint expert, xBegin, outBegin;
uint groups; // of 32, of all of x

void findRow(uint row)
{
    expert = 0;
    outBegin = row * push.outStride;
    groups = kPerRow;
    if (kSum) {
        for (uint j = gl_LocalInvocationIndex; j < push.used; j += gl_WorkGroupSize.x) {
            expertOf[j] = validExpert(Ints(push.ids).v[row * push.idStride + j]);
            shareOf[j] = Floats(push.shares).v[row * push.shareStride + j];
        }
        barrier();
        groups *= push.used;
        xBegin = row * push.used * push.xStride;
    } else if (kHeads) {
        expert = row % push.experts;
        xBegin = row / push.experts * push.xStride + expert * push.xStep;
        outBegin = row / push.experts * push.outStride + expert * push.outStep;
    } else {
        const uint token = row / push.used;
        expert = validExpert(Ints(push.ids).v[token * push.idStride + row % push.used]);
        xBegin = token * push.xStride;
    }
}

/// Sums over the subgroup become outs first … of the row.
void storeOuts(uint first, float factor)
{
    [[unroll]] for (uint i = 0; i < kOuts; ++i) {
        const uint o = first + i;
        float own = sums[i];
        if (kSum && (kFlags & kExpertBias) != 0 && o < push.endOut)
            own += sharedBias(o);
        const float sum = subgroupAdd(own) * factor;
        const float upSum = kGated ? subgroupAdd(sums[(kMatrices - 1) * kOuts + i]) * factor : 0.0;
        if (o < push.endOut && subgroupElect())
            finish(expert, o, sum, upSum, outBegin);
    }
}

void main()
{
    findRow(gl_WorkGroupID.y);
    const uint atOnce = gl_NumSubgroups * kOuts;
    bool staged = false;
    for (uint base = push.firstOut + gl_WorkGroupID.x * atOnce; base < push.endOut;
         base += gl_NumWorkGroups.x * atOnce) {
        const uint first = base + gl_SubgroupID * kOuts;
        [[unroll]] for (uint i = 0; i < kOuts * kMatrices; ++i)
            sums[i] = 0;
        for (uint chunk = 0; chunk < groups; chunk += kChunk) {
            const uint end = min(chunk + kChunk, groups);
            if (!staged || groups > kChunk) {
                if (chunk == 0)
                    squares = 0;
                barrier();
                stage(chunk, end, xBegin);
                barrier();
            }
            if (first < push.endOut && (kSum || expert != kNoExpert))
                accumulate(chunk, end, expert, first);
        }
        staged = true;
        float factor = 1;
        if (kNorm)
            factor = inversesqrt(groupSum(squares) / float(push.cols) + push.eps);
        if (first < push.endOut)
            storeOuts(first, factor);
    }
}
