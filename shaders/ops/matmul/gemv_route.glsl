// A mixture's choice of experts by the largest logits, repeated by every workgroup that reads one of the
// experts: cheaper than a dispatch of its own with its barrier. One subgroup of each workgroup keeps the
// logits in registers and takes the largest kChosen times; counting ranks, as ops/rows/route.comp does,
// takes all threads longer.
#include "shaders/common/order_keys.glsl"

const uint kOwnChoices = (kChoices + kSmallestSubgroup - 1) / kSmallestSubgroup; // of a thread
shared uint chosenExpert;
// What storeChoice() needs: the largest and the own logit, and what the share is divided by.
float largestLogit, chosenLogit, divisor;

float scoreOf(float logit)
{
    return kSigmoid ? 1.0 / (1.0 + exp(-logit)) : exp(logit - largestLogit);
}

/// The j-th best expert of a token; with `storing` for storeChoice() too. One subgroup.
uint findExpert(uint token, uint j, bool storing)
{
    uint keys[kOwnChoices]; // 0: none, or taken
    [[unroll]] for (uint i = 0; i < kOwnChoices; ++i) {
        const uint e = i * gl_SubgroupSize + gl_SubgroupInvocationID;
        keys[i] = 0;
        if (e < kChoices) // NaN comes last, but still has a place
            keys[i] = max(orderKey(Floats(push.GEMV_LOGITS).v[token * kChoices + e]), 1);
    }
    const uint rounds = storing && kShareOf == kShareOfChosen ? kChosen : j + 1;
    uint expert = 0;
    divisor = kShareOf == kShareOfOne ? 1 : 0;
    for (uint round = 0; round < rounds; ++round) {
        uint best = 0;
        [[unroll]] for (uint i = 0; i < kOwnChoices; ++i)
            best = max(best, keys[i]);
        best = subgroupMax(best);
        const float logit = valueOfKey(best);
        if (round == 0) {
            largestLogit = logit;
            float sum = 0;
            if (storing && kShareOf == kShareOfAll) {
                [[unroll]] for (uint i = 0; i < kOwnChoices; ++i)
                    sum += keys[i] == 0 ? 0 : scoreOf(valueOfKey(keys[i]));
                divisor = subgroupAdd(sum);
            }
        }
        uint winner = 0xffffffffu; // the lower number wins a tie
        [[unroll]] for (uint i = 0; i < kOwnChoices; ++i)
            if (keys[i] == best)
                winner = min(winner, i * gl_SubgroupSize + gl_SubgroupInvocationID);
        winner = subgroupMin(winner);
        [[unroll]] for (uint i = 0; i < kOwnChoices; ++i)
            if (i * gl_SubgroupSize + gl_SubgroupInvocationID == winner)
                keys[i] = 0;
        if (round == j) {
            expert = winner;
            chosenLogit = logit;
        }
        if (storing && kShareOf == kShareOfChosen)
            divisor += scoreOf(logit);
    }
    return expert;
}

/// The same for all threads of the workgroup; the first subgroup finds it.
uint chooseExpert(uint token, uint j, bool storing)
{
    if (gl_SubgroupID == 0) {
        const uint expert = findExpert(token, j, storing);
        if (subgroupElect())
            chosenExpert = expert;
    }
    barrier();
    return chosenExpert;
}

/// Writes the choice and its share. One thread of the subgroup that found it.
void storeChoice(uint token, uint j)
{
    Uints(push.GEMV_IDS).v[token * push.GEMV_ID_STRIDE + j] = chosenExpert;
    Floats(push.GEMV_SHARES).v[token * push.GEMV_SHARE_STRIDE + j] =
        scoreOf(chosenLogit) / max(divisor, 1e-20) * kShareScale; // sigmoids may all be zero
}
