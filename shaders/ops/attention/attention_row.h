// The interface of attention_row.comp, shared with C++.
#ifndef FIRESIDE_ATTENTION_ROW_H
#define FIRESIDE_ATTENTION_ROW_H
#include "shaders/ops/attention/attention.h"

// Of both kernels; behind these come their own.
#define ATTENTION_ROW_CONSTANTS(X)                                                                 \
    ATTENTION_SHAPE_CONSTANTS(X)                                                                   \
    X(8, uint, kHeadFlags, 0)   /* kQueriesHalf … of append_kv.h */                              \
    X(9, uint, kQueryPairs, 32) /* rotated channels: [first, first + 2 · pairs) */                \
    X(10, uint, kQueryFirst, 0)                                                                    \
    X(11, uint, kKeyPairs, 32)                                                                     \
    X(12, uint, kKeyFirst, 0)                                                                      \
    X(13, uint, kNextUnit, 0) /* results also in the order of matrices, see small_gemm.h */        \
    X(14, uint, kNextTogether, 1)                                                                  \
    X(15, uint, kNextAcross, 1) /* times eight rows of results */
SHARED_CONSTANTS(AttentionRowConstants, ATTENTION_ROW_CONSTANTS)
// Of attention_row.comp.
#define ATTENTION_ROW_SCALAR_CONSTANTS(X)                                                          \
    X(16, uint, kKeysEach, 8) /* of a team at a time: 1, 2, 4 … kLanes */                        \
    X(17, uint, kLanes, 16)   /* of a team: a power of two, at most a subgroup */                  \
    X(18, uint, kParts, 8)    /* that meet in shared memory: the most subgroups */                 \
    X(19, uint, kSubgroup, 0) /* lanes of a subgroup where that is always the same, else 0 */      \
    X(20, bool, kShared,                                                                           \
      false) /* a team's threads share its scores: less work, but more steps in a row */           \
    X(21, bool, kOnce, false) /* no range has more keys than a block */
SHARED_CONSTANTS(AttentionRowScalarConstants, ATTENTION_ROW_SCALAR_CONSTANTS)
// Of attention_row_matrix.comp.
#define ATTENTION_ROW_MATRIX_CONSTANTS(X)                                                          \
    X(16, uint, kSlots, 4)  /* heads of a workgroup, at most eight */                              \
    X(17, uint, kOrder, 0)  /* of the elements of a matrix, see matrix_direct.glsl */              \
    X(18, uint, kSplits, 1) /* as in the push block */                                             \
    X(19, uint, kTiles, 1)  /* of 16 keys, of a subgroup at a time */
SHARED_CONSTANTS(AttentionRowMatrixConstants, ATTENTION_ROW_MATRIX_CONSTANTS)

/// What is the same in all layers, but for the norms.
struct AttentionRowHeads
{
    SHARED_POINTER qNorm, kNorm;   // [D] F32, or 0
    SHARED_POINTER qTurns, kTurns; // as in append_kv.h
    SHARED_POINTER sinks, slopes;  // [H] F32
    SHARED_FLOAT qEps, kEps, qFactor, kFactor;
};

struct AttentionRowPush
{
    SHARED_POINTER q, k, v; // of the new rows: [T, H·D], [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER caches, items, positions;
    SHARED_POINTER out_;     // [T, H·Dv]
    SHARED_POINTER q8Out;    // [T] of shaders/common/q8_activations.h, with kQ8Out; with kNextUnit
                             // F16 [8 · kNextAcross, H·Dv] in that order
    SHARED_POINTER partials; // [T·H, splits, Dv + 4] F32: values, maximum, sum of weights
    SHARED_POINTER counters; // [T·H] of workgroups that have arrived; left at zero
    SHARED_POINTER heads;    // an AttentionRowHeads
    SHARED_UINT qStride, kStride, vStride, outStride; // elements
    SHARED_FLOAT scale, softcap;
    SHARED_UINT window; // 0: none
    SHARED_UINT splits;
    SHARED_UINT first; // item of this dispatch
    SHARED_UINT unused;
};

#endif
