#include "engine/files/unpack_weight.h"

#include "engine/tensor/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace fireside {
namespace {

using namespace packed;
using Form = PackedWeight::Form;

constexpr std::size_t kTileRows = 64, kTileCols = 256;

/// Where the eight rows of a word of AWQ lie in it.
constexpr std::array<unsigned, 8> kAwqPlace{0, 4, 1, 5, 2, 6, 3, 7};

int zeroAt(const PackedWeight &w, std::uint64_t row, std::uint64_t group)
{
    if (!w.zeros)
        return w.form == Form::Ternary ? 1 : 1 << (w.bits - 1);
    const std::uint64_t perWord = 32 / w.bits, words = (w.rows + perWord - 1) / perWord;
    const unsigned mask = (1u << w.bits) - 1;
    const std::uint64_t at =
        w.form == Form::Words ? row / perWord * w.groups() + group : group * words + row / perWord;
    const auto place = static_cast<unsigned>(row % perWord);
    const unsigned shift = w.bits * (w.form == Form::Awq ? kAwqPlace[place] : place);
    const unsigned stored = (loadFrom<std::uint32_t>(*w.zeros, at) >> shift) & mask;
    const auto zero = static_cast<int>((stored + static_cast<unsigned>(w.zeroShift)) & mask);
    if (w.checkZeros && zero != 1 << (w.bits - 1))
        failIn(w, "the zero point " + std::to_string(zero) +
                      " is not the middle of the codes, though config.json says 'sym'");
    return zero;
}

/// A part of a matrix: some rows, and the columns of a few blocks.
struct Tile
{
    std::uint64_t row, col;
    std::size_t rows, cols;
    DType type;                  // that the rows become
    const std::int32_t *columns; // of the whole row, group by group; null: in their own order
    alignas(64) std::array<std::uint8_t, kTileRows * kTileCols> codes; // as in the file

