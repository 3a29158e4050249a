#include "engine/cpu/ops/row_ops.h"
#include "engine/cpu/simd/kernels.h"

#include <cstring>

namespace fireside::cpu {
namespace {

/// out = f(a, b) where b may be one row or one number.
template <typename F>
void combine(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out, F f)
{
    const bool oneRow = b.rows == 1, oneNumber = oneRow && b.cols == 1;
    // Read before anything is written: the number may lie in out itself.
    const float number = oneNumber ? b.data[0] : 0;
    forRows(pool, a.rows, a.cols, [&](std::size_t t) {
        const float *x = a.row(t), *y = b.row(oneRow ? 0 : t);
        float *to = out.row(t);
        if (oneNumber)
            for (std::size_t i = 0; i < a.cols; ++i)
                to[i] = f(x[i], number);
        else
            for (std::size_t i = 0; i < a.cols; ++i)
                to[i] = f(x[i], y[i]);
    });
}

} // namespace

void add(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out)
{
    combine(pool, a, b, out, [](float x, float y) { return x + y; });
}

void multiply(ThreadPool &pool, const InRows &a, const InRows &b, const FloatRows &out)
{
    combine(pool, a, b, out, [](float x, float y) { return x * y; });
}

void addScaled(ThreadPool &pool, const InRows &x, float scale, const FloatRows &out)
{
    const VectorKernels &vec = vectorKernels();
    forRows(pool, x.rows, x.cols,
            [&](std::size_t t) { vec.addScaled(out.row(t), x.row(t), scale, x.cols); });
}

void addBias(ThreadPool &pool, const InRows &x, const float *bias, const InRows &residual,
             const FloatRows &out)
{
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        const float *from = x.row(t);
        float *to = out.row(t);
        if (!residual.data) {
            for (std::size_t i = 0; i < x.cols; ++i)
                to[i] = from[i] + bias[i];
            return;
        }
        const float *rest = residual.row(t);
        for (std::size_t i = 0; i < x.cols; ++i)
            to[i] = from[i] + bias[i] + rest[i];
    });
}

void copy(ThreadPool &pool, const InRows &x, const FloatRows &out)
{
    forRows(pool, x.rows, x.cols, [&](std::size_t t) {
        if (x.cols > 0)
            std::memmove(out.row(t), x.row(t), x.cols * sizeof(float));
    });
}

} // namespace fireside::cpu
