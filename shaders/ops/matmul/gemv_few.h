// The interface of gemv_few.comp, shared with C++.
#ifndef FIRESIDE_GEMV_FEW_H
#define FIRESIDE_GEMV_FEW_H
#include "shaders/common/shared_types.h"

#define GEMV_FEW_CONSTANTS(X)                                                                      \
    X(0, uint, kThreads, 256)                                                                      \
    X(1, uint, kSteps, 1) /* units of weights of a thread */                                       \
    X(2, uint, kSmallestSubgroup, 4)                                                               \
    X(3, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(4, bool, kYHalf, false)                                                                      \
    X(5, bool, kFours, false) /* x and norm are aligned for four at once */                        \
    X(6, bool, kNorm, false)  /* x is normed */
SHARED_CONSTANTS(GemvFewConstants, GEMV_FEW_CONSTANTS)

struct GemvFewPush
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER x;      // F32 or F16
    SHARED_POINTER norm;   // [cols] F32
    SHARED_POINTER y;      // [T, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows, cols;
    SHARED_UINT xStride, yStride; // elements
    SHARED_FLOAT eps;
};

#endif
