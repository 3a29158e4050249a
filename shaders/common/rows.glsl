// Rows of activations, read and written in units of four elements where widths, strides and
// addresses allow it (`fours`), else in single elements: the unit's other three are zero then.
#ifndef FIRESIDE_ROWS_GLSL
#define FIRESIDE_ROWS_GLSL
#include "shaders/common/activations.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Halves4 { f16vec4 v[]; };

/// The beginning of a row; matrices may be larger than 4 GiB.
uvec2 rowAddress(uvec2 base, uint row, uint strideBytes)
{
    uint high, low, carry;
    umulExtended(row, strideBytes, high, low);
    const uint sum = uaddCarry(base.x, low, carry);
    return uvec2(sum, base.y + high + carry);
}

vec4 loadUnit(uvec2 row, bool isHalf, bool fours, uint unit)
{
    if (!fours)
        return vec4(loadActivation(row, isHalf, unit), 0.0, 0.0, 0.0);
    return isHalf ? vec4(Halves4(row).v[unit]) : Floats4(row).v[unit];
}
void storeUnit(uvec2 row, bool isHalf, bool fours, uint unit, vec4 value)
{
    if (!fours)
        storeActivation(row, isHalf, unit, value.x);
    else if (isHalf)
        Halves4(row).v[unit] = f16vec4(value);
    else
        Floats4(row).v[unit] = value;
}

#endif
