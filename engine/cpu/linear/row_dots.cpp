#include "engine/cpu/linear/row_dots.h"

#include "engine/cpu/linear/linear.h"

namespace fireside::cpu {
namespace {

constexpr std::size_t kItemBytes = 64 * 1024; // long enough to hide the cost of scheduling

} // namespace

RowDots::RowDots(ThreadPool &pool, LinearScratch &scratch, const InRows &x, const Parts &parts,
                 std::initializer_list<DType> types)
    : m_scratch(scratch.impl())
    , m_x(x)
    , m_parts(parts)
    , m_cols(parts.cols)
{
    const std::size_t threads = static_cast<std::size_t>(pool.size());
    m_scratch.threads.resize(std::max(m_scratch.threads.size(), threads));
    for (ThreadScratch &thread : m_scratch.threads)
        thread.products.reserve<float>(2 * kMaxItemRows);
    ActivationForms forms;
    for (const DType type : types)
        forms.add(type);
    if (forms.bytes)
        m_rows = quantize(pool, m_scratch.rows, 32);
    if (forms.chunkBytes)
        m_chunkRows = quantize(pool, m_scratch.chunkRows, kChunk);
}

RowActivations RowDots::quantize(ThreadPool &pool, RowScratch &scratch, std::size_t span) const
{
    const std::size_t stride = roundUp(m_cols, kChunk), groups = stride / 16;
    auto *q = scratch.q.reserve<std::int8_t>(rows() * stride);
    auto *scale = scratch.scale.reserve<float>(rows() * groups);
    auto *sum = scratch.sum.reserve<float>(rows() * groups);
    const LinearKernels &kernels = *m_scratch.kernels;
    forRows(pool, rows(), m_cols, [&](std::size_t i) {
        kernels.quantizeRow(row(i), m_cols, span, q + i * stride, scale + i * groups,
                            sum + i * groups);
    });
    return {q, scale, sum, stride, rows()};
}

std::size_t RowDots::rowsPerItem(const WeightMatrix &weight, std::size_t products,
                                 std::size_t threads) const
{
    const std::size_t share = roundUp(products * weight.rows / (4 * threads) + 1, kPanelRows);
    const std::size_t wanted =
        kItemBytes / std::max<std::size_t>(1, rowBytes(weight.dtype, m_cols));
    return std::min({share, kMaxItemRows, std::max(kPanelRows, wanted / kPanelRows * kPanelRows)});
}

void RowDots::compute(std::size_t index, const WeightMatrix &weight, std::size_t first,
                      std::size_t rows, float *out) const
{
    const std::byte *w = weight.data + first * rowBytes(weight.dtype, weight.cols);
    const LinearKernels &kernels = *m_scratch.kernels;
    if (isFloatType(weight.dtype)) {
        kernels.dotFloatRows(weight.dtype, w, rows, m_cols, row(index), m_cols, 1, out, rows);
        return;
    }
    const RowActivations &all = activationSpan(weight.dtype) == kChunk ? m_chunkRows : m_rows;
    const std::size_t groups = all.stride / 16;
    const RowActivations one{all.q + index * all.stride, all.scale + index * groups,
                             all.sum + index * groups, all.stride, 1};
    kernels.dotRows(weight.dtype, w, rows, m_cols, one, out, rows);
}

float *RowDots::products(int thread, int which) const
{
    auto *both = m_scratch.threads[static_cast<std::size_t>(thread)].products.reserve<float>(
        2 * kMaxItemRows);
    return both + static_cast<std::size_t>(which) * kMaxItemRows;
}

} // namespace fireside::cpu
