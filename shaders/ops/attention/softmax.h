// The interface of softmax.comp, shared with C++.
#ifndef FIRESIDE_SOFTMAX_H
#define FIRESIDE_SOFTMAX_H
#include "shaders/common/shared_types.h"

#define SOFTMAX_CONSTANTS(X)                                                                       \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kInputHalf, false) /* F16, else F32 */                                              \
    X(2, bool, kOutputHalf, false)                                                                 \
    X(3, bool, kVisible, false) /* columns from visible[row] on have no weight */
SHARED_CONSTANTS(SoftmaxConstants, SOFTMAX_CONSTANTS)

struct SoftmaxPush
{
    SHARED_POINTER x, out_;                        // [T, cols]
    SHARED_POINTER visible;                        // [T] I32, or none
    SHARED_UINT xStride, outStride, visibleStride; // elements
    SHARED_UINT cols, firstRow;
    SHARED_FLOAT scale;
};

#endif
