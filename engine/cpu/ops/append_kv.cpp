#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/tensor/blocks.h"
#include "engine/tensor/half.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fireside::cpu {
namespace {

/// Per 32 values: scale = largest magnitude / 127, quotients rounded to nearest even (Q8_0 of
/// GGUF). Integer compares and the rounding constant keep the loops free of calls, so that they
/// vectorise.
void quantizeQ8_0(std::byte *out, const float *x, std::size_t n)
{
    constexpr std::int32_t kInfinityBits = 0x7f800000;
    constexpr float kRound = 12582912.0f; // 1.5·2²³
    for (std::size_t i = 0; i < n; i += 32, out += sizeof(BlockQ8_0)) {
        std::int32_t largestBits = 0; // magnitudes of floats order like their bits
        for (std::size_t j = 0; j < 32; ++j)
            largestBits = std::max(largestBits, std::bit_cast<std::int32_t>(x[i + j]) & 0x7fffffff);
        BlockQ8_0 block;
        if (largestBits >= kInfinityBits) {
            // NaN or an infinity must not become a plausible number: the whole block reads as NaN.
            block.d = 0x7e00;
            std::fill_n(block.qs, 32, std::int8_t{1});
            std::memcpy(out, &block, sizeof block);
            continue;
        }
        const float largest = std::bit_cast<float>(largestBits);
        const float inverse = largest > 0 ? 127.0f / largest : 0.0f;
        block.d = floatToHalf(largest / 127.0f);
        for (std::size_t j = 0; j < 32; ++j)
            block.qs[j] = static_cast<std::int8_t>((x[i + j] * inverse + kRound) - kRound);
        std::memcpy(out, &block, sizeof block);
    }
}

void store(const VectorKernels &vec, DType dtype, std::byte *out, const float *x, std::size_t n)
{
    switch (dtype) {
    case DType::F32:
        std::memcpy(out, x, n * sizeof(float));
        break;
    case DType::F16:
        vec.toHalf(reinterpret_cast<std::uint16_t *>(out), x, n);
        break;
    default:
        quantizeQ8_0(out, x, n);
    }
}

} // namespace

void appendKv(ThreadPool &pool, const KvView &cache, const InRows &k, const InRows &v,
              std::size_t past)
{
    const VectorKernels &vec = vectorKernels();
    const std::size_t dim = cache.headDim, valueDim = cache.valueSize();
    const std::size_t keyBytes = rowBytes(cache.dtype, dim);
    const std::size_t valueBytes = rowBytes(cache.dtype, valueDim);
    forRows(pool, k.rows, 2 * (k.cols + v.cols), [&](std::size_t t) {
        for (std::size_t h = 0; h < cache.kvHeads; ++h) {
            const std::size_t row = h * cache.capacity + past + t;
            store(vec, cache.dtype, cache.keys + row * keyBytes, k.row(t) + h * dim, dim);
            if (cache.values)
                store(vec, cache.dtype, cache.values + row * valueBytes, v.row(t) + h * valueDim,
                      valueDim);
        }
    });
}

void run(OpCall &call, const op::AppendKv &op)
{
    CpuPass &pass = call.pass();
    pass.findCaches(op.layer, op.shape); // checked before anything is changed
    for (const AttentionItem &item : pass.attention)
        if (!item.cache.values)
            call.fail("layer " + std::to_string(op.layer) + " has a latent cache");
    const HeadStep qStep = call.headStep(op.qTransform), kStep = call.headStep(op.kTransform);
    const FloatRows queries = call.update(op.q, "q");
    const InRows keys = call.input(op.k, "k"), values = call.input(op.v, "v");
    const bool plain = !kStep.norm && !kStep.cosSin;
    const FloatRows rotated = call.temporary(plain ? 0 : keys.rows, keys.cols);
    call.run([&] {
        if (qStep.norm || qStep.cosSin)
            transformHeads(pass.pool, asInput(queries), size(op.shape.heads), qStep,
                           HeadOrder::TokenMajor, queries);
        if (!plain)
            transformHeads(pass.pool, keys, size(op.shape.kvHeads), kStep, HeadOrder::TokenMajor,
                           rotated);
        const InRows stored = plain ? keys : asInput(rotated);
        for (const AttentionItem &item : pass.attention)
            appendKv(pass.pool, item.cache, part(stored, item.firstRow, item.rows),
                     part(values, item.firstRow, item.rows), item.past);
    });
}

} // namespace fireside::cpu
