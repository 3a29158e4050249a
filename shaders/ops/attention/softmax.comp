#version 460
// One workgroup for each row: largest value, sum of exponentials, quotients. out may be x.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/activations.glsl"
#include "shaders/common/decay.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/ops/attention/softmax.h"

KERNEL(SOFTMAX_CONSTANTS, SoftmaxPush)

void main()
{
    const uint row = push.firstRow + gl_WorkGroupID.x;
    const uint thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
    uint seen = push.cols;
    if (kVisible)
        seen = uint(clamp(Ints(push.visible).v[row * push.visibleStride], 0, int(push.cols)));
    const uint from = row * push.xStride, to = row * push.outStride;
    float largest = -3e38;
    for (uint c = thread; c < seen; c += threads)
        largest = max(largest, loadActivation(push.x, kInputHalf, from + c) * push.scale);
    largest = groupMax(largest);
    float sum = 0;
    for (uint c = thread; c < seen; c += threads)
        sum += decay(loadActivation(push.x, kInputHalf, from + c) * push.scale - largest);
    sum = groupSum(sum);
    for (uint c = thread; c < seen; c += threads) {
        const float value = loadActivation(push.x, kInputHalf, from + c) * push.scale;
        storeActivation(push.out_, kOutputHalf, to + c, decay(value - largest) / sum);
    }
    for (uint c = seen + thread; c < push.cols; c += threads)
        storeActivation(push.out_, kOutputHalf, to + c, 0);
}
