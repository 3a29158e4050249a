#version 460
// out[i, :] = x[map(i), :], a thread per unit of a row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/common/rows.glsl"
#include "shaders/common/pass_tables.glsl"
#include "shaders/ops/rows/move_rows.h"

KERNEL(MOVE_ROWS_CONSTANTS, MoveRowsPush)

void move(uvec2 from, uvec2 to, uint unit)
{
    if (kMove == kMoveBytes16)
        Uints4(to).v[unit] = Uints4(from).v[unit];
    else if (kMove == kMoveBytes4)
        Uints(to).v[unit] = Uints(from).v[unit];
    else if (kMove == kMoveBytes2)
        Shorts(to).v[unit] = Shorts(from).v[unit];
    else
        storeUnit(to, kOutHalf, kMove == kConvertFours, unit,
                  loadUnit(from, kXHalf, kMove == kConvertFours, unit));
}

void clear(uvec2 to, uint unit)
{
    if (kMove == kMoveBytes16)
        Uints4(to).v[unit] = uvec4(0);
    else if (kMove == kMoveBytes4)
        Uints(to).v[unit] = 0;
    else if (kMove == kMoveBytes2)
        Shorts(to).v[unit] = uint16_t(0u);
    else
        storeUnit(to, kOutHalf, kMove == kConvertFours, unit, vec4(0.0));
}

void main()
{
    const uint total = push.rows * push.units;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < total; i += step) {
        const uint row = i / push.units;
        const uint unit = i - row * push.units;
        const uvec2 to = rowAddress(push.result, row, push.outStride);
        uint source = row;
        bool inside = true;
        if (kMap == kMapIndices) {
            source = Uints(push.map).v[row];
            if (source >= push.xRows)
                source = 0; // indices of the device are not known when the op is recorded
        } else if (kMap == kMapPad) {
            const uint item = row / push.longest;
            const uint place = row - item * push.longest;
            inside = place < PassItems(push.items).v[item].rows;
            source = PassItems(push.items).v[item].firstRow + place;
        } else if (kMap == kMapUnpad) {
            const uint item = Uints(push.map).v[row];
            source = item * push.longest + row - PassItems(push.items).v[item].firstRow;
        }
        if (inside)
            move(rowAddress(push.x, source, push.xStride), to, unit);
        else
            clear(to, unit);
    }
}
