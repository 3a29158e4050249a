#include "engine/generate/kv_cache.h"

#include "engine/core/error.h"

#include <algorithm>
#include <string>

namespace fireside {
namespace {

std::size_t headBytes(const KvLayer &layer, std::int64_t dim)
{
    return rowBytes(layer.dtype, static_cast<std::size_t>(dim)) *
           static_cast<std::size_t>(layer.capacity);
}

std::size_t bytesOf(const KvLayer &layer, std::int64_t dim)
{
    return headBytes(layer, dim) * static_cast<std::size_t>(layer.kvHeads);
}

/// The first `length` tokens of every head.
void copyTokens(Device &device, const KvLayer &from, const KvLayer &to, std::size_t length)
{
    if (length == 0)
        return;
    const std::size_t keyRow = rowBytes(from.dtype, static_cast<std::size_t>(from.headDim));
    const std::size_t valueRow = rowBytes(from.dtype, static_cast<std::size_t>(from.valueDim));
    for (std::size_t head = 0; head < static_cast<std::size_t>(from.kvHeads); ++head) {
        device.copy(*from.keys, head * headBytes(from, from.headDim), *to.keys,
                    head * headBytes(to, to.headDim), length * keyRow);
        device.copy(*from.values, head * headBytes(from, from.valueDim), *to.values,
                    head * headBytes(to, to.valueDim), length * valueRow);
    }
}

} // namespace

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
    KvLayer layer{.dtype = type,
                  .kvHeads = c.kvHeads,
                  .capacity = std::min(capacity, kFirstTokens),
                  .headDim = c.headDim,
                  .valueDim = c.headDim};
    for (std::int64_t i = 0; i < c.layers; ++i) {
        m_memory.push_back(allocate(model.layerDevice(i), layer));
        layer.keys = m_memory.back().keys.get();
        layer.values = m_memory.back().values.get();
        m_layers.push_back(layer);
    }
}

int KvCache::allocated() const
{
    std::int64_t least = m_capacity; // layers differ where growing stopped half way
    for (const KvLayer &layer : m_layers)
        least = std::min(least, layer.capacity);
    return static_cast<int>(least);
}

std::size_t KvCache::bytes() const
{
    std::size_t bytes = 0;
    for (const KvLayer &layer : m_layers)
        bytes += bytesOf(layer, layer.headDim) + bytesOf(layer, layer.valueDim);
    return bytes;
}

KvCache::Memory KvCache::allocate(Device &device, const KvLayer &layer) const
{
    return {device.allocate(bytesOf(layer, layer.headDim), "the cache of keys"),
            device.allocate(bytesOf(layer, layer.valueDim), "the cache of values")};
}

void KvCache::reserve(const Model &model, std::size_t tokens, std::size_t used)
{
    const int now = allocated();
    if (tokens <= static_cast<std::size_t>(now))
        return;
    if (tokens > static_cast<std::size_t>(m_capacity))
        throw Error(ErrorKind::Internal, "room for " + std::to_string(tokens) +
                                             " tokens in a cache for " +
                                             std::to_string(m_capacity));
    const auto capacity = static_cast<std::size_t>(m_capacity);
    const std::size_t block = kFirstTokens;
    const std::size_t blocks = (tokens + block - 1) / block * block;
    const std::size_t doubled = 2 * static_cast<std::size_t>(now);
    const auto least = static_cast<int>(std::min(blocks, capacity));
    const auto wanted = static_cast<int>(std::min(std::max(blocks, doubled), capacity));
    // Layer by layer, so that the old and the new memory of one layer at most exist together.
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        if (m_layers[i].capacity < least)
            growLayer(model.layerDevice(static_cast<std::int64_t>(i)), i, least, wanted, used);
}

void KvCache::growLayer(Device &device, std::size_t index, int least, int wanted, std::size_t used)
{
    const KvLayer &old = m_layers[index];
    KvLayer grown = old;
    Memory memory;
    try {
        grown.capacity = wanted;
        memory = allocate(device, grown);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Memory || wanted == least)
            throw;
        grown.capacity = least;
        memory = allocate(device, grown);
    }
    grown.keys = memory.keys.get();
    grown.values = memory.values.get();
    copyTokens(device, old, grown, used);
    m_layers[index] = grown;
    m_memory[index] = std::move(memory);
}

void KvCache::copyFrom(const KvCache &other, const Model &model, std::size_t length)
{
    reserve(model, length, 0);
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        copyTokens(model.layerDevice(static_cast<std::int64_t>(i)), other.m_layers[i], m_layers[i],
                   length);
}

} // namespace fireside
