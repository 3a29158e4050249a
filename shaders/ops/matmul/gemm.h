// The contract of ops/gemm.comp, ops/gemm_matrix.comp, ops/gemm_reduce.comp and
// ops/gemm_input.comp with C++.
#ifndef FIRESIDE_GEMM_H
#define FIRESIDE_GEMM_H
#include "shaders/common/shared_types.h"

/// out [rows, outs] (+)= x [rows, cols] · weightᵀ + bias, or the gated form of two weights. Groups:
/// x: tiles of rows (so that groups that share weights run at the same time), y: tiles of outs,
/// z: pieces of cols (kGemmPartial) or heads (kGemmHeads).
struct GemmPush
{
    SHARED_POINTER x;
    SHARED_POINTER weight; // planes; `groups` of 32 in each
    SHARED_POINTER up;     // the same for the second weight of a gated product
    SHARED_POINTER bias;   // F32 [depth, outs]
    SHARED_POINTER upBias;
    SHARED_POINTER result; // kGemmPartial: F32 [pieces, gated ? 2 : 1, rows, outs]
    SHARED_POINTER order;  // kGemmExperts: u32 [pairs], pairs sorted by expert
    SHARED_POINTER tiles;  // kGemmExperts: GemmTile per group row
    SHARED_UINT groups;
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_UINT outs;
    SHARED_UINT firstOut; // of this dispatch
    SHARED_UINT xStride;  // elements
    SHARED_UINT outStride;
    SHARED_UINT groupsPerRow;
    SHARED_UINT groupsPerPiece;
    SHARED_UINT pairsPerRow; // kGemmExperts: pairs that share a row of x
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

/// Sums the pieces of a product whose cols were cut, and finishes it.
struct GemmReducePush
{
    SHARED_POINTER partial;
    SHARED_POINTER bias;
    SHARED_POINTER upBias;
    SHARED_POINTER result;
    SHARED_UINT rows;
    SHARED_UINT outs;
    SHARED_UINT outStride;
    SHARED_UINT pieces;
};

/// x [rows, cols] as F16, see gemm_input.comp.
struct GemmInputPush
{
    SHARED_POINTER x;
    SHARED_POINTER result;
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
    SHARED_UINT resultStride;
};

// Specialisation constant 1 of the products: a sum of these.
SHARED_CONSTANT kGemmXHalf = 1;   // x is F16
SHARED_CONSTANT kGemmOutHalf = 2; // out is F16
SHARED_CONSTANT kGemmAdd = 4;     // out += …
SHARED_CONSTANT kGemmGated = 8;   // act(x · weightᵀ + bias) ⊙ (x · upᵀ + upBias)
SHARED_CONSTANT kGemmBias = 16;
SHARED_CONSTANT kGemmUpBias = 32;
SHARED_CONSTANT kGemmExperts = 64; // rows by way of order and tiles
SHARED_CONSTANT kGemmHeads = 128;  // z is a head: columns z·cols of x, z·outs of out, depth z
SHARED_CONSTANT kGemmPartial = 256;
SHARED_CONSTANT kGemmXWide = 512;    // rows of x begin and end at multiples of 16 bytes
SHARED_CONSTANT kGemmOutWide = 1024; // so do fours of outs; outs is a multiple of 4
SHARED_CONSTANT kGemmExact = 2048;   // matrices: x in two F16 parts, which together keep 22 bits
SHARED_CONSTANT kGemmWhole = 4096; // matrices: cols, of each piece too, are a multiple of a step's
SHARED_CONSTANT kGemmAligned = 8192; // matrices: rows of the weight begin at multiples of 256
                                     // columns, and steps divide these

#endif
