// The contract of ops/batched_product.comp with C++.
#ifndef FIRESIDE_BATCHED_PRODUCT_H
#define FIRESIDE_BATCHED_PRODUCT_H
#include "shaders/common/shared_types.h"

/// out[z] [m, n] = a[z] [m, k] · b[z] ([k, n], or [n, k] transposed). Groups: x: tiles of n, y:
/// tiles of m, z: matrices.
struct BatchedProductPush
{
    SHARED_POINTER a;
    SHARED_POINTER b;
    SHARED_POINTER result;
    SHARED_UINT m;
    SHARED_UINT n;
    SHARED_UINT k;
    SHARED_UINT firstRow; // of this dispatch
    SHARED_UINT aRow;     // elements between rows …
    SHARED_UINT bRow;
    SHARED_UINT outRow;
    SHARED_UINT aMatrix; // … and between matrices
    SHARED_UINT bMatrix;
    SHARED_UINT outMatrix;
};

#endif
