#pragma once
// Kernels of the float types in registers of 128 bits, and what they share with the byte tiles.
// Private to the including file (see tensor/unpack.h).
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/cpu/linear/linear_lanes128_rows.h"

namespace {

using fireside::kLanes;
using fireside::Words;
using fireside::cpu::kFloatBlock;
using fireside::cpu::kPanelRows;
using fireside::cpu::ofPanel;
using fireside::cpu::TileOutput;

constexpr int kPanelVectors = 4; // a column of a panel

/// body(first, count) for parts of at most `most`, as even as they can be.
template <typename Body>
inline void forEvenParts(std::size_t count, std::size_t most, const Body &body)
{
    for (std::size_t i = 0; i < count;) {
        const std::size_t left = count - i, parts = (left + most - 1) / most;
        const std::size_t n = (left + parts - 1) / parts;
        body(i, n);
        i += n;
    }
}

inline void storeRows(const TileOutput &o, std::size_t t, const Floats (&values)[kPanelVectors])
{
    float *out = o.out + t * o.stride;
    for (std::size_t r = 0; r < o.rows; r += kLanes) {
        const std::size_t n = o.rows - r < kLanes ? o.rows - r : kLanes;
        const Floats value = values[r / kLanes];
        fireside::store(out + r, o.add ? value + fireside::load(out + r, n) : value, n);
    }
}

constexpr std::size_t kFp8Bytes = sizeof(fireside::BlockF8_E4M3);

/// Rows of a float type: the bytes of n weights, and four from the i-th on. `left`: as in
/// lanes128.h.
template <DType Type>
struct FloatRow
{
    static constexpr std::size_t bytes(std::size_t n) { return n * floatBytes(Type); }
    static Floats at(Bytes row, std::size_t i, std::size_t left)
    {
        std::uint32_t four[kLanes] = {};
        const std::size_t n = left < kLanes ? left : kLanes;
        if constexpr (Type == DType::F32) {
            if (left >= kLanes)
                return as<Floats>(load16(row + 4 * i));
            std::memcpy(four, row + 4 * i, 4 * n);
            return as<Floats>(load16(four));
        } else {
            std::uint16_t halves[kLanes] = {};
            if (left >= kLanes)
                std::memcpy(halves, row + 2 * i, sizeof halves);
            else
                std::memcpy(halves, row + 2 * i, 2 * n);
            if constexpr (Type == DType::F16)
                return fireside::load(halves);
            return as<Floats>(Words{halves[0], halves[1], halves[2], halves[3]} << 16);
        }
    }
};

/// Codes of FP8 with a scale for each 32: never a tail.
template <>
struct FloatRow<DType::F8_E4M3>
{
    static constexpr std::size_t bytes(std::size_t n) { return n / 32 * kFp8Bytes; }
    static Floats at(Bytes row, std::size_t i, std::size_t)
    {
        const Bytes block = row + i / 32 * kFp8Bytes;
        const auto four = loadAs<std::uint32_t>(block + sizeof(float) + i % 32);
        const Words code = Words{four, four >> 8, four >> 16, four >> 24} & 0xffu;
        // Exponents have a bias of 7, those of floats of 127.
        const Words bits = (code & 0x7fu) << 20 | (code & 0x80u) << 24;
        return as<Floats>(bits) * broadcast(0x1p120f) * broadcast(loadAs<float>(block));
    }
};

template <DType Type, int T>
void dotFloatRow(Bytes row, std::size_t cols, const float *x, std::size_t xStride, float *out,
                 std::size_t outStride)
{
    constexpr int kChains = T == 1 ? 4 : 2;
    Floats acc[T][kChains] = {};
    std::size_t i = 0;
    for (; i + kLanes * kChains <= cols; i += kLanes * kChains) {
        __builtin_prefetch(row + FloatRow<Type>::bytes(i) + 2048);
        for (int c = 0; c < kChains; ++c) {
            const Floats w = FloatRow<Type>::at(row, i + kLanes * c, kLanes);
            for (int t = 0; t < T; ++t)
                acc[t][c] =
                    multiplyAdd(w, fireside::load(x + t * xStride + i + kLanes * c), acc[t][c]);
        }
    }
    for (; i < cols; i += kLanes) {
        const Floats w = FloatRow<Type>::at(row, i, cols - i);
        for (int t = 0; t < T; ++t)
            acc[t][0] = multiplyAdd(w, fireside::load(x + t * xStride + i, cols - i), acc[t][0]);
    }
    for (int t = 0; t < T; ++t) {
        for (int c = 1; c < kChains; ++c)
            acc[t][0] += acc[t][c];
        out[t * outStride] = fireside::sumOf(acc[t][0]);
    }
}

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    for (std::size_t r = 0; r < rows; ++r, w += FloatRow<Type>::bytes(cols)) {
        std::size_t t = 0;
        for (; t + 4 <= T; t += 4)
            dotFloatRow<Type, 4>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
        for (; t < T; ++t)
            dotFloatRow<Type, 1>(w, cols, x + t * xStride, xStride, out + t * outStride + r,
                                 outStride);
    }
}

// Rows that do not exist repeat the last.
template <DType Type>
void unpackFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                  std::size_t count, float *panel)
{
    for (std::size_t r = 0; r < kPanelRows; r += kLanes)
        for (std::size_t i = 0; i < count; i += kLanes) {
            Floats m[kLanes];
            for (std::size_t k = 0; k < kLanes; ++k) {
                const std::size_t row = r + k < rows ? r + k : rows - 1;
                m[k] = FloatRow<Type>::at(w + row * FloatRow<Type>::bytes(cols), firstCol + i,
                                          count - i);
            }
            fireside::transpose(m);
            for (std::size_t k = 0; k < kLanes && i + k < count; ++k)
                fireside::store(panel + kPanelRows * (i + k) + r, m[k]);
        }
}

template <DType Type>
void unpackOneRow(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; i += kLanes)
        fireside::store(out + i, FloatRow<Type>::at(w, i, n - i), n - i);
}

template <int N>
void multiplyFloatSome(const float *panel, const float *tile, std::size_t tokens, std::size_t first,
                       std::size_t count, const TileOutput &output)
{
    Floats acc[N][kPanelVectors] = {};
    for (std::size_t k = 0; k < count; ++k) {
        Floats w[kPanelVectors];
        for (int r = 0; r < kPanelVectors; ++r)
            w[r] = fireside::load(panel + kPanelRows * k + kLanes * r);
        for (int t = 0; t < N; ++t) {
            const Floats x = broadcast(tile[tokens * k + first + t]);
            for (int r = 0; r < kPanelVectors; ++r)
                acc[t][r] = multiplyAdd(w[r], x, acc[t][r]);
        }
    }
    for (int t = 0; t < N; ++t)
        storeRows(output, first + static_cast<std::size_t>(t), acc[t]);
}

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    if (output.rows > kPanelRows) {
        multiplyFloatTile(panel, tile, tokens, count, ofPanel(output, 0));
        return multiplyFloatTile(panel + kFloatBlock * kPanelRows, tile, tokens, count,
                                 ofPanel(output, 1));
    }
    // Three tokens fill sixteen registers.
    forEvenParts(tokens, 3, [&](std::size_t t, std::size_t n) {
        if (n == 3)
            multiplyFloatSome<3>(panel, tile, tokens, t, count, output);
        else if (n == 2)
            multiplyFloatSome<2>(panel, tile, tokens, t, count, output);
        else
            multiplyFloatSome<1>(panel, tile, tokens, t, count, output);
    });
}

} // namespace
