// main() of kernels of many queries: calls processRows(uint item, Part part), which the includer has, for
// every item that has rows in the workgroup's tile. As a function between the two, attention to prompts
// took 4 to 12 % longer on an H200.
void main()
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
