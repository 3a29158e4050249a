// The contract of ops/softmax.comp with C++.
#ifndef FIRESIDE_SOFTMAX_H
#define FIRESIDE_SOFTMAX_H
#include "shaders/common/shared_types.h"

struct SoftmaxPush
{
    SHARED_POINTER x, out_;                        // [T, cols]
    SHARED_POINTER visible;                        // [T] I32, or none
    SHARED_UINT xStride, outStride, visibleStride; // elements
    SHARED_UINT cols, firstRow;
    SHARED_FLOAT scale;
};

#endif
