#pragma once
// Kernels for registers of 128 bits, written once for SSE4.1 and NEON: what differs is in
// simd/lanes128.h and simd/bytes128.h. Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/linear/linear_lanes128_floats.h"
#include "engine/cpu/linear/linear_lanes128_formats.h"
#include "engine/cpu/linear/linear_lanes128_rows.h"

namespace {

using fireside::cpu::BytePanel;

constexpr int kRowsAtOnce = 1;

using Decoded = Chunk;

/// A chunk of 16 rows on its way into a panel.
struct DecodedRows
{
    Chunk rows[16];

    void set(std::size_t r, const Chunk &c) { rows[r] = c; }
    void repeat(std::size_t r, std::size_t of) { rows[r] = rows[of]; }
    void store(const BytePanel &panel, std::size_t groups) const
    {
        for (std::size_t r = 0; r < 16; r += 4) {
            for (std::size_t k = 0; k < 16; ++k) {
                Floats m[4];
                for (std::size_t i = 0; i < 4; ++i)
                    m[i] = as<Floats>(load16(rows[r + i].q + 16 * k));
                fireside::transpose(m);
                for (std::size_t i = 0; i < 4; ++i)
                    put16(panel.q + 64 * (4 * k + i) + 4 * r, as<Codes>(m[i]));
            }
        }
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t r = 0; r < 16; ++r) {
                panel.scale[16 * g + r] = rows[r].scale[g * 16 / groups];
                panel.offset[16 * g + r] = rows[r].offset[g * 16 / groups];
            }
    }
};

} // namespace

#include "engine/cpu/linear/linear_driver.h"
#include "engine/cpu/linear/linear_lanes128_tiles.h"

namespace {

template <typename F>
void withFormat(DType type, const F &f)
{
    fireside::withCodeType(type, [&]<DType Type>() {
        if constexpr (InRegisters<Type>)
            f(FormatInRegisters<Type>{});
        else
            f(FormatAny<isWide(Type)>{Type, decode<Type>});
    });
}

constexpr fireside::cpu::LinearKernels makeTable(fireside::Isa isa)
{
    return {isa,
            quantizeRow,
            quantizeTile,
            nullptr,
            dotRows,
            dotFloatRows,
            unpackPanel,
            multiplyTile,
            unpackFloatPanel,
            multiplyFloatTile,
            unpackFloatRow,
            {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}};
}

} // namespace
