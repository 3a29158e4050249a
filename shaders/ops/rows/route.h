// The interface of route.comp, shared with C++.
#ifndef FIRESIDE_ROUTE_H
#define FIRESIDE_ROUTE_H
#include "shaders/common/shared_types.h"

// In the order of Routing::Score in engine/backend/ops/route.h.
SHARED_CONSTANT kScoreSoftmaxAll = 0;
SHARED_CONSTANT kScoreSoftmaxChosen = 1;
SHARED_CONSTANT kScoreSigmoid = 2;
SHARED_CONSTANT kScoreSparseMixer = 3;
SHARED_CONSTANT kMaxExperts = 1024;

#define ROUTE_CONSTANTS(X)                                                                         \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kExperts, 1)                                                                        \
    X(2, uint, kUsed, 1)  /* experts chosen for a row */                                           \
    X(3, uint, kScore, 0) /* kScoreSoftmaxAll … */                                               \
    X(4, bool, kHasBias, false)                                                                    \
    X(5, uint, kGroups, 1) /* of experts; only those of the best kUsedGroups may be chosen */      \
    X(6, uint, kUsedGroups, 1)                                                                     \
    X(7, bool, kBestTwo, false)    /* a group's score is the sum of its two best */                \
    X(8, bool, kNormalize, false)  /* weights are divided by their sum */                          \
    X(9, bool, kLogitsHalf, false) /* logits are F16, else F32 */                                  \
    X(10, bool, kByLogit, false)   /* logits are compared, not scores */                           \
    X(11, uint, kSharers, 1)       /* threads of a subgroup that count for one expert */           \
    X(12, bool, kHasScale, false)  /* weights are multiplied by numbers of their experts */
SHARED_CONSTANTS(RouteConstants, ROUTE_CONSTANTS)

struct RoutePush
{
    SHARED_POINTER logits;                              // [rows, experts]
    SHARED_POINTER bias;                                // f32 [experts]
    SHARED_POINTER ids;                                 // i32 [rows, used]
    SHARED_POINTER weights;                             // f32 [rows, used]
    SHARED_POINTER expertScale;                         // f32 [experts]
    SHARED_UINT logitsStride, idsStride, weightsStride; // bytes
    SHARED_UINT rows;
    SHARED_FLOAT scale;
    SHARED_FLOAT nearest; // of kScoreSparseMixer: 2 · jitterEps
};

#endif
