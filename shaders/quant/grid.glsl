// Types whose codes are numbers of entries of a table (engine/tensor/grids.h), which lies before the
// planes. Before this file: GRID_ENTRY, an entry's type, GRID_ENTRIES, a reference to such, and GRID_SIZE.
// Kernels of single rows take SHARED_GRID: each workgroup brings the table to shared memory.
#define HAS_GRID

#ifdef SHARED_GRID
shared GRID_ENTRY grid[GRID_SIZE];
/// By all threads of a workgroup, before the first entry is needed; ends with a barrier.
void openGrid(uvec2 address, uint index, uint threads)
{
    for (uint i = index; i < GRID_SIZE; i += threads)
        grid[i] = GRID_ENTRIES(address).v[i];
    barrier();
}
GRID_ENTRY entryAt(uint number)
{
    return grid[number];
}
#else
uvec2 gridAddress; // all weights of a type have the same table
GRID_ENTRY entryAt(uint number)
{
    return GRID_ENTRIES(gridAddress).v[number];
}
#endif
/// Where the planes begin.
uvec2 firstPlane(WeightRef w)
{
#ifndef SHARED_GRID
    gridAddress = w.address;
#endif
    return addUnits256(w.address, GRID_SIZE * GRID_BITS / 2048);
}

/// A word of a 1-bit plane of signs in which bits 25, 27, 29 and 31, of elements 7, 15, 23 and 31, stand
/// for something else: those make the number of minus signs of each eight even.
uint evenSigns(uint word)
{
    const uint known = word & 0x55ffffffu;
    uint odd = known ^ (known >> 16);
    odd ^= odd >> 8;
    odd ^= odd >> 1;
    return known | ((odd & 0x55u) << 25);
}
/// … and what these four bits say.
uint fourBits(uint word)
{
    uint four = (word >> 25) & 0x55u;
    four = (four | (four >> 1)) & 0x33u;
    return (four | (four >> 2)) & 0x0fu;
}
/// Four bytes of 1 … 127, those negative whose byte of `minus` is 1.
uint signedBytes(uint values, uint minus)
{
    return (values ^ ((minus << 8) - minus)) + minus; // −v = ~v + 1, which carries nothing over
}
vec4 signedFields(uint word)
{
    return fields(word ^ 0x80808080u, 0, 8, 128);
}
