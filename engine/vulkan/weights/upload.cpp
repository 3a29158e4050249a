#include "engine/vulkan/weights/uploader.h"
#include "engine/vulkan/weights/weight_source.h"

#include <algorithm>
#include <cstring>

namespace fireside::vulkan {

Upload::Upload(WeightSource source, DType storage, std::shared_ptr<MemoryPiece> memory)
    : m_source(std::move(source))
    , m_vector(isVector(m_source))
    , m_memory(std::move(memory))
{
    if (m_vector) {
        m_planes[0] = {1, sizeof(float)};
        m_rowElements = vectorElements(m_source);
    } else {
        m_rowElements = paddedCols(m_source.cols);
        m_planes = planesOf(storage);
        m_table = tableOf(storage);
        m_offsets = planeOffsets(storage, m_rowElements / 32 * m_source.rows * m_source.depth);
    }
}

Upload::Part Upload::next(std::size_t maxBytes)
{
    Part part;
    if (m_depth >= m_source.depth)
        return part;
    const auto bytesOfRows = [&](std::size_t plane, std::int64_t rows) {
        return static_cast<std::size_t>(rows * m_rowElements) / m_planes[plane].elements *
               m_planes[plane].bytes;
    };
    std::size_t rowBytes = 0;
    for (std::size_t p = 0; p < m_planes.size(); ++p)
        if (m_planes[p].elements != 0)
            rowBytes += bytesOfRows(p, 1);
    const auto fitting = static_cast<std::int64_t>(maxBytes / std::max<std::size_t>(1, rowBytes));
    part.depth = m_depth;
    part.row = m_row;
    part.count = std::min(std::max<std::int64_t>(1, fitting), m_source.rows - m_row);
    for (std::size_t p = 0; p < m_planes.size(); ++p)
        if (m_planes[p].elements != 0) {
            part.offset[p] = m_offsets.offset[p] + bytesOfRows(p, m_depth * m_source.rows + m_row);
            part.bytes[p] = bytesOfRows(p, part.count);
        }
    if (m_depth == 0 && m_row == 0)
        part.bytes[kTable] = m_table.size();
    m_row += part.count;
    if (m_row == m_source.rows) {
        m_row = 0;
        ++m_depth;
    }
    return part;
}

void Upload::layOut(const Part &part, const Pieces &out) const
{
    if (m_vector) {
        const std::size_t floats = static_cast<std::size_t>(m_source.cols) * sizeof(float);
        rowAsFloats(m_source, part.depth, reinterpret_cast<float *>(out[0]));
        std::memset(out[0] + floats, 0, part.bytes[0] - floats);
        return;
    }
    if (part.bytes[kTable] > 0)
        std::memcpy(out[kTable], m_table.data(), m_table.size());
    std::vector<std::byte> scratch;
    vulkan::layOut(m_source.dtype, rowsOf(m_source, part.depth, part.row, part.count, scratch),
                   m_source.cols, part.count, {out[0], out[1], out[2], out[3]});
}

bool Upload::enter()
{
    const std::lock_guard lock(m_mutex);
    if (m_cancelled)
        return false;
    ++m_readers;
    return true;
}

void Upload::leave()
{
    const std::lock_guard lock(m_mutex);
    if (--m_readers == 0)
        m_left.notify_all();
}

void Upload::cancel()
{
    std::unique_lock lock(m_mutex);
    m_cancelled = true;
    m_left.wait(lock, [this] { return m_readers == 0; });
}

} // namespace fireside::vulkan
