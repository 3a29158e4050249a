// Elements of weights that are not quantised, whose type is a specialisation constant.
#ifndef FIRESIDE_PLAIN_WEIGHT_GLSL
#define FIRESIDE_PLAIN_WEIGHT_GLSL
#include "shaders/common/plain_weight_types.h"
#include "shaders/common/references.glsl"

float loadPlain(uvec2 weight, uint type, uint index)
{
    if (type == kWeightFloats)
        return Floats(weight).v[index];
    if (type == kWeightHalves)
        return float(Halves(weight).v[index]);
    return uintBitsToFloat(uint(Shorts(weight).v[index]) << 16);
}

#endif
