// For kernels of many queries: a workgroup takes a tile of kSlots slots, a slot being a query row and one
// of the heads that share a kv head. The includer has kSlots; its main() is attention_part_main.glsl.
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
