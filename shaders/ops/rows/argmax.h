// The contract of ops/argmax.comp with C++.
#ifndef FIRESIDE_ARGMAX_H
#define FIRESIDE_ARGMAX_H
#include "shaders/common/shared_types.h"

// Constants: 0 group size, 1 x is F16, 2 units of four, 3 x holds the candidates of a first step.
struct ArgmaxPush
{
    SHARED_POINTER x;          // [rows, cols]; candidates: u32 pairs (key, index) [rows, cols]
    SHARED_POINTER ids;        // i32, one per row; may be absent when candidates are written
    SHARED_POINTER candidates; // [rows, parts] pairs to be written, when parts > 1
    SHARED_UINT xStride;       // bytes
    SHARED_UINT idsStride;
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_UINT parts; // groups per row
};

#endif
