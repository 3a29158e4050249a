#include "engine/tensor/quantize.h"

#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"
#include "engine/tensor/quantize/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace fireside {
namespace {

using Numbers = std::vector<float>;

/// A type, and the root of its mean square error on normal numbers of deviation 1. llama.cpp's own
/// of the same numbers is in the comment.
struct TypeBound
{
    DType type;
    double error;
};
constexpr TypeBound kBounds[] = {
    {DType::Q8_0, 0.0054},   // 0.00535
    {DType::Q6_K, 0.0175},   // 0.0178
    {DType::Q5_K, 0.0350},   // 0.0361
    {DType::Q4_K, 0.0708},   // 0.0714
    {DType::Q3_K, 0.1470},   // 0.1508
    {DType::Q2_K, 0.2700},   // 0.2965
    {DType::Q5_1, 0.0342},   // 0.0379
    {DType::Q5_0, 0.0410},   // 0.0427
    {DType::Q4_1, 0.0710},   // 0.0783
    {DType::Q4_0, 0.0820},   // 0.0860
    {DType::IQ4_NL, 0.0745}, // 0.0761
};

Numbers normalNumbers(std::size_t count, float deviation = 1)
{
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, deviation);
    Numbers numbers(count);
    std::generate(numbers.begin(), numbers.end(), [&] { return normal(random); });
    return numbers;
}

std::vector<std::byte> quantized(DType type, const Numbers &numbers)
{
    ThreadPool pool(2);
    std::vector<std::byte> blocks(rowBytes(type, numbers.size()));
    quantizeTensor({.name = "file: tensor 't'",
                    .from = DType::F32,
                    .in = std::as_bytes(std::span(numbers)),
                    .to = type,
                    .out = blocks},
                   pool);
    return blocks;
}

Numbers throughBlocks(DType type, const Numbers &numbers)
{
    const std::vector<std::byte> blocks = quantized(type, numbers);
    Numbers back(numbers.size());
    dequantizeRow(type, blocks.data(), back.data(), back.size());
    return back;
}

double squaredError(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    return sum;
}

/// Σ (x − scale · code − minimum)² with the nearest of the codes 0 … most.
double errorWith(std::span<const float> x, double scale, double minimum, int most)
{
    double sum = 0;
    for (const float v : x) {
        const double code =
            scale == 0 ? 0 : std::clamp(std::round((v - minimum) / scale), 0.0, double(most));
        const double off = v - scale * code - minimum;
        sum += off * off;
    }
    return sum;
}

/// The least error of any scale and minimum, by trying many.
double leastAffineError(std::span<const float> x, int most)
{
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    double least = std::numeric_limits<double>::infinity();
    const double range = *high - *low;
    for (int from = -10; from <= 60; ++from)
        for (int to = -10; to <= 60; ++to) {
            const double minimum = *low + range * from / 300.0;
            const double maximum = *high - range * to / 300.0;
            least = std::min(least, errorWith(x, (maximum - minimum) / most, minimum, most));
        }
    return least;
}

/// The least error of scale · (code − half), by trying every scale in F16 that may be.
double leastEvenError(std::span<const float> x, int half)
{
    float extreme = 0;
    for (const float v : x)
        extreme = std::max(extreme, std::fabs(v));
    double least = std::numeric_limits<double>::infinity();
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const double scale = halfToFloat(static_cast<std::uint16_t>(bits));
        if (scale * half < 0.5 * extreme || scale * half > 1.5 * extreme)
            continue;
        for (const double s : {scale, -scale}) {
            double sum = 0;
            for (const float v : x) {
                const double code = std::clamp(std::round(v / s), -double(half), double(half) - 1);
                sum += (v - s * code) * (v - s * code);
            }
            least = std::min(least, sum);
        }
    }
    return least;
}

class QuantizeTest : public testing::TestWithParam<TypeBound>
{};

TEST_P(QuantizeTest, NormalNumbersComeBackNearly)
{
    const Numbers numbers = normalNumbers(1 << 16);
    const Numbers back = throughBlocks(GetParam().type, numbers);
    const double error =
        std::sqrt(squaredError(numbers, back) / static_cast<double>(numbers.size()));
    EXPECT_LT(error, GetParam().error);
    EXPECT_GT(error, 0.9 * GetParam().error); // else the bound says nothing
}

