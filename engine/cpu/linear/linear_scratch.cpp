#include "engine/cpu/linear/linear_scratch.h"

#include "engine/core/error.h"
#include "engine/cpu/linear/blas_choice.h"

namespace fireside::cpu {

void *ScratchBuffer::reserveBytes(std::size_t bytes)
{
    if (bytes <= m_bytes)
        return m_data.get();
    m_data.reset(); // first, so that old and new never coexist
    m_bytes = 0;
    void *fresh = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
    if (!fresh)
        throw Error(ErrorKind::Memory, "Not enough memory for " + formatBytes(bytes) +
                                           " of working space for a matrix product");
    m_data.reset(fresh);
    m_bytes = bytes;
    return fresh;
}

LinearScratch::LinearScratch()
    : LinearScratch(linearKernels(), floatProductsAsked().asked)
{}

LinearScratch::LinearScratch(const LinearKernels &kernels, FloatProducts floats)
    : m_impl(std::make_unique<Impl>())
{
    m_impl->kernels = &kernels;
    m_impl->floatProducts = floats;
}

LinearScratch::~LinearScratch() = default;

std::size_t LinearScratch::bytes() const
{
    const Impl &m = *m_impl;
    std::size_t sum = 0;
    const auto add = [&sum](const auto &...buffers) { sum += (buffers.bytes() + ...); };
    add(m.rows.q, m.rows.scale, m.rows.sum, m.rows.start, m.chunkRows.q, m.chunkRows.scale,
        m.chunkRows.sum, m.tileBytes, m.tileScale, m.tileSum32, m.tileSum16, m.tileStart,
        m.tileStart16, m.tilePairs, m.tileTop, m.tileFactor, m.tileFloats, m.matrixTokens,
        m.matrixRest);
    for (const ThreadScratch &t : m.threads)
        add(t.row.q, t.row.scale, t.row.sum, t.panelBytes, t.panelScale, t.panelOffset,
            t.panelFloats, t.matrixTiles, t.matrixSums, t.products);
    return sum;
}

} // namespace fireside::cpu
