#pragma once
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/tensor/unpack.h"

// The loops over rows and chunks that every instruction set shares, private to the including file
// like tensor/unpack.h. The includer has defined before:
//   Decoded, Acc                    a decoded chunk; one accumulator of a dot product
//   decode<DType>(Bytes, Decoded &) the decoder of a type, where FormatOf is used
//   zeroAcc(), sumAcc(Acc), accumulate<Wide, T>(Acc (&)[T], const Decoded &, x, chunk)
//   DecodedRows                     16 decoded chunks; see unpackRows below
//   dotFloatType<DType>, unpackFloats<DType>, unpackOneRow<DType>: the work for a float type
namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::isWide;
using fireside::cpu::kChunk;
using fireside::cpu::kFloatBlock;
using fireside::cpu::kGroups;
using fireside::cpu::kMaxDotRows;
using fireside::cpu::kPanelRows;
using fireside::cpu::nextPanel;
using fireside::cpu::ofPanel;
using fireside::cpu::prefetchDistance;
using fireside::cpu::RowActivations;

template <DType Type>
void decode(Bytes p, Decoded &c);
// Defined where formats do not multiply while they decode.
template <bool Wide, int T>
void accumulate(Acc (&acc)[T], const Decoded &c, const RowActivations &x, std::size_t chunk);

/// A type whose decoder becomes part of the loops.
template <DType Type>
struct FormatOf
{
    static constexpr bool kWide = isWide(Type);
    static constexpr DType type() { return Type; }
    [[gnu::always_inline]] void decode(Bytes p, Decoded &c) const { ::decode<Type>(p, c); }
};

/// Any type, with one call per chunk.
template <bool Wide>
struct FormatAny
{
    static constexpr bool kWide = Wide;
    DType dtype;
    void (*decoder)(Bytes, Decoded &);
    DType type() const { return dtype; }
    void decode(Bytes p, Decoded &c) const { decoder(p, c); }
};

constexpr std::size_t bytesOfRow(DType type, std::size_t cols)
{
    return cols / info(type).blockElements * info(type).blockBytes;
}

/// How far ahead rows of weights are prefetched, and where to. With AVX-512 Intel's cores wait for
/// memory in two steps: they have more places for lines on their way to the second-level cache than
/// to the first. AMD's take lines from the second when they need them: in the first, x for several
/// rows would drive them out before.
struct FetchAhead
{
    enum class To { First, Second, Both };
    static constexpr std::size_t kNear = 1024;
    std::size_t distance = 0;
    To to = To::First;

    static FetchAhead ofRows(std::size_t blockStride)
    {
        const std::size_t distance = prefetchDistance(blockStride);
#if defined(__AVX512F__)
        return {distance, __builtin_cpu_is("intel") ? To::Both : To::Second};
#else
        return {distance, To::First};
#endif
    }
    [[gnu::always_inline]] void operator()(Bytes p, std::size_t bytes) const
    {
        if (to == To::First)
            for (std::size_t line = 0; line < bytes; line += 64)
                __builtin_prefetch(p + distance + line);
        else
            for (std::size_t line = 0; line < bytes; line += 64)
                __builtin_prefetch(p + distance + line, 0, 2);
        if (to == To::Both)
            for (std::size_t line = 0; line < bytes; line += 64)
                __builtin_prefetch(p + kNear + line);
    }
};

/// Chunks of rows of weights.
struct WeightRows
{
    Bytes first;
    std::size_t rowStride, bytes; // of a chunk
    FetchAhead ahead;

    Bytes at(int row, std::size_t chunk) const
    {
        return first + static_cast<std::size_t>(row) * rowStride + chunk * bytes;
    }
    [[gnu::always_inline]] void fetchAhead(Bytes p) const { ahead(p, bytes); }
};

// A chunk of a row and T rows of x. A format may multiply where it decodes.
template <typename Format, int T>
[[gnu::always_inline]] inline void dotChunk(const Format &format, Bytes p, Acc (&acc)[T],
                                            const RowActivations &x, std::size_t chunk)
{
    if constexpr (requires { format.accumulate(p, acc, x, chunk); }) {
        format.accumulate(p, acc, x, chunk);
    } else {
        Decoded decoded;
        format.decode(p, decoded);
        accumulate<Format::kWide, T>(acc, decoded, x, chunk);
    }
}

