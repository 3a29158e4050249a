// A mixture's choice by the largest logits, made again by every group that reads one of the experts:
// that takes less time than a launch of its own with its barrier. As in ops/route.comp, an expert's
// place is the number of those that come before it.
#include "shaders/common/order_keys.glsl"

const uint kChoiceFours = (kChoices + 3) / 4;
shared uvec4 choiceKeys[kChosen > 0 ? kChoiceFours : 1]; // zeros behind them
shared uint chosenIds[kChosen > 0 ? kChosen : 1];

float logitOf(uint token, uint e)
{
    return Floats(push.MATVEC_LOGITS).v[token * kChoices + e];
}

float keptLogit(uint e)
{
    return valueOfKey(choiceKeys[e / 4][e % 4]);
}
float scoreOf(float logit, float largest)
{
    return kSigmoid ? 1.0 / (1.0 + exp(-logit)) : exp(logit - largest);
}

/// The j-th expert of a token. All threads; `index` counts them subgroup by subgroup.
uint chooseExpert(uint token, uint j, uint index)
{
    for (uint e = index; e < 4 * kChoiceFours; e += THREADS)
        choiceKeys[e / 4][e % 4] = e < kChoices ? max(orderKey(logitOf(token, e)), 1) : 0;
    barrier();
    // Threads of one subgroup that count for one expert.
    const uint sharers = kSmallestSubgroup < 4         ? 1
                         : THREADS >= 4 * kChoices ? 4
                         : THREADS >= 2 * kChoices ? 2
                                                   : 1;
    const uint atOnce = THREADS / sharers;
    for (uint first = 0; first < kChoices; first += atOnce) {
        const uint e = min(first + index / sharers, kChoices - 1);
        const uint key = choiceKeys[e / 4][e % 4];
        uint place = 0;
        [[unroll]] for (uint i = 0; i < kChoiceFours; i += sharers) {
            const uint four = i + index % sharers;
            if (four < kChoiceFours) {
                const uvec4 others = choiceKeys[four];
                [[unroll]] for (uint k = 0; k < 4; ++k) // the lower number wins a tie
                    place += others[k] > key - (4 * four + k < e ? 1 : 0) ? 1 : 0;
            }
        }
        [[unroll]] for (uint distance = 1; distance < sharers; distance *= 2)
            place += subgroupShuffleXor(place, distance);
        if (place < kChosen && index % sharers == 0 && first + index / sharers < kChoices)
            chosenIds[place] = e;
    }
    barrier();
    return chosenIds[j];
}

/// Writes that choice and its share. One subgroup.
void storeChoice(uint token, uint j)
{
    const float largest = keptLogit(chosenIds[0]);
    float sum = 0;
    const uint summands = kShareOf == kShareOfAll ? kChoices : kShareOf == kShareOfChosen ? kChosen : 0;
    for (uint i = gl_SubgroupInvocationID; i < summands; i += gl_SubgroupSize)
        sum += scoreOf(keptLogit(kShareOf == kShareOfAll ? i : chosenIds[i]), largest);
    sum = kShareOf == kShareOfOne ? 1 : max(subgroupAdd(sum), 1e-20); // sigmoids may all be zero
    if (!subgroupElect())
        return;
    const float score = scoreOf(keptLogit(chosenIds[j]), largest);
    Uints(push.MATVEC_IDS).v[token * push.MATVEC_ID_STRIDE + j] = chosenIds[j];
    Floats(push.MATVEC_SHARES).v[token * push.MATVEC_SHARE_STRIDE + j] = score / sum * kShareScale;
}
