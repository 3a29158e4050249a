// How weights lie on the device: each type's blocks are taken apart into up to four planes, so that
// wide aligned loads reach them; engine/tensor/weight_types.def says which (plain types: one). A
// matrix is a run of groups of 32 consecutive elements, row after row (depth after depth); cols is
// a multiple of 32 (plain types are padded with zeros). The planes follow each other, each
// beginning at a multiple of 256 bytes.
//
// Bits within a group of 32 elements e = 8·w + 4·h + b (w 0…3, h 0…1, b 0…3):
//   4-bit plane, 16 bytes: byte b of word w holds element 8w + b in its low and 8w + 4 + b in its
//                high nibble, so (word >> 4h) & 0x0f0f0f0f are four consecutive elements
//   2-bit plane, 8 bytes:  s = 2w + h; byte b of word s/4 holds it at bits 2·(s % 4)
//   1-bit plane, 4 bytes:  byte b holds it at bit s = 2w + h
//   8-bit plane, 32 bytes: signed bytes, or codes of E4M3, in order
//   sliced 4-bit plane, 16 bytes: bit s = 2w + h of byte b of word k holds bit k of its code
//   signs: a 1-bit plane, 1 for minus. Where the file has seven for eight elements, so that
//                their number is even, bits 25, 27, 29 and 31, of the last of each eight, hold four
//                other bits
//   numbers of entries: a byte for each 8 (IQ3: 4) elements, in order; high bits apart (rests)
//
// Codes stand for the values of tables, chosen so that few instructions bring the values back:
//   code          0    1    2    3    4    5    6    7    8    9   10   11   12   13   14   15
//   non-linear   13   38  -49  -22 -127 -104  -65  -10  -83   53  113   89    1   25  -35   69
//   2 · fp4      -1    0  -12    2    3    4   -8    6   -6    8   -4   -3   -2   12    –    1
#ifndef FIRESIDE_PLANES_H
#define FIRESIDE_PLANES_H
#include "shaders/common/shared_types.h"

/// What decoders take. Not for push constants: C++ would pad it, GLSL does not.
struct WeightRef
{
    SHARED_POINTER address; // of the first plane
    SHARED_UINT groups;     // of 32 elements in each whole plane: depth · rows · cols / 32
};

SHARED_CONSTANT kPlaneAlignment = 256;

#endif
