// The contract of ops/attention_*.comp with C++.
#ifndef FIRESIDE_ATTENTION_H
#define FIRESIDE_ATTENTION_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kQueryHalf = 1;
SHARED_CONSTANT kOutHalf = 2;
SHARED_CONSTANT kCausal = 4;
SHARED_CONSTANT kSoftcap = 8;
SHARED_CONSTANT kSlopes = 16;
SHARED_CONSTANT kSinks = 32;
SHARED_CONSTANT kSequence = 64;   // keys are the item's own rows, without a cache
SHARED_CONSTANT kLatent = 128;    // values are the first channels of the keys
SHARED_CONSTANT kSplit = 256;     // keys are spread over groups: partial results
SHARED_CONSTANT kManyRows = 512;  // for items of more than fewRows rows, else for the others
SHARED_CONSTANT kJoinLast = 1024; // decode: the last group of a tile joins the partial results

SHARED_CONSTANT kNewHeads = 2048; // q and the newest keys and values come from their products

SHARED_CONSTANT kIntegerRows = 4096; // with kNewHeads: results also as integer rows

SHARED_CONSTANT kMaxSplits = 128;
SHARED_CONSTANT kSplitStep = 64; // keys; a part of a split is a multiple of it
SHARED_CONSTANT kMaxJoined = 16; // splits that a last group joins
SHARED_CONSTANT kMaxCounters = 4096;
SHARED_CONSTANT kTileKeys = 32; // keys of a tile of attention_tile.comp

/// With kNewHeads: what has not been turned nor brought to the cache yet, one row for each item.
/// The same for all layers, but for the norms.
struct AttentionHeads
{
    SHARED_POINTER k, v; // [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER qNorm, kNorm;
    SHARED_POINTER qTurns, kTurns; // as in heads_to_cache.h
    SHARED_POINTER positions;
    SHARED_UINT kStride, vStride; // elements
    SHARED_UINT flags;            // of heads_to_cache.h
    SHARED_UINT qPairs, qFirst, kPairs, kFirst;
    SHARED_FLOAT qEps, kEps, qFactor, kFactor;
    SHARED_UINT unused; // no gap of unknown bytes at the end
};

struct AttentionPush
{
    SHARED_POINTER q; // [T, H·D]
    SHARED_POINTER k; // caches of the layer, or with kSequence [T, Hkv·D]
    SHARED_POINTER v; // with kSequence [T, Hkv·Dv], with kNewHeads an AttentionHeads
    SHARED_POINTER items, rowItems;
    SHARED_POINTER out_;     // [T, H·Dv]
    SHARED_POINTER partials; // [T·H, splits, Dv] F32, then [T·H, splits, 2]: maximum and sum
    SHARED_POINTER sinks;    // [H] F32
    SHARED_POINTER slopes;   // [H] F32
    // Elements. With kIntegerRows kStride and vStride are the lower and the upper half of the
    // address of the result as rows of shaders/common/integer_row.h, [T].
    SHARED_UINT qStride, kStride, vStride, outStride;
    SHARED_FLOAT scale, softcap;
    SHARED_UINT window; // 0: none
    SHARED_UINT splits;
    SHARED_UINT first, end; // rows of this dispatch (decode: first is the first item)
    SHARED_UINT fewRows;
    SHARED_UINT rows;        // T
    SHARED_POINTER counters; // [items · tiles] of groups that have arrived; left at zero
};

#endif
