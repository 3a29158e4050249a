// The interface of small_gemm_matrix.comp, staged_gemm_matrix.comp, small_gemm_reduce.comp and
// small_gemm_input.comp, shared with C++.
#ifndef FIRESIDE_SMALL_GEMM_H
#define FIRESIDE_SMALL_GEMM_H
#include "shaders/common/activation_kinds.h"

#define SMALL_GEMM_CONSTANTS(X)                                                                    \
    X(0, uint, kThreads, 512)      /* 32 for each subgroup */                                      \
    X(1, uint, kAcross, 1)         /* matrices of eight rows of x side by side */                  \
    X(2, uint, kHeld, 2)           /* units of a row whose x a thread holds */                     \
    X(3, uint, kBuffers, 2)        /* for sums; staged: for eighths of x */                        \
    X(4, bool, kPlain, false)      /* x as it is; else from small_gemm_input.comp */               \
    X(5, bool, kSplit, false)      /* split-K: workgroups share the weight's columns */            \
    X(6, bool, kExact, false)      /* x in two parts, which together keep 21 bits */               \
    X(7, bool, kYHalf, false)      /* y is F16, else F32 */                                        \
    X(8, bool, kAccumulate, false) /* y += … */                                                  \
    X(9, bool, kGated, false)                                                                      \
    X(10, uint, kActivation, kActivationNone)                                                      \
    X(11, uint, kOrder, 0)    /* of the elements of a matrix, see matrix_direct.glsl */            \
    X(12, uint, kTogether, 1) /* units of a row, next to each other, loaded as one */              \
    X(13, uint, kSteps, 1)    /* in which a subgroup goes along a row */                           \
    X(14, uint, kAhead, 8)    /* several steps: eighths of units whose x a thread holds */         \
    X(15, uint, kNextUnit,                                                                         \
      0) /* gated: y also in the order of matrices, for weights in such units; 0: not */           \
    X(16, uint, kNextTogether, 1)                                                                  \
    X(17, uint, kDown, 1)    /* tiles of 16 rows of the weight that x is fetched for */            \
    X(18, uint, kAbreast, 1) /* such tiles that subgroups take side by side */
SHARED_CONSTANTS(SmallGemmConstants, SMALL_GEMM_CONSTANTS)
#define SMALL_GEMM_REDUCE_CONSTANTS(X)                                                             \
    SMALL_GEMM_CONSTANTS(X)                                                                        \
    X(19, uint, kSplits, 1)                                                                        \
    X(20, uint, kGroups, 1) /* of the product's dispatch, along x */
SHARED_CONSTANTS(SmallGemmReduceConstants, SMALL_GEMM_REDUCE_CONSTANTS)

struct SmallGemmTarget
{
    SHARED_POINTER weight; // [rows, cols] in planes
    SHARED_POINTER y;      // [count, rows], F32 or F16
    SHARED_POINTER bias;   // [rows] F32, or 0
    SHARED_UINT rows;
    SHARED_UINT yStride; // elements
};

/// Grid: x: rows of the targets, tilesPerGroup · kDown · kAbreast · 16 of them each; z: splits of
/// the columns.
struct SmallGemmPush
{
    // The workgroups of target i come after those of target i − 1; unused ones have no rows. Gated:
    // the first is the gate, with y, the second is up.
    SmallGemmTarget targets[3];
    SHARED_POINTER x; // [count, cols] in F16 without gaps, or what small_gemm_input.comp made of it
    SHARED_POINTER partial;  // kSplit: F32 [splits, matrices, columns, rows of all workgroups]
    SHARED_POINTER counters; // kSplit: zero for each workgroup, and zero again afterwards
    SHARED_UINT cols;
    SHARED_UINT counts; // rows of x | tilesPerGroup << 8
};

// Gated, where y is to lie as small_gemm_input.comp would bring it: F16 [columns, rows].
#define SMALL_GEMM_ORDERED targets[2].y

#define SMALL_GEMM_INPUT_CONSTANTS(X)                                                              \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kColumns, 8) /* rows of x and zeros */                                              \
    X(2, uint, kUnit, 32)   /* elements that a thread of the product loads at once */              \
    X(3, bool, kExact, false)                                                                      \
    X(4, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(5, bool, kFours, false) /* x and norm are aligned for four at once */                        \
    X(6, bool, kNorm, false)  /* x is normed */                                                    \
    X(7, uint, kTogether, 1)
SHARED_CONSTANTS(SmallGemmInputConstants, SMALL_GEMM_INPUT_CONSTANTS)

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
