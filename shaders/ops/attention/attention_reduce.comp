#version 460
// Reduces the partial results of queries whose keys were split: a workgroup for each query row and head.
// With m = max mₛ over the splits: out = Σ e^(mₛ − m)·valuesₛ / Σ e^(mₛ − m)·sumₛ. Teams of threads take
// different splits, a thread four channels.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/attention.glsl"

ATTENTION_REDUCE_CONSTANTS(SPECIALISATION)

const uint kFours = (kValueDim + 3) / 4;
const uint kTeamThreads = kThreads / kTeams;

shared float largestOf[kMaxSplits], weightOf[kMaxSplits], sumOf[kMaxSplits];
shared vec4 results[kThreads];

void main()
{
    const uint thread = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint row = push.first + gl_WorkGroupID.y;
    const ItemView view = viewItem(Uints(push.rowItems).v[row], head / kGroup);
    if (!takesPart(view.rows))
        return;
    uint used;
    splitKeys(view, 0, used);
    const uint first = partialIndex(row, head, 0);
    for (uint s = thread; s < used; s += kThreads) {
        const vec2 stats = loadPartialStats(first + s);
        largestOf[s] = stats.x;
        sumOf[s] = stats.y;
    }
    barrier();
    float largest = kHidden;
    for (uint s = 0; s < used; ++s)
        largest = max(largest, largestOf[s]);
    for (uint s = thread; s < used; s += kThreads)
        weightOf[s] = decay(largestOf[s] - largest);
    barrier();
    float sum = 0;
    for (uint s = 0; s < used; ++s)
        sum += sumOf[s] * weightOf[s];
    const float scale = finalScale(head, largest, sum);

    const uint team = thread / kTeamThreads;
    for (uint base = 0; base < kFours; base += kTeamThreads) {
        const uint four = base + thread % kTeamThreads;
        vec4 value = vec4(0);
        if (four < kFours)
            for (uint s = team; s < used; s += kTeams)
                value += weightOf[s] * loadPartial(first + s, four);
        results[thread] = value;
        barrier();
        if (team == 0 && four < kFours) {
            for (uint t = 1; t < kTeams; ++t)
                value += results[t * kTeamThreads + thread];
            storeFour(row, head, four, value * scale);
        }
        barrier();
    }
}
