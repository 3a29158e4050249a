#include "engine/core/error.h"
#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/matmul/expert_rows.h"
#include "engine/vulkan/ops/matmul/gemm_dispatch.h"
#include "engine/vulkan/ops/ops.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// Channels that are read eight at a time.
bool inEights(const op::ExpandedAttention &op)
{
    return op.keys.rows % 8 == 0 && op.keys.cols % 8 == 0 && op.shape.headDim % 8 == 0 &&
           op.shape.values() % 8 == 0;
}

/// Bytes of a head's keys and values for all items.
std::int64_t bytesOfHead(const Recorder &r, const op::ExpandedAttention &op)
{
    const auto items = static_cast<std::int64_t>(r.items().size());
    return items * r.maxKeys() * (op.keys.rows + op.shape.values()) * 2;
}

/// Heads [first, first + count), which share the memory of keys and values with other heads.
class HeadGroup
{
public:
    HeadGroup(Recorder &r, const op::ExpandedAttention &op, std::int64_t first, std::int64_t count)
        : m_r(r)
        , m_op(op)
        , m_first(first)
        , m_count(count)
        , m_keys(r.maxKeys())
    {}

    void run()
    {
        const std::size_t mark = m_r.mark();
        const auto items = static_cast<std::int64_t>(m_r.items().size());
        const Tensor keys = m_r.scratch(items * m_keys, m_count * m_op.keys.rows, DType::F16);
        const Tensor values = m_r.scratch(items * m_keys, m_count * m_op.values.rows, DType::F16);
        for (std::int64_t item = 0; item < items; ++item) {
            expand(item, m_op.keys, keys.rowRange(item * m_keys, m_keys));
            expand(item, m_op.values, values.rowRange(item * m_keys, m_keys));
        }
        attend(keys, values);
        m_r.release(mark);
    }

private:
    /// out = the item's latent rows · weightᵀ, of the group's heads
    void expand(std::int64_t item, const Weight &weight, const Tensor &out)
    {
        const KvLayer &cache = m_r.cache(m_op.layer);
        const LatentRows latent{m_op.layer, item, m_keys, m_first * weight.rows,
                                m_count * weight.rows};
        TiledProduct product;
        product.op = m_op.kName;
        product.x = {cache.keys, 0, DType::F16, 1, weight.cols, cache.headDim};
        product.weight = &weight;
        product.out = out;
        product.latent = &latent;
        TiledDispatch dispatch(m_r);
        dispatch.add(product, tileFor(m_r, weight, m_keys, false));
    }

    void attend(const Tensor &keys, const Tensor &values)
    {
        AttentionShape shape = m_op.shape;
        shape.heads = shape.kvHeads = m_count;
        AttentionSource source;
        source.k = m_r.address(keys);
        source.v = m_r.address(values);
        source.kStride = checked32(keys.stride);
        source.vStride = checked32(values.stride);
        source.keyType = source.valueType = 1; // F16
        source.keyStep = source.valueStep = 16;
        source.flags = kExpanded | checked32(m_op.keys.rows) << kPlainShift;
        source.maxKeys = m_keys;
        source.reads = {accessOf(keys), accessOf(values), m_r.cacheAccess(m_op.layer)};
        source.expanded = {m_r.caches(m_op.layer), m_op.keys.cols, m_keys};
        const std::int64_t D = shape.headDim, Dv = shape.values();
        dispatchAttention(m_r, m_op.q.columns(m_first * D, m_count * D), source, shape,
                          m_op.out.columns(m_first * Dv, m_count * Dv));
    }

    Recorder &m_r;
    const op::ExpandedAttention &m_op;
    std::int64_t m_first, m_count, m_keys;
};

} // namespace

void requireSupported(const Recorder &r, const op::ExpandedAttention &op)
{
    if (r.rows() == 0)
        return;
    requireMatrices(op.kName, op.keys);
    requireMatrices(op.kName, op.values);
    const KvLayer &cache = r.cache(op.layer);
    const std::int64_t width = op.keys.cols + op.shape.headDim - op.keys.rows;
    if (cache.kvHeads != 1 || cache.headDim != width || cache.values != nullptr)
        throwHeads(op.kName,
                   "rows of " + std::to_string(width) + " channels of a latent cache of [" +
                       std::to_string(cache.kvHeads) + ", " + std::to_string(cache.headDim) + "]");
    if (cache.dtype != DType::F16 || !inEights(op))
        throwUnsupported(std::string(op.kName) + " on Vulkan with a cache of " + name(cache.dtype) +
                         " and heads of " + std::to_string(op.keys.rows) + " and " +
                         std::to_string(op.shape.headDim) + " channels");
}

bool expandsLatent(const Recorder &r, const op::ExpandedAttention &op)
{
    // Below, keys and values take longer to make than they save.
    constexpr std::int64_t kRowsEach = 16, kFewest = 32;
    const auto items = static_cast<std::int64_t>(r.items().size());
    return r.rows() >= std::max(kFewest, kRowsEach * items) &&
           r.cache(op.layer).dtype == DType::F16 && inEights(op) && bytesOfHead(r, op) <= op.room &&
           multipliesMatrices(r, op.shape, 1, r.rows());
}

void run(Recorder &r, const op::ExpandedAttention &op)
{
    if (r.rows() == 0)
        return;
    const std::int64_t heads = op.shape.heads;
    const std::int64_t together =
        std::clamp<std::int64_t>(op.room / std::max<std::int64_t>(1, bytesOfHead(r, op)), 1, heads);
    for (std::int64_t first = 0; first < heads; first += together)
        HeadGroup(r, op, first, std::min(together, heads - first)).run();
}

} // namespace fireside::vulkan
