#version 460
// A mixture's choice for each row, a workgroup for each row. An expert's place is the number of experts that
// come before it, so that neither a sort nor k rounds of maxima are needed.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "shaders/common/rows.glsl"
#include "shaders/common/order_keys.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/ops/rows/route.h"

KERNEL(ROUTE_CONSTANTS, RoutePush)

const uint kGroupSize = kExperts / kGroups;

shared float scores[kExperts];   // what becomes the weight
shared float choosing[kExperts]; // what is compared
// The same as integers, four by four, with zeros behind them; 0: in a group of experts that is not used.
const uint kFours = (kExperts + 3) / 4;
shared uvec4 keys[kFours];
shared uint groupKeys[kGroups];
shared float chosen[kUsed];
shared uint chosenExperts[kUsed];

void setKey(uint e, uint key)
{
    keys[e / 4][e % 4] = key;
}

void chooseGroups()
{
    const uint threads = gl_WorkGroupSize.x;
    const uint thread = gl_LocalInvocationID.x;
    const float lowest = uintBitsToFloat(0xff800000u); // −∞
    for (uint g = thread; g < kGroups; g += threads) {
        float first = lowest, second = lowest;
        for (uint i = 0; i < kGroupSize; ++i) {
            const float v = choosing[g * kGroupSize + i];
            if (v > first) {
                second = first;
                first = v;
            } else if (v > second) {
                second = v;
            }
        }
        groupKeys[g] = orderKey(kBestTwo && kGroupSize > 1 ? first + second : first);
    }
    barrier();
    for (uint g = thread; g < kGroups; g += threads) {
        uint place = 0;
        for (uint i = 0; i < kGroups; ++i)
            place += groupKeys[i] > groupKeys[g] || (groupKeys[i] == groupKeys[g] && i < g) ? 1 : 0;
        if (place >= kUsedGroups)
            for (uint i = 0; i < kGroupSize; ++i)
                setKey(g * kGroupSize + i, 0);
    }
    barrier();
}

/// scores, and the keys by which experts are chosen.
void scoreExperts(uvec2 logits)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    float largest = uintBitsToFloat(0xff800000u);
    for (uint e = thread; e < kExperts; e += threads) {
        const float logit = loadActivation(logits, kLogitsHalf, e);
        choosing[e] = logit;
        largest = max(largest, logit);
    }
    if (kScore == kScoreSoftmaxAll)
        largest = groupMax(largest);
    float sum = 0.0;
    for (uint e = thread; e < kExperts; e += threads) {
        const float logit = choosing[e]; // by the same thread
        float score = logit;
        if (kScore == kScoreSoftmaxAll) {
            score = exp(logit - largest);
            sum += score;
        } else if (kScore == kScoreSigmoid) {
            score = 1.0 / (1.0 + exp(-logit));
        }
        scores[e] = score;
    }
    const float total = kScore == kScoreSoftmaxAll ? groupSum(sum) : 1.0;
    for (uint e = thread; e < kExperts; e += threads) { // the same thread as above
        scores[e] /= total;
        if (!kByLogit)
            choosing[e] = scores[e] + (kHasBias ? Floats(push.bias).v[e] : 0.0);
        setKey(e, max(orderKey(choosing[e]), 1)); // NaN comes last, but still has a place
    }
    if (kExperts % 4 != 0 && thread == 0) {
        for (uint e = kExperts; e < 4 * kFours; ++e)
            setKey(e, 0);
    }
}

/// An expert whose place is below kUsed is chosen.
void countPlaces(uvec2 ids)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    // The same number of rounds for all threads, as those of an expert share their counts.
    const uint atOnce = threads / kSharers;
    for (uint first = 0; first < kExperts; first += atOnce) {
        const uint e = min(first + thread / kSharers, kExperts - 1);
        const uint key = keys[e / 4][e % 4];
        uint place = 0;
        for (uint i = thread % kSharers; i < kFours; i += kSharers) {
            const uvec4 others = keys[i];
            [[unroll]] for (uint j = 0; j < 4; ++j)
                place += others[j] > key || (others[j] == key && 4 * i + j < e) ? 1 : 0;
        }
        [[unroll]] for (uint distance = 1; distance < kSharers; distance *= 2)
            place += subgroupShuffleXor(place, distance);
        if (thread % kSharers == 0 && first + thread / kSharers < kExperts && key != 0 &&
            place < kUsed) {
            Ints(ids).v[place] = int(e);
            chosen[place] = scores[e];
            chosenExperts[place] = e;
        }
    }
}

/// The softmax of the j-th choice over the experts that were not chosen before and are near enough to it.
float sparseWeight(uint j)
{
    const float largest = chosen[j];
    float sum = 0.0;
    for (uint e = 0; e < kExperts; ++e) {
        bool before = false;
        for (uint i = 0; i < j; ++i)
            before = before || chosenExperts[i] == e;
        const float logit = scores[e];
        const bool far = (largest - logit) / max(abs(logit), largest) > push.nearest;
        sum += before || far ? 0.0 : exp(logit - largest);
    }
    return 1.0 / sum;
}

void mixSparsely()
{
    const uint thread = gl_LocalInvocationID.x; // there are two choices
    const float weight = thread < kUsed ? sparseWeight(thread) : 0.0;
    barrier();
    if (thread < kUsed)
        chosen[thread] = weight;
    barrier();
}

void storeWeights(uvec2 weights)
{
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    for (uint j = thread; j < kUsed; j += threads) {
        float weight = chosen[j];
        float divisor = 1.0;
        if (kScore == kScoreSoftmaxChosen) {
            const float first = chosen[0]; // the largest
            divisor = 0.0;
            for (uint i = 0; i < kUsed; ++i)
                divisor += exp(chosen[i] - first);
            weight = exp(weight - first);
        } else if (kNormalize) {
            divisor = 0.0;
            for (uint i = 0; i < kUsed; ++i)
                divisor += chosen[i];
            divisor = max(divisor, 1e-20); // sigmoids may all be zero
        }
        weight = weight / divisor * push.scale;
        if (kHasScale)
            weight *= Floats(push.expertScale).v[chosenExperts[j]];
        Floats(weights).v[j] = weight;
    }
}

void main()
{
    for (uint row = gl_WorkGroupID.x; row < push.rows; row += gl_NumWorkGroups.x) {
        scoreExperts(rowAddress(push.logits, row, push.logitsStride));
        barrier();
        if (kGroups > 1)
            chooseGroups();
        countPlaces(rowAddress(push.ids, row, push.idsStride));
        barrier();
        if (kScore == kScoreSparseMixer)
            mixSparsely();
        storeWeights(rowAddress(push.weights, row, push.weightsStride));
        barrier(); // the shared arrays serve the next row
    }
}
