// What a pass keeps in device memory, so that a recording can be replayed with other values:
// shaders get the addresses, the values change.
#ifndef FIRESIDE_PASS_H
#define FIRESIDE_PASS_H
#include "shaders/common/shared_types.h"

/// One session's part of the batch, see BatchItem in engine/backend/batch.h.
struct PassItem
{
    SHARED_UINT firstRow;
    SHARED_UINT rows;
    SHARED_UINT past;     // tokens already in the cache
    SHARED_UINT capacity; // rows of each head of the cache
};

/// What one layer keeps of one item: [layers][items] of these.
struct PassCache
{
    SHARED_POINTER keys;   // [Hkv, capacity, D]
    SHARED_POINTER values; // [Hkv, capacity, Dv]; for a latent cache the keys' address
    SHARED_POINTER state;  // f32 of recurrent layers
};

#endif
