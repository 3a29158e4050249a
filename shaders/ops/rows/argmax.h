// The interface of argmax.comp, shared with C++.
#ifndef FIRESIDE_ARGMAX_H
#define FIRESIDE_ARGMAX_H
#include "shaders/common/shared_types.h"

#define ARGMAX_CONSTANTS(X)                                                                        \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kXHalf, false)          /* x is F16, else F32 */                                    \
    X(2, bool, kFours, false)          /* columns are read four at a time */                       \
    X(3, bool, kFromCandidates, false) /* x holds the candidates of a first dispatch */
SHARED_CONSTANTS(ArgmaxConstants, ARGMAX_CONSTANTS)

struct ArgmaxPush
{
    SHARED_POINTER x;               // [rows, cols]; candidates: u32 pairs (key, index) [rows, cols]
    SHARED_POINTER ids;             // i32, one per row; may be absent when candidates are written
    SHARED_POINTER candidates;      // [rows, splits] pairs to be written, when splits > 1
    SHARED_UINT xStride, idsStride; // bytes
    SHARED_UINT rows, cols;
    SHARED_UINT splits; // workgroups per row
};

#endif
