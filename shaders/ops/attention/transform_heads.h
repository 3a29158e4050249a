// The interface of transform_heads.comp, shared with C++.
#ifndef FIRESIDE_TRANSFORM_HEADS_H
#define FIRESIDE_TRANSFORM_HEADS_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kInputHalf = 1;
SHARED_CONSTANT kOutputHalf = 2;
SHARED_CONSTANT kNormed = 4;
SHARED_CONSTANT kInterleaved = 8;
SHARED_CONSTANT kHeadMajor = 16;

#define TRANSFORM_HEADS_CONSTANTS(X)                                                               \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kFlags, 0) /* kInputHalf … */                                                     \
    X(2, uint, kHeadDim, 64)                                                                       \
    X(3, uint, kPairs, 0) /* rotated channels: [first, first + 2 · pairs) */                      \
    X(4, uint, kFirst, 0)
SHARED_CONSTANTS(TransformHeadsConstants, TRANSFORM_HEADS_CONSTANTS)

struct TransformHeadsPush
{
    SHARED_POINTER x, out_; // [T, heads·D]; [T, heads·D] or [heads·T, D]
    SHARED_POINTER norm;
    SHARED_POINTER turns; // per pair: full turns per position (0.64 fixed point), see rope.glsl
    SHARED_POINTER positions;
    SHARED_UINT xStride, outStride; // elements
    SHARED_FLOAT eps, factor;
    SHARED_UINT firstRow, rows; // rows: T
};

#endif