/// `count` chunks of R rows of weights from p on.
template <typename Format, int R, int T>
[[gnu::always_inline]] inline void dotChunks(const Format &format, const WeightRows &w,
                                             std::size_t count, Acc (&acc)[R][T],
                                             const RowActivations &x, std::size_t first)
{
    if constexpr (requires { format.accumulateRows(w, count, acc, x, first); }) {
        format.accumulateRows(w, count, acc, x, first);
    } else {
        for (std::size_t c = 0; c < count; ++c)
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) {
                const Bytes p = w.at(r, c);
                w.fetchAhead(p);
                dotChunk(format, p, acc[r], x, first + c);
            }
    }
}

/// How many rows of weights a format takes at once with four or eight of x.
template <typename Format>
constexpr int rowsOfMany(int rowsOfX)
{
    if constexpr (requires { Format::rowsOfMany(rowsOfX); })
        return Format::rowsOfMany(rowsOfX);
    return 1;
}

/// Columns of weight rows, and where products with rows of x go.
struct DotBlock
{
    Bytes w;
    std::size_t rows, rowStride, cols;
    FetchAhead ahead;
    float *out;
    std::size_t outStride;
    bool add;
};

// R weight rows and T activation rows at once, while there are so many; T is x.rows rounded up, the
// rows beyond are scratch. A function by itself, so that what becomes part of it does not depend on
// how many types there are. Returns what is left.
template <typename Format, int R, int T>
[[gnu::noinline]] DotBlock dotBlock(const Format &format, DotBlock block, const RowActivations &x)
{
    const std::size_t bytes = chunkBytes(format.type());
    const std::size_t chunks = block.cols / kChunk, tail = block.cols % kChunk;
    for (; block.rows >= R; block.rows -= R, block.w += R * block.rowStride, block.out += R) {
        Acc acc[R][T];
        for (int r = 0; r < R; ++r)
            for (int t = 0; t < T; ++t)
                acc[r][t] = zeroAcc();
        dotChunks(format, WeightRows{block.w, block.rowStride, bytes, block.ahead}, chunks, acc, x,
                  0);
        if (tail != 0) {
            alignas(64) std::uint8_t buffer[R][kMaxChunkBytes];
            for (int r = 0; r < R; ++r)
                copyTail(format.type(), block.w + r * block.rowStride + chunks * bytes, tail,
                         buffer[r]);
            dotChunks(format, WeightRows{buffer[0], kMaxChunkBytes, bytes, {}}, 1, acc, x, chunks);
        }
        for (int r = 0; r < R; ++r)
            for (int t = 0; t < T; ++t)
                if (static_cast<std::size_t>(t) < x.rows) {
                    float &out = block.out[static_cast<std::size_t>(t) * block.outStride + r];
                    out = sumAcc(acc[r][t]) + (block.add ? out : 0.0f);
                }
    }
    return block;
}

template <typename Format, int R, int T>
void dotAllRows(const Format &format, Bytes w, std::size_t rows, std::size_t cols,
                const RowActivations &x, float *out, std::size_t outStride)
{
    // So many columns of x stay in the first-level cache while all rows meet them: bytes, and a
    // scale and a sum for each 16.
    constexpr std::size_t kFirst = 24 * 1024 / T / (kChunk + 8 * kGroups) * kChunk;
    const std::size_t rowStride = bytesOfRow(format.type(), cols);
    for (std::size_t col = 0; col < cols || col == 0; col += kFirst) {
        const RowActivations part = fireside::cpu::columnsFrom(x, col);
        const DotBlock block{w + bytesOfRow(format.type(), col),
                             rows,
                             rowStride,
                             cols - col < kFirst ? cols - col : kFirst,
                             FetchAhead::ofRows(R * rowStride),
                             out,
                             outStride,
                             col > 0};
        const DotBlock left = dotBlock<Format, R, T>(format, block, part);
        if constexpr (R > 1)
            dotBlock<Format, 1, T>(format, left, part);
    }
}

