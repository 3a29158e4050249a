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
    double seconds = m_seconds[group];
    if (seconds > 0)
        return seconds;
    for (std::size_t i = group; i-- > 0 && seconds == 0;)
        seconds = m_seconds[i] * static_cast<double>(std::uint64_t{1} << (group - i));
    for (std::size_t i = group; i < m_seconds.size(); ++i)
        if (m_seconds[i] > 0 && (seconds == 0 || m_seconds[i] < seconds))
            seconds = m_seconds[i];
    return seconds;
}

std::int64_t PassTimes::rowsWithin(double seconds, std::int64_t least, std::int64_t most) const
{
    constexpr std::int64_t kFewest = 16; // further ones
    const double before = expected(least);
    std::int64_t best = std::min(least, most), rows = std::min(least + kFewest, most) - 1;
    double bestEach = std::numeric_limits<double>::infinity();
    while (best < most && rows < most) {
        // Ends of what is measured together.
        rows = std::min<std::int64_t>(
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows) + 1)), most);
        const double together = expected(rows);
        if (together > seconds)
            break;
        const double each = (together - before) / static_cast<double>(rows - least);
        if (each <= bestEach) {
            bestEach = each;
            best = rows;
        }
    }
    return best;
}

} // namespace fireside
