#include "engine/vulkan/weights/vulkan_weight.h"

#include <cstring>
#include <iterator>

// Takes blocks apart into the planes of tensor/weight_types.def. All work is done on 32-bit words,
// whose bytes hold four consecutive elements: loading runs at the speed of memory.
namespace fireside::vulkan {
namespace {

constexpr std::uint32_t kLow4 = 0x0f0f0f0f;
constexpr std::uint32_t kLow2 = 0x03030303;
constexpr std::uint32_t kLow1 = 0x01010101;
// What the nibbles of a file become; see planes.h.
constexpr std::uint8_t kNonLinearCodes[16] = {4, 5, 8, 6, 2, 14, 3, 7, 12, 0, 13, 1, 9, 15, 11, 10};
constexpr std::uint8_t kFp4Codes[16] = {1, 15, 3,  4,  5,  7, 9, 13, //
                                        1, 0,  12, 11, 10, 8, 6, 2};

std::uint32_t load(const std::byte *from)
{
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}
void store(std::byte *to, std::uint32_t word)
{
    std::memcpy(to, &word, sizeof word);
}

// Two words of nibbles that belong to elements 0–3 and 4–7 of a word of the 4-bit plane.
std::uint32_t lowNibbles(std::uint32_t first, std::uint32_t second)
{
    return (first & kLow4) | (second & kLow4) << 4;
}
std::uint32_t highNibbles(std::uint32_t first, std::uint32_t second)
{
    return (first >> 4 & kLow4) | (second & ~kLow4);
}

// 16 bytes whose low nibbles are elements 0–15 of a group, whose high nibbles are 16–31.
void nibbles32(const std::byte *from, std::byte *to)
{
    for (int w = 0; w < 2; ++w) {
        const std::uint32_t first = load(from + 8 * w), second = load(from + 8 * w + 4);
        store(to + 4 * w, lowNibbles(first, second));
        store(to + 8 + 4 * w, highNibbles(first, second));
    }
}
// 32 bytes whose low nibbles are one group, whose high nibbles are another.
void nibbles64(const std::byte *from, std::byte *low, std::byte *high)
{
    for (int w = 0; w < 4; ++w) {
        const std::uint32_t first = load(from + 8 * w), second = load(from + 8 * w + 4);
        store(low + 4 * w, lowNibbles(first, second));
        store(high + 4 * w, highNibbles(first, second));
    }
}
// 32 bytes that hold four groups in two bits each: from the lowest two on.
void pairs128(const std::byte *from, std::byte *to)
{
    for (int k = 0; k < 2; ++k) {
        std::uint32_t words[4];
        std::memcpy(words, from + 16 * k, sizeof words);
        for (int group = 0; group < 4; ++group) {
            std::uint32_t out = 0;
            for (int s = 0; s < 4; ++s)
                out |= (words[s] >> (2 * group) & kLow2) << (2 * s);
            store(to + 8 * group + 4 * k, out);
        }
    }
}
// 32 bytes that hold eight groups in one bit each: from the lowest one on.
void bits256(const std::byte *from, std::byte *to)
{
    std::uint32_t words[8];
    std::memcpy(words, from, sizeof words);
    for (int group = 0; group < 8; ++group) {
        std::uint32_t out = 0;
        for (int s = 0; s < 8; ++s)
            out |= (words[s] >> group & kLow1) << s;
        store(to + 4 * group, out);
    }
}
// What a byte of two nibbles, of elements 0 and 16, becomes in the two halves of 16 bytes of a
// plane.
struct Spread
{
    std::uint64_t first = 0, second = 0;
};
using SpreadBytes = std::array<Spread, 256>;
// Each half holds two slices.
constexpr SpreadBytes kNonLinearSlices = [] {
    SpreadBytes all;
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const std::uint64_t codes[2] = {kNonLinearCodes[byte & 15], kNonLinearCodes[byte >> 4]};
        for (int i = 0; i < 2; ++i) {
            all[byte].first |= ((codes[i] & 1) | (codes[i] >> 1 & 1) << 32) << (4 * i);
            all[byte].second |= ((codes[i] >> 2 & 1) | (codes[i] >> 3) << 32) << (4 * i);
        }
    }
    return all;
}();
constexpr SpreadBytes kFp4Nibbles = [] {
    SpreadBytes all;
    for (std::size_t byte = 0; byte < 256; ++byte)
        all[byte] = {kFp4Codes[byte & 15], kFp4Codes[byte >> 4]};
    return all;
}();
// 16 bytes whose low nibbles are elements 0–15 of a group, whose high nibbles are 16–31, by a
// table. Of elements 0, 4 and 8 and so on, bits lie `four` and `eight` apart.
void spread32(const SpreadBytes &table, std::size_t four, std::size_t eight, const std::byte *from,
              std::byte *to)
{
    std::uint64_t out[2] = {};
    for (std::size_t i = 0; i < 16; ++i) {
        const Spread &spread = table[static_cast<std::size_t>(from[i])];
        const std::size_t at = 8 * (i % 4) + four * (i / 4 % 2) + eight * (i / 8);
        out[0] |= spread.first << at;
        out[1] |= spread.second << at;
    }
    std::memcpy(to, out, sizeof out);
}
void nonLinear32(const std::byte *from, std::byte *to)
{
    spread32(kNonLinearSlices, 1, 2, from, to);
}
void fp4Nibbles32(const std::byte *from, std::byte *to)
{
    spread32(kFp4Nibbles, 4, 32, from, to);
}
// 32 bits in the order of the elements: bit 4s + b goes to bit 8b + s.
void bits32(const std::byte *from, std::byte *to)
{
    const std::uint32_t word = load(from);
    std::uint32_t out = 0;
    for (int b = 0; b < 4; ++b) {
        std::uint32_t x = word >> b & 0x11111111;
        x = (x | x >> 3) & kLow2;
        x = (x | x >> 6) & 0x000f000f;
        x = (x | x >> 12) & 0xff;
        out |= x << (8 * b);
    }
    store(to, out);
}

// Bytes of two words in turn.
void interleave(std::uint32_t even, std::uint32_t odd, std::byte *to)
{
    const auto spread = [](std::uint32_t two) { return (two & 0xff) | (two & 0xff00) << 8; };
    store(to, spread(even) | spread(odd) << 8);
    store(to + 4, spread(even >> 16) | spread(odd >> 16) << 8);
}
// The twelve bytes of scales and minima of Q4_K and Q5_K, to a byte each: scale, minimum, scale …
void scalesAndMinima(const std::byte *from, std::byte *to)
{
    // Bytes of `scale` and `minimum`: j = 0…3 in their low 6 bits; `rest`: low 4 bits of j = 4…7 of
    // both, whose high 2 bits are the high ones of the other two.
    constexpr std::uint32_t kLow6 = 0x3f3f3f3f;
    const std::uint32_t scale = load(from), minimum = load(from + 4), rest = load(from + 8);
    interleave(scale & kLow6, minimum & kLow6, to);
    interleave((rest & kLow4) | (scale >> 6 & kLow2) << 4,
               (rest >> 4 & kLow4) | (minimum >> 6 & kLow2) << 4, to + 8);
}
// The eight bytes before the quants of IQ4_XS: d, high 2 bits and low 4 bits of eight 6-bit scales,
// to d and signed bytes.
void scalesOfIq4Xs(const std::byte *from, std::byte *scales, std::byte *d)
{
    std::memcpy(d, from, 2);
    const std::uint32_t high = load(from) >> 16, low = load(from + 4);
    for (std::uint32_t j = 0; j < 8; ++j) {
        const std::uint32_t raw = (low >> (4 * j) & 15) | (high >> (2 * j) & 3) << 4;
        scales[j] = static_cast<std::byte>(raw - 32);
    }
}
// The twelve bytes of 6-bit scales of Q3_K, to signed bytes.
void scalesOfQ3K(const std::byte *from, std::byte *to)
{
    const std::uint32_t high = load(from + 8);
    for (int k = 0; k < 4; ++k) {
        const std::uint32_t low = load(from + 4 * (k % 2)) >> (4 * (k / 2)) & kLow4;
        const std::uint32_t raw = low | (high >> (2 * k) & kLow2) << 4;
        store(to + 4 * k, ((raw | 0x80808080) - 0x20202020) ^ 0x80808080); // raw − 32 per byte
    }
}

using Planes = std::array<std::byte *, 4>;

// One block at `b`, the n-th of the run: which planes it becomes.
template <DType type>
void block(const std::byte *b, std::size_t n, const Planes &p) = delete;
template <>
void block<DType::Q4_0>(const std::byte *b, std::size_t n, const Planes &p)
{
    nibbles32(b + 2, p[0] + 16 * n);
    std::memcpy(p[1] + 2 * n, b, 2);
}
template <>
void block<DType::IQ4_NL>(const std::byte *b, std::size_t n, const Planes &p)
{
    nonLinear32(b + 2, p[0] + 16 * n);
    std::memcpy(p[1] + 2 * n, b, 2);
}
template <>
void block<DType::Q4_1>(const std::byte *b, std::size_t n, const Planes &p)
{
    nibbles32(b + 4, p[0] + 16 * n);
    std::memcpy(p[1] + 4 * n, b, 4);
}
template <>
void block<DType::Q5_0>(const std::byte *b, std::size_t n, const Planes &p)
{
    nibbles32(b + 6, p[0] + 16 * n);
    bits32(b + 2, p[1] + 4 * n);
    std::memcpy(p[2] + 2 * n, b, 2);
}
template <>
void block<DType::Q5_1>(const std::byte *b, std::size_t n, const Planes &p)
{
    nibbles32(b + 8, p[0] + 16 * n);
    bits32(b + 4, p[1] + 4 * n);
    std::memcpy(p[2] + 4 * n, b, 4);
}
template <>
void block<DType::Q8_0>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 32 * n, b + 2, 32);
    std::memcpy(p[1] + 2 * n, b, 2);
}
template <>
void block<DType::MXFP4>(const std::byte *b, std::size_t n, const Planes &p)
{
    fp4Nibbles32(b + 1, p[0] + 16 * n);
    p[1][n] = b[0];
}
// 16 bytes, eights whose low nibbles are elements of their own before the high ones.
void fp4Eights32(const std::byte *from, std::byte *to)
{
    constexpr std::uint64_t kLow = 0x0f0f0f0f0f0f0f0f;
    std::uint64_t eights[2];
    std::memcpy(eights, from, sizeof eights);
    const std::uint64_t sixteens[2] = {(eights[0] & kLow) | (eights[1] & kLow) << 4,
                                       (eights[0] >> 4 & kLow) | (eights[1] & ~kLow)};
    fp4Nibbles32(reinterpret_cast<const std::byte *>(sixteens), to);
}
template <>
void block<DType::NVFP4>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t k = 0; k < 2; ++k)
        fp4Eights32(b + 4 + 16 * k, p[0] + 32 * n + 16 * k);
    std::memcpy(p[1] + 4 * n, b, 4);
}
template <>
void block<DType::NVFP4_F32>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t k = 0; k < 8; ++k)
        fp4Eights32(b + 20 + 16 * k, p[0] + 128 * n + 16 * k);
    std::memcpy(p[1] + 16 * n, b + 4, 16);
    std::memcpy(p[2] + 4 * n, b, 4);
}
template <>
void block<DType::F8_E4M3>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 32 * n, b + 4, 32);
    std::memcpy(p[1] + 4 * n, b, 4);
}
template <>
void block<DType::Q2_K>(const std::byte *b, std::size_t n, const Planes &p)
{
    pairs128(b + 16, p[0] + 64 * n);
    pairs128(b + 48, p[0] + 64 * n + 32);
    std::memcpy(p[1] + 16 * n, b, 16);
    std::memcpy(p[2] + 4 * n, b + 80, 4);
}
template <>
void block<DType::Q3_K>(const std::byte *b, std::size_t n, const Planes &p)
{
    pairs128(b + 32, p[0] + 64 * n);
    pairs128(b + 64, p[0] + 64 * n + 32);
    bits256(b, p[1] + 32 * n);
    scalesOfQ3K(b + 96, p[2] + 16 * n);
    std::memcpy(p[3] + 2 * n, b + 108, 2);
}
template <>
void block<DType::Q4_K>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t k = 0; k < 4; ++k) {
        std::byte *to = p[0] + 128 * n + 32 * k;
        nibbles64(b + 16 + 32 * k, to, to + 16);
    }
    scalesAndMinima(b + 4, p[1] + 16 * n);
    std::memcpy(p[2] + 4 * n, b, 4);
}
template <>
void block<DType::Q5_K>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t k = 0; k < 4; ++k) {
        std::byte *to = p[0] + 128 * n + 32 * k;
        nibbles64(b + 48 + 32 * k, to, to + 16);
    }
    bits256(b + 16, p[1] + 32 * n);
    scalesAndMinima(b + 4, p[2] + 16 * n);
    std::memcpy(p[3] + 4 * n, b, 4);
}
template <>
void block<DType::Q6_K>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t half = 0; half < 2; ++half) {
        std::byte *to = p[0] + 128 * n + 64 * half;
        nibbles64(b + 64 * half, to, to + 32);
        nibbles64(b + 64 * half + 32, to + 16, to + 48);
        pairs128(b + 128 + 32 * half, p[1] + 64 * n + 32 * half);
    }
    std::memcpy(p[2] + 16 * n, b + 192, 16);
    std::memcpy(p[3] + 2 * n, b + 208, 2);
}
template <>
void block<DType::IQ4_XS>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (std::size_t k = 0; k < 8; ++k)
        nonLinear32(b + 8 + 16 * k, p[0] + 128 * n + 16 * k);
    scalesOfIq4Xs(b, p[1] + 8 * n, p[2] + 2 * n);
}

