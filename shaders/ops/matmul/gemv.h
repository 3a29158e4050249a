// The interface of gemv.comp, shared with C++.
#ifndef FIRESIDE_GEMV_H
#define FIRESIDE_GEMV_H
#include "shaders/common/activation_kinds.h"

// Values of kShareOf: what a chosen expert's score is divided by.
SHARED_CONSTANT kShareOfOne = 0;
SHARED_CONSTANT kShareOfChosen = 1; // the sum of those chosen
SHARED_CONSTANT kShareOfAll = 2;

// Values of kExperts.
SHARED_CONSTANT kNoExperts = 0;
SHARED_CONSTANT kEachExpert = 1; // y[t · used + j] = x[t] · weight[ids[t, j]]ᵀ
SHARED_CONSTANT kSumExperts =
    2; // y[t] = Σⱼ shares[t, j] · (x[t · used + j] · weight[ids[t, j]]ᵀ + bias)

#define GEMV_CONSTANTS(X)                                                                          \
    X(0, uint, kThreads, 256) /* whole teams */                                                    \
    X(1, uint, kTeam,                                                                              \
      32) /* threads that share a row of the weight; a multiple of any subgroup's size */          \
    X(2, uint, kRows, 2)    /* of a target, by a team at a time */                                 \
    X(3, uint, kSets, 1)    /* of kRows rows, one after the other */                               \
    X(4, uint, kPasses, 1)  /* of a team over a row */                                             \
    X(5, uint, kColumns, 1) /* rows of x of a workgroup; its z counts more */                      \
    X(6, uint, kSmallestSubgroup, 8)                                                               \
    X(7, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(8, bool, kYHalf, false)                                                                      \
    X(9, bool, kFours, false)       /* x and norm are aligned for four at once */                  \
    X(10, bool, kNorm, false)       /* x is normed */                                              \
    X(11, bool, kAccumulate, false) /* y += … */                                                 \
    X(12, bool, kGated, false)                                                                     \
    X(13, uint, kActivation, kActivationNone)                                                      \
    X(14, bool, kNext, false) /* y as q8 activations too; kGroupRows % 16 == 0 */                  \
    X(15, uint, kExperts, kNoExperts)                                                              \
    X(16, uint, kPairs, 1) /* kSumExperts: experts side by side in a team */                       \
    X(17, uint, kChosen,                                                                           \
      0) /* kEachExpert: experts that are chosen here (gemv_route.glsl); 0: ids are given */       \
    X(18, uint, kChoices, 1)     /* of so many */                                                  \
    X(19, bool, kSigmoid, false) /* a choice's score is a sigmoid, else e^x */                     \
    X(20, uint, kShareOf, kShareOfOne)                                                             \
    X(21, float, kShareScale, 1)
SHARED_CONSTANTS(GemvConstants, GEMV_CONSTANTS)

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
    // The workgroups of target i come after those of target i − 1; unused ones have no rows. Gated:
    // the first is the gate, with y, the second is up. With kNext or experts there is one target
    // (or gate and up), and the other fields carry, by the names below, what more is needed.
    GemvTarget targets[3];
    SHARED_POINTER x;    // [count, cols], F32 or F16, or q8 activations
    SHARED_POINTER norm; // [cols] F32 where x is normed and not q8
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
    SHARED_UINT count;   // T
    SHARED_FLOAT eps;
};

// kNext: the norm that y will be read with, F32 [rows] or 0, and where y as q8 activations goes
// (common/q8_activations.h).
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

#endif
