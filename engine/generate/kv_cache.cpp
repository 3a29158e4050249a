#include "engine/generate/kv_cache.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <string>

namespace fireside {
namespace {

std::size_t rowOf(const KvLayer &layer, std::int64_t dim)
{
    return rowBytes(layer.dtype, static_cast<std::size_t>(dim));
}

std::size_t bytesOf(const KvLayer &layer, std::int64_t dim, std::int64_t tokens)
{
    return rowOf(layer, dim) * static_cast<std::size_t>(layer.kvHeads * tokens);
}

/// Copies of many layers, all of one device in one go.
class Copies
{
public:
    explicit Copies(const Model &model)
        : m_model(model)
    {}
    std::vector<BufferCopy> &of(std::size_t layer)
    {
        Device &device = m_model.layerDevice(static_cast<std::int64_t>(layer));
        if (m_device != &device)
            run();
        m_device = &device;
        return m_copies;
    }
    void run()
    {
        if (m_device != nullptr)
            m_device->copy(m_copies);
        m_copies.clear();
    }

private:
    const Model &m_model;
    Device *m_device = nullptr;
    std::vector<BufferCopy> m_copies;
};

/// The first `length` tokens of every head.
void copyTokens(std::vector<BufferCopy> &copies, const KvLayer &from, const KvLayer &to,
                std::size_t length)
{
    const auto copy = [&](const Buffer *source, Buffer *target, std::size_t row) {
        for (std::int64_t head = 0; head < from.kvHeads; ++head)
            copies.push_back({source, static_cast<std::size_t>(head * from.capacity) * row, target,
                              static_cast<std::size_t>(head * to.capacity) * row, length * row});
    };
    if (length == 0 || from.keys == nullptr)
        return;
    copy(from.keys, to.keys, rowOf(from, from.headDim));
    if (from.values != nullptr)
        copy(from.values, to.values, rowOf(from, from.valueDim));
}

/// Moves the heads of a layer apart, within its memory, to where they lie with `capacity` tokens:
/// from the last head and the last token on, in copies whose source and target do not overlap.
void spreadHeads(std::vector<BufferCopy> &copies, const KvLayer &layer, std::int64_t capacity,
                 std::int64_t used)
{
    const auto spread = [&](Buffer *buffer, std::size_t row) {
        for (std::int64_t head = layer.kvHeads; head-- > 1;) {
            const std::int64_t distance = head * (capacity - layer.capacity);
            for (std::int64_t end = used; end > 0;) {
                const std::int64_t begin = std::max<std::int64_t>(0, end - distance);
                const std::int64_t from = head * layer.capacity + begin;
                copies.push_back({buffer, static_cast<std::size_t>(from) * row, buffer,
                                  static_cast<std::size_t>(from + distance) * row,
                                  static_cast<std::size_t>(end - begin) * row});
                end = begin;
            }
        }
    };
    if (layer.keys == nullptr)
        return;
    spread(layer.keys, rowOf(layer, layer.headDim));
    if (layer.values != nullptr)
        spread(layer.values, rowOf(layer, layer.valueDim));
}

void hold(std::span<KvLayer> layers, std::span<const KvCache::Memory> memory)
{
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].keys = memory[i].keys.get();
        layers[i].values = memory[i].values.get();
    }
}

/// Calls each(buffer, offset, row) for every head of a layer's keys, then of its values: where its
/// rows begin, and the bytes of one.
template <typename Each>
void forHeads(const KvLayer &layer, const Each &each)
{
    const auto heads = [&](Buffer *buffer, std::size_t row) {
        for (std::int64_t head = 0; buffer != nullptr && head < layer.kvHeads; ++head)
            each(buffer, static_cast<std::size_t>(head * layer.capacity) * row, row);
    };
    heads(layer.keys, layer.keys != nullptr ? rowOf(layer, layer.headDim) : 0);
    heads(layer.values, layer.values != nullptr ? rowOf(layer, layer.valueDim) : 0);
}

/// What is allocated when `tokens` are wanted: all where little would be left.
std::int64_t allOrPart(std::int64_t tokens, std::int64_t capacity)
{
    return tokens + tokens / 2 >= capacity ? capacity : tokens;
}

std::vector<RecurrentStates::Layer> statesOf(const Model &model)
{
    std::vector<RecurrentStates::Layer> layers;
    for (std::int64_t i = 0; i < model.config().allLayers(); ++i)
        layers.push_back({&model.layerDevice(i), model.config().stateSize(i)});
    return layers;
}

} // namespace

