#pragma once
#include "engine/cpu/linear/cpu_weight.h"
#include "engine/cpu/simd/rows.h"

namespace fireside::cpu {

/// out[t] = table[ids[t]] · scale, or out[t] += that with `rows` [threads, n] to work in. An id
/// outside the table reads row 0.
void embed(ThreadPool &pool, const CpuWeight &table, const IdRows &ids, float scale,
           const FloatRows &out, const FloatRows *rows);

} // namespace fireside::cpu
