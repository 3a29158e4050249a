// The interface of state_space_scan.comp, shared with C++.
#ifndef FIRESIDE_STATE_SPACE_SCAN_H
#define FIRESIDE_STATE_SPACE_SCAN_H
#include "shaders/common/shared_types.h"

#define STATE_SPACE_SCAN_CONSTANTS(X)                                                              \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kStates, 1)    /* N */                                                              \
    X(2, uint, kStaged, 1)    /* rows in shared memory at a time, a multiple of kTogether */       \
    X(3, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(4, bool, kDtHalf, false)                                                                     \
    X(5, bool, kBHalf, false)                                                                      \
    X(6, bool, kCHalf, false)                                                                      \
    X(7, bool, kOutHalf, false)                                                                    \
    X(8, bool, kHasBias, false)                                                                    \
    X(9, bool, kHasD, false)                                                                       \
    X(10, uint, kLanes, 1)     /* threads for a row of the state: divide ⌈N / 4⌉ */            \
    X(11, uint, kTogether, 1)  /* rows whose sums are taken at once */                             \
    X(12, bool, kFours, false) /* b and c are read four numbers at a time */                       \
    X(13, uint, kOwn, 1) /* rows of the state that a team keeps; a power of two, kTogether too */  \
    X(14, bool, kStateWide, false) /* rows of the state begin and end at multiples of 16 bytes */
SHARED_CONSTANTS(StateSpaceScanConstants, STATE_SPACE_SCAN_CONSTANTS)

struct StateSpaceScanPush
{
    SHARED_POINTER x;
    SHARED_POINTER dt;
    SHARED_POINTER dtBias; // f32 [heads]
    SHARED_POINTER a;      // f32 [heads]
    SHARED_POINTER b;
    SHARED_POINTER c;
    SHARED_POINTER d; // f32 [heads]
    SHARED_POINTER result;
    SHARED_POINTER items;                                       // PassItem
    SHARED_POINTER caches;                                      // PassCache
    SHARED_UINT xStride, dtStride, bStride, cStride, outStride; // bytes
    SHARED_UINT headsPerGroup;                                  // H / G
    SHARED_UINT headDim;                                        // P
    SHARED_UINT stateOffset;                                    // numbers; a state is [H · P, N]
    SHARED_FLOAT dtMin, dtMax;
};

#endif
