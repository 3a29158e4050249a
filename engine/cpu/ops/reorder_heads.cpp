#include "engine/cpu/ops/head_ops.h"

namespace fireside::cpu {

void reorderHeads(ThreadPool &pool, const InRows &x, std::size_t heads, HeadOrder to,
                  const FloatRows &out)
{
    const bool toHeads = to == HeadOrder::HeadMajor;
    const std::size_t T = toHeads ? x.rows : out.rows, dim = toHeads ? out.cols : x.cols;
    forRows(pool, T, heads * dim, [&](std::size_t t) {
        for (std::size_t h = 0; h < heads; ++h)
            if (toHeads)
                std::copy_n(x.row(t) + h * dim, dim, out.row(h * T + t));
            else
                std::copy_n(x.row(h * T + t), dim, out.row(t) + h * dim);
    });
}

void splitQkv(ThreadPool &pool, const InRows &qkv, QkvLayout layout, const AttentionShape &shape,
              const FloatRows &q, const FloatRows &k, const FloatRows &v)
{
    const auto heads = static_cast<std::size_t>(shape.heads);
    const auto kvHeads = static_cast<std::size_t>(shape.kvHeads);
    const auto dim = static_cast<std::size_t>(shape.headDim);
    forRows(pool, qkv.rows, qkv.cols, [&](std::size_t t) {
        const float *from = qkv.row(t);
        if (layout == QkvLayout::TokenMajor) {
            std::copy_n(from, heads * dim, q.row(t));
            std::copy_n(from + heads * dim, kvHeads * dim, k.row(t));
            std::copy_n(from + (heads + kvHeads) * dim, kvHeads * dim, v.row(t));
            return;
        }
        const std::size_t group = heads / kvHeads * dim;
        for (std::size_t h = 0; h < kvHeads; ++h, from += group + 2 * dim) {
            std::copy_n(from, group, q.row(t) + h * group);
            std::copy_n(from + group, dim, k.row(t) + h * dim);
            std::copy_n(from + group + dim, dim, v.row(t) + h * dim);
        }
    });
}

} // namespace fireside::cpu
