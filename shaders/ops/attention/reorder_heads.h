// The contract of ops/reorder_heads.comp with C++.
#ifndef FIRESIDE_REORDER_HEADS_H
#define FIRESIDE_REORDER_HEADS_H
#include "shaders/common/shared_types.h"

struct ReorderHeadsPush
{
    SHARED_POINTER x, out_;         // one [T, heads·D], the other [heads·T, D]
    SHARED_UINT xStride, outStride; // elements
    SHARED_UINT headDim;
    SHARED_UINT firstRow, rows; // rows: T
    SHARED_UINT toHeadMajor;
};

#endif
