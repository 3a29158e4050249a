// Kernels in plain C++, written so that any compiler can vectorise them; the fallback everywhere
// and the only table on processors other than x86-64.
#include "engine/cpu/linear/linear_kernels.h"
#include "engine/tensor/unpack.h"

#include <algorithm>
#include <bit>

namespace {

using fireside::cpu::BytePanel;
using fireside::cpu::ByteTile;
using fireside::cpu::RowActivations;
using fireside::cpu::TileOutput;

constexpr int kRowsAtOnce = 2;

using Decoded = Chunk;

using Acc = float;
inline Acc zeroAcc()
{
    return 0.0f;
}
inline float sumAcc(Acc acc)
{
    return acc;
}

template <bool Wide, int T>
inline void accumulate(Acc (&acc)[T], const Chunk &c, const RowActivations &x, std::size_t chunk)
{
    for (int t = 0; t < T; ++t) {
        const std::int8_t *a = x.q + t * x.stride + chunk * 256;
        const std::size_t group = t * (x.stride / 16) + chunk * 16;
        for (std::size_t g = 0; g < 16; ++g) {
            int dot = 0;
            for (std::size_t i = 0; i < 16; ++i)
                dot += c.q[16 * g + i] * a[16 * g + i];
            acc[t] += c.scale[g] * x.scale[group + g] * static_cast<float>(dot) +
                      c.offset[g] * x.sum[group + g];
        }
    }
}

/// A chunk of 16 rows on its way into a panel.
struct DecodedRows
{
    Chunk rows[16];

    void set(std::size_t r, const Chunk &c) { rows[r] = c; }
    void repeat(std::size_t r, std::size_t of) { rows[r] = rows[of]; }
    void store(const BytePanel &panel, std::size_t groups) const
    {
        for (std::size_t k = 0; k < 64; ++k)
            for (std::size_t r = 0; r < 16; ++r)
                std::memcpy(panel.q + 64 * k + 4 * r, rows[r].q + 4 * k, 4);
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t r = 0; r < 16; ++r) {
                panel.scale[16 * g + r] = rows[r].scale[g * 16 / groups];
                panel.offset[16 * g + r] = rows[r].offset[g * 16 / groups];
            }
    }
};

template <DType Type>
void dotFloatType(Bytes w, std::size_t rows, std::size_t cols, const float *x, std::size_t xStride,
                  std::size_t T, float *out, std::size_t outStride)
{
    constexpr std::size_t kLanes = 16, kSize = floatBytes(Type);
    for (std::size_t r = 0; r < rows; ++r, w += cols * kSize)
        for (std::size_t t = 0; t < T; ++t) {
            const float *xRow = x + t * xStride;
            float lanes[kLanes] = {};
            std::size_t i = 0;
            for (; i + kLanes <= cols; i += kLanes) {
                float values[kLanes];
                for (std::size_t l = 0; l < kLanes; ++l)
                    values[l] = floatAt<Type>(w + (i + l) * kSize);
                for (std::size_t l = 0; l < kLanes; ++l)
                    lanes[l] += values[l] * xRow[i + l];
            }
            float total = 0.0f;
            for (; i < cols; ++i)
                total += floatAt<Type>(w + i * kSize) * xRow[i];
            for (const float lane : lanes)
                total += lane;
            out[t * outStride + r] = total;
        }
}

template <DType Type>
void unpackFloats(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                  std::size_t count, float *panel)
{
    constexpr std::size_t kSize = floatBytes(Type);
    for (std::size_t r = 0; r < 16; ++r) { // rows that do not exist repeat the last one
        const Bytes row = w + ((r < rows ? r : rows - 1) * cols + firstCol) * kSize;
        for (std::size_t i = 0; i < count; ++i)
            panel[16 * i + r] = floatAt<Type>(row + i * kSize);
    }
}

template <DType Type>
void unpackOneRow(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; ++i)
        out[i] = floatAt<Type>(w + i * floatBytes(Type));
}

// F8_E4M3, a block at a time.
template <>
void unpackOneRow<DType::F8_E4M3>(Bytes w, std::size_t n, float *out)
{
    for (std::size_t i = 0; i < n; i += 32, w += sizeof(fireside::BlockF8_E4M3))
        for (std::size_t k = 0; k < 32; ++k)
            out[i + k] = loadAs<float>(w) * fp8Value(w[sizeof(float) + k]);
}

template <>
void dotFloatType<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, const float *x,
                                  std::size_t xStride, std::size_t T, float *out,
                                  std::size_t outStride)
{
    constexpr std::size_t kBytes = sizeof(fireside::BlockF8_E4M3);
    for (std::size_t r = 0; r < rows; ++r, w += cols / 32 * kBytes) {
        for (std::size_t t = 0; t < T; ++t)
            out[t * outStride + r] = 0.0f;
        for (std::size_t i = 0; i < cols; i += 32) {
            float values[32];
            unpackOneRow<DType::F8_E4M3>(w + i / 32 * kBytes, 32, values);
            for (std::size_t t = 0; t < T; ++t) {
                const float *from = x + t * xStride + i;
                float lanes[16];
                for (std::size_t l = 0; l < 16; ++l)
                    lanes[l] = values[l] * from[l] + values[16 + l] * from[16 + l];
                for (const float lane : lanes)
                    out[t * outStride + r] += lane;
            }
        }
    }
}

