#include "shaders/ops/attention/attention.h"
#include "engine/vulkan/ops/attention/attention_dispatch.h"
#include "engine/vulkan/ops/attention/head_checks.h"
#include "engine/vulkan/ops/ops.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

/// Rows of a cache lie without gaps from the buffer's start on.
std::uint32_t rowStep(std::uint32_t type, DType dtype, std::int64_t channels)
{
    const std::size_t bytes = rowBytes(dtype, static_cast<std::size_t>(channels));
    const auto divisor = static_cast<std::uint32_t>(bytes & (~bytes + 1));
    if (type == 2)
        return std::min(divisor, 8u);
    return channels % 8 == 0 ? 16 : std::min(divisor, 4u);
}

} // namespace

AttentionSource cacheSource(const Recorder &r, std::int64_t layer, const AttentionShape &shape)
{
    constexpr const char *op = op::Attention::kName;
    const KvLayer &cache = r.cache(layer);
    const bool latent = cache.values == nullptr;
    const std::int64_t D = shape.headDim, Dv = shape.values();
    const bool valuesFit = latent ? Dv <= D : cache.valueDim == Dv;
    if (cache.kvHeads != shape.kvHeads || cache.headDim != D || !valuesFit)
        throwHeads(op, "kv heads [" + std::to_string(shape.kvHeads) + ", " + std::to_string(D) +
                           " and " + std::to_string(Dv) + "] with a cache of [" +
                           std::to_string(cache.kvHeads) + ", " + std::to_string(cache.headDim) +
                           " and " + std::to_string(latent ? cache.headDim : cache.valueDim) + "]");
    AttentionSource source;
    source.k = r.caches(layer);
    source.keyType = source.valueType = cacheType(op, cache.dtype, D);
    source.keyStep = rowStep(source.keyType, cache.dtype, D);
    source.valueStep =
        latent ? source.keyStep : rowStep(cacheType(op, cache.dtype, Dv), cache.dtype, Dv);
    source.flags = latent ? kLatent : 0;
    source.maxKeys = r.maxKeys();
    source.reads = {r.cacheAccess(layer)};
    return source;
}

void requireSupported(const Recorder &r, const op::Attention &op)
{
    if (r.rows() > 0)
        cacheSource(r, op.layer, op.shape);
}

void run(Recorder &r, const op::Attention &op)
{
    if (r.rows() > 0)
        dispatchAttention(r, op.q, cacheSource(r, op.layer, op.shape), op.shape, op.out);
}

} // namespace fireside::vulkan
