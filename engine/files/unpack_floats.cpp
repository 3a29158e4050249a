#include "engine/files/unpack_weight.h"
#include "engine/tensor/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace fireside {
namespace {

using namespace packed;
using Form = PackedWeight::Form;

constexpr float kFp8Largest = 448, kHalfLargest = 65504;

/// E4M3: four bits of exponent with a bias of 7, three of mantissa, no infinities.
float fp8Value(unsigned code)
{
    const unsigned exponent = (code >> 3) & 15, mantissa = code & 7;
    float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(8 + mantissa),
                                             static_cast<int>(exponent) - 10);
    if ((code & 0x7f) == 0x7f)
        value = std::numeric_limits<float>::quiet_NaN();
    return (code & 0x80) != 0 ? -value : value;
}

/// 32 codes as they are. NaN among them becomes the block's scale; values beyond F16 are an error,
/// as matrices of a device hold that.
void writeF8_E4M3(const PackedWeight &w, const std::byte *codes, float scale, std::byte *out)
{
    constexpr std::uint8_t kNan = 0x7f;
    BlockF8_E4M3 block{.d = scale, .qs = {}};
    std::memcpy(block.qs, codes, sizeof block.qs);
    std::uint8_t largest = 0;
    for (const std::uint8_t code : block.qs)
        largest = std::max<std::uint8_t>(largest, code & 0x7f);
    if (largest == kNan)
        block.d = std::numeric_limits<float>::quiet_NaN();
    else if (!(std::abs(scale) * kFp8Largest <= kHalfLargest))
        halfOf(w, fp8Value(largest) * scale);
    std::memcpy(out, &block, sizeof block);
}

void unpackFp8Blocks(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows,
                     std::byte *out)
{
    for (std::uint64_t row = firstRow; row < firstRow + rows; ++row)
        for (std::uint64_t col = 0; col < w.cols; col += 32, out += sizeof(BlockF8_E4M3))
            writeF8_E4M3(w, w.codes->bytes.data() + row * w.cols + col,
                         scaleAt(w, row, col / w.groupCols), out);
}

/// What each of the 256 codes stands for under a scale; made again where the scale changes.
class Fp8Halves
{
public:
    std::uint16_t at(const PackedWeight &w, unsigned code) const
    {
        return m_beyond ? halfOf(w, fp8Value(code) * m_scale) : m_halves[code];
    }
    void setScale(float scale)
    {
        if (m_made && scale == m_scale)
            return;
        for (unsigned code = 0; code < 256; ++code)
            m_halves[code] = floatToHalf(fp8Value(code) * scale);
        m_scale = scale;
        m_beyond = std::abs(kFp8Largest * scale) > kHalfLargest; // then each is looked at
        m_made = true;
    }

private:
    std::array<std::uint16_t, 256> m_halves{};
    float m_scale = 0;
    bool m_made = false, m_beyond = false;
};

void unpackFp8(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out)
{
    Fp8Halves halves;
    for (std::uint64_t col = 0; col < w.cols; col += w.groupCols) {
        const std::uint64_t end = std::min(w.cols, col + w.groupCols);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint64_t row = firstRow + r;
            halves.setScale(scaleAt(w, row, col / w.groupCols));
            for (std::uint64_t c = col; c < end; ++c) {
                const std::uint16_t half =
                    halves.at(w, loadFrom<std::uint8_t>(*w.codes, row * w.cols + c));
                std::memcpy(out + (r * w.cols + c) * sizeof half, &half, sizeof half);
            }
        }
    }
}

void unpackMxfp4(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out)
{
    const std::uint64_t blocks = w.cols / 32;
    for (std::uint64_t b = firstRow * blocks; b < (firstRow + rows) * blocks; ++b) {
        BlockMXFP4 block{.e = loadFrom<std::uint8_t>(*w.scales, b), .qs = {}};
        std::array<std::uint8_t, 16> pairs{}; // of neighbours
        std::memcpy(pairs.data(), w.codes->bytes.data() + b * pairs.size(), pairs.size());
        for (std::size_t i = 0; i < 16; ++i) {
            const unsigned shift = 4 * (i % 2);
            block.qs[i] = static_cast<std::uint8_t>(((pairs[i / 2] >> shift) & 15) |
                                                    (((pairs[8 + i / 2] >> shift) & 15) << 4));
        }
        std::memcpy(out, &block, sizeof block);
        out += sizeof block;
    }
}

/// What all values of an NVFP4 tensor are multiplied by.
float factorOf(const PackedWeight &w)
{
    const float factor = numberAt(*w.factor, 0);
    return w.inverseScale ? 1 / factor : factor;
}

