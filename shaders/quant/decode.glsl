// Reads weights from their planes (planes.h), the same way for all types. The type comes from a
// define: -DWEIGHT_q4_k takes q4_k.glsl. Each type's file gives
//
//   kUnit          elements of a unit, what one thread loads at once (16 bytes of the main plane, so
//                  that neighbouring threads read neighbouring 16 bytes): 4, 8, 16 or 32. Units are
//                  numbered like groups, 32 / kUnit of them to a group.
//   kHalfScales    elements 16–31 of a unit have a scale of their own
//   kOffset        there is an offset: value = scale · raw + offset; else it is 0
//   kIntegerQuads  integerQuad() exists
//   kIntegerZero   what integerQuad()'s numbers are larger by than rawQuad()'s
//   Packed         a unit as loaded
//   Packed loadUnit(WeightRef w, uint unit)   loads, without arithmetic on what was loaded
//   LOADS_TWO      defined where loadTwo() is the type's own; see below
//   OPENS_UNITS    defined where Opened is the type's own; see below
//   HAS_GRID       defined where codes are numbers of entries of a table; see grid.glsl
//   vec4 rawQuad(Opened p, uint quad)         elements 4·quad … of the unit, before the scale
//   vec2 scaleOf(Opened p, uint part)         scale and offset of elements 16·part …
//   int integerQuad(Opened p, uint quad)      the same as rawQuad as four signed bytes
//
// Make `quad` and `part` constants (unrolled loops): then all shifts and masks are constants too.
#ifndef FIRESIDE_DECODE_GLSL
#define FIRESIDE_DECODE_GLSL
#extension GL_EXT_control_flow_attributes : require
#include "shaders/common/references.glsl"
#include "shaders/quant/planes.h"
#include "shaders/quant/unpack.glsl"

#include "weight_decoder.glsl" // made by shaders/CMakeLists.txt: shaders/quant/<type>.glsl

#ifndef HAS_GRID
/// The table of types that have one; see grid.glsl.
void openGrid(uvec2 address, uint index, uint threads) {}
#endif

#ifndef LOADS_TWO
/// Units 2·two and 2·two + 1; groups of odd number must not be halved.
void loadTwo(WeightRef w, uint two, out Packed a, out Packed b)
{
    a = loadUnit(w, 2 * two);
    b = loadUnit(w, 2 * two + 1);
}
#endif

#ifndef OPENS_UNITS
/// A loaded unit on which all has been done that is done for all of its elements together. Open a
/// unit once: compilers do not always see that it is the same again.
#define Opened Packed
Opened opened(Packed p)
{
    return p;
}
#endif

/// Elements 4·quad … of a loaded unit.
vec4 valueQuad(Opened p, uint quad)
{
    const vec2 scale = scaleOf(p, kHalfScales ? quad >> 2 : 0);
    const vec4 raw = rawQuad(p, quad);
    return kOffset ? raw * scale.x + scale.y : raw * scale.x;
}

const uint kUnitsPerGroup = 32 / kUnit;
const uint kQuadsPerUnit = kUnit / 4;

/// Elements 4·quad … 4·quad + 3 of a group, quad < 8.
vec4 decode4(WeightRef w, uint group, uint quad)
{
    const Opened p = opened(loadUnit(w, group * kUnitsPerGroup + quad / kQuadsPerUnit));
    return valueQuad(p, quad % kQuadsPerUnit);
}

#endif
