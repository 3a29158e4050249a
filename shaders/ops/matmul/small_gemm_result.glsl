// What becomes of a sum of small_gemm_matrix.comp and staged_gemm_matrix.comp, once there is nothing to
// add to it any more.
#include "shaders/common/activation_functions.glsl"
#include "shaders/common/activations.glsl"

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

const uint kUnitThere = kNextUnit > 0 ? kNextUnit : 8;
/// Where small_gemm_input.comp would put an element of x.
uint orderedPlace(uint element, uint column)
{
    const uint unit = element / kUnitThere, eighth = element % kUnitThere / 8;
    const uint held = unit / (4 * kNextTogether) * kNextTogether + unit % kNextTogether;
    const uint at = (held * (kUnitThere / 8) + eighth) * kAcross + column / 8;
    const uint place = column % 8 * 4 + unit / kNextTogether % 4;
    const uint pair = element % 8 / 4 * 2 + element % 2; // 0 2, 1 3, 4 6, 5 7
    return ((at * 32 + place) * 4 + pair) * 2 + element / 2 % 2;
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
        storeActivation(push.SMALL_GEMM_ORDERED, true, orderedPlace(row, column), value);
}
