#pragma once
#include "engine/backend/ops/op_check.h"

namespace fireside {

/// Matrices one after another at a distance of `…Stride` elements; a distance of 0 repeats one
/// matrix. Rows are contiguous at Tensor::stride.
struct BatchShape
{
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    std::int64_t aStride = 0, bStride = 0, outStride = 0; // elements
    bool transposeB = true;                               // b is [n, k], else [k, n]
};

} // namespace fireside

namespace fireside::op {

/// out[i] = a[i] · b[i] (or · b[i]ᵀ). Each tensor has the columns of one matrix, and at least its
/// rows: it begins with the first one.
struct BatchedProduct
{
    static constexpr const char *kName = "batchedProduct";
    Tensor a, b;
    BatchShape shape;
    Tensor out;
};

/// The tensor begins with the first matrix; its rows may go on with the others, as far as its
/// buffer does.
inline void checkMatrices(const OpCheck &check, const char *what, const Tensor &t,
                          std::int64_t batch, std::int64_t distance, std::int64_t rows,
                          std::int64_t cols)
{
    check.activation(what, t);
    if (t.cols != cols || (t.rows < rows && batch > 0))
        check.activation(what, rows, cols, t);
    if (batch == 0 || rows == 0 || cols == 0)
        return;
    std::int64_t elements = 0, last = 0;
    const std::size_t size = info(t.dtype).blockBytes;
    const bool overflows = __builtin_mul_overflow(batch - 1, distance, &elements) ||
                           __builtin_mul_overflow(rows - 1, t.stride, &last) ||
                           __builtin_add_overflow(elements, last, &elements) ||
                           __builtin_add_overflow(elements, cols, &elements);
    if (overflows || (rows > 1 && cols > t.stride) || t.buffer == nullptr ||
        t.offset > t.buffer->size() ||
        static_cast<std::size_t>(elements) > (t.buffer->size() - t.offset) / size)
        check.fail(std::string(what) + ", " + std::to_string(batch) + " times " +
                   shapeText(rows, cols) + " at a distance of " + std::to_string(distance) +
                   " from " + shapeText(t.rows, t.cols) + " on, is not within its buffer");
}

inline void check(const BatchedProduct &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    const BatchShape &s = op.shape;
    if (s.batch < 0 || s.m < 0 || s.n < 0 || s.k < 0 || s.aStride < 0 || s.bStride < 0 ||
        s.outStride < 0)
        check.fail("negative sizes: " + std::to_string(s.batch) + " times [" + std::to_string(s.m) +
                   ", " + std::to_string(s.k) + "] · [" + std::to_string(s.k) + ", " +
                   std::to_string(s.n) + "]");
    checkMatrices(check, "a", op.a, s.batch, s.aStride, s.m, s.k);
    checkMatrices(check, "b", op.b, s.batch, s.bStride, s.transposeB ? s.n : s.k,
                  s.transposeB ? s.k : s.n);
    checkMatrices(check, "out", op.out, s.batch, s.outStride, s.m, s.n);
}

} // namespace fireside::op
