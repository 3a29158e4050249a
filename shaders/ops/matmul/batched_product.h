// The interface of batched_product.comp, shared with C++.
#ifndef FIRESIDE_BATCHED_PRODUCT_H
#define FIRESIDE_BATCHED_PRODUCT_H
#include "shaders/common/shared_types.h"

#define BATCHED_PRODUCT_CONSTANTS(X)                                                               \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kAHalf, false) /* a is F16, else F32 */                                             \
    X(2, bool, kBHalf, false)                                                                      \
    X(3, bool, kOutHalf, false)                                                                    \
    X(4, bool, kTransposed, true) /* b is [n, k] */                                                \
    X(5, uint, kBlockRows, 4) /* rows of out of a thread: 64 · 64 = kThreads · kBlockRows · 4 */
SHARED_CONSTANTS(BatchedProductConstants, BATCHED_PRODUCT_CONSTANTS)

/// out[z] [m, n] = a[z] [m, k] · b[z] ([k, n], or [n, k] transposed). Grid: x: tiles of n, y:
/// tiles of m, z: matrices.
struct BatchedProductPush
{
    SHARED_POINTER a;
    SHARED_POINTER b;
    SHARED_POINTER result;
    SHARED_UINT m, n, k;
    SHARED_UINT firstRow;                    // of this dispatch
    SHARED_UINT aRow, bRow, outRow;          // elements between rows …
    SHARED_UINT aMatrix, bMatrix, outMatrix; // … and between matrices
};

#endif
