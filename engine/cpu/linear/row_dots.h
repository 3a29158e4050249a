#pragma once
#include "engine/cpu/linear/linear_scratch.h"
#include "engine/cpu/simd/rows.h"

#include <cstddef>
#include <initializer_list>

namespace fireside::cpu {

/// Prepares activation rows once for products of single rows with any weight matrices: few tokens
/// of a mixture of experts, or heads with a matrix each.
class RowDots
{
public:
    static constexpr std::size_t kMaxItemRows = 128;

    /// Rows to multiply within each row of x.
    struct Parts
    {
        std::size_t count, cols;
        std::size_t step; // columns from one to the next
    };
    /// For matrices of the types. Memory is taken here: compute() cannot fail.
    RowDots(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const Parts &parts,
            std::initializer_list<DType> types);
    RowDots(ThreadPool &pool, LinearScratch &scratch, const InRows &x,
            std::initializer_list<DType> types)
        : RowDots(pool, scratch, x, {1, x.cols, x.cols}, types)
    {}

    std::size_t rows() const { return m_x.rows * m_parts.count; }
    /// Rows of a matrix that one of `products` calls to compute() should take, ≤ kMaxItemRows.
    std::size_t rowsPerItem(const WeightMatrix &weight, std::size_t products,
                            std::size_t threads) const;
    /// out[r] = row `index` · weight[first + r] for r < rows.
    void compute(std::size_t index, const WeightMatrix &weight, std::size_t first, std::size_t rows,
                 float *out) const;
    /// Two arrays of kMaxItemRows of the thread.
    float *products(int thread, int which) const;

private:
    const float *row(std::size_t index) const
    {
        return m_x.row(index / m_parts.count) + index % m_parts.count * m_parts.step;
    }

    RowActivations quantize(ThreadPool &pool, RowScratch &scratch, std::size_t span) const;

    LinearScratch::Impl &m_scratch;
    InRows m_x;
    Parts m_parts;
    std::size_t m_cols;
    RowActivations m_rows, m_chunkRows; // of all rows, where a type needs them
};

} // namespace fireside::cpu
