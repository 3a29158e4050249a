#include "engine/cpu/ops/head_ops.h"
#include "engine/cpu/ops/op_call.h"
#include "engine/tensor/blocks.h"

#include <algorithm>

namespace fireside::cpu {
namespace {

/// Rows of a latent cache as floats.
void readLatents(ThreadPool &pool, const KvView &cache, const FloatRows &out)
{
    const std::size_t bytes = rowBytes(cache.dtype, cache.headDim);
    forRows(pool, out.rows, out.cols, [&](std::size_t t) {
        dequantizeRow(cache.dtype, cache.keys + t * bytes, out.row(t), out.cols);
    });
}

/// Keys and values of all heads, [H, n, D] and [H, n, Dv].
struct Expanded
{
    FloatRows keys, values;
};

void expand(CpuPass &pass, const op::ExpandedAttention &op, const FloatRows &latents,
            const Expanded &heads)
{
    const std::size_t n = latents.rows, rank = size(op.keys.cols), plain = size(op.keys.rows);
    for (std::size_t h = 0; h < size(op.shape.heads); ++h) {
        const auto head = static_cast<std::int64_t>(h);
        const LinearJob keys{asCpu(op.keys).matrix(head), heads.keys.row(h * n), heads.keys.stride,
                             nullptr, false};
        const LinearJob values{asCpu(op.values).matrix(head), heads.values.row(h * n),
                               heads.values.stride, nullptr, false};
        linear(pass.pool, pass.linearScratch, latents.data, latents.stride, n, rank, {&keys, 1});
        linear(pass.pool, pass.linearScratch, latents.data, latents.stride, n, rank, {&values, 1});
        forRows(pass.pool, n, latents.cols - rank, [&](std::size_t t) {
            std::copy(latents.row(t) + rank, latents.row(t) + latents.cols,
                      heads.keys.row(h * n + t) + plain);
        });
    }
}

} // namespace

void run(OpCall &call, const op::ExpandedAttention &op)
{
    CpuPass &pass = call.pass();
    const std::size_t plain = size(op.keys.rows), rank = size(op.keys.cols);
    const std::size_t H = size(op.shape.heads), dim = size(op.shape.headDim);
    const std::size_t valueDim = size(op.shape.values()), width = rank + dim - plain;
    AttentionShape cached;
    cached.heads = cached.kvHeads = 1;
    cached.headDim = static_cast<std::int64_t>(width);
    cached.valueDim = op.keys.cols;
    pass.findCaches(op.layer, cached);
    const std::vector<AttentionItem> items = pass.attention;
    std::size_t longest = 0;
    for (const AttentionItem &item : items) {
        if (item.cache.values)
            call.fail("the cache of layer " + std::to_string(op.layer) + " is not a latent one");
        longest = std::max(longest, item.past + item.rows);
    }
    const InRows q = call.input(op.q, "q");
    const FloatRows out = call.output(op.out, "out");
    const FloatRows latents = call.temporary(longest, width);
    const FloatRows keys = call.temporary(H * longest, dim);
    const FloatRows values = call.temporary(H * longest, valueDim);
    call.run([&] {
        for (const AttentionItem &item : items) {
            const std::size_t n = item.past + item.rows;
            if (item.rows == 0)
                continue;
            readLatents(pass.pool, item.cache, {latents.data, latents.stride, n, width});
            expand(pass, op, {latents.data, latents.stride, n, width}, {keys, values});
            const AttentionItem expanded{{reinterpret_cast<std::byte *>(keys.data),
                                          reinterpret_cast<std::byte *>(values.data), DType::F32, H,
                                          n, dim, valueDim},
                                         item.firstRow,
                                         item.rows,
                                         item.past};
            attention(pass.pool, {&expanded, 1}, q, op.shape, nullptr, out);
        }
    });
}

} // namespace fireside::cpu
