// The contract of ops/route.comp with C++.
#ifndef FIRESIDE_ROUTE_H
#define FIRESIDE_ROUTE_H
#include "shaders/common/shared_types.h"

// In the order of Routing::Score in engine/backend/ops.h.
SHARED_CONSTANT kScoreSoftmaxAll = 0;
SHARED_CONSTANT kScoreSoftmaxChosen = 1;
SHARED_CONSTANT kScoreSigmoid = 2;
SHARED_CONSTANT kMaxExperts = 1024;

// Constants: 0 group size, 1 experts, 2 used, 3 score, 4 there is a bias, 5 groups, 6 used groups,
// 7 a group's score is the sum of its two best, 8 normalise, 9 logits are F16, 10 logits are
// compared instead of scores, 11 threads that count for one expert.
struct RoutePush
{
    SHARED_POINTER logits;    // [rows, experts]
    SHARED_POINTER bias;      // f32 [experts]
    SHARED_POINTER ids;       // i32 [rows, used]
    SHARED_POINTER weights;   // f32 [rows, used]
    SHARED_UINT logitsStride; // bytes
    SHARED_UINT idsStride;
    SHARED_UINT weightsStride;
    SHARED_UINT rows;
    SHARED_FLOAT scale;
};

#endif
