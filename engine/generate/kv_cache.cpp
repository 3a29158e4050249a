#include "engine/generate/kv_cache.h"

#include "engine/core/error.h"

#include <string>

namespace fireside {

KvCache::KvCache(const Model &model, int capacity, DType type)
    : m_capacity(capacity)
    , m_type(type)
{
    const Config &c = model.config();
    if (capacity < 1)
        throwBadInput("a context of " + std::to_string(capacity) + " tokens");
    if (type != DType::F32 && type != DType::F16 && type != DType::Q8_0)
        throwUnsupported(std::string("not supported: a cache of type ") + name(type));
    if (c.headDim % info(type).blockElements != 0)
        throwUnsupported(std::string("not supported: a ") + name(type) + " cache for heads of " +
                         std::to_string(c.headDim) + " channels");
    const std::size_t bytes = rowBytes(type, static_cast<std::size_t>(c.headDim)) *
                              static_cast<std::size_t>(c.kvHeads) *
                              static_cast<std::size_t>(capacity);
    for (std::int64_t i = 0; i < c.layers; ++i) {
        Device &device = model.layerDevice(i);
        auto keys = device.allocate(bytes, "the cache of keys");
        auto values = device.allocate(bytes, "the cache of values");
        m_layers.push_back({.keys = keys.get(),
                            .values = values.get(),
                            .dtype = type,
                            .kvHeads = c.kvHeads,
                            .capacity = capacity,
                            .headDim = c.headDim,
                            .valueDim = c.headDim});
        m_buffers.push_back(std::move(keys));
        m_buffers.push_back(std::move(values));
        m_bytes += 2 * bytes;
    }
}

void KvCache::copyFrom(const KvCache &other, const Model &model, std::size_t length)
{
    const Config &c = model.config();
    const std::size_t row = rowBytes(m_type, static_cast<std::size_t>(c.headDim));
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        Device &device = model.layerDevice(static_cast<std::int64_t>(i));
        const KvLayer &from = other.m_layers[i];
        const KvLayer &to = m_layers[i];
        for (std::size_t head = 0; head < static_cast<std::size_t>(c.kvHeads); ++head) {
            const std::size_t fromOffset = head * static_cast<std::size_t>(from.capacity) * row;
            const std::size_t toOffset = head * static_cast<std::size_t>(to.capacity) * row;
            device.copy(*from.keys, fromOffset, *to.keys, toOffset, length * row);
            device.copy(*from.values, fromOffset, *to.values, toOffset, length * row);
        }
    }
}

} // namespace fireside
