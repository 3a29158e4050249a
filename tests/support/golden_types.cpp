#include "tests/support/golden_types.h"

#include "engine/tensor/half.h"
#include "tests/support/golden_weights.h"

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

/// Rounded to float before anything is added, whatever this compiler likes to contract.
float product(float a, float b)
{
    return static_cast<float>(double{a} * double{b});
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

void putF16(Bytes &out, Block x)
{
    for (const float v : x)
        put16(out, floatToHalf(v));
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
    for (std::size_t i = 0; i < 32; ++i)
        q[i] = std::min(2 * half - 1, static_cast<int>(product(x[i], id) + (half + 0.5f)));
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
        q[i] = std::min(top, static_cast<int>(product(x[i] - *low, id) + 0.5f));
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
    std::uint64_t hash; // of what llama.cpp wrote; 0: it wrote none
};

constexpr Recipe kRecipes[] = {
    {"f32", 0, 0, putF32, 0},
    {"f16", 1, 1, putF16, 0x1a894db67a3fce55},
    {"bf16", 30, 32, putBf16, 0x525c16e6f19c5da5},
    {"q8_0", 8, 7, putQ8_0, 0x655949bf752c1c59},
    {"q4_0", 2, 2, putSymmetric<8>, 0xa374c1dbaac363e4},
    {"q4_1", 3, 3, putWithMinimum<15>, 0x15ddf8eb844aaef2},
    {"q5_0", 6, 8, putSymmetric<16>, 0xeb53cf0bef34be0e},
    {"q5_1", 7, 9, putWithMinimum<31>, 0xa7b138b41e13cdb4},
    {"mxfp4", 39, 38, putMxfp4, 0xfa526d748e6bb5d5},
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
        throw std::runtime_error("the golden header is too short");
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
        throw std::runtime_error("the golden header lacks " + std::string(text));
    return static_cast<std::size_t>(at - bytes.begin());
}

void pad(Bytes &bytes)
{
    bytes.resize((bytes.size() + 31) / 32 * 32);
}

/// Those of one dimension stay in F32.
void putTensor(Bytes &data, std::span<const float> values, bool matrix, const Recipe &recipe)
{
    for (std::size_t i = 0; i < values.size(); i += 32)
        (matrix ? recipe.put : putF32)(data, Block(values.subspan(i).first<32>()));
    pad(data);
}

} // namespace

std::vector<std::string> derivedGoldenTypes()
{
    std::vector<std::string> names;
    for (const Recipe &recipe : kRecipes)
        names.emplace_back(recipe.name);
    return names;
}

Bytes goldenAs(const std::string &type, std::span<const std::byte> header)
{
    const auto recipe = std::find_if(std::begin(kRecipes), std::end(kRecipes),
                                     [&](const Recipe &r) { return r.name == type; });
    if (recipe == std::end(kRecipes))
        throw std::runtime_error("no golden file follows as " + type);
    Bytes out(header.begin(), header.end());
    const std::string_view fileType = "general.file_type";
    writeAt(out, find(header, fileType) + fileType.size() + 4, recipe->fileType);
    GoldenWeights weights;
    Bytes data;
    std::size_t at = find(header, "token_embd.weight") - 8; // the first of the table
    for (auto tensors = readAt<std::uint64_t>(header, 8); tensors > 0; --tensors) {
        const auto length = readAt<std::uint64_t>(header, at);
        const std::string_view name(reinterpret_cast<const char *>(&header[at + 8]), length);
        at += 8 + length;
        const auto rank = readAt<std::uint32_t>(header, at);
        std::size_t count = 1;
        for (std::size_t d = 0; d < rank; ++d)
            count *= readAt<std::uint64_t>(header, at + 4 + 8 * d);
        at += 4 + 8 * rank;
        if (rank > 1)
            writeAt(out, at, recipe->type);
        writeAt(out, at + 4, static_cast<std::uint64_t>(data.size()));
        at += 12;
        putTensor(data, weights.next(name, count), rank > 1, *recipe);
    }
    out.insert(out.end(), data.begin(), data.end());
    if (recipe->hash != 0 && hashOf(out) != recipe->hash)
        throw std::runtime_error("the golden file made as " + type + " is not llama.cpp's");
    return out;
}

} // namespace fireside::test
