#version 460
// One workgroup for each row: draws the next id from the best candidates, and makes the tables those of the
// next pass. What was chosen, and from what, goes to the host.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/pass.h"
#include "shaders/common/references.glsl"
#include "shaders/ops/rows/advance.h"

KERNEL(ADVANCE_CONSTANTS, AdvancePush)

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer State { AdvanceState v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Items { PassItem v[]; };

shared float weights[kCount];
shared int ids[kCount];

/// The shortest run of best candidates that holds topP of the weight, and one of them.
int draw(float topP, float number)
{
    float total = 0;
    for (uint i = 0; i < kCount; ++i)
        total += weights[i];
    uint count = kCount;
    if (topP < 1) {
        float kept = 0;
        for (count = 0; count < kCount && (count == 0 || kept < topP * total); ++count)
            kept += weights[count];
        total = kept;
    }
    float left = number * total;
    int chosen = ids[0];
    for (uint i = 0; i < count && left >= 0; ++i) {
        if (weights[i] > 0)
            chosen = ids[i];
        left -= weights[i];
    }
    return chosen;
}

void main()
{
    const uint row = gl_WorkGroupID.x;
    State state = State(push.state);
    const uint pass = state.v.passes[row];
    const float temperature = state.v.temperature;
    const uvec2 results = addBytes(push.results, pass % kResultPasses * kResultWords * 4);
    float best = 0;
    if (kCount > 1)
        best = Floats(push.logits).v[row * push.logitsStride];
    for (uint i = gl_LocalInvocationID.x; i < kCount; i += gl_WorkGroupSize.x) {
        const int id = Ints(push.candidates).v[row * push.candidatesStride + i];
        ids[i] = id;
        weights[i] = 1;
        const uint at = push.rows + row * kCount + i;
        Ints(results).v[at] = id;
        if (kCount > 1) {
            const float logit = Floats(push.logits).v[row * push.logitsStride + i];
            Floats(results).v[at + push.rows * kCount] = logit;
            weights[i] = id < 0 || logit < best + state.v.lowest ? 0.0
                                                                 : exp((logit - best) / temperature);
        }
    }
    barrier();
    if (gl_LocalInvocationID.x != 0)
        return;
    int chosen = ids[0];
    if (kCount > 1 && temperature > 0)
        chosen = draw(state.v.topP, state.v.draws[min(pass * push.rows + row, kMaxDraws - 1)]);
    Ints(results).v[row] = chosen;
    Ints(push.ids).v[row] = chosen;
    Ints(push.positions).v[row] += 1;
    Items(push.items).v[row].past += 1;
    state.v.passes[row] = pass + 1;
}
