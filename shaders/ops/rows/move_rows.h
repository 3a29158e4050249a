// The interface of move_rows.comp, shared with C++: gatherRows, copy, pad, unpad.
#ifndef FIRESIDE_MOVE_ROWS_H
#define FIRESIDE_MOVE_ROWS_H
#include "shaders/common/shared_types.h"

// Which row of x goes to row i of out.
SHARED_CONSTANT kMapSame = 0;    // i
SHARED_CONSTANT kMapIndices = 1; // map[i]
SHARED_CONSTANT kMapPad = 2;     // row i % longest of item i / longest, zeros after its last
SHARED_CONSTANT kMapUnpad = 3;   // the row's place among rows of `longest` per item

// What is moved at a time.
SHARED_CONSTANT kMoveBytes16 = 0; // unchanged
SHARED_CONSTANT kMoveBytes4 = 1;
SHARED_CONSTANT kMoveBytes2 = 2;
SHARED_CONSTANT kConvertFours = 3; // four elements
SHARED_CONSTANT kConvertSingles = 4;

#define MOVE_ROWS_CONSTANTS(X)                                                                     \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, uint, kMap, 0)       /* kMapSame … */                                                   \
    X(2, uint, kMove, 0)      /* kMoveBytes16 … */                                               \
    X(3, bool, kXHalf, false) /* x is F16, else F32 */                                             \
    X(4, bool, kOutHalf, false)
SHARED_CONSTANTS(MoveRowsConstants, MOVE_ROWS_CONSTANTS)

struct MoveRowsPush
{
    SHARED_POINTER x;
    SHARED_POINTER result;
    SHARED_POINTER map;             // i32: row indices; u32: the item of each row (unpad)
    SHARED_POINTER items;           // PassItem, for pad and unpad
    SHARED_UINT xStride, outStride; // bytes
    SHARED_UINT xRows;
    SHARED_UINT rows;  // of out
    SHARED_UINT units; // per row
    SHARED_UINT longest;
};

#endif
