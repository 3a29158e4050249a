// The interface of short_convolution.comp, shared with C++.
#ifndef FIRESIDE_SHORT_CONVOLUTION_H
#define FIRESIDE_SHORT_CONVOLUTION_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kConvolutionOutputs = 0; // out only; rows in parallel
SHARED_CONSTANT kConvolutionState = 1;   // the state only
SHARED_CONSTANT kConvolutionBoth = 2;    // each item's rows fit one chunk

#define SHORT_CONVOLUTION_CONSTANTS(X)                                                             \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kTaps, 4)       /* K */                                                             \
    X(2, uint, kWrites, 0)     /* kConvolutionOutputs … */                                       \
    X(3, uint, kWeightType, 0) /* kWeightFloats … */                                             \
    X(4, bool, kHasBias, false)                                                                    \
    X(5, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(6, bool, kOutHalf, false)
SHARED_CONSTANTS(ShortConvolutionConstants, SHORT_CONVOLUTION_CONSTANTS)

struct ShortConvolutionPush
{
    SHARED_POINTER x;
    SHARED_POINTER weight; // [channels, weightStride]
    SHARED_POINTER bias;   // f32 [channels]
    SHARED_POINTER result;
    SHARED_POINTER items;     // PassItem
    SHARED_POINTER caches;    // PassCache; a state is [K − 1, channels], the oldest input first
    SHARED_UINT xStride;      // bytes
    SHARED_UINT weightStride; // elements
    SHARED_UINT stateOffset;  // numbers
    SHARED_UINT outStride;    // bytes
    SHARED_UINT channels;
    SHARED_UINT chunk; // rows of an item for each workgroup
};

#endif
