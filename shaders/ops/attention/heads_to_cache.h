// The contract of ops/heads_to_cache.comp with C++.
#ifndef FIRESIDE_HEADS_TO_CACHE_H
#define FIRESIDE_HEADS_TO_CACHE_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kQueriesHalf = 1;
SHARED_CONSTANT kKeysHalf = 2;
SHARED_CONSTANT kValuesHalf = 4;
SHARED_CONSTANT kQueriesNormed = 8;
SHARED_CONSTANT kKeysNormed = 16;
SHARED_CONSTANT kQueriesInterleaved = 32;
SHARED_CONSTANT kKeysInterleaved = 64;

struct HeadsToCachePush
{
    SHARED_POINTER q, k, v; // [T, H·D], [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER qNorm, kNorm;
    SHARED_POINTER qTurns, kTurns; // per pair: turns per position, 0.64 fixed point
    SHARED_POINTER positions, rowItems, items, caches;
    SHARED_UINT qStride, kStride, vStride; // elements
    SHARED_FLOAT qEps, kEps;
    SHARED_FLOAT qFactor, kFactor;
    SHARED_UINT firstRow;
};

#endif
