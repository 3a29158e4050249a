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

} // namespace fireside::cpu
