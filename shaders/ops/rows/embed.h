// The interface of embed.comp, shared with C++.
#ifndef FIRESIDE_EMBED_H
#define FIRESIDE_EMBED_H
#include "shaders/common/shared_types.h"

#define EMBED_CONSTANTS(X)                                                                         \
    X(0, uint, kThreads, 64)                                                                       \
    X(1, bool, kOutHalf, false)    /* y is F16, else F32 */                                        \
    X(2, bool, kAccumulate, false) /* y += … */                                                  \
    X(3, bool, kNext, false)       /* y as q8 activations too */
SHARED_CONSTANTS(EmbedConstants, EMBED_CONSTANTS)

struct EmbedPush
{
    SHARED_POINTER table;
    SHARED_POINTER ids; // i32, idStride apart
    SHARED_POINTER y;   // F32 or F16, a row per id
    SHARED_UINT groups; // of the table
    SHARED_UINT rowGroups, tableRows, cols;
    SHARED_UINT count;             // of ids
    SHARED_UINT idStride, yStride; // elements
    SHARED_FLOAT scale;
    SHARED_POINTER nextNorm; // kNext: the norm that y will be read with, F32 [cols], or 0
    SHARED_POINTER nextRows; // and where y as q8 activations goes (common/q8_activations.h)
};

#endif
