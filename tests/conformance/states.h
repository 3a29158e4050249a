#pragma once
#include "tests/conformance/sequences.h"

#include <memory>

// Recurrent states of the items of a batch.
namespace fireside::conformance {

/// States of `numbers` random numbers for each item, in the second of two layers; others lie before
/// and behind them, which no op may change.
class ItemStates
{
public:
    static constexpr std::int64_t kLayer = 1, kOffset = 36;

    ItemStates(Bench &bench, const Lengths &lengths, std::int64_t numbers);

    BatchPlan plan;
    std::vector<double> all; // [items, numbers]: what the states should be
    /// Compares the device's memory with `all`, once what is recorded has run.
    void check(Bench &bench, double tolerance);

private:
    struct Item
    {
        std::unique_ptr<Buffer> buffer;
        std::vector<float> image; // as it was at first
        std::vector<KvLayer> layers;
    };
    std::int64_t m_numbers;
    std::vector<Item> m_items;
};

/// A weight without positive numbers, as decays are stored.
std::unique_ptr<TestWeight> negativeWeight(Bench &bench, DType type, std::int64_t rows,
                                           std::int64_t cols);
/// Normal numbers about `mean`, which `type` can hold.
Matrix numbersAbout(Bench &bench, float mean, std::int64_t rows, std::int64_t cols, DType type);

} // namespace fireside::conformance