template <typename Format>
void dotFormat(const Format &format, Bytes w, std::size_t rows, std::size_t cols,
               const RowActivations &x, float *out, std::size_t outStride)
{
    if (x.rows <= 1)
        dotAllRows<Format, kRowsAtOnce, 1>(format, w, rows, cols, x, out, outStride);
    else if (x.rows <= 2)
        dotAllRows<Format, (kRowsAtOnce + 1) / 2, 2>(format, w, rows, cols, x, out, outStride);
    else if (x.rows <= 4)
        dotAllRows<Format, rowsOfMany<Format>(4), 4>(format, w, rows, cols, x, out, outStride);
    else
        dotAllRows<Format, rowsOfMany<Format>(8), 8>(format, w, rows, cols, x, out, outStride);
}

// Decodes `count` columns of up to 16 rows chunk by chunk and hands them, side by side, to
// storePanelChunk. Rows that do not exist repeat the last one: their results are not stored.
template <typename Format>
void unpackRows(const Format &format, Bytes w, std::size_t rows, std::size_t cols,
                std::size_t firstCol, std::size_t count, const BytePanel &panel)
{
    const std::size_t bytes = chunkBytes(format.type());
    const std::size_t groups = fireside::cpu::panelGroups(format.type());
    const std::size_t rowStride = bytesOfRow(format.type(), cols);
    DecodedRows decoded;
    for (std::size_t col = 0; col < count; col += kChunk) {
        const std::size_t chunk = col / kChunk;
        for (std::size_t r = 0; r < rows; ++r) {
            const Bytes p = w + r * rowStride + (firstCol / kChunk + chunk) * bytes;
            for (std::size_t line = 0; line < bytes; line += 64)
                __builtin_prefetch(p + 2 * bytes + line);
            alignas(64) std::uint8_t buffer[kMaxChunkBytes];
            const bool whole = count - col >= kChunk;
            if (!whole)
                copyTail(format.type(), p, count - col, buffer);
            Decoded one;
            format.decode(whole ? p : buffer, one);
            if constexpr (requires { format.forPanel(one); })
                format.forPanel(one);
            decoded.set(r, one);
        }
        for (std::size_t r = rows; r < kPanelRows; ++r)
            decoded.repeat(r, rows - 1);
        const BytePanel at{panel.q + chunk * kChunk * kPanelRows,
                           panel.scale + chunk * groups * kPanelRows,
                           panel.offset + chunk * groups * kPanelRows};
        decoded.store(at, groups);
    }
}

/// Calls f with the format of a type; the includer defines it.
template <typename F>
void withFormat(DType type, const F &f);

void dotRows(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
             const RowActivations &x, float *out, std::size_t outStride)
{
    withFormat(type, [&](const auto &format) {
        dotFormat(format, reinterpret_cast<Bytes>(weights), rows, cols, x, out, outStride);
    });
}

void unpackPanel(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                 std::size_t firstCol, std::size_t count, const BytePanel &panel)
{
    withFormat(type, [&](const auto &format) {
        unpackRows(format, reinterpret_cast<Bytes>(weights), rows, cols, firstCol, count, panel);
    });
}

/// Calls f with a float type.
template <typename F>
void withFloatType(DType type, const F &f)
{
    if (type == DType::F32)
        f.template operator()<DType::F32>();
    else if (type == DType::F16)
        f.template operator()<DType::F16>();
    else if (type == DType::BF16)
        f.template operator()<DType::BF16>();
    else
        f.template operator()<DType::F8_E4M3>();
}

void dotFloatRows(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                  const float *x, std::size_t xStride, std::size_t T, float *out,
                  std::size_t outStride)
{
    withFloatType(type, [&]<DType Type>() {
        dotFloatType<Type>(reinterpret_cast<Bytes>(weights), rows, cols, x, xStride, T, out,
                           outStride);
    });
}

void unpackFloatPanel(DType type, const std::byte *weights, std::size_t rows, std::size_t cols,
                      std::size_t firstCol, std::size_t count, float *panel)
{
    withFloatType(type, [&]<DType Type>() {
        unpackFloats<Type>(reinterpret_cast<Bytes>(weights), rows, cols, firstCol, count, panel);
    });
}

void unpackFloatRow(DType type, const std::byte *weights, std::size_t n, float *out)
{
    withFloatType(
        type, [&]<DType Type>() { unpackOneRow<Type>(reinterpret_cast<Bytes>(weights), n, out); });
}

} // namespace
