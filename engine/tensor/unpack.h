#pragma once
#include "engine/tensor/chunk.h"
#include "engine/tensor/unpack_grids.h"

// Plain decoders of every type of blocks of whole numbers into chunks of 256 (see
// engine/cpu/linear/linear_kernels.h). Only for the linear_<isa>.cpp files and blocks.cpp: all of
// it is private to the including file, because each is compiled for another processor.
namespace {

constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                        1,    13,   25,  38,  53,  69,  89,  113};
constexpr int kIq4Offset = 127;
constexpr std::int8_t kFp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
constexpr int kFp4Offset = 12;

template <>
inline void unpack<DType::Q4_0>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockQ4_0)) {
        const float d = halfValue(loadAs<std::uint16_t>(p));
        for (std::size_t i = 0; i < 16; ++i) {
            c.q[32 * b + i] = p[2 + i] & 15;
            c.q[32 * b + 16 + i] = p[2 + i] >> 4;
        }
        setGroup32(c, b, d, -8.0f * d);
    }
}

template <>
inline void unpack<DType::Q4_1>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockQ4_1)) {
        for (std::size_t i = 0; i < 16; ++i) {
            c.q[32 * b + i] = p[4 + i] & 15;
            c.q[32 * b + 16 + i] = p[4 + i] >> 4;
        }
        setGroup32(c, b, halfValue(loadAs<std::uint16_t>(p)),
                   halfValue(loadAs<std::uint16_t>(p + 2)));
    }
}

// 5-bit blocks: the fifth bits are one little-endian word.
inline void unpackFives(Bytes nibbles, std::uint32_t high, std::uint8_t *q)
{
    for (std::size_t i = 0; i < 16; ++i) {
        q[i] = static_cast<std::uint8_t>((nibbles[i] & 15) | (((high >> i) & 1) << 4));
        q[16 + i] = static_cast<std::uint8_t>((nibbles[i] >> 4) | (((high >> (16 + i)) & 1) << 4));
    }
}

template <>
inline void unpack<DType::Q5_0>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockQ5_0)) {
        const float d = halfValue(loadAs<std::uint16_t>(p));
        unpackFives(p + 6, loadAs<std::uint32_t>(p + 2), c.q + 32 * b);
        setGroup32(c, b, d, -16.0f * d);
    }
}

template <>
inline void unpack<DType::Q5_1>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockQ5_1)) {
        unpackFives(p + 8, loadAs<std::uint32_t>(p + 4), c.q + 32 * b);
        setGroup32(c, b, halfValue(loadAs<std::uint16_t>(p)),
                   halfValue(loadAs<std::uint16_t>(p + 2)));
    }
}

template <>
inline void unpack<DType::Q8_0>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockQ8_0)) {
        const float d = halfValue(loadAs<std::uint16_t>(p));
        for (std::size_t i = 0; i < 32; ++i)
            c.q[32 * b + i] = p[2 + i] ^ 0x80;
        setGroup32(c, b, d, -128.0f * d);
    }
}

template <>
inline void unpack<DType::Q2_K>(Bytes p, Chunk &c)
{
    const Bytes qs = p + 16;
    const float d = halfValue(loadAs<std::uint16_t>(p + 80));
    const float dmin = halfValue(loadAs<std::uint16_t>(p + 82));
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t i = 0; i < 32; ++i)
                c.q[128 * n + 32 * j + i] = (qs[32 * n + i] >> (2 * j)) & 3;
    for (std::size_t g = 0; g < 16; ++g) {
        c.scale[g] = d * static_cast<float>(p[g] & 15);
        c.offset[g] = -dmin * static_cast<float>(p[g] >> 4);
    }
}

// The twelve bytes of sixteen 6-bit scales, spread to bytes; each stands for itself less 32.
struct SixBitSteps
{
    std::uint64_t first, second;
};
inline SixBitSteps sixBitSteps(Bytes p)
{
    const std::uint64_t low = loadAs<std::uint64_t>(p);
    const std::uint32_t high = loadAs<std::uint32_t>(p + 8);
    const auto top = [&](int shift) -> std::uint32_t {
        return ((high >> shift) & 0x03030303u) << 4;
    };
    return {(low & 0x0f0f0f0f0f0f0f0fu) | top(0) | (static_cast<std::uint64_t>(top(2)) << 32),
            ((low >> 4) & 0x0f0f0f0f0f0f0f0fu) | top(4) |
                (static_cast<std::uint64_t>(top(6)) << 32)};
}

