// The interface of selective_scan.comp, shared with C++.
#ifndef FIRESIDE_SELECTIVE_SCAN_H
#define FIRESIDE_SELECTIVE_SCAN_H
#include "shaders/common/shared_types.h"

#define SELECTIVE_SCAN_CONSTANTS(X)                                                                \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kStates, 1)    /* N */                                                              \
    X(2, uint, kStaged, 1)    /* rows of b and c in shared memory at a time */                     \
    X(3, uint, kAType, 0)     /* kWeightFloats … */                                              \
    X(4, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(5, bool, kDtHalf, false)                                                                     \
    X(6, bool, kBHalf, false)                                                                      \
    X(7, bool, kCHalf, false)                                                                      \
    X(8, bool, kOutHalf, false)                                                                    \
    X(9, bool, kHasBias, false)
SHARED_CONSTANTS(SelectiveScanConstants, SELECTIVE_SCAN_CONSTANTS)

struct SelectiveScanPush
{
    SHARED_POINTER x;
    SHARED_POINTER dt;
    SHARED_POINTER dtBias; // f32 [channels]
    SHARED_POINTER a;      // [channels, aStride]
    SHARED_POINTER b;
    SHARED_POINTER c;
    SHARED_POINTER d; // f32 [channels]
    SHARED_POINTER result;
    SHARED_POINTER items;                                       // PassItem
    SHARED_POINTER caches;                                      // PassCache
    SHARED_UINT xStride, dtStride, bStride, cStride, outStride; // bytes
    SHARED_UINT aStride;                                        // elements
    SHARED_UINT channels;
    SHARED_UINT stateOffset; // numbers; a state is [channels, N]
};

#endif
