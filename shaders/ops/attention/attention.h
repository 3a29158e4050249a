// The interface of attention_*.comp, shared with C++.
#ifndef FIRESIDE_ATTENTION_H
#define FIRESIDE_ATTENTION_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kQueryHalf = 1;
SHARED_CONSTANT kOutHalf = 2;
SHARED_CONSTANT kCausal = 4;
SHARED_CONSTANT kSoftcap = 8;
SHARED_CONSTANT kSlopes = 16;
SHARED_CONSTANT kSinks = 32;
SHARED_CONSTANT kSequence = 64;       // keys are the item's own rows, without a cache
SHARED_CONSTANT kLatent = 128;        // values are the first channels of the keys
SHARED_CONSTANT kSplit = 256;         // keys are split over workgroups: partial results
SHARED_CONSTANT kManyRows = 512;      // for items of more than kFewSlots slots, else for the others
SHARED_CONSTANT kReduceInLast = 1024; // the last workgroup of a tile reduces the splits

SHARED_CONSTANT kNewHeads = 2048; // q and the newest keys and values come from their products

SHARED_CONSTANT kQ8Out = 4096; // with kNewHeads: results also as q8 activations

SHARED_CONSTANT kChunked = 8192; // causal, and `window` is the length of chunks

// With kSequence: `slopes` are numbers of distances, [H, 2·reach + 1]; the flags from kReachShift
// on are the reach.
SHARED_CONSTANT kDistances = 16384;
SHARED_CONSTANT kReachShift = 16;

// k and v are made from the rows of a latent cache, room for `counters.y` keys for each item; the
// flags from kPlainShift on are the channels of a key that lie there, those behind them lie in the
// cache behind a rank of `counters.x`. Only of kernels of many queries, for items of any length.
SHARED_CONSTANT kExpanded = 32768;
SHARED_CONSTANT kPlainShift = 16;

SHARED_CONSTANT kFewSlots = 32; // rows of an item · heads of a group: up to here keys are split
SHARED_CONSTANT kMaxSplits = 128;
SHARED_CONSTANT kSplitStep = 64;  // keys; the range of a split is a multiple of it
SHARED_CONSTANT kMaxReduced = 16; // splits that attention_decode.comp reduces
SHARED_CONSTANT kMaxCounters = 4096;
SHARED_CONSTANT kTileKeys = 32; // keys of a tile of attention_tile.comp

// Of all kernels of attention.
#define ATTENTION_SHAPE_CONSTANTS(X)                                                               \
    X(0, uint, kThreads, 128)                                                                      \
    X(1, uint, kFlags, 0)     /* kQueryHalf … */                                                 \
    X(2, uint, kHeads, 1)     /* H */                                                              \
    X(3, uint, kKvHeads, 1)   /* Hkv */                                                            \
    X(4, uint, kHeadDim, 64)  /* D */                                                              \
    X(5, uint, kValueDim, 64) /* Dv */                                                             \
    X(6, uint, kKeyType, 1)   /* kCacheF32 … of cache.glsl */                                    \
    X(7, uint, kValueType, 1)
// Of those that take an AttentionPush; behind these come their own.
#define ATTENTION_CONSTANTS(X)                                                                     \
    ATTENTION_SHAPE_CONSTANTS(X)                                                                   \
    X(8, uint, kKeyStep, 16) /* bytes; every key begins at a multiple of it */                     \
    X(9, uint, kValueStep, 16)
SHARED_CONSTANTS(AttentionConstants, ATTENTION_CONSTANTS)
#define ATTENTION_REDUCE_CONSTANTS(X)                                                              \
    X(10, uint, kTeams,                                                                            \
      4) /* that share out the splits; one where a head has more fours than threads */
