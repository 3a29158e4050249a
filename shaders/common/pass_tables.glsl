// The pass's tables as shaders read them.
#ifndef FIRESIDE_PASS_TABLES_GLSL
#define FIRESIDE_PASS_TABLES_GLSL
#include "shaders/common/pass.h"
#include "shaders/common/references.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer PassItems
{
    PassItem v[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer PassCaches
{
    PassCache v[];
};

#endif
