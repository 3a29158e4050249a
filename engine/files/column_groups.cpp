#include "engine/files/column_groups.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fireside {
namespace {

constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 24; // devices number them in F32

std::uint32_t groupAt(const SafetensorsTensor &order, std::uint64_t column)
{
    std::uint32_t group = 0;
    std::memcpy(&group, &order.bytes[column * sizeof group], sizeof group);
    return group;
}

} // namespace

std::vector<std::int32_t> columnsByGroup(const std::filesystem::path &folder,
                                         const SafetensorsTensor &order, std::uint64_t groups,
                                         std::uint64_t groupCols)
{
    const auto fail = [&](const std::string &text) {
        throwBadInput(folder.string() + ": tensor " + fireside::quoted(order.name) + text);
    };
    const std::uint64_t cols = order.shape[0];
    if (cols > kMostColumns)
        fail(" is of " + std::to_string(cols) + " columns, expected " +
             std::to_string(kMostColumns) + " at most");
    // A counting sort: where the next column of each group goes.
    std::vector<std::uint64_t> next(groups);
    for (std::uint64_t g = 0; g < groups; ++g)
        next[g] = g * groupCols;
    std::vector<std::int32_t> columns(cols);
    for (std::uint64_t i = 0; i < cols; ++i) {
        const std::uint32_t group = groupAt(order, i);
        if (group >= groups)
            fail(" puts column " + std::to_string(i) + " into group " +
                 std::to_string(static_cast<std::int32_t>(group)) + " of " +
                 std::to_string(groups));
        if (next[group] < std::min(cols, (group + 1) * groupCols))
            columns[next[group]] = static_cast<std::int32_t>(i);
        ++next[group];
    }
    for (std::uint64_t g = 0; g < groups; ++g)
        if (const std::uint64_t count = next[g] - g * groupCols; count != groupCols)
            fail(" puts " + std::to_string(count) + " columns into group " + std::to_string(g) +
                 ", expected groups of " + std::to_string(groupCols));
    if (std::is_sorted(columns.begin(), columns.end()))
        columns.clear();
    return columns;
}

bool isUnsetOrder(const SafetensorsTensor &order)
{
    return !order.bytes.empty() &&
           std::all_of(order.bytes.begin(), order.bytes.end(),
                       [](std::byte byte) { return byte == std::byte{0xff}; });
}

} // namespace fireside