template <>
void unpackFloats<DType::F8_E4M3>(Bytes w, std::size_t rows, std::size_t cols, std::size_t firstCol,
                                  std::size_t count, float *panel)
{
    constexpr std::size_t kBytes = sizeof(fireside::BlockF8_E4M3);
    for (std::size_t r = 0; r < 16; ++r) {
        const Bytes row = w + ((r < rows ? r : rows - 1) * cols + firstCol) / 32 * kBytes;
        for (std::size_t i = 0; i < count; i += 32) {
            float values[32];
            unpackOneRow<DType::F8_E4M3>(row + i / 32 * kBytes, 32, values);
            for (std::size_t k = 0; k < 32; ++k)
                panel[16 * (i + k) + r] = values[k];
        }
    }
}

} // namespace

#include "engine/cpu/linear/linear_driver.h"

namespace {

template <typename F>
void withFormat(DType type, const F &f)
{
    f(FormatAny<true>{type, unpackerFor(type)});
}

void storeRows(const TileOutput &output, std::size_t t, const float (&values)[16])
{
    float *out = output.out + t * output.stride;
    for (std::size_t r = 0; r < output.rows; ++r)
        out[r] = output.add ? out[r] + values[r] : values[r];
}

void multiplyTile(DType type, const BytePanel &panel, const ByteTile &tile, std::size_t chunks,
                  const TileOutput &output)
{
    if (output.rows > kPanelRows) {
        multiplyTile(type, panel, tile, chunks, ofPanel(output, 0));
        return multiplyTile(type, nextPanel(panel), tile, chunks, ofPanel(output, 1));
    }
    const std::size_t groups = fireside::cpu::panelGroups(type), dots = 64 / groups;
    for (std::size_t t = 0; t < tile.tokens; ++t) {
        float acc[16] = {};
        for (std::size_t g = 0; g < groups * chunks; ++g) {
            int dot[16] = {};
            for (std::size_t k = g * dots; k < (g + 1) * dots; ++k) {
                const std::uint8_t *w = panel.q + 64 * k;
                const std::int8_t *a = tile.q + 4 * (tile.tokens * k + t);
                for (std::size_t r = 0; r < 16; ++r)
                    dot[r] += w[4 * r] * a[0] + w[4 * r + 1] * a[1] + w[4 * r + 2] * a[2] +
                              w[4 * r + 3] * a[3];
            }
            const float scale = tile.scale[(groups == 16 ? g / 2 : g) * tile.tokens + t];
            const float sum = (groups == 16 ? tile.sum16 : tile.sum32)[g * tile.tokens + t];
            for (std::size_t r = 0; r < 16; ++r)
                acc[r] += panel.scale[16 * g + r] * scale * static_cast<float>(dot[r]) +
                          panel.offset[16 * g + r] * sum;
        }
        storeRows(output, t, acc);
    }
}

void quantizeRow(const float *x, std::size_t n, std::size_t span, std::int8_t *q, float *scale,
                 float *sum)
{
    constexpr float kRound = 12582912.0f; // 1.5·2^23: adding it rounds to nearest even
    const std::size_t padded = (n + 255) / 256 * 256;
    for (std::size_t i = 0; i < padded; i += span) {
        std::int32_t topBits = 0; // as integers the maximum is NaN when there is one
        for (std::size_t k = i; k < i + span && k < n; ++k)
            topBits = std::max(topBits, std::bit_cast<std::int32_t>(x[k]) & 0x7fffffff);
        const float top = std::bit_cast<float>(topBits);
        const float d = top / 127.0f;
        const float inverse = top > 0.0f ? 127.0f / top : 0.0f;
        for (std::size_t h = i; h < i + span; h += 16) {
            int total = 0;
            for (std::size_t k = h; k < h + 16; ++k) {
                // NaN and infinite rows are spoilt by their scale; the cast must still be defined.
                const float scaled = k < n ? x[k] * inverse : 0.0f;
                const float bounded = scaled > -127.4f && scaled < 127.4f ? scaled : 0.0f;
                const int value = static_cast<int>((bounded + kRound) - kRound);
                q[k] = static_cast<std::int8_t>(value);
                total += value;
            }
            scale[h / 16] = d;
            sum[h / 16] = d * static_cast<float>(total);
        }
    }
}

void multiplyFloatTile(const float *panel, const float *tile, std::size_t tokens, std::size_t count,
                       const TileOutput &output)
{
    if (output.rows > kPanelRows) {
        multiplyFloatTile(panel, tile, tokens, count, ofPanel(output, 0));
        return multiplyFloatTile(panel + kFloatBlock * kPanelRows, tile, tokens, count,
                                 ofPanel(output, 1));
    }
    for (std::size_t t = 0; t < tokens; ++t) {
        float acc[16] = {};
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t r = 0; r < 16; ++r)
                acc[r] += panel[16 * k + r] * tile[tokens * k + t];
        storeRows(output, t, acc);
    }
}

} // namespace

namespace fireside::cpu {

extern const LinearKernels kLinearBaseline;
const LinearKernels kLinearBaseline = {
    Isa::Baseline, quantizeRow,  nullptr,          nullptr,           dotRows,       dotFloatRows,
    unpackPanel,   multiplyTile, unpackFloatPanel, multiplyFloatTile, unpackFloatRow};

} // namespace fireside::cpu
