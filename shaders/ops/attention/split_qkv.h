// The interface of split_qkv.comp, shared with C++.
#ifndef FIRESIDE_SPLIT_QKV_H
#define FIRESIDE_SPLIT_QKV_H
#include "shaders/common/shared_types.h"

#define SPLIT_QKV_CONSTANTS(X)                                                                     \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kInputHalf, false) /* F16, else F32 */                                              \
    X(2, bool, kQueryOutHalf, false)                                                               \
    X(3, bool, kKeyOutHalf, false)                                                                 \
    X(4, bool, kValueOutHalf, false)
SHARED_CONSTANTS(SplitQkvConstants, SPLIT_QKV_CONSTANTS)

struct SplitQkvPush
{
    SHARED_POINTER qkv;                               // [T, H·D + Hkv·(D + Dv)]
    SHARED_POINTER q, k, v;                           // [T, H·D], [T, Hkv·D], [T, Hkv·Dv]
    SHARED_UINT qkvStride, qStride, kStride, vStride; // elements
    SHARED_UINT heads, kvHeads, headDim, valueDim;
    SHARED_UINT perKvHead; // else token-major
    SHARED_UINT firstRow;
};

#endif
