#version 460
// x, times a norm's weights if there are any, as q8 activations (common/q8_activations.h). A thread takes
// four elements; y of the grid is the row.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/activations.glsl"
#include "shaders/common/q8_activations.glsl"

KERNEL(Q8_ACTIVATIONS_CONSTANTS, Q8ActivationsPush)

void main()
{
    const uint quad = gl_GlobalInvocationID.x;
    if (quad >= push.cols / 4)
        return;
    for (uint t = gl_WorkGroupID.y; t < push.count; t += gl_NumWorkGroups.y) {
        vec4 plain;
        [[unroll]] for (uint i = 0; i < 4; ++i)
            plain[i] = loadActivation(push.x, kXHalf, t * push.xStride + 4 * quad + i);
        vec4 v = plain;
        if (push.norm != uvec2(0))
            v *= Floats4(push.norm).v[quad];
        storeQ8(addUnits256(push.rows, t * (q8RowBytes(push.cols) / 256)), push.cols, quad,
                      v, plain);
    }
}
