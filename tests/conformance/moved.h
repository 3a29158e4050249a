#pragma once
#include "tests/conformance/bench.h"

namespace fireside::conformance {

/// Numbers that are moved stay as they are, or are rounded to the other type.
inline double moved(DType from, DType to)
{
    return from == to ? 0 : 1e-3;
}

} // namespace fireside::conformance
