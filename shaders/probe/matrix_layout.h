// The interface of matrix_layout.comp, shared with C++.
#ifndef FIRESIDE_MATRIX_LAYOUT_H
#define FIRESIDE_MATRIX_LAYOUT_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kMatrixLayoutA = 8;    // elements of a thread: 16 × 16, row · 16 + column
SHARED_CONSTANT kMatrixLayoutB = 4;    // 16 × 8, row · 8 + column
SHARED_CONSTANT kMatrixLayoutSums = 4; // 16 × 8, row · 8 + column
SHARED_CONSTANT kMatrixLayoutEach = 16;

struct MatrixLayoutPush
{
    SHARED_POINTER result; // u32 [32 threads, kMatrixLayoutEach]
};

#endif
