// For kernels of many queries: a workgroup takes a tile of kSlots slots, a slot being a query row and one
// of the heads that share a kv head. The includer has kSlots, and processRows().
const uint kTileHeads = kGroup < kSlots ? kGroup : kSlots;
const uint kTileQueries = kSlots / kTileHeads;
const uint kHeadTiles = (kGroup + kTileHeads - 1) / kTileHeads; // tiles of a kv head's heads

/// The part of an item's queries that a workgroup takes, and the heads.
struct Part
{
    uint begin, end; // rows of the item
    uint kvHead, headTile;
};
struct Slot
{
    bool used;
    uint row, head; // row of the item
};
Slot slotAt(uint index, Part part)
{
    const uint query = index / kTileHeads;
    const uint head = part.headTile * kTileHeads + index - query * kTileHeads;
    return Slot(query < part.end - part.begin && head < kGroup, part.begin + query,
                part.kvHead * kGroup + head);
}

void processRows(uint item, Part part);

/// Calls processRows() for every item that has rows in the tile.
void processParts()
{
    Part part;
    part.kvHead = gl_WorkGroupID.y / kHeadTiles;
    part.headTile = gl_WorkGroupID.y - part.kvHead * kHeadTiles;
    // The last queries see the most keys: starting with them evens out the finish.
    uint row = push.first + (gl_NumWorkGroups.x - 1 - gl_WorkGroupID.x) * kTileQueries;
    const uint end = min(row + kTileQueries, push.rows);
    while (row < end) { // once for every item that has rows in the tile
        const uint item = Uints(push.rowItems).v[row];
        const PassItem passItem = PassItems(push.items).v[item];
        const uint next = min(end, passItem.firstRow + passItem.rows);
        part.begin = row - passItem.firstRow;
        part.end = next - passItem.firstRow;
        if (takesPart(passItem.rows))
            processRows(item, part);
        row = next;
    }
}
