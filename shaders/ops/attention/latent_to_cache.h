// The contract of ops/latent_to_cache.comp with C++.
#ifndef FIRESIDE_LATENT_TO_CACHE_H
#define FIRESIDE_LATENT_TO_CACHE_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kLatentHalf = 1;
SHARED_CONSTANT kRopePartHalf = 2;
SHARED_CONSTANT kRopeInterleaved = 4;

struct LatentToCachePush
{
    SHARED_POINTER latent, ropePart; // [T, rank], [T, r]
    SHARED_POINTER turns;            // per pair: turns per position, 0.64 fixed point
    SHARED_POINTER positions, rowItems, items, caches;
    SHARED_UINT latentStride, ropeStride; // elements
    SHARED_FLOAT factor;
    SHARED_UINT firstRow;
};

#endif
