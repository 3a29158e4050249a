// The interface of top_k.comp, shared with C++.
#ifndef FIRESIDE_TOP_K_H
#define FIRESIDE_TOP_K_H
#include "shaders/common/shared_types.h"

#define TOP_K_CONSTANTS(X)                                                                         \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kXHalf, false)          /* x is F16, else F32 */                                    \
    X(2, bool, kFours, false)          /* columns are read four at a time */                       \
    X(3, bool, kFromCandidates, false) /* x holds the candidates of a first dispatch */            \
    X(4, uint, kCount, 1)              /* k, kMaxTopK at most */                                   \
    X(5, bool, kByThread, false)       /* the largest of each thread are looked at first */        \
    X(6, uint, kRoom, 1)               /* for elements that are selected, k at least */
SHARED_CONSTANTS(TopKConstants, TOP_K_CONSTANTS)

struct TopKPush
{
    SHARED_POINTER x;          // [rows, cols]; candidates: u32 pairs (key, index) [rows, cols]
    SHARED_POINTER values;     // f32 [rows, k]
    SHARED_POINTER ids;        // i32 [rows, k]
    SHARED_POINTER candidates; // [rows, splits · k] pairs to be written, when splits > 1
    SHARED_UINT xStride, valuesStride, idsStride; // bytes
    SHARED_UINT rows, cols;
    SHARED_UINT splits; // workgroups per row
};

SHARED_CONSTANT kMaxTopK = 1024;

#endif
