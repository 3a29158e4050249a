#include "engine/cpu/linear/cpu_weight.h"

#include "engine/backend/checks.h"
#include "engine/core/error.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>

namespace fireside::cpu {
CpuWeight::CpuWeight(const WeightSource &source, ThreadPool *pool,
                     std::shared_ptr<WeightPages> pages, std::shared_ptr<MemoryLedger> ledger)
    : m_data(source.bytes.data())
    , m_pages(std::move(pages))
    , m_counted(std::move(ledger), MemoryPurpose::Weights)
{
    name = source.name;
    dtype = source.dtype;
    rows = source.rows;
    cols = source.cols;
    depth = source.depth;
    if (!linearSupports(dtype))
        throwUnsupported("tensor '" + name + "' has type " + fireside::name(dtype) +
                         ", which the CPU backend does not support");
    checkSource(source);
    for (const std::span<const std::byte> part : source.parts)
        m_parts.push_back(part.data());
    if (!m_parts.empty())
        m_data = m_parts.front();
    if (source.makeRows)
        make(source, pool);
    const bool aligned = reinterpret_cast<std::uintptr_t>(m_data) % alignof(float) == 0;
    if (rows == 1 && (dtype != DType::F32 || !aligned || !m_parts.empty())) {
        const std::size_t n = static_cast<std::size_t>(cols);
        m_floats.resize(n * static_cast<std::size_t>(depth));
        for (std::int64_t d = 0; d < depth; ++d)
            dequantizeRow(dtype, matrix(d).data, m_floats.data() + static_cast<std::size_t>(d) * n,
                          n);
    }
    m_counted.set(static_cast<std::size_t>(depth * rows) *
                      rowBytes(dtype, static_cast<std::size_t>(cols)) +
                  m_floats.size() * sizeof(float));
    for (std::int64_t d = 0; d < depth && m_pages; ++d)
        m_pages->add({matrix(d).data, static_cast<std::size_t>(rows) *
                                          rowBytes(dtype, static_cast<std::size_t>(cols))});
}

CpuWeight::~CpuWeight()
{
    if (m_pages)
        m_pages->stop();
}

void CpuWeight::make(const WeightSource &source, ThreadPool *pool)
{
    constexpr std::int64_t kRows = 64; // at a time
    const std::size_t row = rowBytes(dtype, static_cast<std::size_t>(cols));
    const std::size_t bytes = static_cast<std::size_t>(depth * rows) * row;
    try {
        m_made = std::make_unique_for_overwrite<std::byte[]>(bytes);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory, "tensor '" + name + "' needs " + formatBytes(bytes) +
                                           " of memory, which are not available");
    }
    m_data = m_made.get();
    std::exception_ptr error;
    std::mutex mutex;
    const std::int64_t perMatrix = (rows + kRows - 1) / kRows;
    const auto part = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        try {
            for (std::ptrdiff_t i = begin; i < end; ++i) {
                const std::int64_t matrix = i / perMatrix, first = i % perMatrix * kRows;
                source.makeRows(matrix, first, std::min(kRows, rows - first),
                                &m_made[static_cast<std::size_t>(matrix * rows + first) * row]);
            }
        } catch (...) { // nothing may leave the threads
            const std::lock_guard lock(mutex);
            error = std::current_exception();
        }
    };
    if (pool)
        pool->parallelFor(depth * perMatrix, 1, part);
    else
        part(0, depth * perMatrix);
    if (error)
        std::rethrow_exception(error);
}

WeightMatrix CpuWeight::matrix(std::int64_t expert) const
{
    if (expert < 0 || expert >= depth)
        throw Error(ErrorKind::Internal, "tensor '" + name + "' has no matrix " +
                                             std::to_string(expert) + " of " +
                                             std::to_string(depth));
    const std::size_t bytes =
        static_cast<std::size_t>(rows) * rowBytes(dtype, static_cast<std::size_t>(cols));
    const auto index = static_cast<std::size_t>(expert);
    return {m_parts.empty() ? m_data + index * bytes : m_parts[index], dtype,
            static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
}

const float *CpuWeight::vector(std::int64_t expert) const
{
    if (rows != 1 || expert < 0 || expert >= depth)
        throw Error(ErrorKind::Internal, "tensor '" + name + "' [" + std::to_string(rows) + ", " +
                                             std::to_string(cols) + "] of depth " +
                                             std::to_string(depth) + " has no vector " +
                                             std::to_string(expert));
    const float *all = m_floats.empty() ? reinterpret_cast<const float *>(m_data) : m_floats.data();
    return all + expert * cols;
}

const std::byte *CpuWeight::row(std::int64_t index) const
{
    return m_data +
           static_cast<std::size_t>(index) * rowBytes(dtype, static_cast<std::size_t>(cols));
}

const CpuWeight &asCpu(const Weight &weight)
{
    const auto *own = dynamic_cast<const CpuWeight *>(&weight);
    if (!own)
        throw Error(ErrorKind::Internal, "tensor '" + weight.name + "' is not on the CPU");
    return *own;
}

} // namespace fireside::cpu