// The types below keep signs as a 1-bit plane does.

std::uint32_t shorts(const std::byte *from, int index)
{
    std::uint16_t value;
    std::memcpy(&value, from + 2 * index, sizeof value);
    return value;
}
std::uint32_t bits32(std::uint32_t word)
{
    std::byte bytes[4];
    store(bytes, word);
    bits32(bytes, bytes);
    return load(bytes);
}
// Four times seven signs of eight elements. The plane has no room to spare for the eighth, which
// follows from the others: in its place, at bits 25, 27, 29 and 31, are four bits of something
// else.
std::uint32_t sevenSigns(std::uint32_t signs, std::uint32_t four)
{
    std::uint32_t word = 0;
    for (int k = 0; k < 4; ++k)
        word |= ((signs >> (7 * k) & 127) | (four >> k & 1) << 7) << (8 * k);
    return bits32(word);
}
template <>
void block<DType::IQ2_XXS>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (int g = 0; g < 8; ++g) {
        const std::byte *from = b + 2 + 8 * g;
        std::byte *to = p[0] + 64 * n + 8 * g;
        const std::uint32_t word = load(from + 4);
        std::memcpy(to, from, 4);
        store(to + 4, sevenSigns(word, word >> 28));
    }
    std::memcpy(p[1] + 2 * n, b, 2);
}
template <>
void block<DType::IQ2_XS>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (int g = 0; g < 8; ++g) {
        std::uint32_t low = 0, high = 0, signs = 0;
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t code = shorts(b + 2, 4 * g + k);
            low |= (code & 255) << (8 * k);
            high |= (code >> 8 & 1) << k;
            signs |= code >> 9 << (7 * k);
        }
        store(p[0] + 64 * n + 8 * g, low);
        store(p[0] + 64 * n + 8 * g + 4, sevenSigns(signs, high));
    }
    std::memcpy(p[1] + 8 * n, b + 66, 8);
    std::memcpy(p[2] + 2 * n, b, 2);
}
template <>
void block<DType::IQ2_S>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (int g = 0; g < 8; ++g) {
        std::byte *to = p[0] + 64 * n + 8 * g;
        std::memcpy(to, b + 2 + 4 * g, 4);
        bits32(b + 34 + 4 * g, to + 4);
        p[1][16 * n + 2 * g] = b[66 + g];
        p[1][16 * n + 2 * g + 1] = b[74 + g];
    }
    std::memcpy(p[2] + 2 * n, b, 2);
}
template <>
void block<DType::IQ3_XXS>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 64 * n, b + 2, 64);
    for (int g = 0; g < 8; ++g) {
        const std::uint32_t word = load(b + 66 + 4 * g);
        store(p[1] + 32 * n + 4 * g, sevenSigns(word, word >> 28));
    }
    std::memcpy(p[2] + 2 * n, b, 2);
}
template <>
void block<DType::IQ3_S>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 64 * n, b + 2, 64);
    for (int g = 0; g < 8; ++g)
        bits32(b + 74 + 4 * g, p[1] + 32 * n + 4 * g);
    std::memcpy(p[2] + 8 * n, b + 66, 8);
    std::memcpy(p[3] + 6 * n, b + 106, 4);
    std::memcpy(p[3] + 6 * n + 4, b, 2);
}
template <>
void block<DType::IQ1_S>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 32 * n, b + 2, 32);
    std::memcpy(p[1] + 16 * n, b + 34, 16);
    std::memcpy(p[2] + 2 * n, b, 2);
}
template <>
void block<DType::IQ1_M>(const std::byte *b, std::size_t n, const Planes &p)
{
    std::memcpy(p[0] + 32 * n, b, 32);
    std::memcpy(p[1] + 16 * n, b + 32, 16);
    std::memcpy(p[2] + 8 * n, b + 48, 8);
}
template <>
void block<DType::TQ2_0>(const std::byte *b, std::size_t n, const Planes &p)
{
    pairs128(b, p[0] + 64 * n);
    pairs128(b + 32, p[0] + 64 * n + 32);
    std::memcpy(p[1] + 2 * n, b + 64, 2);
}
// Digit `digit` to the base 3 of each of four bytes; see unpackDigits() in tensor/unpack_grids.h.
std::uint32_t digits(const std::byte *from, int digit)
{
    constexpr std::uint32_t kPower[5] = {1, 3, 9, 27, 81}, kEven = 0x00ff00ff;
    const std::uint32_t word = load(from), power = kPower[digit];
    const auto top = [&](std::uint32_t two) { return ((two * power & kEven) * 3) >> 8 & kEven; };
    return top(word & kEven) | top(word >> 8 & kEven) << 8;
}
template <>
void block<DType::TQ1_0>(const std::byte *b, std::size_t n, const Planes &p)
{
    for (int quad = 0; quad < 64; ++quad) {
        const int in = quad % 8; // of the group
        const std::uint32_t four = quad < 40   ? digits(b + 4 * in, quad / 8)
                                   : quad < 60 ? digits(b + 32 + 4 * (quad % 4), (quad - 40) / 4)
                                               : digits(b + 48, quad - 60);
        std::byte *to = p[0] + 64 * n + 8 * (quad / 8) + 4 * (in / 4);
        store(to, (in % 4 == 0 ? 0 : load(to)) | four << (2 * (in % 4)));
    }
    std::memcpy(p[1] + 2 * n, b + 52, 2);
}

