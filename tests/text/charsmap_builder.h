#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fireside::test {

/// SentencePiece's compiled table of replacements. Each node of the trie has 256 units to itself,
/// so that children never collide.
inline std::string charsmapOf(const std::vector<std::pair<std::string, std::string>> &pairs)
{
    std::map<std::string, std::uint32_t> blocks{{"", 1}}; // prefix → its children's block
    std::map<std::string, std::uint32_t> values;
    std::string replacements;
    for (const auto &[text, with] : pairs) {
        for (std::size_t length = 1; length <= text.size(); ++length)
            blocks.try_emplace(text.substr(0, length),
                               static_cast<std::uint32_t>(blocks.size()) + 1);
        values[text] = static_cast<std::uint32_t>(replacements.size());
        replacements += with + '\0';
    }
    std::vector<std::uint32_t> units(256 * (blocks.size() + 1));
    units[0] = 256u << 10; // from the root to its block
    for (const auto &[prefix, block] : blocks) {
        const bool hasValue = values.count(prefix) > 0;
        if (hasValue)
            units[256 * block] = 1u << 31 | values[prefix];
        if (prefix.empty())
            continue;
        const auto byte = static_cast<unsigned char>(prefix.back());
        const std::uint32_t at = 256 * blocks[prefix.substr(0, prefix.size() - 1)] + byte;
        units[at] = (at ^ 256 * block) << 10 | (hasValue ? 1u << 8 : 0u) | byte;
    }
    std::string table;
    const auto put = [&table](std::uint32_t value) {
        for (unsigned i = 0; i < 4; ++i)
            table.push_back(static_cast<char>(value >> 8 * i));
    };
    put(static_cast<std::uint32_t>(4 * units.size()));
    for (const std::uint32_t unit : units)
        put(unit);
    return table + replacements;
}

} // namespace fireside::test
