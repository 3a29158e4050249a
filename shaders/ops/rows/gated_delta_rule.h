// The contract of ops/gated_delta_rule.comp with C++.
#ifndef FIRESIDE_GATED_DELTA_RULE_H
#define FIRESIDE_GATED_DELTA_RULE_H
#include "shaders/common/shared_types.h"

// Constants: 0 group size, 1 Dk, 2 rows of k and q staged at a time, 3 … 8: q, k, v, g, beta, out
// are F16.
struct GatedDeltaRulePush
{
    SHARED_POINTER q;
    SHARED_POINTER k;
    SHARED_POINTER v;
    SHARED_POINTER g;
    SHARED_POINTER beta;
    SHARED_POINTER state; // f32 [items · heads · Dk, Dv]
    SHARED_POINTER result;
    SHARED_POINTER items; // PassItem
    SHARED_UINT qStride;  // bytes
    SHARED_UINT kStride;
    SHARED_UINT vStride;
    SHARED_UINT gStride;
    SHARED_UINT betaStride;
    SHARED_UINT stateStride;
    SHARED_UINT outStride;
    SHARED_UINT heads;
    SHARED_UINT valueDim; // Dv
};

#endif
