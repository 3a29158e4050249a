#pragma once
#include "engine/core/thread_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Matrices in memory as the ops see them: activations are floats here whatever the tensor's type.
namespace fireside::cpu {

inline std::size_t size(std::int64_t n)
{
    return static_cast<std::size_t>(n);
}

/// A [rows, cols] matrix to write; stride in elements.
struct FloatRows
{
    float *data = nullptr;
    std::size_t stride = 0, rows = 0, cols = 0;
    float *row(std::size_t t) const { return data + t * stride; }
};

/// A [rows, cols] matrix to read.
struct InRows
{
    const float *data = nullptr;
    std::size_t stride = 0, rows = 0, cols = 0;
    const float *row(std::size_t t) const { return data + t * stride; }
};

inline InRows asInput(const FloatRows &x)
{
    return {x.data, x.stride, x.rows, x.cols};
}

/// Rows [first, first + count).
inline InRows part(const InRows &x, std::size_t first, std::size_t count)
{
    return {x.row(first), x.stride, count, x.cols};
}

/// A [rows, cols] matrix of ids.
struct IdRows
{
    std::int32_t *data = nullptr;
    std::size_t stride = 0, rows = 0, cols = 0;
    std::int32_t &at(std::size_t t, std::size_t j = 0) const { return data[t * stride + j]; }
};

/// Runs body(t) for every row, several threads at once where the work of `cost` floats a row makes
/// it worth a parallel region.
template <typename Body>
void forRows(ThreadPool &pool, std::size_t rows, std::size_t cost, const Body &body)
{
    constexpr std::size_t kGrain = 16384;
    const std::size_t grain = std::max<std::size_t>(1, kGrain / std::max<std::size_t>(1, cost));
    pool.parallelFor(static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(grain),
                     [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t t = begin; t < end; ++t)
                             body(static_cast<std::size_t>(t));
                     });
}

} // namespace fireside::cpu
