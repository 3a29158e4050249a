#pragma once
#include "tests/conformance/bench.h"

// Items of ops with a state that goes on from pass to pass.
namespace fireside::conformance {

using ItemRows = std::vector<std::int64_t>; // rows of the items of a pass
inline const std::vector<ItemRows> kItemRows = {{1},          {2, 1},          {33},
                                                {5, 0, 7, 1}, {1, 1, 1, 1, 1}, {64, 3}};

inline BatchPlan planOf(const std::vector<std::int64_t> &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths)
        plan.item(length);
    return plan;
}

inline Option<ItemRows> lengthsOf(Cases &cases)
{
    std::vector<std::string> texts;
    for (const ItemRows &lengths : kItemRows) {
        std::string list;
        for (const std::int64_t length : lengths)
            list += (list.empty() ? "" : "+") + std::to_string(length);
        texts.push_back(std::move(list));
    }
    return cases.option("items of", kItemRows, std::move(texts));
}

} // namespace fireside::conformance
