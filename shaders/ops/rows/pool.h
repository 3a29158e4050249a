// The interface of pool.comp, shared with C++.
#ifndef FIRESIDE_POOL_H
#define FIRESIDE_POOL_H
#include "shaders/common/shared_types.h"

// In the order of Pooling in engine/backend/ops/pool.h.
SHARED_CONSTANT kPoolFirst = 0;
SHARED_CONSTANT kPoolMean = 1;
SHARED_CONSTANT kPoolLast = 2;
SHARED_CONSTANT kPoolWidth = 16; // columns of a workgroup

#define POOL_CONSTANTS(X)                                                                          \
    X(0, uint, kThreads, 64)  /* a multiple of kPoolWidth */                                       \
    X(1, uint, kPooling, 0)   /* kPoolFirst … */                                                 \
    X(2, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(3, bool, kOutHalf, false)
SHARED_CONSTANTS(PoolConstants, POOL_CONSTANTS)

struct PoolPush
{
    SHARED_POINTER x;
    SHARED_POINTER result;          // [items, cols]
    SHARED_POINTER items;           // PassItem
    SHARED_UINT xStride, outStride; // bytes
    SHARED_UINT cols;
};

#endif
