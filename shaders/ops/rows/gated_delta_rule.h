// The interface of gated_delta_rule.comp, shared with C++.
#ifndef FIRESIDE_GATED_DELTA_RULE_H
#define FIRESIDE_GATED_DELTA_RULE_H
#include "shaders/common/shared_types.h"

#define GATED_DELTA_RULE_CONSTANTS(X)                                                              \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kKeyDim, 1)    /* Dk */                                                             \
    X(2, uint, kStaged, 1)    /* rows in shared memory at a time, a multiple of kTogether */       \
    X(3, bool, kQHalf, false) /* q is F16, else F32 */                                             \
    X(4, bool, kKHalf, false)                                                                      \
    X(5, bool, kVHalf, false)                                                                      \
    X(6, bool, kGHalf, false)                                                                      \
    X(7, bool, kBetaHalf, false)                                                                   \
    X(8, bool, kOutHalf, false)                                                                    \
    X(9, bool, kDecayRows, false) /* g for each channel of the keys */                             \
    X(10, uint, kLanes, 1)        /* threads for a column: divide ⌈Dk / 4⌉ */                  \
    X(11, uint, kTogether, 1)     /* rows whose results are summed at once */                      \
    X(12, bool, kFours, false)    /* q, k and g for each channel are read four at a time */
SHARED_CONSTANTS(GatedDeltaRuleConstants, GATED_DELTA_RULE_CONSTANTS)

struct GatedDeltaRulePush
{
    SHARED_POINTER q;
    SHARED_POINTER k;
    SHARED_POINTER v;
    SHARED_POINTER g;
    SHARED_POINTER beta;
    SHARED_POINTER result;
    SHARED_POINTER items;                                                  // PassItem
    SHARED_POINTER caches;                                                 // PassCache
    SHARED_UINT qStride, kStride, vStride, gStride, betaStride, outStride; // bytes
    SHARED_UINT headsPerKey;                                               // H / Hk
    SHARED_UINT valueDim;                                                  // Dv
    SHARED_UINT stateOffset; // numbers; a state is [H · Dk, Dv]
};

#endif
