#version 460
// Which elements of a matrix each thread of a subgroup has, see common/matrix_direct.glsl: matrices
// whose elements are their own numbers, as threads find them.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/common/references.glsl"
#include "shaders/probe/matrix_layout.h"

layout(local_size_x = 32) in;
layout(push_constant, scalar) uniform Push { MatrixLayoutPush push; };
shared float16_t numbers[256];
shared float floats[128];

void main()
{
    const uint lane = gl_SubgroupInvocationID;
    for (uint i = gl_LocalInvocationID.x; i < 256; i += 32)
        numbers[i] = float16_t(i);
    for (uint i = gl_LocalInvocationID.x; i < 128; i += 32)
        floats[i] = float(i);
    barrier();
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator> sums;
    coopMatLoad(a, numbers, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, numbers, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(sums, floats, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    if (gl_NumSubgroups != 1)
        return;
    for (uint i = 0; i < min(a.length(), kMatrixLayoutA); ++i)
        Uints(push.result).v[lane * kMatrixLayoutEach + i] = uint(float(a[i]));
    for (uint i = 0; i < min(b.length(), kMatrixLayoutB); ++i)
        Uints(push.result).v[lane * kMatrixLayoutEach + kMatrixLayoutA + i] = uint(float(b[i]));
    const uint behind = kMatrixLayoutA + kMatrixLayoutB;
    for (uint i = 0; i < min(sums.length(), kMatrixLayoutSums); ++i)
        Uints(push.result).v[lane * kMatrixLayoutEach + behind + i] = uint(sums[i]);
}
