#version 460
// Causal depthwise convolution: a thread takes one channel of a chunk of an item's rows and keeps the
// last K inputs in registers. Grid: channels, chunks, items.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/item_state.glsl"
#include "shaders/common/plain_weight.glsl"
#include "shaders/ops/rows/short_convolution.h"

KERNEL(SHORT_CONVOLUTION_CONSTANTS, ShortConvolutionPush)

/// Input `time` of the item, counted from the first row of this pass; −(K−1) … −1 are the state's.
float inputAt(uint item, PassItem place, uint channel, int time)
{
    if (time < 0) {
        const uint row = uint(time + int(kTaps) - 1);
        return Floats(stateRow(push.caches, item, push.stateOffset, row, push.channels)).v[channel];
    }
    return loadActivation(rowAddress(push.x, place.firstRow + uint(time), push.xStride), kXHalf,
                          channel);
}

void main()
{
    const uint channel = gl_GlobalInvocationID.x;
    if (channel >= push.channels)
        return;
    const uint item = gl_WorkGroupID.z;
    const PassItem place = PassItems(push.items).v[item];
    const uint first = gl_WorkGroupID.y * push.chunk;
    const uint end = kWrites == kConvolutionState ? 0 : min(first + push.chunk, place.rows);

    float inputs[kTaps]; // the oldest first
    if (kWrites != kConvolutionState && first < end) {
        float weights[kTaps];
        [[unroll]] for (uint j = 0; j < kTaps; ++j)
            weights[j] = loadPlain(push.weight, kWeightType, channel * push.weightStride + j);
        const float bias = kHasBias ? Floats(push.bias).v[channel] : 0.0;
        [[unroll]] for (uint j = 1; j < kTaps; ++j)
            inputs[j] = inputAt(item, place, channel, int(first + j) - int(kTaps));
        for (uint t = first; t < end; ++t) {
            [[unroll]] for (uint j = 1; j < kTaps; ++j)
                inputs[j - 1] = inputs[j];
            inputs[kTaps - 1] = inputAt(item, place, channel, int(t));
            float sum = bias;
            [[unroll]] for (uint j = 0; j < kTaps; ++j)
                sum = fma(weights[j], inputs[j], sum);
            storeActivation(rowAddress(push.result, place.firstRow + t, push.outStride), kOutHalf,
                            channel, sum);
        }
    }
    if (kWrites != kConvolutionOutputs && place.rows > 0) {
        // All are read before the first is written: with few rows the state moves up.
        [[unroll]] for (uint j = 1; j < kTaps; ++j)
            inputs[j] = inputAt(item, place, channel, int(place.rows + j) - int(kTaps));
        [[unroll]] for (uint j = 1; j < kTaps; ++j) {
            Floats(stateRow(push.caches, item, push.stateOffset, j - 1, push.channels)).v[channel] =
                inputs[j];
        }
    }
}
