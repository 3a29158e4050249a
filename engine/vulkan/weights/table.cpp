#include "engine/tensor/grids.h"
#include "engine/vulkan/weights/vulkan_weight.h"

namespace fireside::vulkan {
namespace {

/// Entries of eight small numbers in a word: elements 0–3 in the low nibbles of its bytes, 4–7 in
/// the high ones.
template <int Count>
Grid<std::uint32_t, Count> asNibbles(const Grid<std::uint64_t, Count> &grid)
{
    Grid<std::uint32_t, Count> out{};
    for (int i = 0; i < Count; ++i)
        out.entry[i] = static_cast<std::uint32_t>(grid.entry[i] | grid.entry[i] >> 28);
    return out;
}

} // namespace

std::span<const std::byte> tableOf(DType type)
{
    static const Grid<std::uint32_t, 2048> iq1 = asNibbles(kGridIq1);
    switch (type) {
    case DType::IQ1_S:
    case DType::IQ1_M:
        return std::as_bytes(std::span(iq1.entry));
    case DType::IQ2_XXS:
        return std::as_bytes(std::span(kGridIq2Xxs.entry));
    case DType::IQ2_XS:
        return std::as_bytes(std::span(kGridIq2Xs.entry));
    case DType::IQ2_S:
        return std::as_bytes(std::span(kGridIq2S.entry));
    case DType::IQ3_XXS:
        return std::as_bytes(std::span(kGridIq3Xxs.entry));
    case DType::IQ3_S:
        return std::as_bytes(std::span(kGridIq3S.entry));
    default:
        return {};
    }
}

} // namespace fireside::vulkan