template <>
inline void unpack<DType::Q3_K>(Bytes p, Chunk &c)
{
    const Bytes mask = p, qs = p + 32;
    const float d = halfValue(loadAs<std::uint16_t>(p + 108));
    for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t i = 0; i < 32; ++i)
                c.q[128 * n + 32 * j + i] = static_cast<std::uint8_t>(
                    ((qs[32 * n + i] >> (2 * j)) & 3) | (((mask[i] >> (4 * n + j)) & 1) << 2));
    const SixBitSteps steps = sixBitSteps(p + 96);
    for (std::size_t g = 0; g < 16; ++g) {
        const std::uint64_t eight = g < 8 ? steps.first : steps.second;
        c.scale[g] = d * static_cast<float>(static_cast<int>((eight >> (8 * (g % 8))) & 63) - 32);
        c.offset[g] = -4.0f * c.scale[g];
    }
}

// The twelve bytes of eight 6-bit scales and eight 6-bit minimums, spread to bytes.
struct SixBitPairs
{
    std::uint64_t scales, minimums;
};
inline SixBitPairs sixBitPairs(Bytes p)
{
    const std::uint32_t a = loadAs<std::uint32_t>(p), b = loadAs<std::uint32_t>(p + 4),
                        c = loadAs<std::uint32_t>(p + 8);
    const std::uint32_t scaleHigh = (c & 0x0f0f0f0fu) | ((a >> 2) & 0x30303030u);
    const std::uint32_t minimumHigh = ((c >> 4) & 0x0f0f0f0fu) | ((b >> 2) & 0x30303030u);
    return {(a & 0x3f3f3f3fu) | (static_cast<std::uint64_t>(scaleHigh) << 32),
            (b & 0x3f3f3f3fu) | (static_cast<std::uint64_t>(minimumHigh) << 32)};
}

inline void setSixBitGroups(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    const float dmin = halfValue(loadAs<std::uint16_t>(p + 2));
    const SixBitPairs pairs = sixBitPairs(p + 4);
    for (std::size_t g = 0; g < 8; ++g)
        setGroup32(c, g, d * static_cast<float>((pairs.scales >> (8 * g)) & 63),
                   -dmin * static_cast<float>((pairs.minimums >> (8 * g)) & 63));
}

template <>
inline void unpack<DType::Q4_K>(Bytes p, Chunk &c)
{
    const Bytes qs = p + 16;
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 32; ++i) {
            c.q[64 * j + i] = qs[32 * j + i] & 15;
            c.q[64 * j + 32 + i] = qs[32 * j + i] >> 4;
        }
    setSixBitGroups(p, c);
}

template <>
inline void unpack<DType::Q5_K>(Bytes p, Chunk &c)
{
    const Bytes qh = p + 16, qs = p + 48;
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 32; ++i) {
            c.q[64 * j + i] =
                static_cast<std::uint8_t>((qs[32 * j + i] & 15) | (((qh[i] >> (2 * j)) & 1) << 4));
            c.q[64 * j + 32 + i] = static_cast<std::uint8_t>((qs[32 * j + i] >> 4) |
                                                             (((qh[i] >> (2 * j + 1)) & 1) << 4));
        }
    setSixBitGroups(p, c);
}

template <>
inline void unpack<DType::Q6_K>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p + 208));
    for (std::size_t n = 0; n < 2; ++n) {
        const Bytes ql = p + 64 * n, qh = p + 128 + 32 * n;
        std::uint8_t *q = c.q + 128 * n;
        for (std::size_t i = 0; i < 32; ++i) {
            q[i] = static_cast<std::uint8_t>((ql[i] & 15) | ((qh[i] << 4) & 48));
            q[32 + i] = static_cast<std::uint8_t>((ql[32 + i] & 15) | ((qh[i] << 2) & 48));
            q[64 + i] = static_cast<std::uint8_t>((ql[i] >> 4) | (qh[i] & 48));
            q[96 + i] = static_cast<std::uint8_t>((ql[32 + i] >> 4) | ((qh[i] >> 2) & 48));
        }
    }
    for (std::size_t g = 0; g < 16; ++g) {
        c.scale[g] = d * static_cast<float>(static_cast<std::int8_t>(p[192 + g]));
        c.offset[g] = -32.0f * c.scale[g];
    }
}

inline void unpackTable(Bytes nibbles, const std::int8_t *table, int offset, std::uint8_t *q)
{
    for (std::size_t i = 0; i < 16; ++i) {
        q[i] = static_cast<std::uint8_t>(table[nibbles[i] & 15] + offset);
        q[16 + i] = static_cast<std::uint8_t>(table[nibbles[i] >> 4] + offset);
    }
}

