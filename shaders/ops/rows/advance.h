// The interface of advance.comp, shared with C++.
#ifndef FIRESIDE_ADVANCE_H
#define FIRESIDE_ADVANCE_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kMaxAdvancedRows = 64;
SHARED_CONSTANT kMaxDraws = 1024;     // of all rows and passes
SHARED_CONSTANT kResultPasses = 8;    // whose results are kept
SHARED_CONSTANT kResultWords = 16384; // of a pass: chosen ids, candidates, their logits

/// How passes choose their next ids, and how many have.
struct AdvanceState
{
    SHARED_FLOAT temperature;
    SHARED_FLOAT lowest; // logits further below the best do not count
    SHARED_FLOAT topP;
    SHARED_UINT passes[kMaxAdvancedRows]; // done since the host wrote this, as each row counts
    SHARED_FLOAT draws[kMaxDraws];
};

#define ADVANCE_CONSTANTS(X)                                                                       \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kCount, 1) /* candidates of a row */
SHARED_CONSTANTS(AdvanceConstants, ADVANCE_CONSTANTS)

struct AdvancePush
{
    SHARED_POINTER logits;     // f32 [rows, k] in falling order; may be absent for k = 1
    SHARED_POINTER candidates; // i32 [rows, k]
    SHARED_POINTER state;      // AdvanceState
    SHARED_POINTER results;    // [kResultPasses][kResultWords], in memory of the host
    SHARED_POINTER ids;        // the pass's tables
    SHARED_POINTER positions;
    SHARED_POINTER items;
    SHARED_UINT logitsStride, candidatesStride; // elements
    SHARED_UINT rows;
};

#endif
