// Rows of the recurrent state that a layer keeps of an item.
#ifndef FIRESIDE_ITEM_STATE_GLSL
#define FIRESIDE_ITEM_STATE_GLSL
#include "shaders/common/pass_tables.glsl"
#include "shaders/common/rows.glsl"

/// Row `row` of a matrix of `cols` columns that begins at number `offset` of the state.
uvec2 stateRow(uvec2 caches, uint item, uint offset, uint row, uint cols)
{
    const uvec2 begin = rowAddress(PassCaches(caches).v[item].state, offset, 4);
    return rowAddress(begin, row, 4 * cols);
}

#endif
