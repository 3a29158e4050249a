// The interface of reorder_heads.comp, shared with C++.
#ifndef FIRESIDE_REORDER_HEADS_H
#define FIRESIDE_REORDER_HEADS_H
#include "shaders/common/shared_types.h"

#define REORDER_HEADS_CONSTANTS(X)                                                                 \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kInputHalf, false) /* F16, else F32 */                                              \
    X(2, bool, kOutputHalf, false)
SHARED_CONSTANTS(ReorderHeadsConstants, REORDER_HEADS_CONSTANTS)

struct ReorderHeadsPush
{
    SHARED_POINTER x, out_;         // one [T, heads·D], the other [heads·T, D]
    SHARED_UINT xStride, outStride; // elements
    SHARED_UINT headDim;
    SHARED_UINT firstRow, rows; // rows: T
    SHARED_UINT toHeadMajor;
};

#endif
