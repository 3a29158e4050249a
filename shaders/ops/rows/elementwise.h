// The interface of elementwise.comp, shared with C++: add, multiply, addScaled, scale, clamp,
// addBias, activate, gate, softcap, decay, attentionTemperature. Numbers are those of the push
// block.
#ifndef FIRESIDE_ELEMENTWISE_H
#define FIRESIDE_ELEMENTWISE_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kElementsAdd = 0;         // a + b
SHARED_CONSTANT kElementsMultiply = 1;    // a · b
SHARED_CONSTANT kElementsAddScaled = 2;   // a · first + b
SHARED_CONSTANT kElementsAddBias = 3;     // a + b + c
SHARED_CONSTANT kElementsActivate = 4;    // act(a + b); xIELU: alphaP, alphaN, beta, eps
SHARED_CONSTANT kElementsGate = 5;        // act(a) · b
SHARED_CONSTANT kElementsSoftcap = 6;     // first · tanh(a / first)
SHARED_CONSTANT kElementsScale = 7;       // a · first + second
SHARED_CONSTANT kElementsClamp = 8;       // first ≤ a ≤ second
SHARED_CONSTANT kElementsDecay = 9;       // b · softplus(a + c)
SHARED_CONSTANT kElementsByPosition = 10; // a · (1 + first · ln(1 + ⌊(b + second) / third⌋))

// What b is; c is a matrix, one row when its stride is 0, or absent.
SHARED_CONSTANT kOperandAbsent = 0; // reads as 0
SHARED_CONSTANT kOperandMatrix = 1;
SHARED_CONSTANT kOperandRow = 2; // one for all rows
SHARED_CONSTANT kOperandNumber = 3;
SHARED_CONSTANT kOperandColumn = 4;   // a number for each row
SHARED_CONSTANT kOperandIntegers = 5; // the same, one after another

#define ELEMENTWISE_CONSTANTS(X)                                                                   \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kOp, 0) /* kElementsAdd … */                                                      \
    X(2, uint, kActivation, 0)                                                                     \
    X(3, uint, kOperandB, 0) /* kOperandAbsent … */                                              \
    X(4, bool, kHasC, false)                                                                       \
    X(5, bool, kFours, false) /* columns are read and written four at a time */                    \
    X(6, bool, kAHalf, false) /* a is F16, else F32 */                                             \
    X(7, bool, kBHalf, false)                                                                      \
    X(8, bool, kCHalf, false)                                                                      \
    X(9, bool, kOutHalf, false)
SHARED_CONSTANTS(ElementwiseConstants, ELEMENTWISE_CONSTANTS)

struct ElementwisePush
{
    SHARED_POINTER a;
    SHARED_POINTER b;
    SHARED_POINTER c;
    SHARED_POINTER result;
    SHARED_UINT aStride, bStride, cStride, outStride; // bytes
    SHARED_UINT rows;
    SHARED_UINT units; // per row
    SHARED_FLOAT first, second, third, fourth;
};

#endif
