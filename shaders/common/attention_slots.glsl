// For kernels of few queries: the slots of a workgroup, and its keys. Slot s of an item is its query row
// s / kGroup, and of the kv head's heads the one with number s % kGroup. The includer has kSlots.
#include "shaders/common/attention.glsl"
#include "shaders/common/last_workgroup.glsl"

struct SlotTile
{
    ItemView view;
    uint kvHead, firstSlot, slots;
    uvec2 range; // keys [x, y) of this workgroup's split
    uint used;   // splits that have any key
};
SlotTile tile;

/// False: no slots or no keys for this workgroup; attention_reduce.comp leaves such splits out, too.
bool findTile(uint item)
{
    const uint tiles = gl_NumWorkGroups.y / kKvHeads;
    tile.kvHead = gl_WorkGroupID.y / tiles;
    tile.firstSlot = (gl_WorkGroupID.y - tile.kvHead * tiles) * kSlots;
    tile.view = viewItem(item, tile.kvHead);
    if (tile.view.rows == 0 || !takesPart(tile.view.rows))
        return false;
    const uint all = tile.view.rows * kGroup;
    if (tile.firstSlot >= all)
        return false;
    tile.slots = min(kSlots, all - tile.firstSlot);
    tile.range = splitKeys(tile.view, gl_WorkGroupID.x, tile.used);
    if (gl_WorkGroupID.x >= tile.used)
        return false;
    const uint lastSlot = tile.firstSlot + tile.slots - 1;
    tile.range.x = max(tile.range.x, seenKeys(tile.view, tile.firstSlot / kGroup).x);
    tile.range.y = min(tile.range.y, seenKeys(tile.view, lastSlot / kGroup).y);
    return true;
}
uint rowOf(uint slot)
{
    return tile.view.firstRow + slot / kGroup;
}
uint headOf(uint slot)
{
    return tile.kvHead * kGroup + slot % kGroup;
}
bool isLastOfTile(uint item, uint thread)
{
    const uint counter = item * gl_NumWorkGroups.y + gl_WorkGroupID.y;
    return isLastWorkgroup(push.counters, counter, tile.used, thread);
}
