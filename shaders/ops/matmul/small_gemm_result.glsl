// What becomes of a sum of small_gemm_matrix.comp and staged_gemm_matrix.comp, once there is nothing to
// add to it any more.
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/activations.glsl"
#include "shaders/common/ordered_rows.glsl"

// Written and read by different workgroups, of a dispatch or of the one behind it.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer PartialSums { float v[]; };

const uint kColumns = 8 * kAcross;
const uint kMatrices = kGated ? 2 : 1; // the gate's and up's
const uint kRowsAtOnce = 16 * kDown * kAbreast; // of a weight, by a workgroup

SmallGemmTarget target;

/// Makes `target` that of a workgroup, of which it is the `group`-th then. False: there is none.
bool findTarget(uint rowsPerGroup, inout uint group)
{
    uint which = 0;
    for (; which < 3; ++which) {
        const uint groups = (push.targets[which].rows + rowsPerGroup - 1) / rowsPerGroup;
        if (group < groups)
            break;
        group -= groups;
        if (kGated)
            return false; // the second target is no further work
    }
    if (which == 3)
        return false;
    target = push.targets[which];
    return true;
}

void finishOne(uint row, uint column, float value, float up)
{
    if (target.bias != uvec2(0))
        value += Floats(target.bias).v[row];
    if (kGated) {
        const uvec2 upBias = push.targets[1].bias;
        value = gatedActivation(kActivation, value,
                                up + (upBias != uvec2(0) ? Floats(upBias).v[row] : 0.0));
    }
    const uint at = column * target.yStride + row;
    if (kAccumulate)
        value += loadActivation(target.y, kYHalf, at);
    value = kYHalf ? limited(value) : value;
    storeActivation(target.y, kYHalf, at, value);
    if (kNextUnit > 0)
        storeActivation(push.SMALL_GEMM_ORDERED, true,
                        orderedPlace(row, column, max(kNextUnit, 8), kNextTogether, kAcross), value);
}
