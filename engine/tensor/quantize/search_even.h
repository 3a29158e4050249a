#pragma once
#include "engine/tensor/quantize/search.h"

// The same for values without a minimum: x ≈ scale · v, where v is one of the values of a type.
namespace fireside {
namespace {

/// Whole numbers from −half to half − 1.
struct WholeValues
{
    float half;
    Floats operator()(const Floats &x) const
    {
        return rounded(smaller(larger(x, all(-half)), all(half - 1)));
    }
    float extreme() const { return -half; } // the value of largest magnitude
};

/// Those of a table in rising order.
template <int Count>
struct TableValues
{
    const std::int8_t (&table)[Count];
    Floats operator()(const Floats &x) const
    {
        Floats value = all(table[0]);
        for (int k = 1; k < Count; ++k) {
            const float middle = 0.5f * static_cast<float>(table[k - 1] + table[k]);
            value = x > middle ? all(table[k]) : value;
        }
        return value;
    }
    float extreme() const { return table[0]; }
};

template <int N, typename Values>
void tryEven(const Groups<N> &groups, const Values &values, const Floats &inverse, Fit &best)
{
    CodeSums sums{};
    for (int i = 0; i < N; ++i) {
        const Floats v = values(groups.x[i] * inverse);
        const Floats wv = groups.weight[i] * v;
        sums.ll += wv * v;
        sums.lx += wv * groups.x[i];
    }
    const Floats scale = sums.lx / sums.ll;
    best.take(scale, Floats{}, scale * sums.lx);
}

struct EvenSearch
{
    int steps; // scales above and below the one that brings the extreme number to the extreme value
    float step; // of which each differs by so much of that value
    bool bothSigns;
    int rounds;
};

template <int N, typename Values>
Fit fitEven(const Groups<N> &groups, const Values &values, const EvenSearch &search)
{
    const float extreme = values.extreme();
    const Masks some = groups.extreme != 0.0f;
    const Floats unit = some ? 1.0f / groups.extreme : Floats{};
    Fit best{groups.extreme / extreme, {}, {}};
    for (int k = -search.steps; k <= search.steps; ++k) {
        const float reach = extreme + search.step * static_cast<float>(k);
        tryEven(groups, values, unit * reach, best);
        if (search.bothSigns)
            tryEven(groups, values, unit * -reach, best);
    }
    for (int i = 0; i < search.rounds; ++i) {
        const Floats inverse = best.scale != 0.0f ? 1.0f / best.scale : Floats{};
        tryEven(groups, values, inverse, best);
    }
    return best;
}

} // namespace
} // namespace fireside
