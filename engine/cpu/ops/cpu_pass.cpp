#include "engine/cpu/ops/cpu_pass.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fireside::cpu {

CpuPass::CpuPass(ThreadPool &threads, std::int64_t maxRows)
    : pool(threads)
    , m_maxRows(maxRows)
    , m_ids(size(3 * std::max<std::int64_t>(1, maxRows)) * sizeof(std::int32_t),
            "the ids of a pass")
{}

std::size_t CpuPass::workBytes() const
{
    std::size_t bytes = m_ids.size() + linearScratch.bytes() + expertScratch.gathered.bytes() +
                        expertScratch.results.bytes() + productMemory.bytes() + views.bytes();
    for (const RopeTable &table : m_ropeTables)
        bytes += table.cosSin.capacity() * sizeof(float);
    return bytes;
}

void CpuPass::begin(const Batch &batch)
{
    positions.assign(batch.positions.begin(), batch.positions.end());
    items.assign(batch.items.begin(), batch.items.end());
    const auto place = [&](std::span<const std::int32_t> values, std::int64_t slot) {
        const std::size_t offset = size(slot * m_maxRows) * sizeof(std::int32_t);
        if (!values.empty())
            std::memcpy(m_ids.data() + offset, values.data(), values.size_bytes());
        return Tensor{&m_ids, offset, DType::I32, static_cast<std::int64_t>(values.size()), 1, 1};
    };
    ids = place(batch.ids, 0);
    positionIds = place(batch.positions, 1);
    outputRows = place(batch.outputRows, 2);
    for (RopeTable &table : m_ropeTables)
        table.current = false;
}

std::span<const RowSpan> CpuPass::itemRows()
{
    m_spans.clear();
    for (const BatchItem &item : items)
        m_spans.push_back({size(item.firstRow), size(item.rows)});
    return m_spans;
}

const float *CpuPass::ropeTableFor(const Rope &rope)
{
    const auto same = [&rope](const RopeTable &t) {
        return t.rope.attentionFactor == rope.attentionFactor &&
               t.rope.inverseFrequencies == rope.inverseFrequencies;
    };
    auto table = std::find_if(m_ropeTables.begin(), m_ropeTables.end(), same);
    if (table == m_ropeTables.end()) {
        RopeTable added;
        added.rope = rope;
        table = m_ropeTables.insert(m_ropeTables.end(), std::move(added));
    }
    if (!table->current) {
        table->cosSin.resize(positions.size() * 2 * rope.inverseFrequencies.size());
        ropeTable(pool, rope, positions, table->cosSin.data());
        table->current = true;
    }
    return table->cosSin.data();
}

KvView CpuPass::cacheOf(const BatchItem &item, std::int64_t layer,
                        const AttentionShape &shape) const
{
    const std::int64_t kvHeads = shape.kvHeads, headDim = shape.headDim, valueDim = shape.values();
    const auto where = [layer] { return "cache of layer " + std::to_string(layer); };
    if (layer < 0 || size(layer) >= item.cache.size())
        throwInternal("layer " + std::to_string(layer) + " is not in a cache of " +
                      std::to_string(item.cache.size()) + " layers");
    const KvLayer &kv = item.cache[size(layer)];
    const std::int64_t kvValues = kv.valueDim > 0 ? kv.valueDim : kv.headDim;
    if (kv.kvHeads != kvHeads || kv.headDim != headDim)
        throwInternal(where() + " has " + op::shapeText(kv.kvHeads, kv.headDim) +
                      " heads and channels, the model " + op::shapeText(kvHeads, headDim));
    if (kvValues != valueDim || (!kv.values && valueDim > headDim))
        throwInternal(where() + " has values of " + op::shapeText(kv.kvHeads, kvValues) +
                      ", the model " + op::shapeText(kvHeads, valueDim));
    if (item.rows > kv.capacity || item.past > kv.capacity - item.rows)
        throwInternal(where() + " holds " + std::to_string(kv.capacity) + " tokens, needed are " +
                      std::to_string(item.past) + " + " + std::to_string(item.rows));
    const bool known = kv.dtype == DType::F32 || kv.dtype == DType::F16 || kv.dtype == DType::Q8_0;
    const std::int64_t block = info(kv.dtype).blockElements;
    if (!known || headDim % block != 0 || (kv.values && valueDim % block != 0))
        throwUnsupported(std::string("a key-value cache of type ") + fireside::name(kv.dtype) +
                         " with heads of " + std::to_string(headDim) + " channels");
    CpuBuffer &keys = asCpu(kv.keys, "key cache");
    CpuBuffer *values = kv.values ? &asCpu(kv.values, "value cache") : nullptr;
    const auto fits = [&](std::int64_t dim, const CpuBuffer &buffer) {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(size(kv.kvHeads), size(kv.capacity), &bytes) ||
            __builtin_mul_overflow(bytes, rowBytes(kv.dtype, size(dim)), &bytes) ||
            bytes > buffer.size())
            throwInternal(where() + " needs " + std::to_string(bytes) + " bytes, its buffer has " +
                          std::to_string(buffer.size()));
    };
    fits(headDim, keys);
    if (values)
        fits(valueDim, *values);
    return {keys.data(),       values ? values->data() : nullptr,
            kv.dtype,          size(kv.kvHeads),
            size(kv.capacity), size(kv.headDim),
            size(valueDim)};
}

std::span<const StateItem> CpuPass::findStates(const op::OpCheck &check, const op::StatePart &part)
{
    m_states.clear();
    for (const BatchItem &item : items) {
        CpuBuffer &buffer = asCpu(check.layerWith(part, item.cache).state, "state");
        m_states.push_back({{size(item.firstRow), size(item.rows)},
                            reinterpret_cast<float *>(buffer.data()) + part.offset});
    }
    return m_states;
}

void CpuPass::findCaches(std::int64_t layer, const AttentionShape &shape)
{
    attention.clear();
    for (const BatchItem &item : items)
        attention.push_back(
            {cacheOf(item, layer, shape), size(item.firstRow), size(item.rows), size(item.past)});
}

} // namespace fireside::cpu
