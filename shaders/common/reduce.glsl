// Sums and maxima over a workgroup, for any subgroup size from 4 to 128. The workgroup's size is
// gl_WorkGroupSize.x, a multiple of 32, 1024 at most. All threads must arrive; all get the result.
#ifndef FIRESIDE_REDUCE_GLSL
#define FIRESIDE_REDUCE_GLSL
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared float reduceShared[256]; // one per subgroup; 1024 / 4

float groupSum(float x)
{
    const float own = subgroupAdd(x);
    if (gl_NumSubgroups == 1)
        return own;
    barrier(); // an earlier result may still be read
    if (subgroupElect())
        reduceShared[gl_SubgroupID] = own;
    barrier();
    float sum = 0;
    for (uint i = 0; i < gl_NumSubgroups; ++i)
        sum += reduceShared[i];
    return sum;
}

float groupMax(float x)
{
    const float own = subgroupMax(x);
    if (gl_NumSubgroups == 1)
        return own;
    barrier();
    if (subgroupElect())
        reduceShared[gl_SubgroupID] = own;
    barrier();
    float largest = reduceShared[0];
    for (uint i = 1; i < gl_NumSubgroups; ++i)
        largest = max(largest, reduceShared[i]);
    return largest;
}

#endif
