#include "engine/vulkan/pass/pass_tables.h"

#include "engine/backend/checks.h"
#include "engine/core/error.h"
#include "shaders/common/pass.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace fireside::vulkan {
namespace {

constexpr std::size_t kPassTableAlignment = 256;

std::size_t alignedTable(std::size_t bytes)
{
    return (bytes + kPassTableAlignment - 1) / kPassTableAlignment * kPassTableAlignment;
}

std::string text(std::int64_t number)
{
    return std::to_string(number);
}

/// Layers of a model that is spread over devices may have their caches elsewhere.
bool isOn(const Gpu *gpu, const Buffer *buffer)
{
    const auto *own = dynamic_cast<const VulkanBuffer *>(buffer);
    return own != nullptr && own->gpu() == gpu;
}

/// The device's address of one layer's keys or values; 0 when the layer has none.
VkDeviceAddress cacheAddress(Buffer *buffer, const KvLayer &layer, std::int64_t headSize,
                             std::size_t index)
{
    if (buffer == nullptr)
        return 0;
    const VulkanBuffer &own = asVulkan(buffer, "a key-value cache");
    const std::size_t blockElements = info(layer.dtype).blockElements;
    if (headSize <= 0 || static_cast<std::size_t>(headSize) % blockElements != 0 ||
        layer.kvHeads <= 0)
        throwInternal("cache of layer " + std::to_string(index) + " has heads of " +
                      text(headSize) + " channels in " + name(layer.dtype));
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(layer.kvHeads),
                               static_cast<std::size_t>(layer.capacity), &bytes) ||
        __builtin_mul_overflow(bytes, rowBytes(layer.dtype, static_cast<std::size_t>(headSize)),
                               &bytes) ||
        bytes > own.size())
        throwInternal("cache of layer " + std::to_string(index) + " needs " +
                      std::to_string(bytes) + " bytes, its buffer has " +
                      std::to_string(own.size()));
    return own.address();
}

} // namespace

PassTables::PassTables(std::shared_ptr<Gpu> gpu, std::int64_t maxRows)
    : m_gpu(std::move(gpu))
    , m_maxRows(std::max<std::int64_t>(1, maxRows))
    , m_rowBytes(alignedTable(static_cast<std::size_t>(m_maxRows) * sizeof(std::int32_t)))
{
    grow(16, 64);
}

bool PassTables::grow(std::size_t items, std::size_t layers)
{
    const std::size_t itemBytes = std::max(m_itemBytes, alignedTable(items * sizeof(PassItem)));
    const std::size_t needed =
        part(4) + itemBytes + alignedTable(items * layers * sizeof(PassCache));
    if (m_buffer && itemBytes == m_itemBytes && needed <= m_buffer->size())
        return false;
    auto buffer = std::make_unique<VulkanBuffer>(MemoryPiece(
        m_gpu, m_gpu->memory.allocate(needed, Memory::Use::Device, "the tables of a pass")));
    m_staging = m_gpu->memory.allocate(needed, Memory::Use::Staging, "the tables of a pass");
    m_buffer = std::move(buffer);
    m_itemBytes = itemBytes;
    return true;
}

Tensor PassTables::values(std::size_t index, std::size_t count) const
{
    return {m_buffer.get(), part(index), DType::I32, static_cast<std::int64_t>(count), 1, 1};
}

VkDeviceAddress PassTables::cachesAddress(std::int64_t layer) const
{
    return itemsAddress() + m_itemBytes +
           static_cast<std::size_t>(layer) * m_items.size() * sizeof(PassCache);
}

void PassTables::check(const Batch &batch) const
{
    checkBatch(batch, m_maxRows);
    for (const BatchItem &item : batch.items)
        if (item.cache.size() != batch.items.front().cache.size())
            throwInternal("begin: caches of " + std::to_string(item.cache.size()) + " and " +
                          std::to_string(batch.items.front().cache.size()) + " layers");
}

bool PassTables::write(const Batch &batch)
{
    check(batch);
    const std::size_t layers = batch.items.empty() ? 0 : batch.items.front().cache.size();
    const bool moved = grow(batch.items.size(), layers);
    m_ids.assign(batch.ids.begin(), batch.ids.end());
    m_outputRows.assign(batch.outputRows.begin(), batch.outputRows.end());
    m_items.assign(batch.items.begin(), batch.items.end());
    m_layers.clear();
    if (layers > 0)
        m_layers.assign(batch.items.front().cache.begin(), batch.items.front().cache.end());
    for (KvLayer &layer : m_layers) {
        if (!isOn(m_gpu.get(), layer.keys))
            layer.keys = layer.values = nullptr;
        if (!isOn(m_gpu.get(), layer.state))
            layer.state = nullptr;
    }

    std::byte *const to = m_staging->mapped();
    const auto place = [&](std::size_t index, std::span<const std::int32_t> values) {
        if (!values.empty())
            std::memcpy(to + part(index), values.data(), values.size_bytes());
    };
    place(0, batch.ids);
    place(1, batch.positions);
    place(2, batch.outputRows);
    writeItems(to);
    return moved;
}

