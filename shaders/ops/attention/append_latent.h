// The interface of append_latent.comp, shared with C++.
#ifndef FIRESIDE_APPEND_LATENT_H
#define FIRESIDE_APPEND_LATENT_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kLatentHalf = 1;
SHARED_CONSTANT kRopePartHalf = 2;
SHARED_CONSTANT kRopeInterleaved = 4;
SHARED_CONSTANT kLatentNormed = 8;
SHARED_CONSTANT kTurnsHalf = 16; // queries
SHARED_CONSTANT kTurnedHalf = 32;

#define APPEND_LATENT_CONSTANTS(X)                                                                 \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kFlags, 0)     /* kLatentHalf … */                                                \
    X(2, uint, kCacheType, 1) /* kCacheF32 … of cache.glsl */                                    \
    X(3, uint, kRank, 512)                                                                         \
    X(4, uint, kRopeDim, 64) /* r */                                                               \
    X(5, uint, kPairs, 32)   /* rotated channels: [first, first + 2 · pairs) */                   \
    X(6, uint, kFirst, 0)                                                                          \
    X(7, uint, kStaged, 576) /* rank + r */
SHARED_CONSTANTS(AppendLatentConstants, APPEND_LATENT_CONSTANTS)

struct AppendLatentPush
{
    SHARED_POINTER latent, ropePart; // [T, rank], [T, r]
    SHARED_POINTER turns; // per pair: full turns per position (0.64 fixed point), see rope.glsl
    SHARED_POINTER positions, rowItems, items, caches;
    SHARED_POINTER norm;                  // F32 [rank]
    SHARED_POINTER queries, turned;       // what turns of the first head; turned may be queries
    SHARED_UINT latentStride, ropeStride; // elements
    SHARED_UINT queryStride, turnedStride;
    SHARED_UINT queryStep, turnedStep; // from one head to the next
    SHARED_UINT heads;
    SHARED_UINT firstRow;
    SHARED_FLOAT factor, eps;
};

#endif
