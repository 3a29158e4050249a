// The contract of ops/norm.comp with C++: rmsNorm, addRmsNorm, layerNorm, addLayerNorm,
// l2Normalize.
#ifndef FIRESIDE_NORM_H
#define FIRESIDE_NORM_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kNormRms = 0;
SHARED_CONSTANT kNormLayer = 1;
SHARED_CONSTANT kNormL2 = 2; // no weight

// Constants: 0 group size, 1 which norm, 2 residual += x first, 3 there is a bias, 4 units of four,
// 5 units per thread kept in registers, 6 x is F16, 7 residual is F16, 8 out is F16.
struct NormPush
{
    SHARED_POINTER x;
    SHARED_POINTER residual;
    SHARED_POINTER weight; // F32 [cols]
    SHARED_POINTER bias;   // F32 [cols]
    SHARED_POINTER result;
    SHARED_UINT xStride; // bytes
    SHARED_UINT residualStride;
    SHARED_UINT outStride;
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_FLOAT eps;
};

#endif
