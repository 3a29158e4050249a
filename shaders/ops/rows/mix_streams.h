// The interface of mix_streams.comp, shared with C++.
#ifndef FIRESIDE_MIX_STREAMS_H
#define FIRESIDE_MIX_STREAMS_H
#include "shaders/common/shared_types.h"

#define MIX_STREAMS_CONSTANTS(X)                                                                   \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kAdd, false)                                                                        \
    X(2, bool, kFours, false) /* columns are read and written four at a time */                    \
    X(3, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(4, bool, kMixHalf, false)                                                                    \
    X(5, bool, kOutHalf, false)
SHARED_CONSTANTS(MixStreamsConstants, MIX_STREAMS_CONSTANTS)

struct MixStreamsPush
{
    SHARED_POINTER x;                          // [rows, from · n]
    SHARED_POINTER mix;                        // [rows, to · from]
    SHARED_POINTER result;                     // [rows, to · n]
    SHARED_UINT xStride, mixStride, outStride; // bytes
    SHARED_UINT rows, from, to;
    SHARED_UINT units; // of a stream's row
    SHARED_FLOAT plus;
};

#endif