SHARED_CONSTANTS(AttentionReduceConstants, ATTENTION_REDUCE_CONSTANTS)
#define ATTENTION_DECODE_CONSTANTS(X)                                                              \
    X(10, uint, kSlots, 4) /* of a workgroup: query rows times heads of a kv head */               \
    X(11, uint, kKeysPerThread, 8)                                                                 \
    X(12, uint, kValuesPerThread, 8) /* enough for all keys of a block */                          \
    X(13, uint, kShared, 4608)       /* floats for products and for the last sum */
SHARED_CONSTANTS(AttentionDecodeConstants, ATTENTION_DECODE_CONSTANTS)
#define ATTENTION_FEW_CONSTANTS(X)                                                                 \
    X(10, uint, kSlots, 4)      /* of a workgroup; a power of two */                               \
    X(11, uint, kKeysEach, 8)   /* of a team at a time, even */                                    \
    X(12, uint, kLanes, 16)     /* of a team: a power of two, at most a subgroup */                \
    X(13, bool, kFours, false)  /* q and out are read and written four channels at a time */       \
    X(14, uint, kScratch, 2304) /* pairs of floats in shared memory */
SHARED_CONSTANTS(AttentionFewConstants, ATTENTION_FEW_CONSTANTS)
#define ATTENTION_TILE_CONSTANTS(X) X(10, uint, kRows, 4) /* slots of a thread */
SHARED_CONSTANTS(AttentionTileConstants, ATTENTION_TILE_CONSTANTS)
#define ATTENTION_MATRIX_CONSTANTS(X)                                                              \
    X(10, uint, kKeys, 32)     /* of a tile, a multiple of 16 */                                   \
    X(11, uint, kSlots, 64)    /* of a workgroup, 16 for each subgroup */                          \
    X(12, uint, kBuffers, 1)   /* of tiles: 2 for one barrier a tile instead of two */             \
    X(13, bool, kFours, false) /* q and out are read and written four channels at a time */
SHARED_CONSTANTS(AttentionMatrixConstants, ATTENTION_MATRIX_CONSTANTS)

/// With kNewHeads: the new rows, before RoPE and KV append, one for each item.
/// The same for all layers, but for the norms.
struct AttentionHeads
{
    SHARED_POINTER k, v; // [T, Hkv·D], [T, Hkv·Dv]
    SHARED_POINTER qNorm, kNorm;
    SHARED_POINTER qTurns, kTurns; // as in append_kv.h
    SHARED_POINTER positions;
    SHARED_UINT kStride, vStride; // elements
    SHARED_UINT flags;            // of append_kv.h
    SHARED_UINT qPairs, qFirst, kPairs, kFirst;
    SHARED_FLOAT qEps, kEps, qFactor, kFactor;
    SHARED_UINT unused; // no gap of unknown bytes at the end
};

struct AttentionPush
{
    SHARED_POINTER q; // [T, H·D]
    SHARED_POINTER k; // caches of the layer, or with kSequence [T, Hkv·D], with kExpanded
                      // [items, counters.y, Hkv·plain]
    SHARED_POINTER v; // with kSequence [T, Hkv·Dv], with kNewHeads an AttentionHeads, with
                      // kExpanded [items, counters.y, Hkv·Dv]
    SHARED_POINTER items, rowItems;
    SHARED_POINTER out_;     // [T, H·Dv]
    SHARED_POINTER partials; // [T·H, splits, Dv] F32, then [T·H, splits, 2]: maximum and sum
    SHARED_POINTER sinks;    // [H] F32
    SHARED_POINTER slopes;   // [H] F32, or with kDistances [H, 2·reach + 1], with kExpanded
                             // caches of the layer
    SHARED_POINTER q8Out;    // with kQ8Out: [T] of common/q8_activations.h
    SHARED_UINT qStride, kStride, vStride, outStride; // elements; of k and v without a cache
    SHARED_FLOAT scale, softcap;
    SHARED_UINT window; // 0: none; with kChunked never
    SHARED_UINT splits;
    SHARED_UINT first;       // row of this dispatch; of few queries: item
    SHARED_UINT rows;        // T
    SHARED_POINTER counters; // [items · tiles] of workgroups that have arrived; left at zero
};

#endif
