// The contract of ops/transform_heads.comp with C++.
#ifndef FIRESIDE_TRANSFORM_HEADS_H
#define FIRESIDE_TRANSFORM_HEADS_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kInputHalf = 1;
SHARED_CONSTANT kOutputHalf = 2;
SHARED_CONSTANT kNormed = 4;
SHARED_CONSTANT kInterleaved = 8;
SHARED_CONSTANT kHeadMajor = 16;

struct TransformHeadsPush
{
    SHARED_POINTER x, out_; // [T, heads·D]; [T, heads·D] or [heads·T, D]
    SHARED_POINTER norm;
    SHARED_POINTER turns; // per pair: turns per position, 0.64 fixed point
    SHARED_POINTER positions;
    SHARED_UINT xStride, outStride; // elements
    SHARED_FLOAT eps;
    SHARED_FLOAT factor;
    SHARED_UINT firstRow, rows; // rows: T
};

#endif
