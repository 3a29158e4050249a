// The contract of ops/matvec.comp with C++.
#ifndef FIRESIDE_MATVEC_H
#define FIRESIDE_MATVEC_H
#include "shaders/common/shared_types.h"

struct MatvecTarget
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER y;      // [count, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows;
    SHARED_UINT yStride; // elements
};

struct MatvecPush
{
    // The groups of target i come after those of target i − 1; unused ones have no rows. Gated: the
    // first is the gate, with y, the second is up. With kNext there is one target (or gate and up),
    // and in the last one `weight` is the norm y will be read with, or 0, and `y` takes the integer
    // rows of y (common/integer_row.h).
    MatvecTarget targets[3];
    SHARED_POINTER x;    // [count, cols], F32 or F16; or its integer rows
    SHARED_POINTER norm; // [cols] F32 where x is normed and not in integer rows
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
    SHARED_UINT count;   // T
    SHARED_FLOAT eps;
};

#endif
