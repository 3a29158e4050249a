// The contract of ops/gemv_few.comp with C++.
#ifndef FIRESIDE_GEMV_FEW_H
#define FIRESIDE_GEMV_FEW_H
#include "shaders/common/shared_types.h"

struct GemvFewPush
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER x;      // F32 or F16
    SHARED_POINTER norm;   // [cols] F32
    SHARED_POINTER y;      // [T, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
    SHARED_UINT yStride;
    SHARED_FLOAT eps;
};

#endif
