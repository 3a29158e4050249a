// The contract of ops/split_qkv.comp with C++.
#ifndef FIRESIDE_SPLIT_QKV_H
#define FIRESIDE_SPLIT_QKV_H
#include "shaders/common/shared_types.h"

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
