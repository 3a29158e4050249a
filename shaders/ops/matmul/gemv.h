// The contract of ops/gemv.comp with C++.
#ifndef FIRESIDE_GEMV_H
#define FIRESIDE_GEMV_H
#include "shaders/common/shared_types.h"

struct GemvTarget
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER y;      // [count, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows;
    SHARED_UINT yStride; // elements
};

struct GemvPush
{
    // The groups of target i come after those of target i − 1; unused ones have no rows. Gated: the
    // first is the gate, with y, the second is up. With kNext or experts there is one target (or
    // gate and up), and the other fields carry, by the names below, what more is needed.
    GemvTarget targets[3];
    SHARED_POINTER x;    // [count, cols], F32 or F16; or its integer rows
    SHARED_POINTER norm; // [cols] F32 where x is normed and not in integer rows
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
    SHARED_UINT count;   // T
    SHARED_FLOAT eps;
};

// kNext: the norm that y will be read with, F32 [rows] or 0, and where the integer rows of y go
// (common/integer_row.h).
#define GEMV_NEXT_NORM targets[2].weight
#define GEMV_NEXT_ROWS targets[2].y
// kExperts: weights have a depth of experts. ids: I32 [T, used], shares: F32 [T, used].
#define GEMV_IDS targets[1].y
#define GEMV_USED targets[1].rows
#define GEMV_ID_STRIDE targets[1].yStride
#define GEMV_SHARES targets[2].bias
#define GEMV_EXPERTS targets[2].rows
#define GEMV_SHARE_STRIDE targets[2].yStride
// kChosen: logits F32 [T, experts] without gaps; ids and shares are written. There are no biases.
#define GEMV_LOGITS targets[0].bias

// Values of kShareOf: what a chosen expert's score is divided by.
SHARED_CONSTANT kShareOfOne = 0;
SHARED_CONSTANT kShareOfChosen = 1; // the sum of those chosen
SHARED_CONSTANT kShareOfAll = 2;

// Values of kExperts.
SHARED_CONSTANT kNoExperts = 0;
SHARED_CONSTANT kEachExpert = 1; // y[t · used + j] = x[t] · weight[ids[t, j]]ᵀ
SHARED_CONSTANT kSumExperts =
    2; // y[t] = Σⱼ shares[t, j] · (x[t · used + j] · weight[ids[t, j]]ᵀ + bias)

#endif
