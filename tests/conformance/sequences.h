#pragma once
#include "tests/conformance/bench.h"

// Batches of sequences of different lengths, without caches.
namespace fireside::conformance {

struct Lengths
{
    std::vector<std::int64_t> all;
};
inline std::string valueText(const Lengths &lengths)
{
    std::string list;
    for (const std::int64_t length : lengths.all)
        list += (list.empty() ? "" : "+") + std::to_string(length);
    return list.empty() ? "of no items" : list;
}

inline const std::vector<Lengths> kLengths = {{{1}},          {{5}},
                                              {{3, 1, 7}},    {{0, 4}},
                                              {{4, 0, 0, 2}}, {{33, 64, 2, 31}},
                                              {{}},           {{1, 1, 1, 1, 1}}};

/// Items of ops with a state that goes on from pass to pass.
inline const std::vector<Lengths> kStateLengths = {{{1}},          {{2, 1}},          {{33}},
                                                   {{5, 0, 7, 1}}, {{1, 1, 1, 1, 1}}, {{64, 3}}};

inline BatchPlan planOf(const Lengths &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths.all)
        plan.item(length);
    return plan;
}

} // namespace fireside::conformance
