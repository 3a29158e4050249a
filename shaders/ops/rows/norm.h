// The interface of norm.comp, shared with C++: rmsNorm, addRmsNorm, layerNorm, addLayerNorm,
// l2Normalize, gaussianSparsify.
#ifndef FIRESIDE_NORM_H
#define FIRESIDE_NORM_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kNormRms = 0;
SHARED_CONSTANT kNormLayer = 1;
SHARED_CONSTANT kNormL2 = 2;
SHARED_CONSTANT kNormSparse = 3; // what lies above mean + eps · deviation

#define NORM_CONSTANTS(X)                                                                          \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kNorm, 0)    /* kNormRms … */                                                     \
    X(2, bool, kAdd, false) /* residual += x first, and the norm is of residual */                 \
    X(3, bool, kHasBias, false)                                                                    \
    X(4, bool, kFours, false) /* columns are read and written four at a time */                    \
    X(5, uint, kKept, 1)      /* units (one column, or four) of a thread in registers */           \
    X(6, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(7, bool, kResidualHalf, false)                                                               \
    X(8, bool, kOutHalf, false)                                                                    \
    X(9, bool, kHasWeight, true)                                                                   \
    X(10, bool, kGrouped, false) /* each of push.groups parts of a row by itself */
SHARED_CONSTANTS(NormConstants, NORM_CONSTANTS)

struct NormPush
{
    SHARED_POINTER x;
    SHARED_POINTER residual;
    SHARED_POINTER weight; // F32 [cols]
    SHARED_POINTER bias;   // F32 [cols]
    SHARED_POINTER result;
    SHARED_UINT xStride, residualStride, outStride; // bytes
    SHARED_UINT rows;                               // times groups
    SHARED_UINT cols;                               // of a group
    SHARED_FLOAT eps;
    SHARED_UINT groups;
};

#endif
