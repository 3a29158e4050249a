#include "engine/text/rules/charsmap.h"

#include "engine/core/error.h"

#include <algorithm>

namespace fireside {
namespace {

std::uint32_t unitAt(std::string_view bytes, std::size_t at)
{
    std::uint32_t unit = 0;
    for (unsigned i = 0; i < 4; ++i)
        unit |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
    return unit;
}

bool hasLeaf(std::uint32_t unit)
{
    return (unit >> 8 & 1) != 0;
}

/// What the index of a unit is combined with to reach its children.
std::uint32_t offsetOf(std::uint32_t unit)
{
    return (unit >> 10) << ((unit & 1u << 9) >> 6);
}

/// The byte that leads to a unit; units that hold values have the highest bit set besides.
std::uint32_t labelOf(std::uint32_t unit)
{
    return unit & (1u << 31 | 0xFF);
}

} // namespace

Charsmap::Charsmap(std::string_view table, const std::string &where)
{
    const std::size_t size = table.size() < 4 ? 0 : unitAt(table, 0);
    if (size < 4 || size % 4 != 0 || size > table.size() - 4)
        throwBadInput(where + ": a character map of " + std::to_string(table.size()) +
                      " bytes with a trie of " + std::to_string(size));
    m_units.reserve(size / 4);
    for (std::size_t at = 4; at < 4 + size; at += 4)
        m_units.push_back(unitAt(table, at));
    m_replacements = table.substr(4 + size);
    if (m_replacements.empty() || m_replacements.back() != '\0')
        throwBadInput(where + ": the replacements of the character map have no end");
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, bool goOn) const
{
    std::optional<Match> found;
    std::size_t node = offsetOf(m_units[0]);
    for (std::size_t at = 0; at < text.size() && text[at] != '\0'; ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        node ^= byte;
        if (node >= m_units.size() || labelOf(m_units[node]) != byte)
            break;
        const std::uint32_t unit = m_units[node];
        node ^= offsetOf(unit);
        if (!hasLeaf(unit))
            continue;
        const std::size_t begin = node < m_units.size() ? m_units[node] & 0x7FFFFFFF : SIZE_MAX;
        if (begin >= m_replacements.size())
            break;
        const std::size_t end = m_replacements.find('\0', begin);
        found = {at + 1, std::string_view(m_replacements).substr(begin, end - begin)};
        if (!goOn)
            break;
    }
    return found;
}

} // namespace fireside
