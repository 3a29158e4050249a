#pragma once
#include "engine/tensor/quantize/kernels.h"
#include "engine/tensor/quantize/pack.h"
#include "engine/tensor/unpack.h"

// One function for each type: a tile of sixteen groups to blocks. For the quantize_<isa>.cpp files.
namespace fireside {
namespace {

// How far each search goes: further finds hardly anything better.
constexpr AffineSearch kSearchQ2K{3, false, 2, 3, 0.25f, 2};
constexpr AffineSearch kSearchQ4K{15, false, 1, 2, 0.5f, 1};
constexpr AffineSearch kSearchQ5K{31, false, 1, 2, 0.5f, 1};
constexpr AffineSearch kSearchQ41{15, true, 1, 2, 0.5f, 1};
constexpr AffineSearch kSearchQ51{31, true, 1, 2, 0.5f, 1};
constexpr EvenSearch kSearchWhole{6, 0.2f, false, 1};
constexpr EvenSearch kSearchNonLinear{5, 2.0f, true, 1};

/// Tiles of `Blocks` blocks of type Block; the last may be short of some.
template <typename Block, int Blocks, typename Make>
void inTiles(const float *in, std::byte *out, std::size_t blocks, std::size_t elements,
             const Make &make)
{
    alignas(64) float rest[32 * kLanes];
    Block made[Blocks];
    for (std::size_t at = 0; at < blocks; at += Blocks) {
        const std::size_t count = std::min<std::size_t>(Blocks, blocks - at);
        const float *from = in + at * elements;
        if (count < Blocks) {
            std::fill(std::begin(rest), std::end(rest), 0.0f);
            std::copy_n(from, count * elements, rest);
            from = rest;
        }
        make(from, made);
        std::memcpy(out + at * sizeof(Block), made, count * sizeof(Block));
    }
}

void makeQ8_0(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ8_0, 16>(in, out, blocks, 32, [](const float *from, BlockQ8_0 *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const Floats d = halves(magnitude(groups.extreme) / 127.0f);
        const Floats inverse = d != 0.0f ? 1.0f / d : Floats{};
        for (int g = 0; g < kLanes; ++g)
            made[g].d = half(d[g]);
        for (int i = 0; i < 32; ++i) {
            const Floats q = rounded(smaller(larger(groups.x[i] * inverse, all(-127)), all(127)));
            for (int g = 0; g < kLanes; ++g)
                made[g].qs[i] = static_cast<std::int8_t>(q[g]);
        }
    });
}

void makeQ4_0(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ4_0, 16>(in, out, blocks, 32, [](const float *from, BlockQ4_0 *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const Floats d = halves(fitEven(groups, WholeValues{8}, kSearchWhole).scale);
        const Codes<32> codes = evenCodes(groups, d, 8);
        for (int g = 0; g < kLanes; ++g) {
            made[g].d = half(d[g]);
            packNibbles(codes.at + 32 * g, made[g].qs);
        }
    });
}

void makeQ5_0(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ5_0, 16>(in, out, blocks, 32, [](const float *from, BlockQ5_0 *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const Floats d = halves(fitEven(groups, WholeValues{16}, kSearchWhole).scale);
        const Codes<32> codes = evenCodes(groups, d, 16);
        for (int g = 0; g < kLanes; ++g) {
            made[g].d = half(d[g]);
            packNibbles(codes.at + 32 * g, made[g].qs);
            packFifthBits(codes.at + 32 * g, made[g].qh);
        }
    });
}

void makeQ4_1(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ4_1, 16>(in, out, blocks, 32, [](const float *from, BlockQ4_1 *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const Fit fit = fitAffine(groups, kSearchQ41);
        const Floats d = halves(fit.scale), m = halves(fit.minimum);
        const Codes<32> codes = affineCodes(groups, d, m, 15);
        for (int g = 0; g < kLanes; ++g) {
            made[g].d = half(d[g]);
            made[g].m = half(m[g]);
            packNibbles(codes.at + 32 * g, made[g].qs);
        }
    });
}

void makeQ5_1(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ5_1, 16>(in, out, blocks, 32, [](const float *from, BlockQ5_1 *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const Fit fit = fitAffine(groups, kSearchQ51);
        const Floats d = halves(fit.scale), m = halves(fit.minimum);
        const Codes<32> codes = affineCodes(groups, d, m, 31);
        for (int g = 0; g < kLanes; ++g) {
            made[g].d = half(d[g]);
            made[g].m = half(m[g]);
            packNibbles(codes.at + 32 * g, made[g].qs);
            packFifthBits(codes.at + 32 * g, made[g].qh);
        }
    });
}

void makeIQ4_NL(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockIQ4_NL, 16>(in, out, blocks, 32, [](const float *from, BlockIQ4_NL *made) {
        const Groups<32> groups(from, Weighting::Alike);
        const TableValues<16> values{kIq4Values};
        const Floats d = halves(fitEven(groups, values, kSearchNonLinear).scale);
        const Floats inverse = d != 0.0f ? 1.0f / d : Floats{};
        Codes<32> codes;
        for (int i = 0; i < 32; ++i) {
            const Floats scaled = groups.x[i] * inverse;
            Floats code{};
            for (int k = 1; k < 16; ++k)
                code += scaled > 0.5f * static_cast<float>(kIq4Values[k - 1] + kIq4Values[k])
                            ? all(1)
                            : Floats{};
            codes.set(i, code);
        }
        for (int g = 0; g < kLanes; ++g) {
            made[g].d = half(d[g]);
            packNibbles(codes.at + 32 * g, made[g].qs);
        }
    });
}

/// Of Q4_K, and of Q5_K, whose fifth bits lie apart.
template <typename Block>
void makePairs(const AffineSearch &search, const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<Block, 2>(in, out, blocks, 256, [&search](const float *from, Block *made) {
        const float most = search.mostCode;
        const Groups<32> groups(from, Weighting::BySize);
        const TileFactors f = affineFactors(groups, fitAffine(groups, search), most, 63, 8, 2);
        const Codes<32> codes = affineCodes(groups, f.d * f.step, -(f.dmin * f.minimumStep), most);
        for (int b = 0; b < 2; ++b) {
            made[b].d = half(f.d[8 * b]);
            made[b].dmin = half(f.dmin[8 * b]);
            packSixBitPairs(f.step, f.minimumStep, 8 * b, made[b].scales);
            packQ4K(codes.at + 256 * b, made[b].qs);
            if constexpr (requires { made->qh; })
                packQ5KHigh(codes.at + 256 * b, made[b].qh);
        }
    });
}

void makeQ4_K(const float *in, std::byte *out, std::size_t blocks)
{
    makePairs<BlockQ4_K>(kSearchQ4K, in, out, blocks);
}

void makeQ5_K(const float *in, std::byte *out, std::size_t blocks)
{
    makePairs<BlockQ5_K>(kSearchQ5K, in, out, blocks);
}

void makeQ2_K(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ2_K, 1>(in, out, blocks, 256, [](const float *from, BlockQ2_K *made) {
        const Groups<16> groups(from, Weighting::BySize);
        const TileFactors f = affineFactors(groups, fitAffine(groups, kSearchQ2K), 3, 15, 16, 3);
        const Codes<16> codes = affineCodes(groups, f.d * f.step, -(f.dmin * f.minimumStep), 3);
        made->d = half(f.d[0]);
        made->dmin = half(f.dmin[0]);
        for (int g = 0; g < kLanes; ++g)
            made->scales[g] = static_cast<std::uint8_t>(static_cast<int>(f.step[g]) |
                                                        static_cast<int>(f.minimumStep[g]) << 4);
        packPairs(codes.at, made->qs);
    });
}

void makeQ3_K(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ3_K, 1>(in, out, blocks, 256, [](const float *from, BlockQ3_K *made) {
        const Groups<16> groups(from, Weighting::BySize);
        const WholeValues values{4};
        const TileFactors f =
            evenFactors(groups, values, fitEven(groups, values, kSearchWhole), 32, 2, 3);
        const Codes<16> codes = evenCodes(groups, f.d * f.step, 4);
        made->d = half(f.d[0]);
        packSixBitSteps(f.step, made->scales);
        packPairs(codes.at, made->qs);
        for (int i = 0; i < 32; ++i) {
            unsigned bits = 0;
            for (int j = 0; j < 8; ++j)
                bits |= static_cast<unsigned>(codes.at[32 * j + i] >> 2) << j;
            made->hmask[i] = static_cast<std::uint8_t>(bits);
        }
    });
}

void makeQ6_K(const float *in, std::byte *out, std::size_t blocks)
{
    inTiles<BlockQ6_K, 1>(in, out, blocks, 256, [](const float *from, BlockQ6_K *made) {
        const Groups<16> groups(from, Weighting::BySize);
        const WholeValues values{32};
        const TileFactors f =
            evenFactors(groups, values, fitEven(groups, values, kSearchWhole), 128, 2, 2);
        const Codes<16> codes = evenCodes(groups, f.d * f.step, 32);
        made->d = half(f.d[0]);
        for (int g = 0; g < kLanes; ++g)
            made->scales[g] = static_cast<std::int8_t>(f.step[g]);
        packQ6K(codes.at, *made);
    });
}

QuantizeBlocks findQuantizer(DType type)
{
    switch (type) {
    case DType::Q8_0:
        return makeQ8_0;
    case DType::Q4_0:
        return makeQ4_0;
    case DType::Q5_0:
        return makeQ5_0;
    case DType::Q4_1:
        return makeQ4_1;
    case DType::Q5_1:
        return makeQ5_1;
    case DType::IQ4_NL:
        return makeIQ4_NL;
    case DType::Q2_K:
        return makeQ2_K;
    case DType::Q3_K:
        return makeQ3_K;
    case DType::Q4_K:
        return makeQ4_K;
    case DType::Q5_K:
        return makeQ5_K;
    case DType::Q6_K:
        return makeQ6_K;
    default:
        return nullptr;
    }
}

} // namespace
} // namespace fireside
