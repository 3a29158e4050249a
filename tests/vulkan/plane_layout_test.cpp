#include "engine/vulkan/weights/vulkan_weight.h"
#include "tests/support/weight_reference.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

// The planes are read back here in plain C++ from what tensor/weight_types.def and
// shaders/quant/planes.h say, and compared
// with an independent reading of the file's blocks.
namespace fireside::vulkan {
namespace {

constexpr int kNonLinear[16] = {13,  38, -49, -22, -127, -104, -65, -10,
                                -83, 53, 113, 89,  1,    25,   -35, 69};
constexpr int kTwiceFp4[16] = {-1, 0, -12, 2, 3, 4, -8, 6, -6, 8, -4, -3, -2, 12, 0, 1};

double e4m3(unsigned code)
{
    const double magnitude = code & 0x78 ? std::ldexp(8 + (code & 7), int(code >> 3 & 15) - 10)
                                         : std::ldexp(code & 7, -9);
    return code & 0x80 ? -magnitude : magnitude;
}

struct Planes
{
    DType type;
    std::vector<std::byte> bytes;
    PlaneOffsets at;

    unsigned u8(std::size_t plane, std::size_t offset) const
    {
        return static_cast<unsigned>(bytes.at(at.offset[plane] + offset));
    }
    int s8(std::size_t plane, std::size_t offset) const
    {
        return static_cast<std::int8_t>(u8(plane, offset));
    }
    // F16 and F32 are read by the other reading: their bytes are as in the file.
    double half(std::size_t plane, std::size_t offset) const
    {
        return test::weightAt(DType::F16, bytes.data() + at.offset[plane] + offset, 0);
    }

