// The interface of gather_columns.comp, shared with C++.
#ifndef FIRESIDE_GATHER_COLUMNS_H
#define FIRESIDE_GATHER_COLUMNS_H
#include "shaders/common/shared_types.h"

#define GATHER_COLUMNS_CONSTANTS(X)                                                                \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kColumns, false) /* else each column is its own */                                  \
    X(2, bool, kExperts, false) /* rows have the columns of their experts */                       \
    X(3, bool, kXHalf, false)   /* x is F16, else F32 */                                           \
    X(4, bool, kOutHalf, false)
SHARED_CONSTANTS(GatherColumnsConstants, GATHER_COLUMNS_CONSTANTS)

struct GatherColumnsPush
{
    SHARED_POINTER x;               // [rows / each, cols]
    SHARED_POINTER result;          // [rows, cols]
    SHARED_POINTER columns;         // F32 [experts, cols]: whole numbers below cols
    SHARED_POINTER ids;             // i32 [rows / used, used]
    SHARED_UINT xStride, outStride; // bytes
    SHARED_UINT rows, cols;         // of out
    SHARED_UINT each;               // rows of out for one of x
    SHARED_UINT experts, used;
    SHARED_UINT idStride; // elements
};

#endif