template <>
inline void unpack<DType::IQ4_NL>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockIQ4_NL)) {
        const float d = halfValue(loadAs<std::uint16_t>(p));
        unpackTable(p + 2, kIq4Values, kIq4Offset, c.q + 32 * b);
        setGroup32(c, b, d, -static_cast<float>(kIq4Offset) * d);
    }
}

template <>
inline void unpack<DType::IQ4_XS>(Bytes p, Chunk &c)
{
    const float d = halfValue(loadAs<std::uint16_t>(p));
    const unsigned high = loadAs<std::uint16_t>(p + 2);
    for (std::size_t b = 0; b < 8; ++b) {
        const unsigned low = (p[4 + b / 2] >> (4 * (b % 2))) & 15u;
        const int step = static_cast<int>(low | (((high >> (2 * b)) & 3u) << 4)) - 32;
        unpackTable(p + 8 + 16 * b, kIq4Values, kIq4Offset, c.q + 32 * b);
        const float scale = d * static_cast<float>(step);
        setGroup32(c, b, scale, -static_cast<float>(kIq4Offset) * scale);
    }
}

// 2^(e − 127) / 2, because the table holds doubled values; the first two are subnormal.
inline float fp4Scale(std::uint32_t e)
{
    return asFloat(e < 2 ? 0x00200000u << e : (e - 1) << 23);
}

template <>
inline void unpack<DType::MXFP4>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 8; ++b, p += sizeof(fireside::BlockMXFP4)) {
        const float d = fp4Scale(p[0]);
        unpackTable(p + 1, kFp4Values, kFp4Offset, c.q + 32 * b);
        setGroup32(c, b, d, -static_cast<float>(kFp4Offset) * d);
    }
}

// An E4M3 without sign, halved because the table holds doubled values. 0x7f is 0, as GGML has it.
inline float nvfp4Scale(std::uint8_t code)
{
    const std::uint8_t magnitude = code & 0x7f;
    return magnitude == 0x7f ? 0.0f : 0.5f * fp8Value(magnitude);
}

// Groups of 16: their scales, and eight bytes each whose low nibbles come first.
inline void unpackNvfp4(Bytes scales, Bytes nibbles, std::size_t groups, float factor, Chunk &c,
                        std::size_t first)
{
    for (std::size_t g = 0; g < groups; ++g, nibbles += 8) {
        std::uint8_t *q = c.q + 16 * (first + g);
        for (std::size_t i = 0; i < 8; ++i) {
            q[i] = static_cast<std::uint8_t>(kFp4Values[nibbles[i] & 15] + kFp4Offset);
            q[8 + i] = static_cast<std::uint8_t>(kFp4Values[nibbles[i] >> 4] + kFp4Offset);
        }
        const float scale = factor * nvfp4Scale(scales[g]);
        c.scale[first + g] = scale;
        c.offset[first + g] = -static_cast<float>(kFp4Offset) * scale;
    }
}

template <>
inline void unpack<DType::NVFP4>(Bytes p, Chunk &c)
{
    for (std::size_t b = 0; b < 4; ++b, p += sizeof(fireside::BlockNVFP4))
        unpackNvfp4(p, p + 4, 4, 1.0f, c, 4 * b);
}

template <>
inline void unpack<DType::NVFP4_F32>(Bytes p, Chunk &c)
{
    unpackNvfp4(p + 4, p + 20, 16, loadAs<float>(p), c, 0);
}

using Unpacker = void (*)(Bytes, Chunk &);

[[maybe_unused]] inline Unpacker unpackerFor(DType type) // null for float types
{
    Unpacker found = nullptr;
    fireside::withCodeType(type, [&]<DType Type>() { found = unpack<Type>; });
    return found;
}

constexpr std::size_t chunkBytes(DType type)
{
    return 256 / info(type).blockElements * info(type).blockBytes;
}
constexpr std::size_t kMaxChunkBytes = [] {
    std::size_t most = 0;
    for (const DType type : fireside::kWeightTypes)
        if (info(type).blockElements > 1)
            most = chunkBytes(type) > most ? chunkBytes(type) : most;
    return most;
}();

/// Copies a chunk cut short by the end of the row, so that decoders may read whole chunks.
[[maybe_unused]] inline void copyTail(DType type, Bytes p, std::size_t elements,
                                      std::uint8_t *buffer)
{
    const std::size_t bytes = elements / info(type).blockElements * info(type).blockBytes;
    std::memset(buffer, 0, kMaxChunkBytes);
    std::memcpy(buffer, p, bytes < kMaxChunkBytes ? bytes : kMaxChunkBytes);
}

} // namespace
