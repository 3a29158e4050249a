#version 460
// out = f(a, b, c) for every element, a thread per unit.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/rows/elementwise.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kOp = 0;
layout(constant_id = 2) const uint kActivation = 0;
layout(constant_id = 3) const uint kOperandB = 0;
layout(constant_id = 4) const bool kHasC = false;
layout(constant_id = 5) const bool kFours = false;
layout(constant_id = 6) const bool kHalfA = false;
layout(constant_id = 7) const bool kHalfB = false;
layout(constant_id = 8) const bool kHalfC = false;
layout(constant_id = 9) const bool kHalfOut = false;
layout(push_constant, scalar) uniform Push { ElementwisePush push; };

float value(float a, float b, float c)
{
    if (kOp == kElementsAdd)
        return a + b;
    if (kOp == kElementsMultiply)
        return a * b;
    if (kOp == kElementsAddScaled)
        return fma(a, push.scale, b);
    if (kOp == kElementsAddBias)
        return a + b + c;
    if (kOp == kElementsActivate)
        return activation(kActivation, a + b);
    if (kOp == kElementsGate)
        return gatedActivation(kActivation, a, b);
    return push.scale * safeTanh(a / push.scale);
}

void main()
{
    const uint total = push.rows * push.units;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < total; i += step) {
        const uint row = i / push.units;
        const uint unit = i - row * push.units;
        const vec4 a = loadUnit(rowAddress(push.a, row, push.aStride), kHalfA, kFours, unit);
        vec4 b = vec4(0.0), c = vec4(0.0);
        if (kOperandB == kOperandMatrix)
            b = loadUnit(rowAddress(push.b, row, push.bStride), kHalfB, kFours, unit);
        else if (kOperandB == kOperandRow)
            b = loadUnit(push.b, kHalfB, kFours, unit);
        else if (kOperandB == kOperandNumber)
            b = vec4(loadActivation(push.b, kHalfB, 0));
        if (kHasC)
            c = loadUnit(rowAddress(push.c, row, push.cStride), kHalfC, kFours, unit);
        vec4 result = vec4(value(a.x, b.x, c.x), 0.0, 0.0, 0.0);
        if (kFours)
            result.yzw =
                vec3(value(a.y, b.y, c.y), value(a.z, b.z, c.z), value(a.w, b.w, c.w));
        storeUnit(rowAddress(push.result, row, push.outStride), kHalfOut, kFours, unit, result);
    }
}