    std::uint8_t *rowCodes(std::size_t r) { return &codes[r * kTileCols]; }
};

/// The codes of a word, which lie from its lowest bits on.
void writeWord(std::uint32_t word, unsigned bits, std::uint8_t *out)
{
    const std::uint64_t nibbles = spread(word);
    if (bits == 4)
        std::memcpy(out, &nibbles, sizeof nibbles);
    else
        std::memcpy(out, &word, sizeof word);
}

/// Words along columns, each of several columns of one row.
void readGptq(const PackedWeight &w, Tile &t)
{
    const std::size_t perWord = 32 / w.bits;
    for (std::size_t c = 0; c < t.cols; c += perWord) {
        const std::uint64_t first = (t.col + c) / perWord * w.rows + t.row;
        for (std::size_t r = 0; r < t.rows; ++r)
            writeWord(loadFrom<std::uint32_t>(*w.codes, first + r), w.bits, t.rowCodes(r) + c);
    }
}

/// Rows and columns of 8 × 8 bytes exchanged.
void transpose(std::array<std::uint64_t, 8> &m)
{
    const auto exchange = [&m](std::size_t step, unsigned bits, std::uint64_t mask) {
        for (std::size_t i = 0; i < 8; ++i) {
            if ((i & step) != 0)
                continue;
            const std::uint64_t difference = ((m[i] >> bits) ^ m[i + step]) & mask;
            m[i + step] ^= difference;
            m[i] ^= difference << bits;
        }
    };
    exchange(4, 32, 0x00000000ffffffffu);
    exchange(2, 16, 0x0000ffff0000ffffu);
    exchange(1, 8, 0x00ff00ff00ff00ffu);
}

/// Words of eight rows, of which a tile may want some.
void readAwq(const PackedWeight &w, Tile &t)
{
    const std::uint64_t end = t.row + t.rows;
    for (std::uint64_t word = t.row / 8; word * 8 < end; ++word)
        for (std::size_t c = 0; c < t.cols; c += 8) {
            std::array<std::uint64_t, 8> columns{};
            for (std::size_t i = 0; i < std::min<std::size_t>(8, t.cols - c); ++i)
                columns[i] = spread(
                    loadFrom<std::uint32_t>(*w.codes, (t.col + c + i) * (w.rows / 8) + word));
            transpose(columns);
            for (std::size_t i = 0; i < 8; ++i)
                if (const std::uint64_t row = word * 8 + i; row >= t.row && row < end)
                    std::memcpy(t.rowCodes(static_cast<std::size_t>(row - t.row)) + c,
                                &columns[kAwqPlace[i]], sizeof columns[0]);
        }
}

void readWords(const PackedWeight &w, Tile &t)
{
    const std::size_t perWord = 32 / w.bits;
    const std::uint64_t words = w.codes->shape[1];
    for (std::size_t r = 0; r < t.rows; ++r)
        for (std::size_t c = 0; c < t.cols; c += perWord)
            writeWord(
                loadFrom<std::uint32_t>(*w.codes, (t.row + r) * words + (t.col + c) / perWord),
                w.bits, t.rowCodes(r) + c);
}

/// Signed bytes, from −128 on.
void readBytes(const PackedWeight &w, Tile &t)
{
    for (std::size_t r = 0; r < t.rows; ++r) {
        const std::byte *const from = w.codes->bytes.data() + (t.row + r) * w.cols + t.col;
        for (std::size_t c = 0; c < t.cols; ++c)
            t.rowCodes(r)[c] = static_cast<std::uint8_t>(from[c]) ^ 0x80;
    }
}

void readTernary(const PackedWeight &w, Tile &t)
{
    const std::uint64_t quarter = w.rows / 4;
    for (std::size_t r = 0; r < t.rows; ++r) {
        const std::uint64_t row = t.row + r;
        const auto shift = static_cast<unsigned>(2 * (row / quarter));
        const std::byte *const from = w.codes->bytes.data() + row % quarter * w.cols + t.col;
        for (std::size_t c = 0; c < t.cols; ++c)
            t.rowCodes(r)[c] = (static_cast<std::uint8_t>(from[c]) >> shift) & 3;
    }
}

/// Columns from anywhere in the row, of formats whose words hold several of one row.
void readColumns(const PackedWeight &w, Tile &t)
{
    const std::uint64_t perWord = 32 / w.bits, wordsOfRow = w.codes->shape[1];
    const std::uint32_t mask = (1u << w.bits) - 1;
    for (std::size_t c = 0; c < t.cols; ++c) {
        const auto column = static_cast<std::uint64_t>(t.columns[t.col + c]);
        const auto shift = static_cast<unsigned>(column % perWord) * w.bits;
        const std::uint64_t word = column / perWord;
        for (std::size_t r = 0; r < t.rows; ++r) {
            const std::uint64_t at =
                w.form == Form::Gptq ? word * w.rows + t.row + r : (t.row + r) * wordsOfRow + word;
            t.rowCodes(r)[c] =
                static_cast<std::uint8_t>(loadFrom<std::uint32_t>(*w.codes, at) >> shift & mask);
        }
    }
}

void readCodes(const PackedWeight &w, Tile &t)
{
    if (t.columns)
        return readColumns(w, t);
    switch (w.form) {
    case Form::Gptq:
        return readGptq(w, t);
    case Form::Awq:
        return readAwq(w, t);
    case Form::Words:
        return readWords(w, t);
    case Form::Bytes:
        return readBytes(w, t);
    case Form::Ternary:
        return readTernary(w, t);
    case Form::Fp8:
    case Form::Mxfp4:
    case Form::Nvfp4:
    case Form::Nvfp4Blocks:
        break;
    }
}

/// Eight codes, each with so much added that it stays within a byte.
std::uint64_t shifted(const std::uint8_t *q, int added)
{
    std::uint64_t eight = 0;
    std::memcpy(&eight, q, sizeof eight);
    return eight + static_cast<std::uint64_t>(added) * 0x0101010101010101u;
}

/// 32 codes less their zero as a block.
void writeQ4_0(const std::uint8_t *q, int zero, std::uint16_t d, std::byte *out)
{
    BlockQ4_0 block{.d = d, .qs = {}};
    for (std::size_t i = 0; i < 16; i += 8) {
        const std::uint64_t pairs = shifted(q + i, 8 - zero) | shifted(q + 16 + i, 8 - zero) << 4;
        std::memcpy(block.qs + i, &pairs, sizeof pairs);
    }
    std::memcpy(out, &block, sizeof block);
}

void writeQ5_0(const std::uint8_t *q, int zero, std::uint16_t d, std::byte *out)
{
    constexpr std::uint64_t kLow = 0x0f0f0f0f0f0f0f0fu, kOnes = 0x0101010101010101u;
    BlockQ5_0 block{.d = d, .qh = {}, .qs = {}};
    std::array<std::uint64_t, 4> codes{};
    for (std::size_t i = 0; i < 4; ++i) {
        codes[i] = shifted(q + 8 * i, 16 - zero);
        // The fifth bits of eight codes come together.
        block.qh[i] =
            static_cast<std::uint8_t>(((codes[i] >> 4 & kOnes) * 0x0102040810204080u) >> 56);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const std::uint64_t pairs = (codes[i] & kLow) | (codes[2 + i] & kLow) << 4;
        std::memcpy(block.qs + 8 * i, &pairs, sizeof pairs);
    }
    std::memcpy(out, &block, sizeof block);
}

void writeQ8_0(const std::uint8_t *q, int zero, std::uint16_t d, std::byte *out)
{
    BlockQ8_0 block{.d = d, .qs = {}};
    for (std::size_t i = 0; i < 32; ++i)
        block.qs[i] = static_cast<std::int8_t>(q[i] - zero);
    std::memcpy(out, &block, sizeof block);
}

/// 256 codes 0, 1, 2 for −scale, 0, scale.
void writeTQ2_0(const std::uint8_t *q, std::uint16_t d, std::byte *out)
{
    BlockTQ2_0 block{.qs = {}, .d = d};
    for (std::size_t i = 0; i < 256; ++i)
        block.qs[i / 128 * 32 + i % 32] |= static_cast<std::uint8_t>(q[i] << (2 * (i % 128 / 32)));
    std::memcpy(out, &block, sizeof block);
}

/// 32 values rounded to 8 bits.
void roundToQ8_0(const PackedWeight &w, const float *values, std::byte *out)
{
    float most = 0;
    for (std::size_t i = 0; i < 32; ++i)
        most = std::max(most, std::abs(values[i]));
    BlockQ8_0 block{.d = halfOf(w, most / 127), .qs = {}};
    const float d = halfToFloat(block.d);
    for (std::size_t i = 0; i < 32 && d > 0; ++i)
        block.qs[i] =
            static_cast<std::int8_t>(std::clamp(std::nearbyint(values[i] / d), -127.0f, 127.0f));
    std::memcpy(out, &block, sizeof block);
}

/// A row of a tile whose groups do not follow its blocks, by its values.
void writeValues(const PackedWeight &w, Tile &t, std::size_t r, std::byte *out)
{
    std::array<float, kTileCols> values{};
    std::uint64_t known = std::numeric_limits<std::uint64_t>::max();
    float scale = 0;
    int zero = 0;
    for (std::size_t c = 0; c < t.cols; ++c) {
        const std::uint64_t group =
            w.order ? loadFrom<std::uint32_t>(*w.order, t.col + c) : (t.col + c) / w.groupCols;
        if (group != known) {
            known = group;
            scale = scaleAt(w, t.row + r, group);
            zero = zeroAt(w, t.row + r, group);
        }
        values[c] = scale * static_cast<float>(t.rowCodes(r)[c] - zero);
    }
    if (w.stored == DType::Q8_0) {
        for (std::size_t c = 0; c < t.cols; c += 32)
            roundToQ8_0(w, &values[c], out + c / 32 * sizeof(BlockQ8_0));
        return;
    }
    for (std::size_t c = 0; c < t.cols; ++c) {
        const std::uint16_t half = halfOf(w, values[c]);
        std::memcpy(out + c * sizeof half, &half, sizeof half);
    }
}

void writeRow(const PackedWeight &w, Tile &t, std::size_t r, std::byte *out)
{
    const bool follow = w.groupCols % 32 == 0 && (!w.order || t.columns);
    if (t.type == DType::F16 || !follow)
        return writeValues(w, t, r, out);
    const std::uint8_t *const q = t.rowCodes(r);
    const std::uint64_t row = t.row + r;
    if (t.type == DType::TQ2_0)
        return writeTQ2_0(q, halfOf(w, scaleAt(w, row, t.col / w.groupCols)), out);
    const std::size_t size = info(t.type).blockBytes;
    std::uint64_t known = std::numeric_limits<std::uint64_t>::max();
    std::uint16_t scale = 0;
    int zero = 0;
    for (std::size_t c = 0; c < t.cols; c += 32, out += size) {
        if (const std::uint64_t group = (t.col + c) / w.groupCols; group != known) {
            known = group;
            scale = halfOf(w, scaleAt(w, row, group));
            zero = zeroAt(w, row, group);
        }
        if (t.type == DType::Q4_0)
            writeQ4_0(q + c, zero, scale, out);
        else if (t.type == DType::Q5_0)
            writeQ5_0(q + c, zero, scale, out);
        else
            writeQ8_0(q + c, zero, scale, out);
    }
}

void unpackTiles(const PackedWeight &w, std::uint64_t firstRow, std::size_t rows, ColumnOrder order,
                 std::byte *out)
{
    const bool byGroup = order == ColumnOrder::ByGroup && !w.columns.empty();
    Tile tile{.row = firstRow,
              .col = 0,
              .rows = rows,
              .cols = 0,
              .type = byGroup ? w.storedByGroup : w.stored,
              .columns = byGroup ? w.columns.data() : nullptr,
              .codes = {}};
    const std::size_t row = rowBytes(tile.type, static_cast<std::size_t>(w.cols));
    for (; tile.col < w.cols; tile.col += kTileCols) {
        tile.cols = static_cast<std::size_t>(std::min<std::uint64_t>(kTileCols, w.cols - tile.col));
        readCodes(w, tile);
        const std::size_t at = rowBytes(tile.type, static_cast<std::size_t>(tile.col));
        for (std::size_t r = 0; r < rows; ++r)
            writeRow(w, tile, r, out + r * row + at);
    }
}

bool isOfFloats(Form form)
{
    return form == Form::Fp8 || form == Form::Mxfp4 || form == Form::Nvfp4 ||
           form == Form::Nvfp4Blocks;
}

} // namespace

void unpackRows(const PackedWeight &w, std::uint64_t firstRow, std::uint64_t rows, std::byte *out,
                ColumnOrder order)
{
    const DType type = order == ColumnOrder::ByGroup ? w.productType() : w.stored;
    const std::size_t row = rowBytes(type, static_cast<std::size_t>(w.cols));
    while (rows > 0) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows, kTileRows));
        if (isOfFloats(w.form))
            packed::unpackFloats(w, firstRow, count, out);
        else
            unpackTiles(w, firstRow, count, order, out);
        firstRow += count;
        rows -= count;
        out += count * row;
    }
}

} // namespace fireside
