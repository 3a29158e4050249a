#version 460
// One row per item: a workgroup takes kPoolWidth columns of an item, its threads share the rows. Grid:
// columns, items.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/common/pass_tables.glsl"
#include "shaders/ops/rows/pool.h"

KERNEL(POOL_CONSTANTS, PoolPush)

shared float sums[gl_WorkGroupSize.x];

void main()
{
    const uint thread = gl_LocalInvocationID.x;
    const uint parts = gl_WorkGroupSize.x / kPoolWidth;
    const uint part = thread / kPoolWidth;
    const uint column = gl_WorkGroupID.x * kPoolWidth + thread % kPoolWidth;
    const uint item = gl_WorkGroupID.y;
    const PassItem place = PassItems(push.items).v[item];

    uint begin = 0, end = place.rows;
    if (kPooling == kPoolFirst)
        end = min(end, 1);
    else if (kPooling == kPoolLast)
        begin = max(end, 1) - 1;
    float sum = 0.0;
    if (column < push.cols)
        for (uint t = begin + part; t < end; t += parts)
            sum += loadActivation(rowAddress(push.x, place.firstRow + t, push.xStride), kXHalf,
                                  column);
    sums[thread] = sum;
    barrier();
    if (part == 0 && column < push.cols) {
        for (uint i = 1; i < parts; ++i)
            sum += sums[thread + i * kPoolWidth];
        if (kPooling == kPoolMean && place.rows > 0)
            sum /= float(place.rows);
        storeActivation(rowAddress(push.result, item, push.outStride), kOutHalf, column, sum);
    }
}
