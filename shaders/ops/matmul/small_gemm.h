// The contract of ops/small_gemm_matrix.comp and ops/small_gemm_input.comp with C++.
#ifndef FIRESIDE_SMALL_GEMM_H
#define FIRESIDE_SMALL_GEMM_H
#include "shaders/common/shared_types.h"

struct SmallGemmTarget
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER y;      // [count, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows;
    SHARED_UINT yStride; // elements
};

/// Groups: x: rows of the targets, tilesPerGroup · 16 of them each; z: pieces of the columns.
struct SmallGemmPush
{
    // The groups of target i come after those of target i − 1; unused ones have no rows. Gated: the
    // first is the gate, with y, the second is up.
    SmallGemmTarget targets[3];
    SHARED_POINTER x; // [count, cols] in F16 without gaps, or what small_gemm_input.comp made of it
    SHARED_POINTER partial;  // several pieces: F32 [pieces, matrices, columns, rows of all groups]
    SHARED_POINTER counters; // several pieces: zero for each group, and zero again afterwards
    SHARED_UINT cols;
    SHARED_UINT counts; // rows of x | tilesPerGroup << 8
};

// Gated, where y is to lie as small_gemm_input.comp would bring it: F16 [columns, rows].
#define SMALL_GEMM_ORDERED targets[2].y

struct SmallGemmInputPush
{
    SHARED_POINTER x;    // [count, cols], F32 or F16
    SHARED_POINTER norm; // [cols] F32 where x is normed
    SHARED_POINTER result;
    SHARED_UINT cols;
    SHARED_UINT paddedCols; // zeros beyond cols
    SHARED_UINT xStride;    // elements
    SHARED_UINT count;
    SHARED_FLOAT eps;
};

#endif
