// q8 activations, for integer dot products of four signed bytes. Each 16 elements have a scale, and
// each element is two signed bytes, low + 256 · high (15 bits and sign, an error of 1.5e-5 of the
// largest of the 16). A row of K elements, K a multiple of 32, begins at a multiple of 256 bytes:
//
//   K low bytes · K high bytes · K / 16 pairs of F32: scale, sum of the elements as rounded ·
//   K / 16 F32: sum of the squares of x before the norm's weights
//
// With a norm the elements are x · norm, without the factor 1 / √(mean(x²) + eps), which the
// product applies to its sums.
#ifndef FIRESIDE_Q8_ACTIVATIONS_H
#define FIRESIDE_Q8_ACTIVATIONS_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kQ8Block = 16;
SHARED_CONSTANT kQ8Alignment = 256;

#define Q8_ACTIVATIONS_CONSTANTS(X)                                                                \
    X(0, uint, kThreads, 64)  /* a multiple of 8 */                                                \
    X(1, bool, kXHalf, false) /* x is F16, else F32 */
SHARED_CONSTANTS(Q8ActivationsConstants, Q8_ACTIVATIONS_CONSTANTS)

/// q8_activations.comp: x [rows, cols] to q8 activations.
struct Q8ActivationsPush
{
    SHARED_POINTER x;    // F32 or F16
    SHARED_POINTER norm; // [cols] F32, or 0
    SHARED_POINTER rows; // q8 activations
    SHARED_UINT count;
    SHARED_UINT cols;
    SHARED_UINT xStride; // elements
};

#endif
