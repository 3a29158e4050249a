// The interface of append_kv.comp, shared with C++.
#ifndef FIRESIDE_APPEND_KV_H
#define FIRESIDE_APPEND_KV_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kQueriesHalf = 1;
SHARED_CONSTANT kKeysHalf = 2;
SHARED_CONSTANT kValuesHalf = 4;
SHARED_CONSTANT kQueriesNormed = 8;
SHARED_CONSTANT kKeysNormed = 16;
SHARED_CONSTANT kQueriesInterleaved = 32;
SHARED_CONSTANT kKeysInterleaved = 64;

#define APPEND_KV_CONSTANTS(X)                                                                     \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kFlags, 0)     /* kQueriesHalf … */                                               \
    X(2, uint, kCacheType, 1) /* kCacheF32 … of cache.glsl */                                    \
    X(3, uint, kHeads, 0)     /* query heads; 0 when they stay as they are */                      \
    X(4, uint, kKvHeads, 1)                                                                        \
    X(5, uint, kHeadDim, 64)                                                                       \
    X(6, uint, kValueDim, 64)                                                                      \
    X(7, uint, kQueryPairs, 0) /* rotated channels: [first, first + 2 · pairs) */                 \
    X(8, uint, kQueryFirst, 0)                                                                     \
    X(9, uint, kKeyPairs, 0)                                                                       \
    X(10, uint, kKeyFirst, 0)                                                                      \
    X(11, uint, kStaged, 64) /* the larger of both head sizes */
SHARED_CONSTANTS(AppendKvConstants, APPEND_KV_CONSTANTS)
// Of append_kv_rows.comp.
#define APPEND_KV_ROWS_CONSTANTS(X)                                                                \
    X(0, uint, kThreads, 64)  /* kLanes · kHeadDim / 2 */                                         \
    X(1, uint, kFlags, 0)     /* kQueriesHalf … */                                               \
    X(2, uint, kCacheType, 1) /* F32 or F16 */                                                     \
    X(3, uint, kHeads, 0)                                                                          \
    X(4, uint, kKvHeads, 1)                                                                        \
    X(5, uint, kHeadDim, 64) /* even, and that of values */                                        \
    X(6, uint, kPairs, 0)    /* rotated channels: [first, first + 2 · pairs) */                   \
    X(7, uint, kFirst, 0)                                                                          \
    X(8, uint, kLanes, 1) /* heads at a time */                                                    \
    X(9, uint, kBatch, 1) /* loads at a time */
SHARED_CONSTANTS(AppendKvRowsConstants, APPEND_KV_ROWS_CONSTANTS)

struct AppendKvPush
{
    SHARED_POINTER q, k, v; // [T, H·D], [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER qNorm, kNorm;
    SHARED_POINTER qTurns,
        kTurns; // per pair: full turns per position (0.64 fixed point), see rope.glsl
    SHARED_POINTER positions, rowItems, items, caches;
    SHARED_UINT qStride, kStride, vStride; // elements
    SHARED_FLOAT qEps, kEps;
    SHARED_FLOAT qFactor, kFactor;
    SHARED_UINT firstRow;
};

#endif