KvCache::KvCache(const Model &model, int capacity, DType type)
    : m_capacity(capacity)
    , m_type(type)
    , m_states(statesOf(model), static_cast<std::size_t>(model.config().stateCheckpoints()))
{
    const Config &c = model.config();
    if (capacity < 1)
        throwBadInput("a context of " + std::to_string(capacity) + " tokens");
    if (type != DType::F32 && type != DType::F16 && type != DType::Q8_0)
        throwUnsupported(std::string("not supported: a cache of type ") + name(type));
    for (std::int64_t i = 0; i < c.allLayers(); ++i) {
        const KvShape shape = c.kv(i);
        for (const std::int64_t dim : {shape.keyDim, shape.valueDim})
            if (dim % info(type).blockElements != 0)
                throwUnsupported(std::string("not supported: a ") + name(type) +
                                 " cache for heads of " + std::to_string(dim) + " channels");
        KvLayer layer{.dtype = type,
                      .kvHeads = shape.heads,
                      .capacity = allOrPart(kFirstTokens, capacity),
                      .headDim = shape.keyDim,
                      .valueDim = shape.valueDim};
        layer.state = m_states.of(static_cast<std::size_t>(i));
        layer.stateSize = c.stateSize(i);
        m_layers.push_back(layer);
    }
    m_memory = takeMemory(model, m_layers.empty() ? 0 : m_layers.front().capacity);
    hold(m_layers, m_memory);
}

/// For so many tokens, of the layers of each device at once.
std::vector<KvCache::Memory> KvCache::takeMemory(const Model &model, std::int64_t tokens) const
{
    std::vector<Memory> memory(m_layers.size());
    const auto deviceOf = [&](std::size_t layer) {
        return &model.layerDevice(static_cast<std::int64_t>(layer));
    };
    for (std::size_t first = 0, end = 0; first < m_layers.size(); first = end) {
        Device &device = *deviceOf(first);
        std::vector<std::size_t> bytes;
        std::vector<std::unique_ptr<Buffer> *> places;
        for (; end < m_layers.size() && deviceOf(end) == &device; ++end) {
            const KvLayer &layer = m_layers[end];
            if (layer.kvHeads == 0)
                continue;
            bytes.push_back(bytesOf(layer, layer.headDim, tokens));
            places.push_back(&memory[end].keys);
            if (model.config().kv(static_cast<std::int64_t>(end)).valuesInKeys)
                continue;
            bytes.push_back(bytesOf(layer, layer.valueDim, tokens));
            places.push_back(&memory[end].values);
        }
        auto buffers =
            device.allocateAll(bytes, "the cache of keys and values", MemoryPurpose::Cache);
        for (std::size_t i = 0; i < places.size(); ++i)
            *places[i] = std::move(buffers[i]);
    }
    return memory;
}

int KvCache::allocated() const
{
    return m_layers.empty() ? m_capacity : static_cast<int>(m_layers.front().capacity);
}

std::size_t KvCache::bytes() const
{
    std::size_t bytes = m_states.bytes();
    for (const Memory &memory : m_memory)
        for (const Buffer *part : {memory.keys.get(), memory.values.get()})
            bytes += part != nullptr ? part->size() : 0;
    return bytes;
}

KvCache::Memory KvCache::allocate(Device &device, const KvLayer &layer, std::int64_t tokens,
                                  bool withValues) const
{
    Memory memory;
    if (layer.kvHeads == 0)
        return memory;
    memory.keys = device.allocate(bytesOf(layer, layer.headDim, tokens), "the cache of keys",
                                  MemoryPurpose::Cache);
    if (withValues)
        memory.values = device.allocate(bytesOf(layer, layer.valueDim, tokens),
                                        "the cache of values", MemoryPurpose::Cache);
    return memory;
}

/// Tokens its memory is large enough for.
std::int64_t KvCache::roomOf(std::size_t layer) const
{
    const KvLayer &l = m_layers[layer];
    std::size_t room = static_cast<std::size_t>(m_capacity);
    if (l.keys != nullptr)
        room = std::min(room, l.keys->size() / bytesOf(l, l.headDim, 1));
    if (l.values != nullptr)
        room = std::min(room, l.values->size() / bytesOf(l, l.valueDim, 1));
    return static_cast<std::int64_t>(room);
}

