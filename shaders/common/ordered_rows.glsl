// The order in which small_gemm_input.comp brings rows of x to a product, for what writes its result in that
// order itself.
#ifndef FIRESIDE_ORDERED_ROWS_GLSL
#define FIRESIDE_ORDERED_ROWS_GLSL

/// Where an element of a row lies, in elements, for weights that are loaded in units of `unitSize`,
/// `together` at once; of `across` times eight rows. Four neighbours from a multiple of four on stay
/// together, the first and the third before the others.
uint orderedPlace(uint element, uint row, uint unitSize, uint together, uint across)
{
    const uint unit = element / unitSize, eighth = element % unitSize / 8;
    const uint held = unit / (4 * together) * together + unit % together;
    const uint at = (held * (unitSize / 8) + eighth) * across + row / 8;
    const uint place = row % 8 * 4 + unit / together % 4;
    const uint pair = element % 8 / 4 * 2 + element % 2; // 0 2, 1 3, 4 6, 5 7
    return ((at * 32 + place) * 4 + pair) * 2 + element / 2 % 2;
}

#endif
