#include "app/downloads/byte_ranges.h"

#include <algorithm>

namespace fireside {

void ByteRanges::add(ByteRange range)
{
    if (range.size() <= 0)
        return;
    auto next = m_ends.upper_bound(range.begin);
    if (next != m_ends.begin() && std::prev(next)->second >= range.begin) {
        --next;
        range.begin = next->first;
    }
    while (next != m_ends.end() && next->first <= range.end) {
        range.end = std::max(range.end, next->second);
        next = m_ends.erase(next);
    }
    m_ends.emplace(range.begin, range.end);
}

qint64 ByteRanges::bytes() const
{
    qint64 sum = 0;
    for (const auto &[begin, end] : m_ends)
        sum += end - begin;
    return sum;
}

std::vector<ByteRange> ByteRanges::ranges() const
{
    std::vector<ByteRange> result;
    for (const auto &[begin, end] : m_ends)
        result.push_back({begin, end});
    return result;
}

std::vector<ByteRange> ByteRanges::missing(qint64 size) const
{
    std::vector<ByteRange> result;
    qint64 at = 0;
    for (const auto &[begin, end] : m_ends) {
        if (begin >= size)
            break;
        if (begin > at)
            result.push_back({at, begin});
        at = end;
    }
    if (at < size)
        result.push_back({at, size});
    return result;
}

} // namespace fireside
