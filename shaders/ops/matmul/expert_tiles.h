// The interface of expert_tiles.comp and expert_sum.comp, shared with C++.
#ifndef FIRESIDE_EXPERT_TILES_H
#define FIRESIDE_EXPERT_TILES_H
#include "shaders/common/shared_types.h"

#define EXPERT_TILES_CONSTANTS(X)                                                                  \
    X(0, uint, kThreads, 128)                                                                      \
    X(1, uint, kExperts, 1)
SHARED_CONSTANTS(ExpertTilesConstants, EXPERT_TILES_CONSTANTS)

/// Sorts pairs (token, chosen expert) by expert and cuts them into tiles. One workgroup.
struct ExpertTilesPush
{
    SHARED_POINTER ids;   // I32 [tokens, used]
    SHARED_POINTER order; // u32 [tokens · used]
    SHARED_POINTER tiles; // GemmTile [bound], see gemm.h; those not needed have no rows
    SHARED_UINT tokens, used;
    SHARED_UINT idStride;
    SHARED_UINT tileRows, bound;
};
SHARED_CONSTANT kExpertTilesMost = 2048; // experts

#define EXPERT_SUM_CONSTANTS(X)                                                                    \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(2, bool, kOutHalf, false)                                                                    \
    X(3, bool, kAdd, false) /* out += … */
SHARED_CONSTANTS(ExpertSumConstants, EXPERT_SUM_CONSTANTS)

/// out[t] (+)= Σⱼ shares[t, j] · x[t·used + j], without what named no expert.
struct ExpertSumPush
{
    SHARED_POINTER x;
    SHARED_POINTER ids;
    SHARED_POINTER shares;
    SHARED_POINTER result;
    SHARED_UINT tokens, used, outs, experts;
    SHARED_UINT xStride, idStride, shareStride, outStride;
};

#endif