/// E2M1: sign, two bits of exponent, one of mantissa.
float fp4Value(unsigned code)
{
    constexpr std::array<float, 8> kValues{0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return (code & 8) != 0 ? -kValues[code & 7] : kValues[code & 7];
}

/// The scale of 16 columns, as it lies in the file.
std::uint8_t nvfp4ScaleAt(const PackedWeight &w, std::uint64_t row, std::uint64_t group)
{
    const auto code = loadFrom<std::uint8_t>(*w.scales, row * w.groups() + group);
    if (code >= 0x7f)
        failIn(w, "a scale is negative or not a number");
    return code;
}

/// 16 neighbours as eight bytes, of which the low nibbles come first.
std::uint64_t nvfp4Sixteen(const PackedWeight &w, std::uint64_t row, std::uint64_t col)
{
    const std::uint64_t at = (row * w.cols + col) / 8; // in words
    return spread(loadFrom<std::uint32_t>(*w.codes, at)) |
           spread(loadFrom<std::uint32_t>(*w.codes, at + 1)) << 4;
}

void unpackNvfp4Blocks(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows,
                       std::byte *out)
{
    for (std::uint64_t row = firstRow; row < firstRow + rows; ++row)
        for (std::uint64_t col = 0; col < w.cols; col += 256, out += sizeof(BlockNVFP4_F32)) {
            BlockNVFP4_F32 block{.d = factorOf(w), .scales8 = {}, .qs = {}};
            for (std::size_t g = 0; g < 16; ++g) {
                block.scales8[g] = nvfp4ScaleAt(w, row, col / 16 + g);
                const std::uint64_t codes = nvfp4Sixteen(w, row, col + 16 * g);
                std::memcpy(block.qs + 8 * g, &codes, sizeof codes);
            }
            std::memcpy(out, &block, sizeof block);
        }
}

void unpackNvfp4(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out)
{
    for (std::uint64_t row = firstRow; row < firstRow + rows; ++row)
        for (std::uint64_t col = 0; col < w.cols; ++col, out += sizeof(std::uint16_t)) {
            const float scale = factorOf(w) * fp8Value(nvfp4ScaleAt(w, row, col / 16));
            const unsigned pair = loadFrom<std::uint8_t>(*w.codes, (row * w.cols + col) / 2);
            const std::uint16_t half = halfOf(w, scale * fp4Value(pair >> (4 * (col % 2)) & 15));
            std::memcpy(out, &half, sizeof half);
        }
}

float factorOf(const PackedWeight &w, std::uint64_t row)
{
    return numberAt(*w.factor, w.factor->shape.front() > 1 ? row / w.rows : 0);
}

/// Four of GGUF's blocks as one with the factor.
void joinNvfp4(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out)
{
    const std::uint64_t perRow = w.cols / 64;
    for (std::uint64_t row = firstRow; row < firstRow + rows; ++row)
        for (std::uint64_t b = 0; b < perRow; b += 4, out += sizeof(BlockNVFP4_F32)) {
            BlockNVFP4_F32 block{.d = factorOf(w, row), .scales8 = {}, .qs = {}};
            for (std::size_t i = 0; i < 4; ++i) {
                const auto part = loadFrom<BlockNVFP4>(*w.codes, row * perRow + b + i);
                std::copy_n(part.scales8, 4, block.scales8 + 4 * i);
                std::copy_n(part.qs, 32, block.qs + 32 * i);
            }
            std::memcpy(out, &block, sizeof block);
        }
}

void scaleNvfp4(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, std::byte *out)
{
    const auto cols = static_cast<std::size_t>(w.cols);
    const std::size_t bytes = rowBytes(DType::NVFP4, cols);
    std::vector<float> values(cols);
    for (std::uint64_t row = firstRow; row < firstRow + rows; ++row) {
        dequantizeRow(DType::NVFP4, &w.codes->bytes[row * bytes], values.data(), cols);
        for (std::size_t c = 0; c < cols; ++c, out += sizeof(std::uint16_t)) {
            const std::uint16_t half = halfOf(w, values[c] * factorOf(w, row));
            std::memcpy(out, &half, sizeof half);
        }
    }
}

} // namespace

void packed::unpackFloats(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows,
                          std::byte *out)
{
    if (w.form == Form::Mxfp4)
        unpackMxfp4(w, firstRow, rows, out);
    else if (w.form == Form::Nvfp4Blocks)
        (w.stored == DType::NVFP4_F32 ? joinNvfp4 : scaleNvfp4)(w, firstRow, rows, out);
    else if (w.form == Form::Nvfp4)
        (w.stored == DType::NVFP4_F32 ? unpackNvfp4Blocks : unpackNvfp4)(w, firstRow, rows, out);
    else
        (w.stored == DType::F8_E4M3 ? unpackFp8Blocks : unpackFp8)(w, firstRow, rows, out);
}

} // namespace fireside