    unsigned q4(std::size_t group, unsigned w, unsigned h, unsigned b) const
    {
        return u8(0, 16 * group + 4 * w + b) >> (4 * h) & 15;
    }
    unsigned sliced4(std::size_t group, unsigned s, unsigned b) const
    {
        unsigned code = 0;
        for (unsigned k = 0; k < 4; ++k)
            code |= (u8(0, 16 * group + 4 * k + b) >> s & 1) << k;
        return code;
    }
    unsigned q2(std::size_t plane, std::size_t group, unsigned s, unsigned b) const
    {
        return u8(plane, 8 * group + 4 * (s / 4) + b) >> (2 * (s % 4)) & 3;
    }
    unsigned q1(std::size_t group, unsigned s, unsigned b) const
    {
        return u8(1, 4 * group + b) >> s & 1;
    }
    double value(std::size_t element) const
    {
        const std::size_t group = element / 32, block = element / 256, part = element % 256 / 16;
        const unsigned e = element % 32, w = e / 8, h = e / 4 % 2, b = e % 4, s = e / 4;
        switch (type) {
        case DType::F32:
        case DType::F16:
        case DType::BF16:
            return test::weightAt(type, bytes.data(), element);
        case DType::Q4_0:
            return half(1, 2 * group) * (int(q4(group, w, h, b)) - 8);
        case DType::IQ4_NL:
            return half(1, 2 * group) * kNonLinear[sliced4(group, s, b)];
        case DType::Q4_1:
            return half(1, 4 * group) * q4(group, w, h, b) + half(1, 4 * group + 2);
        case DType::Q5_0:
            return half(2, 2 * group) * (int(q4(group, w, h, b) | q1(group, s, b) << 4) - 16);
        case DType::Q5_1:
            return half(2, 4 * group) * (q4(group, w, h, b) | q1(group, s, b) << 4) +
                   half(2, 4 * group + 2);
        case DType::Q8_0:
            return half(1, 2 * group) * s8(0, element);
        case DType::MXFP4:
            return std::ldexp(kTwiceFp4[q4(group, w, h, b)], int(u8(1, group)) - 128);
        case DType::NVFP4:
        case DType::NVFP4_F32: {
            const unsigned scale = u8(1, 2 * group + e / 16) & 0x7f;
            const double d =
                type == DType::NVFP4
                    ? 1
                    : test::weightAt(DType::F32, bytes.data() + at.offset[2] + 4 * block, 0);
            return d * kTwiceFp4[q4(group, w, h, b)] * (scale == 0x7f ? 0 : e4m3(scale) / 2);
        }
        case DType::F8_E4M3:
            return test::weightAt(DType::F32, bytes.data() + at.offset[1] + 4 * group, 0) *
                   e4m3(u8(0, element));
        case DType::Q2_K: {
            const unsigned scales = u8(1, 16 * block + part);
            return half(2, 4 * block) * (scales & 15) * q2(0, group, s, b) -
                   half(2, 4 * block + 2) * (scales >> 4);
        }
        case DType::Q3_K:
            return half(3, 2 * block) * s8(2, 16 * block + part) *
                   (int(q2(0, group, s, b)) - (q1(group, s, b) ? 0 : 4));
        case DType::Q4_K:
            return half(2, 4 * block) * u8(1, 2 * group) * q4(group, w, h, b) -
                   half(2, 4 * block + 2) * u8(1, 2 * group + 1);
        case DType::Q5_K:
            return half(3, 4 * block) * u8(2, 2 * group) *
                       (q4(group, w, h, b) | q1(group, s, b) << 4) -
                   half(3, 4 * block + 2) * u8(2, 2 * group + 1);
        case DType::Q6_K:
            return half(3, 2 * block) * s8(2, 16 * block + part) *
                   (int(q4(group, w, h, b) | q2(1, group, s, b) << 4) - 32);
        case DType::IQ4_XS:
            return half(2, 2 * block) * s8(1, group) * kNonLinear[sliced4(group, s, b)];
        case DType::IQ1_S: {
            const unsigned word = u16(1, 2 * group);
            const unsigned number = u8(0, 4 * group + w) | (word >> (3 * w) & 7) << 8;
            return half(2, 2 * block) * (2 * (word >> 12 & 7) + 1) *
                   (entry4(number, e % 8) - 1 + (word >> 15 ? -0.125 : 0.125));
        }
        case DType::IQ1_M: {
            const unsigned rest = u16(1, 2 * group) >> (4 * w) & 15;
            const unsigned number = u8(0, 4 * group + w) | (rest & 7) << 8;
            const unsigned words[4] = {u16(2, 8 * block), u16(2, 8 * block + 2),
                                       u16(2, 8 * block + 4), u16(2, 8 * block + 6)};
            unsigned d = 0;
            for (unsigned k = 0; k < 4; ++k)
                d |= (words[k] >> 12) << (4 * k);
            const std::byte pair[2] = {std::byte(d & 255), std::byte(d >> 8)};
            return test::weightAt(DType::F16, pair, 0) *
                   (2 * (words[part / 4] >> (3 * (part % 4)) & 7) + 1) *
                   (entry4(number, e % 8) - 1 + (rest & 8 ? -0.125 : 0.125));
        }
        case DType::IQ2_XXS:
            return half(1, 2 * block) * (0.5 + fourBits(0, 8 * group + 4)) / 4 *
                   sign(0, 8 * group + 4, e, true) * entry8(u8(0, 8 * group + w), e % 8);
        case DType::IQ2_XS: {
            const unsigned high = fourBits(0, 8 * group + 4) >> w & 1;
            return half(2, 2 * block) * (0.5 + (u8(1, group) >> (e < 16 ? 0 : 4) & 15)) / 4 *
                   sign(0, 8 * group + 4, e, true) *
                   entry8(u8(0, 8 * group + w) | high << 8, e % 8);
        }
        case DType::IQ2_S: {
            const unsigned high = u8(1, 2 * group) >> (2 * w) & 3;
            const unsigned scale = u8(1, 2 * group + 1) >> (e < 16 ? 0 : 4) & 15;
            return half(2, 2 * block) * (0.5 + scale) / 4 * sign(0, 8 * group + 4, e, false) *
                   entry8(u8(0, 8 * group + w) | high << 8, e % 8);
        }
        case DType::IQ3_XXS:
            return half(2, 2 * block) * (0.5 + fourBits(1, 4 * group)) / 2 *
                   sign(1, 4 * group, e, true) * u8Table(4 * u8(0, 8 * group + s) + b);
        case DType::IQ3_S: {
            const unsigned number = u8(0, 8 * group + s) | (u8(2, group) >> s & 1) << 8;
            const unsigned scale = u8(3, 6 * block + group % 8 / 2) >> (4 * (group % 2)) & 15;
            return half(3, 6 * block + 4) * (1 + 2 * scale) * sign(1, 4 * group, e, false) *
                   u8Table(4 * number + b);
        }
        case DType::TQ1_0:
        case DType::TQ2_0:
            return half(1, 2 * block) * (int(q2(0, group, s, b)) - 1);
        case DType::I32:
            break;
        }
        return std::nan("");
    }