/// A layer's entry for an item; `capacity` is that of the layers before, 0 where none had a cache.
PassCache PassTables::cacheOf(const BatchItem &item, std::size_t layer,
                              std::int64_t &capacity) const
{
    const KvLayer &kv = item.cache[layer];
    const KvLayer &first = m_layers[layer];
    const auto name = [layer] { return "layer " + std::to_string(layer); }; // of many, in time
    PassCache cache{};
    if (isOn(m_gpu.get(), kv.state)) {
        cache.state = asVulkan(kv.state, "a state").address();
        const std::size_t numbers = kv.state->size() / sizeof(float);
        if (kv.stateSize != first.stateSize || numbers < static_cast<std::size_t>(kv.stateSize))
            throwInternal("begin: states of " + name() + " have " + text(first.stateSize) +
                          " and " + text(kv.stateSize) + " numbers, the memory " +
                          std::to_string(numbers));
    }
    if (!isOn(m_gpu.get(), kv.keys))
        return cache;
    if (kv.dtype != first.dtype || kv.kvHeads != first.kvHeads || kv.headDim != first.headDim ||
        kv.valueDim != first.valueDim)
        throwInternal("begin: caches of " + name() + " differ in type or heads");
    if (capacity != 0 && kv.capacity != capacity)
        throwInternal("begin: layers of one cache hold " + text(capacity) + " and " +
                      text(kv.capacity) + " tokens");
    capacity = kv.capacity;
    if (item.rows > capacity || item.past > capacity - item.rows)
        throwInternal("cache of " + name() + " holds " + text(capacity) + " tokens, needed are " +
                      text(item.past) + " + " + text(item.rows));
    const std::int64_t valueDim = kv.valueDim > 0 ? kv.valueDim : kv.headDim;
    cache.keys = cacheAddress(kv.keys, kv, kv.headDim, layer);
    cache.values = kv.values != nullptr ? cacheAddress(kv.values, kv, valueDim, layer) : cache.keys;
    return cache;
}

void PassTables::writeItems(std::byte *to)
{
    m_longest = 0;
    m_room = std::numeric_limits<std::int64_t>::max();
    const std::size_t items = m_items.size();
    for (std::size_t i = 0; i < items; ++i) {
        const BatchItem &item = m_items[i];
        m_longest = std::max(m_longest, item.past + item.rows);
        for (std::int64_t row = 0; row < item.rows; ++row) {
            const auto index = static_cast<std::uint32_t>(i);
            std::memcpy(to + part(3) + static_cast<std::size_t>(item.firstRow + row) * sizeof index,
                        &index, sizeof index);
        }
        std::int64_t capacity = 0;
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            const PassCache cache = cacheOf(item, layer, capacity);
            std::memcpy(to + part(4) + m_itemBytes + (layer * items + i) * sizeof cache, &cache,
                        sizeof cache);
        }
        if (capacity > 0)
            m_room = std::min(m_room, capacity - item.past - item.rows);
        const PassItem entry{
            static_cast<std::uint32_t>(item.firstRow), static_cast<std::uint32_t>(item.rows),
            static_cast<std::uint32_t>(item.past), static_cast<std::uint32_t>(capacity)};
        std::memcpy(to + part(4) + i * sizeof entry, &entry, sizeof entry);
        m_items[i].cache = {}; // the caller's span ends with begin()
    }
}

void PassTables::recordCopy(VkCommandBuffer commands) const
{
    std::vector<VkBufferCopy> regions;
    const auto add = [&](std::size_t offset, std::size_t bytes) {
        if (bytes > 0)
            regions.push_back({offset, offset, bytes});
    };
    add(part(0), m_ids.size() * sizeof(std::int32_t));
    add(part(1), m_ids.size() * sizeof(std::int32_t));
    add(part(2), m_outputRows.size() * sizeof(std::int32_t));
    add(part(3), m_ids.size() * sizeof(std::uint32_t));
    add(part(4), m_items.size() * sizeof(PassItem));
    add(part(4) + m_itemBytes, m_items.size() * m_layers.size() * sizeof(PassCache));
    if (!regions.empty())
        m_gpu->device.functions().CmdCopyBuffer(commands, m_staging->buffer(), m_buffer->handle(),
                                                static_cast<std::uint32_t>(regions.size()),
                                                regions.data());
}

} // namespace fireside::vulkan
