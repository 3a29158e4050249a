// The contract of ops/top_k.comp with C++.
#ifndef FIRESIDE_TOP_K_H
#define FIRESIDE_TOP_K_H
#include "shaders/common/shared_types.h"

// Constants: 0 group size, 1 x is F16, 2 units of four, 3 x holds the candidates of a first step,
// 4 k (1024 at most).
struct TopKPush
{
    SHARED_POINTER x;          // [rows, cols]; candidates: u32 pairs (key, index) [rows, cols]
    SHARED_POINTER values;     // f32 [rows, k]
    SHARED_POINTER ids;        // i32 [rows, k]
    SHARED_POINTER candidates; // [rows, parts · k] pairs to be written, when parts > 1
    SHARED_UINT xStride;       // bytes
    SHARED_UINT valuesStride;
    SHARED_UINT idsStride;
    SHARED_UINT rows;
    SHARED_UINT cols;
    SHARED_UINT parts; // groups per row
};

SHARED_CONSTANT kMaxTopK = 1024;

#endif
