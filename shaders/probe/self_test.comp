#version 460
// Uses everything that the model kernels will rely on: buffer addresses in push constants, scalar
// layout, 8-bit and 16-bit storage, subgroup arithmetic, a specialised workgroup size and a partial last
// workgroup. A driver that claims these features but gets them wrong shows here, not in a reply.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(buffer_reference, scalar) readonly buffer FloatsIn { float v[]; };
layout(buffer_reference, scalar) readonly buffer BytesIn { int8_t v[]; };
layout(buffer_reference, scalar) writeonly buffer FloatsOut { float v[]; };
layout(buffer_reference, scalar) writeonly buffer HalvesOut { float16_t v[]; };
layout(buffer_reference, scalar) buffer Counter { uint v; };

#include "shaders/common/self_test.h"

layout(local_size_x_id = 0) in;
layout(push_constant, scalar) uniform Push { SelfTestPush push; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const bool inside = i < push.count;
    if (inside) {
        const float q = float(int(push.q.v[i]));
        push.y.v[i] = push.a * push.x.v[i] + push.b + q;
        push.h.v[i] = float16_t(q * 0.25);
    }
    const uint sum = subgroupAdd(inside ? i : 0u);
    if (subgroupElect())
        atomicAdd(push.sum.v, sum);
}