TEST_P(QuantizeTest, EveryInstructionSetMakesTheSameBytes)
{
    // An odd number of blocks: the last tile is not full.
    const DTypeInfo &type = info(GetParam().type);
    const std::size_t blocks = 37;
    const Numbers numbers = normalNumbers(blocks * type.blockElements, 0.02f);
    std::vector<std::byte> first;
    for (const QuantizeKernels *kernels : availableQuantizeKernels()) {
        std::vector<std::byte> made(rowBytes(type.type, numbers.size()));
        kernels->find(type.type)(numbers.data(), made.data(), blocks);
        if (first.empty())
            first = made;
        EXPECT_EQ(made, first) << isaName(kernels->isa);
    }
}

TEST_P(QuantizeTest, ZerosStayZeros)
{
    const Numbers zeros(512, 0.0f);
    EXPECT_EQ(throughBlocks(GetParam().type, zeros), zeros);
}

TEST_P(QuantizeTest, EqualNumbersStayEqual)
{
    for (const float value : {1.0f, -1.0f, 0.037f, -250.0f}) {
        const Numbers back = throughBlocks(GetParam().type, Numbers(512, value));
        for (const float b : back)
            EXPECT_NEAR(b, value, 0.01f * std::fabs(value));
    }
}

TEST_P(QuantizeTest, AnOutlierIsKept)
{
    Numbers numbers = normalNumbers(256, 0.01f);
    for (const float outlier : {8.0f, -8.0f}) {
        numbers[77] = outlier;
        const Numbers back = throughBlocks(GetParam().type, numbers);
        // The others of its block get lost at worst.
        for (std::size_t i = 0; i < back.size(); ++i)
            EXPECT_NEAR(back[i], numbers[i], i == 77 ? 0.2f : 2.0f);
    }
}

TEST_P(QuantizeTest, DenormalsBecomeSmallNumbers)
{
    Numbers numbers = normalNumbers(256);
    for (float &v : numbers)
        v *= 1e-39f;
    for (const float b : throughBlocks(GetParam().type, numbers))
        EXPECT_LT(std::fabs(b), 1e-6f);
    numbers = normalNumbers(256, 1e-6f); // scales become subnormal halves
    for (const float b : throughBlocks(GetParam().type, numbers))
        EXPECT_LT(std::fabs(b), 1e-5f);
}

TEST_P(QuantizeTest, WhatIsNotFiniteIsNamed)
{
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
        Numbers numbers = normalNumbers(3 * 8192);
        numbers[20000] = bad;
        try {
            quantized(GetParam().type, numbers);
            FAIL() << "no error";
        } catch (const Error &e) {
            EXPECT_EQ(e.kind(), ErrorKind::BadInput);
            EXPECT_STREQ(e.what(), "file: tensor 't' holds NaN or an infinity");
        }
    }
}

