// The interface of self_test.comp, shared with C++.
#ifndef FIRESIDE_SELF_TEST_H
#define FIRESIDE_SELF_TEST_H
#include "shaders/common/shared_types.h"

struct SelfTestPush
{
    SHARED_ADDRESS(FloatsIn) x;  // [count] F32
    SHARED_ADDRESS(BytesIn) q;   // [count] 8-bit signed
    SHARED_ADDRESS(FloatsOut) y; // [count] F32: a·x + b + q
    SHARED_ADDRESS(HalvesOut) h; // [count] F16: q / 4
    SHARED_ADDRESS(Counter) sum; // [1] u32: sum of all indices, modulo 2³²
    SHARED_FLOAT a;
    SHARED_FLOAT b;
    SHARED_UINT count;
};

#endif
