#include "engine/tensor/planes.h"

#include "engine/tensor/grids.h"

#include <algorithm>
#include <iterator>

namespace fireside {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{4} << 20;
constexpr std::size_t kLargestBlock = std::size_t{256} << 20;

std::size_t aligned(std::size_t bytes)
{
    return (bytes + kPlaneStart - 1) / kPlaneStart * kPlaneStart;
}

} // namespace

PlaneLayout planesOf(DType type)
{
    constexpr PlaneLayout kPlanes[std::size(kDTypes)] = {
#define PLAIN_TYPE(name, ggml, bytes) {{{32, 32 * bytes}}},
#define BLOCK_TYPE(name, ggml, elements, bytes, bits, group, ...) {{__VA_ARGS__}},
#include "engine/tensor/weight_types.def"
    };
    return kPlanes[static_cast<std::size_t>(type)];
}

std::size_t tableBytes(DType type)
{
    switch (type) {
    case DType::IQ1_S:
    case DType::IQ1_M:
        return std::size(kGridIq1.entry) * sizeof(std::uint32_t); // values in four bits each
    case DType::IQ2_XXS:
        return sizeof kGridIq2Xxs;
    case DType::IQ2_XS:
        return sizeof kGridIq2Xs;
    case DType::IQ2_S:
        return sizeof kGridIq2S;
    case DType::IQ3_XXS:
        return sizeof kGridIq3Xxs;
    case DType::IQ3_S:
        return sizeof kGridIq3S;
    default:
        return 0;
    }
}

PlaneOffsets planeOffsets(DType type, std::int64_t groups)
{
    PlaneOffsets offsets;
    const PlaneLayout planes = planesOf(type);
    offsets.total = tableBytes(type);
    for (std::size_t i = 0; i < planes.size() && planes[i].elements > 0; ++i) {
        offsets.offset[i] = aligned(offsets.total);
        const std::size_t units = static_cast<std::size_t>(groups) / (planes[i].elements / 32);
        offsets.total = offsets.offset[i] + units * planes[i].bytes;
    }
    return offsets;
}

std::int64_t paddedCols(std::int64_t cols)
{
    return (cols + 31) & ~std::int64_t{31};
}

bool liesAsVector(DType type, std::int64_t rows)
{
    return rows == 1 && info(type).blockElements == 1;
}

std::int64_t vectorElements(std::int64_t cols, std::int64_t depth)
{
    return depth == 1 ? paddedCols(cols) : cols;
}

std::size_t bytesInPlanes(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth)
{
    if (liesAsVector(type, rows))
        return static_cast<std::size_t>(depth * vectorElements(cols, depth)) * sizeof(float);
    return planeOffsets(storageOf(type), paddedCols(cols) / 32 * rows * depth).total;
}

BlockSizes::Place BlockSizes::next(std::size_t bytes) const
{
    const std::size_t size = aligned(bytes);
    if (size <= m_block - m_filled)
        return {.offset = m_filled};
    const std::size_t block =
        std::min(std::clamp(m_given, kSmallestBlock, kLargestBlock), m_largest);
    if (size > block / 4)
        return {.allocate = bytes, .alone = true};
    return {.allocate = block};
}

void BlockSizes::taken(const Place &place, std::size_t bytes)
{
    if (place.alone)
        return;
    if (place.allocate > 0) {
        m_block = place.allocate;
        m_filled = 0;
    }
    m_filled += aligned(bytes);
    m_given += aligned(bytes);
}

} // namespace fireside
