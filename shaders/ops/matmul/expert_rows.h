// The interface of expert_rows.comp, shared with C++.
#ifndef FIRESIDE_EXPERT_ROWS_H
#define FIRESIDE_EXPERT_ROWS_H
#include "shaders/common/activation_kinds.h"

#define EXPERT_ROWS_CONSTANTS(X)                                                                   \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kFlags, 0) /* kExpertXHalf … */                                                   \
    X(2, uint, kActivation, kActivationNone)                                                       \
    X(3, uint, kOuts, 1)   /* rows of the weight of a subgroup at a time */                        \
    X(4, uint, kPerRow, 1) /* quantisation groups (32 columns) in a row of the weight */
SHARED_CONSTANTS(ExpertRowsConstants, EXPERT_ROWS_CONSTANTS)

/// Products of few rows with matrices chosen on the device. Grid: x: outs, y: rows of out (and
/// heads).
struct ExpertRowsPush
{
    SHARED_POINTER x;
    SHARED_POINTER weight; // planes, `groups` of 32 in each
    SHARED_POINTER up;
    SHARED_POINTER bias; // F32 [experts, outs]
    SHARED_POINTER upBias;
    SHARED_POINTER norm;   // F32 [cols]
    SHARED_POINTER ids;    // I32 [tokens, used]
    SHARED_POINTER shares; // F32 [tokens, used]
    SHARED_POINTER result;
    SHARED_UINT groups, cols, outs;
    SHARED_UINT firstOut; // of this dispatch …
    SHARED_UINT endOut;   // … and behind its last
    SHARED_UINT experts;
    SHARED_UINT used; // per token
    SHARED_UINT xStride, outStride, idStride, shareStride;
    SHARED_FLOAT eps;
    SHARED_UINT xStep, outStep; // kExpertHeads: elements from one head to the next
};

// Values of kFlags, which is a sum of these.
SHARED_CONSTANT kExpertXHalf = 1;
SHARED_CONSTANT kExpertOutHalf = 2;
SHARED_CONSTANT kExpertAdd = 4;
SHARED_CONSTANT kExpertGated = 8; // act(x · weightᵀ + bias) ⊙ (x · upᵀ + upBias)
SHARED_CONSTANT kExpertBias = 16;
SHARED_CONSTANT kExpertUpBias = 32;
SHARED_CONSTANT kExpertNorm = 64;
SHARED_CONSTANT kExpertSum = 128; // out[t] = Σⱼ shares[t, j] · (x[t·used + j] · weightᵀ + bias)
SHARED_CONSTANT kExpertHeads = 256; // row y is (token, head): the head's columns and matrix

SHARED_CONSTANT kExpertMostUsed = 64; // per token, with kExpertSum

#endif
