// Activations in F32 or F16. Whether a tensor is F16 is a specialisation constant of the shader that
// includes this, so that the unused branch is gone after compilation.
#ifndef FIRESIDE_ACTIVATIONS_GLSL
#define FIRESIDE_ACTIVATIONS_GLSL
#include "shaders/common/references.glsl"

float loadActivation(uvec2 address, bool isHalf, uint index)
{
    return isHalf ? float(Halves(address).v[index]) : Floats(address).v[index];
}
void storeActivation(uvec2 address, bool isHalf, uint index, float value)
{
    if (isHalf)
        Halves(address).v[index] = float16_t(value);
    else
        Floats(address).v[index] = value;
}

#endif
