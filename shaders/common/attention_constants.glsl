// What all kernels of attention share: constants 1 … 7.
#ifndef FIRESIDE_ATTENTION_CONSTANTS_GLSL
#define FIRESIDE_ATTENTION_CONSTANTS_GLSL
#include "shaders/common/unroll.glsl"
#include "shaders/ops/attention/attention.h"

layout(constant_id = 1) const uint kFlags = 0;
layout(constant_id = 2) const uint kHeads = 1;
layout(constant_id = 3) const uint kKvHeads = 1;
layout(constant_id = 4) const uint kHeadDim = 64;
layout(constant_id = 5) const uint kValueDim = 64;
layout(constant_id = 6) const uint kKeyType = 1; // as in cache.glsl
layout(constant_id = 7) const uint kValueType = 1;

const uint kGroup = kHeads / kKvHeads; // query heads that share a kv head

bool has(uint flag)
{
    return (kFlags & flag) != 0;
}

#endif
