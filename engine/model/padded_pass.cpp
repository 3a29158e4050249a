#include "engine/model/padded_pass.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fireside {
namespace {

constexpr std::int64_t kPaddingTokens = 256; // passes that may run ahead of the host
constexpr const char *kWhat = "a cache for rows that are nobody's";

std::size_t bytesOf(const KvLayer &layer, std::int64_t dim)
{
    return rowBytes(layer.dtype, static_cast<std::size_t>(dim)) *
           static_cast<std::size_t>(layer.kvHeads * kPaddingTokens);
}

void grow(std::unique_ptr<Buffer> &buffer, std::size_t bytes, Device &device, Commands &commands)
{
    if (bytes == 0 || (buffer != nullptr && buffer->size() >= bytes))
        return;
    std::unique_ptr<Buffer> larger = device.allocate(bytes, kWhat, MemoryPurpose::Cache);
    if (buffer != nullptr)
        commands.settle(); // what runs ahead writes to it
    buffer = std::move(larger);
}

} // namespace

std::span<const KvLayer> PaddingCache::like(std::span<const KvLayer> chat, Device &device,
                                            Commands &commands)
{
    std::size_t keys = 0, values = 0;
    for (const KvLayer &layer : chat) {
        if (layer.keys != nullptr)
            keys = std::max(keys, bytesOf(layer, layer.headDim));
        if (layer.values != nullptr)
            values = std::max(values,
                              bytesOf(layer, layer.valueDim > 0 ? layer.valueDim : layer.headDim));
    }
    grow(m_keys, keys, device, commands);
    grow(m_values, values, device, commands);
    m_layers.assign(chat.begin(), chat.end());
    for (KvLayer &layer : m_layers) {
        layer.keys = layer.keys != nullptr ? m_keys.get() : nullptr;
        layer.values = layer.values != nullptr ? m_values.get() : nullptr;
        layer.capacity = kPaddingTokens;
    }
    return m_layers;
}

PaddedPass::PaddedPass(const Batch &batch, const PassOutput &wanted, std::int64_t rows,
                       std::span<const KvLayer> cache)
    : m_wanted(wanted)
    , m_ids(batch.ids.begin(), batch.ids.end())
    , m_positions(batch.positions.begin(), batch.positions.end())
    , m_rows(static_cast<std::size_t>(rows))
    , m_items(batch.items.begin(), batch.items.end())
    , m_output(wanted)
{
    const std::size_t all = m_rows.size(), own = batch.ids.size();
    m_ids.resize(all, 0);
    m_positions.resize(all, 0);
    std::iota(m_rows.begin(), m_rows.end(), 0);
    while (m_items.size() < all)
        m_items.push_back({cache, static_cast<std::int64_t>(m_items.size()), 1, 0});
    m_batch = {m_ids, m_positions, m_items, {}, rows - static_cast<std::int64_t>(own)};
    m_output.rows = m_rows;
    if (!wanted.greedy.empty()) {
        m_greedy.resize(all);
        m_output.greedy = m_greedy;
    }
    if (!wanted.topIds.empty()) {
        const auto each = static_cast<std::size_t>(wanted.topK());
        m_topIds.resize(all * each);
        m_topLogits.resize(all * each);
        m_output.topIds = m_topIds;
        m_output.topLogits = m_topLogits;
    }
    if (wanted.next == nullptr)
        return;
    m_next = *wanted.next;
    m_draws.resize(m_next.draws.size() / own * all); // of a pass after the other
    for (std::size_t i = 0; i < m_next.draws.size() / own * own; ++i)
        m_draws[i / own * all + i % own] = m_next.draws[i];
    m_next.draws = m_draws;
    m_output.next = &m_next;
}

void PaddedPass::giveBack() const
{
    std::copy_n(m_greedy.begin(), m_wanted.greedy.size(), m_wanted.greedy.begin());
    std::copy_n(m_topIds.begin(), m_wanted.topIds.size(), m_wanted.topIds.begin());
    std::copy_n(m_topLogits.begin(), m_wanted.topLogits.size(), m_wanted.topLogits.begin());
}

} // namespace fireside