template <DType type>
void blocks(const std::byte *rows, std::size_t count, const Planes &out)
{
    const std::size_t bytes = info(type).blockBytes;
    for (std::size_t n = 0; n < count; ++n)
        block<type>(rows + n * bytes, n, out);
}

void plainRows(const std::byte *rows, std::size_t rowBytes, std::size_t paddedBytes,
               std::size_t count, std::byte *out)
{
    if (rowBytes == paddedBytes) {
        std::memcpy(out, rows, rowBytes * count);
        return;
    }
    for (std::size_t r = 0; r < count; ++r) {
        std::memcpy(out + r * paddedBytes, rows + r * rowBytes, rowBytes);
        std::memset(out + r * paddedBytes + rowBytes, 0, paddedBytes - rowBytes);
    }
}

} // namespace

void layOut(DType type, const std::byte *rows, std::int64_t cols, std::int64_t count,
            const std::array<std::byte *, 4> &out)
{
    const DTypeInfo &format = info(type);
    if (format.blockElements == 1) {
        plainRows(rows, rowBytes(type, static_cast<std::size_t>(cols)),
                  static_cast<std::size_t>(paddedCols(cols)) * format.blockBytes,
                  static_cast<std::size_t>(count), out[0]);
        return;
    }
    const std::size_t n =
        static_cast<std::size_t>(cols) / format.blockElements * static_cast<std::size_t>(count);
    withBlockType(type, [&]<DType Type>() { blocks<Type>(rows, n, out); });
}

} // namespace fireside::vulkan
