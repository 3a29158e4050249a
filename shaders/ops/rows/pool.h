// The contract of ops/pool.comp with C++.
#ifndef FIRESIDE_POOL_H
#define FIRESIDE_POOL_H
#include "shaders/common/shared_types.h"

// In the order of Pooling in engine/backend/ops.h.
SHARED_CONSTANT kPoolFirst = 0;
SHARED_CONSTANT kPoolMean = 1;
SHARED_CONSTANT kPoolLast = 2;
SHARED_CONSTANT kPoolWidth = 16; // columns of a group

// Constants: 0 group size (a multiple of kPoolWidth), 1 pooling, 2 x is F16, 3 out is F16.
struct PoolPush
{
    SHARED_POINTER x;
    SHARED_POINTER result; // [items, cols]
    SHARED_POINTER items;  // PassItem
    SHARED_UINT xStride;   // bytes
    SHARED_UINT outStride;
    SHARED_UINT cols;
};

#endif
