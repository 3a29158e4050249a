#pragma once
// The shapes of AMX's tile registers. Private to the including file, which is compiled for AMX.
#include <cstdint>

namespace {

/// What LDTILECFG reads: all eight registers of 16 rows of 64 bytes.
struct alignas(64) WholeTiles
{
    std::uint8_t palette = 1, startRow = 0, reserved[14] = {};
    std::uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr WholeTiles kWholeTiles;

} // namespace
