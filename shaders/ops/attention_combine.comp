#version 460
// Joins the partial results of queries whose keys were spread over groups: one group per query row
// and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/attention.glsl"

layout(local_size_x_id = 0) in;

shared vec2 stats[kMostSplits]; // maximum, and sum or weight

void main()
{
    const uint thread = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint row = push.first + gl_WorkGroupID.y;
    const ItemView view = viewItem(Uints(push.rowItems).v[row], head / kGroup);
    if (view.rows < push.fewestRows || view.rows > push.mostRows)
        return;
    uint used;
    splitKeys(view, 0, used);
    const uint first = partialIndex(row, head, 0);
    for (uint s = thread; s < used; s += gl_WorkGroupSize.x)
        stats[s] = loadPartialStats(first + s);
    barrier();
    float largest = kHidden;
    for (uint s = 0; s < used; ++s)
        largest = max(largest, stats[s].x);
    float sum = 0;
    for (uint s = 0; s < used; ++s)
        sum += stats[s].y * decay(stats[s].x - largest);
    const float scale = finalScale(head, largest, sum);
    for (uint c = thread; c < kValueDim; c += gl_WorkGroupSize.x) {
        float value = 0;
        for (uint s = 0; s < used; ++s)
            value += decay(stats[s].x - largest) * Floats(push.partials).v[(first + s) * kValueDim + c];
        storeActivation(push.out_, has(kOutHalf), row * push.outStride + head * kValueDim + c,
                        value * scale);
    }
}
