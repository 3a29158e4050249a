#include "tests/conformance/bench.h"

#include <algorithm>

// Batches of sequences of different lengths.
namespace fireside::conformance {
namespace {

using BatchesTest = OpTest;

const std::vector<std::vector<std::int64_t>> kLengths = {
    {1}, {5}, {3, 1, 7}, {0, 4}, {4, 0, 0, 2}, {33, 64, 2, 31}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {}};

BatchPlan planOf(const std::vector<std::int64_t> &lengths)
{
    BatchPlan plan;
    for (const std::int64_t length : lengths)
        plan.item(length);
    return plan;
}

std::string text(const std::vector<std::int64_t> &lengths, std::int64_t cols)
{
    std::string list;
    for (const std::int64_t length : lengths)
        list += (list.empty() ? "" : ", ") + std::to_string(length);
    return "items of " + list + " rows, " + std::to_string(cols) + " columns";
}

constexpr DType kTypes[][2] = {{DType::F32, DType::F32},
                               {DType::F16, DType::F16},
                               {DType::F16, DType::F32},
                               {DType::F32, DType::F16}};

TEST_P(BatchesTest, PadAndUnpad)
{
    const bool half = bench.has(DType::F16);
    for (const auto &lengths : kLengths)
        for (const auto &[from, to] : kTypes)
            for (const std::int64_t cols : {3, 64, 257}) {
                if (!half && (from == DType::F16 || to == DType::F16))
                    continue;
                const BatchPlan plan = planOf(lengths);
                const auto items = static_cast<std::int64_t>(lengths.size());
                std::int64_t longest = 0;
                for (const std::int64_t length : lengths)
                    longest = std::max(longest, length);
                longest += cols % 2; // there may be more room than needed
                bench.start("pad", text(lengths, cols), typesText({from, to}), plan);
                const Matrix x = bench.numbers(plan.rows(), cols, from);
                Matrix padded{items * longest, cols,
                              std::vector<float>(static_cast<std::size_t>(items * longest * cols))};
                for (std::size_t i = 0; i < lengths.size(); ++i)
                    std::copy_n(x.v.begin() + plan.items[i].firstRow * cols, lengths[i] * cols,
                                padded.v.begin() + static_cast<std::int64_t>(i) * longest * cols);
                const double allowed = from == to ? 0 : 1e-3;
                const Tensor input = bench.in(x, from);
                const Tensor wide = bench.out(items * longest, cols, to);
                if (bench.run([&](Commands &c) { c.pad(input, wide); }))
                    bench.expect(wide, {padded.v.begin(), padded.v.end()}, allowed);

                bench.start("unpad", text(lengths, cols), typesText({from, to}), plan);
                // Nothing of the padding may be read.
                Matrix poisoned = padded;
                for (std::size_t i = 0; i < lengths.size(); ++i)
                    std::fill(poisoned.v.begin() +
                                  (static_cast<std::int64_t>(i) * longest + lengths[i]) * cols,
                              poisoned.v.begin() +
                                  (static_cast<std::int64_t>(i) + 1) * longest * cols,
                              std::numeric_limits<float>::quiet_NaN());
                const Tensor back = bench.in(poisoned, from);
                const Tensor narrow = bench.out(plan.rows(), cols, to);
                if (bench.run([&](Commands &c) { c.unpad(back, narrow); }))
                    bench.expect(narrow, {x.v.begin(), x.v.end()}, allowed);
            }
}

TEST_P(BatchesTest, Pool)
{
    const bool half = bench.has(DType::F16);
    for (const Pooling pooling : {Pooling::First, Pooling::Mean, Pooling::Last})
        for (const auto &lengths : kLengths)
            for (const auto &[from, to] : kTypes)
                for (const std::int64_t cols : {1, 33, 768}) {
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    const BatchPlan plan = planOf(lengths);
                    bench.start("pool",
                                text(lengths, cols) + ", kind " +
                                    std::to_string(static_cast<int>(pooling)),
                                typesText({from, to}), plan);
                    const Matrix x = bench.numbers(plan.rows(), cols, from);
                    const Tensor input = bench.in(x, from);
                    const Tensor out =
                        bench.out(static_cast<std::int64_t>(lengths.size()), cols, to);
                    if (!bench.run([&](Commands &c) { c.pool(input, pooling, out); }))
                        continue;
                    std::vector<double> reference;
                    for (const BatchItem &item : plan.items)
                        for (std::int64_t i = 0; i < cols; ++i) {
                            double value = 0;
                            if (item.rows > 0 && pooling == Pooling::Mean)
                                for (std::int64_t r = 0; r < item.rows; ++r)
                                    value += static_cast<double>(x.at(item.firstRow + r, i)) /
                                             static_cast<double>(item.rows);
                            else if (item.rows > 0)
                                value = static_cast<double>(x.at(
                                    item.firstRow + (pooling == Pooling::First ? 0 : item.rows - 1),
                                    i));
                            reference.push_back(value);
                        }
                    bench.expect(out, std::move(reference), bench.target().tolerance({from, to}));
                }
}

FIRESIDE_ON_EVERY_DEVICE(BatchesTest);

} // namespace
} // namespace fireside::conformance
