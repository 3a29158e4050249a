#pragma once
#include "engine/core/work_shares.h"
#include "engine/cpu/linear/blas.h"
#include "engine/cpu/linear/linear_scratch.h"

#include <cstddef>

// Prepares one block of activations (quantises, interleaves) for products with any number of weight
// matrices, and multiplies it by a few rows of one of them.
namespace fireside::cpu {

class RowProduct
{
public:
    static constexpr std::size_t kMaxTokens = 512; // of one block; bounds the working memory

    struct Input
    {
        const float *x = nullptr; // [T, stride], T ≤ kMaxTokens
        std::size_t stride = 0, T = 0, cols = 0;
    };
    /// Prepares x in the forms that are asked for.
    RowProduct(ThreadPool &pool, LinearScratch::Impl &scratch, const Input &input,
               const ActivationForms &forms);

    /// Rows of a weight matrix that one call should take: a multiple of a panel, small enough that
    /// `threads` threads share `rows` rows evenly.
    std::size_t rowsPerItem(const WeightMatrix &weight, std::size_t threads) const;
    static constexpr std::size_t kMaxItemRows = 128;

    /// out[t · stride + r] (+)= x[t] · weight[first + r] for r < rows ≤ kMaxItemRows.
    void compute(int thread, const WeightMatrix &weight, std::size_t first, std::size_t rows,
                 float *out, std::size_t stride, bool add) const;

    /// Two [T, kMaxItemRows] arrays of the thread; compute() with `add` uses the first.
    float *products(int thread, int which) const;

private:
    bool few(DType type) const;
    RowActivations quantizeRows(RowScratch &scratch, std::size_t span) const;
    void makeByteTiles();
    ByteTile tileAt(std::size_t tile, std::size_t chunk) const;
    void quantizeByRows(int thread, const float *x, const ByteTile &tile) const;
    void makeFloatTiles();
    void makeMatrixTokens(bool rest);
    void computeFew(const WeightMatrix &weight, std::size_t first, std::size_t rows, float *out,
                    std::size_t stride) const;
    void computeBytes(int thread, const WeightMatrix &weight, std::size_t first, std::size_t rows,
                      float *out, std::size_t stride, bool add) const;
    void computeFloats(int thread, const WeightMatrix &weight, std::size_t first, std::size_t rows,
                       float *out, std::size_t stride, bool add) const;
    void computeMatrix(int thread, const WeightMatrix &weight, std::size_t first, std::size_t rows,
                       float *out, std::size_t stride, bool add) const;
    void computeWithBlas(int thread, const WeightMatrix &weight, std::size_t first,
                         std::size_t rows, float *out, std::size_t stride, bool add) const;

    ThreadPool &m_pool;
    LinearScratch::Impl &m_scratch;
    const LinearKernels &m_kernels;
    const Blas *m_blas = nullptr; // multiplies the float weights when not null
    Input m_in;
    std::size_t m_padded; // cols rounded up to whole chunks
    TilePlan m_plan;
    const MatrixKernels *m_tileKernels; // null: bytes or floats are multiplied
    RowActivations m_rows, m_chunkRows;
    ByteTile m_tiles; // the first of all
    const float *m_tileFloats = nullptr;
    MatrixBlock m_matrix; // x, from its first column on
};

} // namespace fireside::cpu
