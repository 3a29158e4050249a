#include "tests/support/golden_types.h"

#include "engine/tensor/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

// Formats and rounding: https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c, the
// functions quantize_row_*_ref.
namespace fireside::test {
namespace {

using Bytes = std::vector<std::byte>;
using Block = std::span<const float, 32>;

void put8(Bytes &out, int value)
{
    out.push_back(static_cast<std::byte>(value));
}

void put16(Bytes &out, std::uint32_t value)
{
    put8(out, static_cast<int>(value & 255));
    put8(out, static_cast<int>(value >> 8));
}

/// Four bits each, the first half of the block in the low ones.
void putNibbles(Bytes &out, const std::array<int, 32> &q)
{
    for (std::size_t i = 0; i < 16; ++i)
        put8(out, (q[i] & 15) | (q[i + 16] & 15) << 4);
}

/// The fifth bits of a block.
void putFifthBits(Bytes &out, const std::array<int, 32> &q)
{
    for (std::size_t i = 0; i < 32; i += 8) {
        int bits = 0;
        for (std::size_t k = 0; k < 8; ++k)
            bits |= (q[i + k] >> 4) << k;
        put8(out, bits);
    }
}

float inverse(float d)
{
    return d != 0 ? 1 / d : 0;
}

float largestMagnitude(Block x)
{
    float most = 0;
    for (const float v : x)
        most = std::max(most, std::abs(v));
    return most;
}

void putF32(Bytes &out, Block x)
{
    const auto bytes = std::as_bytes(x);
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void putBf16(Bytes &out, Block x)
{
    for (const float v : x) {
        const auto bits = std::bit_cast<std::uint32_t>(v);
        put16(out, (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
}

void putQ8_0(Bytes &out, Block x)
{
    const float d = largestMagnitude(x) / 127, id = inverse(d);
    put16(out, floatToHalf(d));
    for (const float v : x)
        put8(out, static_cast<int>(std::round(v * id)));
}

/// Q4_0 (half = 8) and Q5_0 (16): the value of the largest magnitude becomes −half.
template <int half>
void putSymmetric(Bytes &out, Block x)
{
    const float extreme = *std::max_element(
        x.begin(), x.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    const float d = extreme / -half, id = inverse(d);
    std::array<int, 32> q{};
    for (std::size_t i = 0; i < 32; ++i) // rounded once, as their compiler contracts it
        q[i] = std::min(2 * half - 1, static_cast<int>(std::fma(x[i], id, half + 0.5f)));
    put16(out, floatToHalf(d));
    if (half == 16)
        putFifthBits(out, q);
    putNibbles(out, q);
}

/// Q4_1 (top = 15) and Q5_1 (31): from the smallest value to the largest.
template <int top>
void putWithMinimum(Bytes &out, Block x)
{
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const float d = (*high - *low) / top, id = inverse(d);
    std::array<int, 32> q{};
    for (std::size_t i = 0; i < 32; ++i)
        q[i] = std::min(top, static_cast<int>(std::fma(x[i] - *low, id, 0.5f)));
    put16(out, floatToHalf(d));
    put16(out, floatToHalf(*low));
    if (top == 31)
        putFifthBits(out, q);
    putNibbles(out, q);
}

/// The nearest of 16 values times a power of two.
void putMxfp4(Bytes &out, Block x)
{
    constexpr std::array values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}; // halves
    const float most = largestMagnitude(x);
    const int exponent = most > 0 ? std::ilogb(most) - 2 + 127 : 0;
    const float d = std::ldexp(1.0f, exponent - 128);
    std::array<int, 32> q{};
    for (std::size_t i = 0; i < 32; ++i) {
        const auto error = [&](int k) {
            return std::abs(static_cast<float>(values[static_cast<std::size_t>(k)]) * d - x[i]);
        };
        for (int k = 1; k < 16; ++k)
            q[i] = error(k) < error(q[i]) ? k : q[i];
    }
    put8(out, exponent);
    putNibbles(out, q);
}

struct Recipe
{
    std::string_view name;
    std::uint32_t type, fileType; // ids of the format
    void (*put)(Bytes &, Block);
    std::uint64_t hash; // of llama.cpp's file; 0: it wrote none
};

constexpr Recipe kRecipes[] = {
    {"f32", 0, 0, putF32, 0},
    {"bf16", 30, 32, putBf16, 0xc08d7a0740479bd1},
    {"q8_0", 8, 7, putQ8_0, 0x36f6345710d0a221},
    {"q4_0", 2, 2, putSymmetric<8>, 0xe1743180dfcaec17},
    {"q4_1", 3, 3, putWithMinimum<15>, 0x52ae69f760636f56},
    {"q5_0", 6, 8, putSymmetric<16>, 0xef8f740658830ecc},
    {"q5_1", 7, 9, putWithMinimum<31>, 0x366f75208f2cf3f3},
    {"mxfp4", 39, 38, putMxfp4, 0xeb67d0c609c57a90},
};

/// FNV-1a
std::uint64_t hashOf(std::span<const std::byte> bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte b : bytes)
        hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
    return hash;
}

template <typename T>
T readAt(std::span<const std::byte> bytes, std::size_t at)
{
    T value;
    if (at + sizeof value > bytes.size())
        throw std::runtime_error("the golden F16 file is too short");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

template <typename T>
void writeAt(Bytes &bytes, std::size_t at, T value)
{
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::size_t find(std::span<const std::byte> bytes, std::string_view text)
{
    const auto at = std::search(bytes.begin(), bytes.end(), text.begin(), text.end(),
                                [](std::byte b, char c) { return b == std::byte(c); });
    if (at == bytes.end())
        throw std::runtime_error("the golden F16 file lacks " + std::string(text));
    return static_cast<std::size_t>(at - bytes.begin());
}

void pad(Bytes &bytes)
{
    bytes.resize((bytes.size() + 31) / 32 * 32);
}

/// One tensor's data; those of one dimension stay as they are, in F32.
void putTensor(Bytes &data, std::span<const std::byte> from, std::size_t values, bool matrix,
               const Recipe &recipe)
{
    for (std::size_t i = 0; i < values; i += 32) {
        std::array<float, 32> block;
        for (std::size_t k = 0; k < 32; ++k)
            block[k] = matrix ? halfToFloat(readAt<std::uint16_t>(from, 2 * (i + k)))
                              : readAt<float>(from, 4 * (i + k));
        matrix ? recipe.put(data, block) : putF32(data, block);
    }
}

} // namespace

std::vector<std::string> derivedGoldenTypes()
{
    std::vector<std::string> names;
    for (const Recipe &recipe : kRecipes)
        names.emplace_back(recipe.name);
    return names;
}

Bytes goldenAs(const std::string &type, std::span<const std::byte> f16)
{
    const auto recipe = std::find_if(std::begin(kRecipes), std::end(kRecipes),
                                     [&](const Recipe &r) { return r.name == type; });
    if (recipe == std::end(kRecipes))
        throw std::runtime_error("no golden file follows as " + type);
    // Header and tensor table keep their length; types, offsets and the file's type change.
    const auto tensors = readAt<std::uint64_t>(f16, 8);
    const std::string_view first = "token_embd.weight";
    std::size_t at = find(f16, first) - 8;
    std::size_t tableEnd = at;
    for (std::uint64_t i = 0; i < tensors; ++i) {
        tableEnd += 8 + readAt<std::uint64_t>(f16, tableEnd);
        tableEnd += 4 + 8 * readAt<std::uint32_t>(f16, tableEnd) + 12;
    }
    Bytes out(f16.begin(), f16.begin() + static_cast<std::ptrdiff_t>(tableEnd));
    const std::string_view fileType = "general.file_type";
    writeAt(out, find(f16, fileType) + fileType.size() + 4, recipe->fileType);
    const std::size_t dataStart = (tableEnd + 31) / 32 * 32;
    Bytes data;
    for (std::uint64_t i = 0; i < tensors; ++i) {
        at += 8 + readAt<std::uint64_t>(f16, at);
        const auto rank = readAt<std::uint32_t>(f16, at);
        std::size_t values = 1;
        for (std::size_t d = 0; d < rank; ++d)
            values *= readAt<std::uint64_t>(f16, at + 4 + 8 * d);
        at += 4 + 8 * rank;
        const bool matrix = readAt<std::uint32_t>(f16, at) == 1;
        const auto offset = readAt<std::uint64_t>(f16, at + 4);
        if (matrix)
            writeAt(out, at, recipe->type);
        writeAt(out, at + 4, static_cast<std::uint64_t>(data.size()));
        at += 12;
        putTensor(data, f16.subspan(dataStart + offset), values, matrix, *recipe);
        pad(data);
    }
    pad(out);
    out.insert(out.end(), data.begin(), data.end());
    if (recipe->hash != 0 && hashOf(out) != recipe->hash)
        throw std::runtime_error("the golden file made as " + type + " is not llama.cpp's");
    return out;
}

} // namespace fireside::test
