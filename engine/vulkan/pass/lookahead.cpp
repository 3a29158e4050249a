#include "engine/vulkan/pass/lookahead.h"

#include <algorithm>

namespace fireside::vulkan {
namespace {

KvLayer firstLayer(const BatchItem &item)
{
    return item.cache.empty() ? KvLayer{} : item.cache.front();
}

} // namespace

void Lookahead::start(const Batch &batch, const PassOptions &options)
{
    stop();
    if (options.next == nullptr || options.recording == 0 || options.prepareOnly)
        return;
    m_recording = options.recording;
    m_next = *options.next;
    m_next.draws = {};
    m_outputRows.assign(batch.outputRows.begin(), batch.outputRows.end());
    m_padding = static_cast<std::size_t>(batch.padding);
    for (std::size_t i = 0; i < batch.items.size(); ++i)
        m_rows.push_back({firstLayer(batch.items[i]), batch.items[i].past, batch.positions[i], -1});
}

void Lookahead::advance(std::span<const std::int32_t> chosen)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        ++m_rows[i].past;
        ++m_rows[i].position;
        m_rows[i].id = chosen[i];
    }
}

bool Lookahead::isNext(const Batch &batch, const PassOptions &options) const
{
    if (m_rows.empty() || options.next == nullptr || options.prepareOnly ||
        options.recording != m_recording || batch.items.size() != m_rows.size() ||
        batch.ids.size() != m_rows.size() || batch.positions.size() != m_rows.size() ||
        !std::equal(batch.outputRows.begin(), batch.outputRows.end(), m_outputRows.begin(),
                    m_outputRows.end()))
        return false;
    const NextIds &next = *options.next;
    if (next.temperature != m_next.temperature || next.minP != m_next.minP ||
        next.topP != m_next.topP)
        return false;
    if (static_cast<std::size_t>(batch.padding) != m_padding)
        return false;
    for (std::size_t i = 0; i < m_rows.size() - m_padding; ++i) {
        const BatchItem &item = batch.items[i];
        const Row &row = m_rows[i];
        const KvLayer cache = firstLayer(item);
        if (cache.keys != row.cache.keys || cache.capacity != row.cache.capacity ||
            cache.state != row.cache.state || item.past != row.past)
            return false;
        if (batch.ids[i] != row.id || batch.positions[i] != row.position)
            return false;
    }
    return true;
}

} // namespace fireside::vulkan
