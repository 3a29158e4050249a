#pragma once
#include "engine/backend/ops/batched_product.h"
#include "engine/core/thread_pool.h"
#include "engine/cpu/linear/linear_scratch.h"

#include <cstddef>

namespace fireside::cpu {

/// Matrices of F32 or F16 as they lie.
struct BatchedMatrix
{
    std::byte *data = nullptr;
    DType dtype = DType::F32;
    std::size_t stride = 0; // elements between rows
};
/// scratch: working memory for all threads, reused.
void batchedProduct(ThreadPool &pool, ScratchBuffer &scratch, const BatchedMatrix &a,
                    const BatchedMatrix &b, const BatchShape &shape, const BatchedMatrix &out);

} // namespace fireside::cpu
