#pragma once
// AVX2 kernels, compiled with and without the byte dot product of AVX-VNNI (linear_avx2_dots.h).
// Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_avx2_dots.h"
#include "engine/cpu/linear/linear_avx2_floats.h"
#include "engine/cpu/linear/linear_avx2_formats.h"
#include "engine/cpu/linear/linear_avx2_fours.h"
#include "engine/cpu/linear/linear_avx2_fp8.h"
#include "engine/cpu/linear/linear_avx2_grids.h"
#include "engine/cpu/linear/linear_avx2_k.h"
#include "engine/cpu/linear/linear_avx2_nvfp4.h"
#include "engine/cpu/linear/linear_avx2_ternary.h"
#include "engine/cpu/linear/linear_kernels.h"

#include <immintrin.h>

namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::RowActivations;

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
        for (int half = 0; half < 2; ++half) {
            for (int k = 0; k < 8; ++k) {
                __m256i m[8];
                for (int r = 0; r < 8; ++r)
                    m[r] = load256(rows[8 * half + r].q + 32 * k);
                transpose8(m);
                for (int i = 0; i < 8; ++i)
                    put256(panel.q + 64 * (8 * k + i) + 32 * half, m[i]);
            }
            for (std::size_t g = 0; g < groups; ++g)
                for (int r = 0; r < 8; ++r) {
                    const std::size_t from = g * 16 / groups, at = 16 * g + 8 * half + r;
                    panel.scale[at] = rows[8 * half + r].scale[from];
                    panel.offset[at] = rows[8 * half + r].offset[from];
                }
        }
    }
};

} // namespace

#include "engine/cpu/linear/linear_avx2_tiles.h"
#include "engine/cpu/linear/linear_driver.h"

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
            {0, 8, 12, 4, 1, 9, 13, 5, 2, 10, 14, 6, 3, 11, 15, 7},
            placeOfColumn,
            fireside::cpu::kMaxDotRows,
            !kByteDots};
}

} // namespace
