#include "engine/cpu/linear/batched_product.h"

#include "engine/cpu/linear/row_product.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/tile_kernels.h"

#include <algorithm>
#include <cstring>

namespace fireside::cpu {
namespace {

constexpr std::size_t kRows = 64, kCols = 64; // of one piece of the result
constexpr std::size_t kDepth = 256;           // of the inner dimension at once

static_assert(kCols % kTileStep == 0);

const std::byte *at(const BatchedMatrix &m, std::size_t element)
{
    return m.data + element * info(m.dtype).blockBytes;
}

void readFloats(const VectorKernels &vec, const BatchedMatrix &m, std::size_t element, float *to,
                std::size_t n)
{
    const std::byte *from = at(m, element);
    if (m.dtype == DType::F32)
        std::memcpy(to, from, n * sizeof(float));
    else
        vec.fromHalf(to, reinterpret_cast<const std::uint16_t *>(from), n);
}

/// One piece of one product of the batch, in the working memory of a thread.
class Piece
{
public:
    static constexpr std::size_t kFloats =
        kRows * kDepth + kDepth * kCols + kRows * kCols + std::max(kDepth, kCols);

    Piece(float *memory, const BatchedMatrix &a, const BatchedMatrix &b, const BatchShape &shape,
          const BatchedMatrix &out)
        : m_a(a)
        , m_b(b)
        , m_out(out)
        , m_shape(shape)
        , m_left(memory)
        , m_right(m_left + kRows * kDepth)
        , m_result(m_right + kDepth * kCols)
        , m_line(m_result + kRows * kCols)
    {}

    void run(std::size_t batch, std::size_t row, std::size_t col)
    {
        const std::size_t rows = std::min(kRows, static_cast<std::size_t>(m_shape.m) - row);
        const std::size_t cols = std::min(kCols, static_cast<std::size_t>(m_shape.n) - col);
        const std::size_t depth = static_cast<std::size_t>(m_shape.k);
        const std::size_t a = batch * static_cast<std::size_t>(m_shape.aStride) + row * m_a.stride;
        const std::size_t b = batch * static_cast<std::size_t>(m_shape.bStride);
        if (depth == 0)
            std::fill_n(m_result, kRows * kCols, 0.0f);
        for (std::size_t k = 0; k < depth; k += kDepth) {
            const std::size_t count = std::min(kDepth, depth - k);
            for (std::size_t r = 0; r < rows; ++r)
                readFloats(m_vec, m_a, a + r * m_a.stride + k, m_left + r * kDepth, count);
            loadRight(b, k, count, col, cols);
            m_tile.multiply(m_result, kCols, m_left, kDepth, m_right, kCols, rows, kCols, count,
                            k > 0);
        }
        const std::size_t to =
            batch * static_cast<std::size_t>(m_shape.outStride) + row * m_out.stride + col;
        for (std::size_t r = 0; r < rows; ++r)
            store(to + r * m_out.stride, m_result + r * kCols, cols);
    }

private:
    /// [count, kCols] of b, its columns beyond `cols` zero.
    void loadRight(std::size_t b, std::size_t k, std::size_t count, std::size_t col,
                   std::size_t cols)
    {
        if (cols < kCols)
            std::fill_n(m_right, count * kCols, 0.0f);
        if (!m_shape.transposeB) {
            for (std::size_t i = 0; i < count; ++i)
                readFloats(m_vec, m_b, b + (k + i) * m_b.stride + col, m_right + i * kCols, cols);
            return;
        }
        for (std::size_t c = 0; c < cols; ++c) {
            readFloats(m_vec, m_b, b + (col + c) * m_b.stride + k, m_line, count);
            for (std::size_t i = 0; i < count; ++i)
                m_right[i * kCols + c] = m_line[i];
        }
    }

    void store(std::size_t element, const float *from, std::size_t n)
    {
        std::byte *to = m_out.data + element * info(m_out.dtype).blockBytes;
        if (m_out.dtype == DType::F32)
            std::memcpy(to, from, n * sizeof(float));
        else
            m_vec.toHalf(reinterpret_cast<std::uint16_t *>(to), from, n);
    }

    const BatchedMatrix &m_a, &m_b, &m_out;
    const BatchShape &m_shape;
    const VectorKernels &m_vec = vectorKernels();
    const TileKernels &m_tile = tileKernels();
    float *m_left, *m_right, *m_result, *m_line;
};

} // namespace

void batchedProduct(ThreadPool &pool, ScratchBuffer &scratch, const BatchedMatrix &a,
                    const BatchedMatrix &b, const BatchShape &shape, const BatchedMatrix &out)
{
    float *memory = scratch.reserve<float>(static_cast<std::size_t>(pool.size()) * Piece::kFloats);
    const std::size_t rowPieces = (static_cast<std::size_t>(shape.m) + kRows - 1) / kRows;
    const std::size_t colPieces = (static_cast<std::size_t>(shape.n) + kCols - 1) / kCols;
    const std::size_t each = rowPieces * colPieces;
    distribute(pool, static_cast<std::size_t>(shape.batch) * each,
               [&](int thread, std::size_t index) {
                   Piece piece(memory + static_cast<std::size_t>(thread) * Piece::kFloats, a, b,
                               shape, out);
                   const std::size_t rest = index % each;
                   piece.run(index / each, rest / colPieces * kRows, rest % colPieces * kCols);
               });
}

} // namespace fireside::cpu
