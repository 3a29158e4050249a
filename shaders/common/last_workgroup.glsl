// The last of the workgroups that share a reduction finds out that it is the last.
#ifndef FIRESIDE_LAST_WORKGROUP_GLSL
#define FIRESIDE_LAST_WORKGROUP_GLSL
#include "shaders/common/references.glsl"

shared uint arrivals;

/// Whether this is the last of `count` workgroups to get here; the counter is left at zero for the
/// next dispatch. All threads, `thread` is 0 for one of them. What the others wrote before may be
/// read after a memoryBarrierBuffer().
bool isLastWorkgroup(uvec2 counters, uint counter, uint count, uint thread)
{
    memoryBarrierBuffer();
    barrier();
    if (thread == 0) {
        arrivals = atomicAdd(Uints(counters).v[counter], 1) + 1;
        if (arrivals == count)
            atomicExchange(Uints(counters).v[counter], 0);
    }
    barrier();
    return arrivals == count;
}

#endif
