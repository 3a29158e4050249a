// The interface of gemm.comp, gemm_matrix.comp, gemm_reduce.comp and gemm_input.comp, shared with
// C++.
#ifndef FIRESIDE_GEMM_H
#define FIRESIDE_GEMM_H
#include "shaders/common/activation_kinds.h"

// Of both kernels; a tile of out is kTileRows rows of x by kTileOuts rows of the weight.
#define GEMM_TILE_CONSTANTS(X)                                                                     \
    X(0, uint, kThreads, 128)                                                                      \
    X(1, uint, kFlags, 0) /* kGemmXHalf … */                                                     \
    X(2, uint, kActivation, kActivationNone)                                                       \
    X(3, uint, kTileRows, 64)                                                                      \
    X(4, uint, kTileOuts, 64)
// Of gemm.comp: each thread has kBlockRows x kBlockOuts elements of out.
#define GEMM_CONSTANTS(X)                                                                          \
    GEMM_TILE_CONSTANTS(X)                                                                         \
    X(5, uint, kBlockRows, 4)                                                                      \
    X(6, uint, kBlockOuts, 4)
SHARED_CONSTANTS(GemmConstants, GEMM_CONSTANTS)
// Of gemm_matrix.comp: kSubgroupsRows x kSubgroupsOuts subgroups share out the tile.
#define GEMM_MATRIX_CONSTANTS(X)                                                                   \
    GEMM_TILE_CONSTANTS(X)                                                                         \
    X(5, uint, kSubgroupsRows, 2)                                                                  \
    X(6, uint, kSubgroupsOuts, 4)                                                                  \
    X(7, uint, kStep, 1)     /* quantisation groups (32 columns) at a time */                      \
    X(8, uint, kBuffers, 2)  /* of a step, in shared memory */                                     \
    X(9, uint, kMatrixM, 16) /* of a cooperative matrix */                                         \
    X(10, uint, kMatrixN, 16)                                                                      \
    X(11, uint, kMatrixK, 16)
SHARED_CONSTANTS(GemmMatrixConstants, GEMM_MATRIX_CONSTANTS)

/// out [rows, outs] (+)= x [rows, cols] · weightᵀ + bias, or the gated form of two weights. Grid:
/// x: tiles of rows (so that workgroups that share weights run at the same time), y: tiles of outs,
/// z: splits of cols (kGemmPartial) or heads (kGemmHeads).
struct GemmPush
{
    SHARED_POINTER x;
    SHARED_POINTER weight; // planes; `groups` of 32 in each
    SHARED_POINTER up;     // the same for the second weight of a gated product
    SHARED_POINTER bias;   // F32 [depth, outs]
    SHARED_POINTER upBias;
    SHARED_POINTER result; // kGemmPartial: F32 [splits, gated ? 2 : 1, rows, outs]
    SHARED_POINTER order;  // kGemmExperts: u32 [pairs], pairs sorted by expert
                           // kGemmLatent: PassItem [items]
    SHARED_POINTER tiles;  // kGemmExperts: GemmTile for each x of the grid
                           // kGemmLatent: PassCache [items]
    SHARED_UINT groups, rows, cols, outs;
    SHARED_UINT firstOut;           // of this dispatch
    SHARED_UINT xStride, outStride; // elements
    SHARED_UINT groupsPerRow, groupsPerSplit;
    SHARED_UINT pairsPerRow;    // kGemmExperts: pairs that share a row of x
    SHARED_UINT xStep, outStep; // kGemmHeads: elements from one head to the next
    SHARED_UINT outColumn;      // kGemmLatent: the row of the weight that gives column 0 of out
    SHARED_UINT item;           // kGemmLatent
};

/// Rows of one expert that one tile computes: pairs order[first] … order[first + count − 1].
struct GemmTile
{
    SHARED_UINT expert; // kGemmNoExpert: the pairs named none; their rows of out become zero
    SHARED_UINT first;
    SHARED_UINT count; // 0: nothing to do
    SHARED_UINT unused;
};
SHARED_CONSTANT kGemmNoExpert = 0xffffffffu;

#define GEMM_REDUCE_CONSTANTS(X)                                                                   \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kFlags, 0) /* kGemmOutHalf … */                                                   \
    X(2, uint, kActivation, kActivationNone)
SHARED_CONSTANTS(GemmReduceConstants, GEMM_REDUCE_CONSTANTS)

/// Sums the splits of a product whose cols were cut, and finishes it.
struct GemmReducePush
{
    SHARED_POINTER partial;
    SHARED_POINTER bias;
    SHARED_POINTER upBias;
    SHARED_POINTER result;
    SHARED_UINT rows, outs;
    SHARED_UINT outStride;
    SHARED_UINT splits;
};

#define GEMM_INPUT_CONSTANTS(X)                                                                    \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(2, bool, kWide, false)  /* rows of x and result are read and written four elements at a time \
                               */
SHARED_CONSTANTS(GemmInputConstants, GEMM_INPUT_CONSTANTS)

/// x [rows, cols] as F16, see gemm_input.comp.
struct GemmInputPush
{
    SHARED_POINTER x;
    SHARED_POINTER result;
    SHARED_UINT rows, cols;
    SHARED_UINT xStride, resultStride; // elements
};

// Values of kFlags, which is a sum of these.
SHARED_CONSTANT kGemmXHalf = 1;   // x is F16
SHARED_CONSTANT kGemmOutHalf = 2; // out is F16
SHARED_CONSTANT kGemmAdd = 4;     // out += …
SHARED_CONSTANT kGemmGated = 8;   // act(x · weightᵀ + bias) ⊙ (x · upᵀ + upBias)
SHARED_CONSTANT kGemmBias = 16;
SHARED_CONSTANT kGemmUpBias = 32;
SHARED_CONSTANT kGemmExperts = 64; // rows by way of order and tiles
SHARED_CONSTANT kGemmHeads = 128;  // z is a head: columns z·xStep of x, z·outStep of out, depth z
SHARED_CONSTANT kGemmPartial = 256;
SHARED_CONSTANT kGemmXWide = 512;    // rows of x begin and end at multiples of 16 bytes
SHARED_CONSTANT kGemmOutWide = 1024; // so do fours of outs; outs is a multiple of 4
SHARED_CONSTANT kGemmExact = 2048;   // matrices: x in two F16 parts, which together keep 22 bits
SHARED_CONSTANT kGemmWhole = 4096; // matrices: cols, of each split too, are a multiple of a step's
SHARED_CONSTANT kGemmAligned = 8192; // matrices: rows of the weight begin at multiples of 256
                                     // columns, and steps divide these
SHARED_CONSTANT kGemmLatent = 16384; // x are the rows of an item's latent cache, F16, new ones too

#endif