    // The table, and what the types that have one share.
    unsigned u16(std::size_t plane, std::size_t offset) const
    {
        return u8(plane, offset) | u8(plane, offset + 1) << 8;
    }
    int u8Table(std::size_t offset) const { return static_cast<int>(tableOf(type)[offset]); }
    int entry8(unsigned number, unsigned element) const { return u8Table(8 * number + element); }
    int entry4(unsigned number, unsigned element) const
    {
        return u8Table(4 * number + element % 4) >> (element < 4 ? 0 : 4) & 15;
    }
    /// The four bits in the places of the signs of elements 7, 15, 23 and 31.
    unsigned fourBits(std::size_t plane, std::size_t offset) const
    {
        const unsigned byte = u8(plane, offset + 3);
        return (byte >> 1 & 1) | (byte >> 3 & 1) << 1 | (byte >> 5 & 1) << 2 | (byte >> 7) << 3;
    }
    int sign(std::size_t plane, std::size_t offset, unsigned e, bool even) const
    {
        const auto minus = [&](unsigned i) { return u8(plane, offset + i % 4) >> (i / 4) & 1; };
        if (!even || e % 8 != 7)
            return minus(e) ? -1 : 1;
        unsigned count = 0;
        for (unsigned i = e - 7; i < e; ++i)
            count += minus(i);
        return count % 2 ? -1 : 1;
    }
};

std::array<std::byte *, 4> partsAt(Planes &planes, std::int64_t firstGroup)
{
    std::array<std::byte *, 4> out{};
    const PlaneLayout layout = planesOf(planes.type);
    for (std::size_t i = 0; i < 4; ++i)
        if (layout[i].elements > 0)
            out[i] =
                planes.bytes.data() + planes.at.offset[i] +
                static_cast<std::size_t>(firstGroup) / (layout[i].elements / 32) * layout[i].bytes;
    return out;
}

void expectSameValues(DType type, std::int64_t rows, std::int64_t cols)
{
    SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(rows) + " × " +
                 std::to_string(cols));
    std::mt19937 random(static_cast<unsigned>(rows * 7919 + cols));
    const std::size_t bytesPerRow = rowBytes(type, static_cast<std::size_t>(cols));
    std::vector<std::byte> source;
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::vector<std::byte> row =
            test::randomRow(type, static_cast<std::size_t>(cols), random);
        source.insert(source.end(), row.begin(), row.end());
    }
    const std::int64_t padded = paddedCols(cols), groupsPerRow = padded / 32;
    Planes planes{type, {}, planeOffsets(type, rows * groupsPerRow)};
    planes.bytes.assign(planes.at.total, std::byte{0xff});

    // In two parts, as loading in parallel does.
    const std::int64_t first = rows / 2;
    layOut(type, source.data(), cols, first, partsAt(planes, 0));
    layOut(type, source.data() + static_cast<std::size_t>(first) * bytesPerRow, cols, rows - first,
           partsAt(planes, first * groupsPerRow));

    for (std::int64_t r = 0; r < rows; ++r) {
        const std::byte *row = source.data() + static_cast<std::size_t>(r) * bytesPerRow;
        for (std::int64_t c = 0; c < padded; ++c)
            ASSERT_EQ(planes.value(static_cast<std::size_t>(r * padded + c)),
                      c < cols ? test::weightAt(type, row, static_cast<std::size_t>(c)) : 0.0)
                << "row " << r << ", column " << c;
    }
}

TEST(PlaneLayout, HoldsTheValuesOfEveryType)
{
    for (const DType type : kWeightTypes) {
        const std::int64_t block = info(type).blockElements;
        for (const std::int64_t rows : {1, 3, 8, 33})
            for (const std::int64_t cols : {block, 3 * block, 8 * block})
                expectSameValues(type, rows, cols);
    }
}

TEST(PlaneLayout, PadsRowsOfPlainTypesWithZeros)
{
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        for (const std::int64_t cols : {1, 31, 33, 257})
            expectSameValues(type, 5, cols);
}

TEST(PlaneLayout, PlanesBeginAligned)
{
    for (const DType type : kWeightTypes) {
        const PlaneOffsets at = planeOffsets(type, 8 * 33);
        for (const std::size_t offset : at.offset)
            EXPECT_EQ(offset % kPlaneAlignment, 0u);
        std::size_t bytes = 0;
        for (const Plane &plane : planesOf(type))
            if (plane.elements > 0)
                bytes += 8 * 33 * 32 / plane.elements * plane.bytes;
        EXPECT_GE(at.total, bytes);
        EXPECT_LT(at.total, bytes + tableOf(type).size() + 4 * kPlaneAlignment);
        EXPECT_EQ(tableOf(type).size() % kPlaneAlignment, 0u);
        EXPECT_EQ(tableOf(type).size(), tableBytes(type));
        // Nothing more than in the file, but that scales of 6 bits become bytes, and digits two
        // bits.
        const bool kScales = type == DType::Q3_K || type == DType::Q4_K || type == DType::Q5_K;
        const std::size_t unpacked = kScales                 ? 4
                                     : type == DType::IQ4_XS ? 2
                                     : type == DType::TQ1_0  ? 12
                                                             : 0;
        EXPECT_EQ(bytes, rowBytes(type, 8 * 33 * 32) + 33 * unpacked);
    }
}

} // namespace
} // namespace fireside::vulkan
