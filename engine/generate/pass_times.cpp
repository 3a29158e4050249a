#include "engine/generate/pass_times.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace fireside {
namespace {

std::size_t groupOf(std::int64_t rows)
{
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(rows - 1)));
}

} // namespace

/// What takes unusually long, because something is done for the first time, counts little.
void PassTimes::add(std::int64_t rows, double seconds)
{
    const std::size_t group = groupOf(std::max<std::int64_t>(rows, 1));
    if (group >= m_seconds.size() || seconds <= 0)
        return;
    double &known = m_seconds[group];
    if (known == 0)
        known = seconds;
    else
        known += (std::min(seconds, 4 * known) - known) * (seconds < known ? 0.5 : 0.1);
}

double PassTimes::expected(std::int64_t rows) const
{
    const std::size_t group =
        std::min(groupOf(std::max<std::int64_t>(rows, 1)), m_seconds.size() - 1);
    if (m_seconds[group] > 0)
        return m_seconds[group];
    const auto end = [](std::size_t of) { return static_cast<double>(std::uint64_t{1} << of); };
    std::size_t less = group, more = group + 1;
    while (less > 0 && m_seconds[less] == 0)
        --less;
    while (more < m_seconds.size() && m_seconds[more] == 0)
        ++more;
    const double below = m_seconds[less], above = more < m_seconds.size() ? m_seconds[more] : 0;
    if (below == 0)
        return above;
    const double doubled = below * end(group) / end(less);
    if (above == 0)
        return doubled;
    const double between =
        below + (above - below) * (end(group) - end(less)) / (end(more) - end(less));
    return std::min({doubled, std::max(between, below), above});
}

std::int64_t PassTimes::rowsWithin(double seconds, std::int64_t least, std::int64_t all,
                                   std::int64_t most) const
{
    constexpr std::int64_t kFewest = 16; // further ones
    // So much of the pass is theirs who generate: their part of one in which all do, which costs no
    // more than one of their own.
    const double own = std::min(expected(least), expected(all) * static_cast<double>(least) /
                                                     static_cast<double>(all));
    constexpr double kAsCheap = 1.01;
    std::int64_t best = std::min(least, most), rows = std::min(least + kFewest, most) - 1;
    double bestEach = std::numeric_limits<double>::infinity();
    while (best < most && rows < most) {
        // Ends of what is measured together.
        rows = std::min<std::int64_t>(
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows) + 1)), most);
        const double together = expected(rows);
        if (together > seconds)
            break;
        const double each = (together - own) / static_cast<double>(rows - least);
        if (each <= kAsCheap * bestEach) {
            bestEach = each;
            best = rows;
        }
    }
    return best;
}

} // namespace fireside