TEST_P(QuantizeTest, NumbersBeyondTheTypesRangeAreAnError)
{
    for (const float large : {1e9f, -1e9f, 3e38f, -3e38f}) {
        Numbers numbers = normalNumbers(512);
        numbers[300] = large;
        EXPECT_THROW(quantized(GetParam().type, numbers), Error) << large;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizeTest, testing::ValuesIn(kBounds),
                         [](const auto &test) { return name(test.param.type); });

struct AffineType
{
    DType type;
    int most;
    double over; // of the least error that any scales and minimums give
};

/// Scales and minimums of blocks of 256 are rounded themselves, and large numbers count more.
TEST(QuantizeAgainstBruteForceTest, ScalesAndMinimums)
{
    for (const AffineType &t :
         {AffineType{DType::Q4_1, 15, 1.04}, AffineType{DType::Q5_1, 31, 1.06},
          AffineType{DType::Q4_K, 15, 1.12}, AffineType{DType::Q5_K, 31, 1.16}}) {
        const Numbers numbers = normalNumbers(512);
        const Numbers back = throughBlocks(t.type, numbers);
        double least = 0;
        for (std::size_t i = 0; i < numbers.size(); i += 32)
            least += leastAffineError(std::span(numbers).subspan(i, 32), t.most);
        EXPECT_LT(squaredError(numbers, back), t.over * least) << name(t.type);
    }
}

TEST(QuantizeAgainstBruteForceTest, ScalesAlone)
{
    for (const AffineType &t :
         {AffineType{DType::Q4_0, 8, 1.01}, AffineType{DType::Q5_0, 16, 1.02}}) {
        const Numbers numbers = normalNumbers(256);
        const Numbers back = throughBlocks(t.type, numbers);
        double least = 0;
        for (std::size_t i = 0; i < numbers.size(); i += 32)
            least += leastEvenError(std::span(numbers).subspan(i, 32), t.most);
        EXPECT_LT(squaredError(numbers, back), t.over * least) << name(t.type);
        EXPECT_GT(squaredError(numbers, back), 0.999 * least) << name(t.type);
    }
}

TEST(QuantizeTensorTest, TakesEveryPlainTypeAndBlocks)
{
    ThreadPool pool(2);
    Numbers numbers = normalNumbers(20000 / 256 * 256);
    for (float &v : numbers)
        v = bf16ToFloat(floatToBf16(std::clamp(v, -4.0f, 4.0f)));
    const std::vector<std::byte> wanted = quantized(DType::Q4_K, numbers);
    for (const DType from : {DType::F16, DType::BF16, DType::Q8_0}) {
        const std::vector<std::byte> in = quantized(from, numbers);
        std::vector<std::byte> out(wanted.size());
        quantizeTensor({"t", from, in, DType::Q4_K, out}, pool);
        EXPECT_TRUE(from != DType::BF16 || out == wanted);
        Numbers back(numbers.size());
        dequantizeRow(DType::Q4_K, out.data(), back.data(), back.size());
        EXPECT_LT(squaredError(numbers, back), 0.006 * static_cast<double>(numbers.size()))
            << name(from);
    }
}

TEST(QuantizeTensorTest, PlainTypesRoundToNearest)
{
    const Numbers numbers{1.0f, -0.5f, 1.00390625f, 65504.0f};
    EXPECT_EQ(throughBlocks(DType::F32, numbers), numbers);
    EXPECT_EQ(throughBlocks(DType::F16, numbers), numbers);
    EXPECT_EQ(throughBlocks(DType::BF16, numbers), (Numbers{1.0f, -0.5f, 1.0f, 65536.0f}));
    EXPECT_THROW(throughBlocks(DType::F16, {70000.0f}), Error);
    EXPECT_THROW(throughBlocks(DType::BF16, {3.4e38f}), Error);
}

TEST(QuantizeTensorTest, SizesThatDoNotFitAreRefused)
{
    ThreadPool pool(1);
    const Numbers numbers(512);
    std::vector<std::byte> out(288);
    const auto in = std::as_bytes(std::span(numbers));
    EXPECT_NO_THROW(quantizeTensor({"t", DType::F32, in, DType::Q4_K, out}, pool));
    EXPECT_THROW(quantizeTensor({"t", DType::F32, in.first(1020), DType::Q4_K, out}, pool), Error);
    EXPECT_THROW(quantizeTensor({"t", DType::F32, in, DType::Q5_K, out}, pool), Error);
    EXPECT_THROW(quantizeTensor({"t", DType::F32, in, DType::I32, out}, pool), Error);
    EXPECT_FALSE(canQuantizeTo(DType::I32));
    EXPECT_FALSE(canQuantizeTo(DType::IQ4_XS));
    EXPECT_TRUE(canQuantizeTo(DType::Q4_K));
}

TEST(QuantizeTensorTest, CanBeStopped)
{
    ThreadPool pool(1);
    const Numbers numbers(512);
    std::vector<std::byte> out(288);
    std::stop_source stop;
    stop.request_stop();
    try {
        quantizeTensor({"t", DType::F32, std::as_bytes(std::span(numbers)), DType::Q4_K, out}, pool,
                       stop.get_token());
        FAIL() << "no error";
    } catch (const Error &e) {
        EXPECT_EQ(e.kind(), ErrorKind::Cancelled);
    }
}

} // namespace
} // namespace fireside
