#version 460
// out = f(a, b, c) for every element, a thread per unit.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/common/activation_functions.glsl"
#include "shaders/ops/rows/elementwise.h"

KERNEL(ELEMENTWISE_CONSTANTS, ElementwisePush)

/// x > 0: first·x² + third·x, else (expm1(min(x, fourth)) − x)·second + third·x
float xIelu(float x)
{
    const float curve = x > 0.0 ? push.first * x * x
                                : (safeExpm1(min(x, push.fourth)) - x) * push.second;
    return fma(push.third, x, curve);
}

/// How much longer a query is at a position.
float temperature(float position)
{
    const float at = position + push.second;
    float periods = floor(at / push.third); // division may be off by a bit
    periods += (periods + 1.0) * push.third <= at ? 1.0 : periods * push.third > at ? -1.0 : 0.0;
    return fma(push.first, log(1.0 + periods), 1.0);
}

float value(float a, float b, float c)
{
    if (kOp == kElementsAdd)
        return a + b;
    if (kOp == kElementsMultiply)
        return a * b;
    if (kOp == kElementsAddScaled)
        return fma(a, push.first, b);
    if (kOp == kElementsAddBias)
        return a + b + c;
    if (kOp == kElementsActivate)
        return kActivation == kActivationXIelu ? xIelu(a + b) : activation(kActivation, a + b);
    if (kOp == kElementsGate)
        return gatedActivation(kActivation, a, b);
    if (kOp == kElementsScale)
        return fma(a, push.first, push.second);
    if (kOp == kElementsClamp)
        return keepingNaN(a, clamp(a, push.first, push.second));
    if (kOp == kElementsDecay)
        return b * softplus(a + c);
    if (kOp == kElementsByPosition)
        return a * temperature(b);
    return push.first * keepingNaN(a, safeTanh(a / push.first));
}

void main()
{
    const uint total = push.rows * push.units;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < total; i += step) {
        const uint row = i / push.units;
        const uint unit = i - row * push.units;
        const vec4 a = loadUnit(rowAddress(push.a, row, push.aStride), kAHalf, kFours, unit);
        vec4 b = vec4(0.0), c = vec4(0.0);
        if (kOperandB == kOperandMatrix)
            b = loadUnit(rowAddress(push.b, row, push.bStride), kBHalf, kFours, unit);
        else if (kOperandB == kOperandRow)
            b = loadUnit(push.b, kBHalf, kFours, unit);
        else if (kOperandB == kOperandNumber)
            b = vec4(loadActivation(push.b, kBHalf, 0));
        else if (kOperandB == kOperandColumn)
            b = vec4(loadActivation(rowAddress(push.b, row, push.bStride), kBHalf, 0));
        else if (kOperandB == kOperandIntegers)
            b = vec4(float(Ints(push.b).v[row]));
        if (kHasC)
            c = loadUnit(rowAddress(push.c, row, push.cStride), kCHalf, kFours, unit);
        vec4 result = vec4(value(a.x, b.x, c.x), 0.0, 0.0, 0.0);
        if (kFours)
            result.yzw =
                vec3(value(a.y, b.y, c.y), value(a.z, b.z, c.z), value(a.w, b.w, c.w));
        storeUnit(rowAddress(push.result, row, push.outStride), kOutHalf, kFours, unit, result);
    }
}
