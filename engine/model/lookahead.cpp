#include "engine/model/lookahead.h"

namespace fireside {

void Lookahead::start(const Batch &batch, const NextIds &next, std::uint64_t form)
{
    stop();
    m_form = form;
    m_temperature = next.temperature;
    m_minP = next.minP;
    m_topP = next.topP;
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const BatchItem &item = batch.items[i];
        m_rows.push_back({item.cache.front().keys, item.cache.front().capacity, item.past,
                          batch.positions[i], -1});
    }
}

void Lookahead::advance(const ChosenIds &chosen)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        ++m_rows[i].past;
        ++m_rows[i].position;
        m_rows[i].id = chosen.chosen[i];
    }
}

void Lookahead::stop()
{
    m_rows.clear();
    m_running = 0;
}

bool Lookahead::isNext(const Batch &batch, const NextIds &next, std::uint64_t form) const
{
    if (batch.items.size() != m_rows.size() || batch.ids.size() != m_rows.size() ||
        batch.positions.size() != m_rows.size() || form != m_form ||
        next.temperature != m_temperature || next.minP != m_minP || next.topP != m_topP)
        return false;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const BatchItem &item = batch.items[i];
        const Row &row = m_rows[i];
        if (item.cache.empty() || item.cache.front().keys != row.keys ||
            item.cache.front().capacity != row.capacity || item.past != row.past ||
            batch.ids[i] != row.id || batch.positions[i] != row.position)
            return false;
    }
    return true;
}

} // namespace fireside