void KvCache::reserve(const Model &model, std::size_t tokens, std::size_t used)
{
    const std::int64_t now = allocated();
    if (tokens <= static_cast<std::size_t>(now))
        return;
    if (tokens > static_cast<std::size_t>(m_capacity))
        throw Error(ErrorKind::Internal, "room for " + std::to_string(tokens) +
                                             " tokens in a cache for " +
                                             std::to_string(m_capacity));
    constexpr std::int64_t kBlock = kFirstTokens;
    const std::int64_t needed = (static_cast<std::int64_t>(tokens) + kBlock - 1) / kBlock * kBlock;
    const std::int64_t wanted = allOrPart(std::max(needed, 2 * now), m_capacity);
    const std::int64_t least = std::min<std::int64_t>(std::max(needed, now + now / 4), m_capacity);
    model.settle(); // what runs ahead writes to the old memory
    if (growAtOnce(model, wanted, used))
        return;
    // Layer by layer, so that the old and the new memory of no more than one exist together; the
    // layout stays as it is until all have theirs, so that a failure half way changes nothing.
    std::int64_t room = m_capacity;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        growMemory(model.layerDevice(static_cast<std::int64_t>(i)), i, least, wanted);
        room = std::min(room, roomOf(i));
    }
    Copies copies(model);
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        spreadHeads(copies.of(i), m_layers[i], room, static_cast<std::int64_t>(used));
    copies.run();
    for (KvLayer &layer : m_layers)
        layer.capacity = room;
}

/// Where it is little, the old and the new memory of all layers may exist together: one allocation
/// and one copy of all, where each for itself takes some 0.3 ms. False: it is not little, or there
/// is not so much.
bool KvCache::growAtOnce(const Model &model, std::int64_t tokens, std::size_t used)
{
    constexpr std::size_t kLittle = std::size_t{256} << 20; // bytes
    std::size_t bytes = 0;
    for (const KvLayer &layer : m_layers)
        bytes += (layer.keys != nullptr ? bytesOf(layer, layer.headDim, tokens) : 0) +
                 (layer.values != nullptr ? bytesOf(layer, layer.valueDim, tokens) : 0);
    if (bytes > kLittle)
        return false;
    std::vector<Memory> memory;
    try {
        memory = takeMemory(model, tokens);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Memory)
            throw;
        return false;
    }
    std::vector<KvLayer> grown = m_layers;
    hold(grown, memory);
    for (KvLayer &layer : grown)
        layer.capacity = tokens;
    Copies copies(model);
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        copyTokens(copies.of(i), m_layers[i], grown[i], used);
    copies.run();
    m_layers = std::move(grown);
    m_memory = std::move(memory);
    return true;
}

void KvCache::growMemory(Device &device, std::size_t layer, std::int64_t least, std::int64_t wanted)
{
    KvLayer &l = m_layers[layer];
    if (roomOf(layer) >= least)
        return;
    Memory memory;
    try {
        memory = allocate(device, l, wanted, l.values != nullptr);
    } catch (const Error &error) {
        if (error.kind() != ErrorKind::Memory || wanted == least)
            throw;
        memory = allocate(device, l, least, l.values != nullptr);
    }
    std::vector<BufferCopy> copies{
        {l.keys, 0, memory.keys.get(), 0, bytesOf(l, l.headDim, l.capacity)}};
    if (l.values != nullptr)
        copies.push_back({l.values, 0, memory.values.get(), 0, bytesOf(l, l.valueDim, l.capacity)});
    device.copy(copies);
    l.keys = memory.keys.get();
    l.values = memory.values.get();
    m_memory[layer] = std::move(memory);
}

void KvCache::copyFrom(const KvCache &other, const Model &model, std::size_t length, bool all)
{
    reserve(model, length, 0);
    Copies copies(model);
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        copyTokens(copies.of(i), other.m_layers[i], m_layers[i], length);
    copies.run();
    if (all)
        m_states.copyFrom(other.m_states);
    else
        m_states.copyFrom(other.m_states, length);
}

std::size_t KvCache::tokenBytes() const
{
    std::size_t bytes = 0;
    for (const KvLayer &layer : m_layers)
        forHeads(layer, [&](Buffer *, std::size_t, std::size_t row) { bytes += row; });
    return bytes;
}

void KvCache::read(const Model &model, std::size_t from, std::size_t count,
                   std::span<std::byte> rows) const
{
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        std::vector<BufferRead> parts;
        forHeads(m_layers[i], [&](Buffer *buffer, std::size_t offset, std::size_t row) {
            parts.push_back({buffer, offset + from * row, rows.first(count * row)});
            rows = rows.subspan(count * row);
        });
        model.layerDevice(static_cast<std::int64_t>(i)).read(parts);
    }
}

void KvCache::write(const Model &model, std::size_t from, std::size_t count,
                    std::span<const std::byte> rows, std::size_t held, std::size_t skip)
{
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        std::vector<BufferWrite> parts;
        forHeads(m_layers[i], [&](Buffer *buffer, std::size_t offset, std::size_t row) {
            parts.push_back({rows.subspan(skip * row, count * row), buffer, offset + from * row});
            rows = rows.subspan(held * row);
        });
        model.layerDevice(static_cast<std::int64_t>(i)).write(parts);
    }
}

} // namespace fireside
