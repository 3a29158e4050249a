#include "engine/vulkan/ops/attention/head_checks.h"

#include "shaders/ops/attention/append_kv.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace fireside::vulkan {

void throwHeads(const char *op, const std::string &why)
{
    throw Error(ErrorKind::Internal, std::string(op) + ": " + why);
}

VkDeviceAddress turnTable(Recorder &r, const std::optional<Rope> &rope)
{
    if (!rope || rope->inverseFrequencies.empty())
        return 0;
    std::vector<std::uint32_t> words;
    words.reserve(2 * rope->inverseFrequencies.size());
    for (const float frequency : rope->inverseFrequencies) {
        double turns = static_cast<double>(frequency) / (2 * std::numbers::pi);
        turns -= std::floor(turns);
        const double high = std::floor(std::ldexp(turns, 32));
        words.push_back(static_cast<std::uint32_t>(high));
        words.push_back(static_cast<std::uint32_t>(std::ldexp(std::ldexp(turns, 32) - high, 32)));
    }
    return r.table(std::as_bytes(std::span(words)));
}

std::int64_t pairsOf(const std::optional<Rope> &rope)
{
    return !rope ? 0 : static_cast<std::int64_t>(rope->inverseFrequencies.size());
}

std::uint32_t firstTurning(const std::optional<Rope> &rope)
{
    return !rope ? 0 : checked32(rope->firstChannel);
}

float turnFactor(const std::optional<Rope> &rope)
{
    return !rope ? 1.0f : rope->attentionFactor;
}

std::uint32_t appendedType(const Recorder &r, const op::AppendKv &op)
{
    const std::int64_t D = op.shape.headDim, Dv = op.shape.values();
    if (r.rows() == 0)
        return 0;
    const KvLayer &cache = r.cache(op.layer);
    if (cache.kvHeads != op.shape.kvHeads || cache.headDim != D || cache.valueDim != Dv ||
        cache.values == nullptr)
        throwHeads(op.kName, "heads [" + std::to_string(op.shape.kvHeads) + ", " +
                                 std::to_string(D) + " and " + std::to_string(Dv) +
                                 "] for a cache of [" + std::to_string(cache.kvHeads) + ", " +
                                 std::to_string(cache.headDim) + " and " +
                                 std::to_string(cache.valueDim) + "]");
    cacheType(op.kName, cache.dtype, Dv);
    return cacheType(op.kName, cache.dtype, D);
}

std::uint32_t headFlags(const Tensor &q, const HeadTransform &qTransform, const Tensor &k,
                        const HeadTransform &kTransform, const Tensor &v)
{
    const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0; };
    const auto interleaved = [](const HeadTransform &transform) {
        return transform.rope && transform.rope->pairing == RopePairing::Interleaved;
    };
    return flag(isHalf(q) != 0, kQueriesHalf) | flag(isHalf(k) != 0, kKeysHalf) |
           flag(isHalf(v) != 0, kValuesHalf) | flag(qTransform.norm != nullptr, kQueriesNormed) |
           flag(kTransform.norm != nullptr, kKeysNormed) |
           flag(interleaved(qTransform), kQueriesInterleaved) |
           flag(interleaved(kTransform), kKeysInterleaved);
}

std::uint32_t cacheType(const char *op, DType type, std::int64_t rowChannels)
{
    if (type == DType::F32)
        return 0;
    if (type == DType::F16)
        return 1;
    if (type != DType::Q8_0)
        throwHeads(op, std::string("a cache of type ") + name(type));
    if (rowChannels % 32 != 0)
        throwHeads(op, "a Q8_0 cache with rows of " + std::to_string(rowChannels) + " channels");
    return 2;
}

std::uint32_t threadsForHead(const Recorder &r, std::int64_t headDim)
{
    const std::int64_t most =
        std::min<std::int64_t>(256, r.capabilities().maxWorkgroupSize / 32 * 32);
    return checked32(std::clamp<std::int64_t>(ceilDiv(headDim, 64) * 32, 32, most));
}

std::uint32_t checked32(std::int64_t n)
{
    if (n < 0 || n > std::int64_t{0xffffffff})
        throwHeads("count", std::to_string(n) + " does not fit 32 bits");
    return static_cast<std::uint32_t>(n);
}

} // namespace fireside::vulkan
