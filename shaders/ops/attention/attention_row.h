// The contract of ops/attention_row.comp with C++.
#ifndef FIRESIDE_ATTENTION_ROW_H
#define FIRESIDE_ATTENTION_ROW_H
#include "shaders/common/shared_types.h"

/// What is the same in all layers, but for the norms.
struct AttentionRowHeads
{
    SHARED_POINTER qNorm, kNorm;   // [D] F32, or 0
    SHARED_POINTER qTurns, kTurns; // as in heads_to_cache.h
    SHARED_POINTER sinks, slopes;  // [H] F32
    SHARED_FLOAT qEps, kEps, qFactor, kFactor;
};

struct AttentionRowPush
{
    SHARED_POINTER q, k, v; // of the new rows: [T, H·D], [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER caches, items, positions;
    SHARED_POINTER out_;        // [T, H·Dv]
    SHARED_POINTER integerRows; // [T] of shaders/common/integer_row.h, with kIntegerRows
    SHARED_POINTER partials;    // [T·H, splits, Dv + 4] F32: values, maximum, sum of weights
    SHARED_POINTER counters;    // [T·H] of groups that have arrived; left at zero
    SHARED_POINTER heads;       // an AttentionRowHeads
    SHARED_UINT qStride, kStride, vStride, outStride; // elements
    SHARED_FLOAT scale, softcap;
    SHARED_UINT window; // 0: none
    SHARED_UINT splits;
    SHARED_UINT first; // item of this dispatch
    SHARED_UINT unused;
};

#endif
