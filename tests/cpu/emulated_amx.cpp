// The kernels for AMX with its instructions, and those that round to bfloat16, made of others.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace {

struct EmulatedTiles
{
    static constexpr int kRows = 16, kBytes = 64;
    using Tile = std::array<std::array<unsigned char, kBytes>, kRows>;
    std::array<Tile, 8> tiles;

    void load(int tile, const void *from, std::size_t stride)
    {
        for (std::size_t r = 0; r < kRows; ++r)
            std::memcpy(tiles[tile][r].data(), static_cast<const char *>(from) + r * stride,
                        kBytes);
    }
    void store(int tile, void *to, std::size_t stride) const
    {
        for (std::size_t r = 0; r < kRows; ++r)
            std::memcpy(static_cast<char *>(to) + r * stride, tiles[tile][r].data(), kBytes);
    }
    static float floatAt(const Tile &tile, int row, int half)
    {
        std::uint16_t bits = 0;
        std::memcpy(&bits, &tile[row][2 * half], sizeof(bits));
        return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
    }
    void addProducts(int sums, int a, int b)
    {
        for (int m = 0; m < kRows; ++m)
            for (int n = 0; n < kRows; ++n) {
                float sum = 0;
                std::memcpy(&sum, &tiles[sums][m][4 * n], sizeof(sum));
                for (int k = 0; k < 32; ++k)
                    sum += floatAt(tiles[a], m, k) * floatAt(tiles[b], k / 2, 2 * n + k % 2);
                std::memcpy(&tiles[sums][m][4 * n], &sum, sizeof(sum));
            }
    }
};
thread_local EmulatedTiles emulated;

/// To the nearest, even of two; NaN stays one.
inline std::uint16_t roundedHalf(float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    if (value != value)
        return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline __m512i roundedHalves(__m512 high, __m512 low)
{
    float floats[32];
    std::uint16_t halves[32];
    _mm512_storeu_ps(floats, low);
    _mm512_storeu_ps(floats + 16, high);
    for (int i = 0; i < 32; ++i)
        halves[i] = roundedHalf(floats[i]);
    return _mm512_loadu_si512(halves);
}

} // namespace

#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define _tile_loadd(tile, from, stride) emulated.load(tile, from, stride)
#define _tile_stored(tile, to, stride) emulated.store(tile, to, stride)
#define _tile_zero(tile) emulated.tiles[tile] = {}
#define _tile_dpbf16ps(sums, a, b) emulated.addProducts(sums, a, b)
#define _tile_loadconfig(shapes) static_cast<void>(shapes)
#define _tile_release() static_cast<void>(0)
#define _mm512_cvtne2ps_pbh(high, low) roundedHalves(high, low)
#include "engine/cpu/linear/linear_amx_matrix.h"

namespace fireside::cpu {

extern const LinearKernels kEmulatedAmx;
const LinearKernels kEmulatedAmx = withMatrix(makeTable(Isa::Amx));

} // namespace fireside::cpu
