#pragma once
#include "engine/tensor/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>

// How matrices lie on graphics processors, see shaders/quant/planes.h: as numbers, so that their
// bytes are known without one.
namespace fireside {

/// One plane of a type: `bytes` for every `elements` elements.
struct Plane
{
    std::uint32_t elements = 0; // 32 or 256; 0: there is no such plane
    std::uint32_t bytes = 0;
};
using PlaneLayout = std::array<Plane, 4>;
PlaneLayout planesOf(DType type);

/// The type as which matrices of `type` lie on the device: another where its planes are the same.
constexpr DType storageOf(DType type)
{
    return type == DType::TQ1_0 ? DType::TQ2_0 : type;
}

/// Bytes of the table before the planes of a type whose codes are numbers of entries; 0: none.
std::size_t tableBytes(DType type);

inline constexpr std::size_t kPlaneStart = 256; // planes, and weights, begin at a multiple of it

/// Where each plane of a matrix begins, and their bytes altogether with the table's.
struct PlaneOffsets
{
    std::array<std::size_t, 4> offset{};
    std::size_t total = 0;
};
PlaneOffsets planeOffsets(DType type, std::int64_t groups);

/// cols rounded up to whole groups of 32.
std::int64_t paddedCols(std::int64_t cols);

/// Whether matrices of so many rows and this type lie as plain F32: vectors, one for each depth.
bool liesAsVector(DType type, std::int64_t rows);
/// Elements of each. A lone one may be multiplied as a matrix of one row, so it ends as rows of
/// matrices do: with zeros, at a multiple of 32. Those of several depths lie close together.
std::int64_t vectorElements(std::int64_t cols, std::int64_t depth);

/// Bytes of a weight on a graphics processor.
std::size_t bytesInPlanes(DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth);

/// How pieces of device memory come from blocks: small ones share one, large ones lie alone. Blocks
/// grow with the model, so that a small one takes little: as large as what they hold so far.
class BlockSizes
{
public:
    /// largest: bytes of one allocation
    explicit BlockSizes(std::size_t largest = ~std::size_t{0})
        : m_largest(largest)
    {}
    struct Place
    {
        std::size_t allocate = 0; // bytes of new memory; 0: it lies in the current block
        bool alone = false;       // the new memory is its own
        std::size_t offset = 0;   // in the block
    };
    Place next(std::size_t bytes) const;
    /// A piece lies as next() said.
    void taken(const Place &place, std::size_t bytes);
    void forgetBlock() { m_block = m_filled = 0; } // its memory has gone

private:
    std::size_t m_largest;
    std::size_t m_block = 0, m_filled = 0; // bytes of the current block
    std::size_t m_given = 0;               // bytes in shared blocks so far
};

} // namespace fireside
