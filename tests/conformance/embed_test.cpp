#include "engine/core/error.h"
#include "tests/conformance/products.h"
#include "tests/support/require.h"

// Embedding.
namespace fireside::conformance {
namespace {

using EmbedTest = OpTest;

/// A table of 37 rows, narrow or of odd width, as far as blocks allow.
std::int64_t widthOf(DType type, std::size_t number)
{
    constexpr std::int64_t kPlain[] = {1, 3, 33, 257, 768}, kBlocks[] = {1, 3, 2, 8, 24};
    const std::int64_t block = info(type).blockElements;
    return block == 1    ? kPlain[number]
           : block < 256 ? block * kBlocks[number]
                         : 256 * (number % 3 + 1);
}

TEST_P(EmbedTest, Rows)
{
    constexpr std::int32_t kRows = 37;
    Cases cases("embed");
    const auto type = cases.option("table", weightTypes());
    const auto width = cases.option<std::size_t>("width", {0, 1, 2, 3, 4});
    const auto tokens = cases.option<std::int64_t>("rows", {0, 1, 3, 9, 65});
    const auto into = cases.option("into", bench.activations());
    const auto add = cases.option("added");
    const auto scale = cases.option<float>("scale", {1, 0.5f, 2.5f});
    // Ids that only the device knows and that name no row: they read the first.
    const auto bad = cases.option("bad ids", bench.target().isCpu() ? std::vector{false}
                                                                    : std::vector{false, true});
    for (const Pick &pick : bench.draw(cases, 40)) {
        const std::int64_t T = pick[tokens], cols = widthOf(pick[type], pick[width]);
        const TestWeight &table = bench.weight(pick[type], kRows, cols);
        bench.start(pick);
        auto which = bench.integers(T, 0, kRows - 1);
        auto given = which;
        constexpr std::int32_t kNoRow[] = {-1, kRows, std::numeric_limits<std::int32_t>::max(),
                                           std::numeric_limits<std::int32_t>::min()};
        for (std::size_t t = 0; pick[bad] && t < which.size(); t += 2) {
            which[t] = 0;
            given[t] = kNoRow[t / 2 % std::size(kNoRow)];
        }
        const Tensor ids = bench.ids(given);
        const Matrix before = bench.numbers(T, cols, pick[into]);
        const Tensor to = pick[add] ? bench.in(before, pick[into]) : bench.out(T, cols, pick[into]);
        if (!bench.run([&](Commands &c) {
                c.record(op::Embed{*table.weight, ids, pick[scale], to,
                                   pick[add] ? Accumulate::AddToOutput : Accumulate::Overwrite});
            }))
            continue;
        std::vector<double> reference;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t i = 0; i < cols; ++i)
                reference.push_back(table.at(which[static_cast<std::size_t>(t)], i) *
                                        static_cast<double>(pick[scale]) +
                                    (pick[add] ? static_cast<double>(before.at(t, i)) : 0.0));
        bench.expect(to, std::move(reference), bench.target().tolerance({pick[into]}));
    }
}

TEST_P(EmbedTest, OfTheBatchsOwnIds)
{
    const TestWeight &table = bench.weight(DType::Q8_0, 100, 64);
    BatchPlan plan = BatchPlan::plain(17);
    plan.ids = bench.integers(17, 0, 99);
    bench.start("embed", "the batch's ids", "Q8_0→F32", plan);
    const Tensor to = bench.out(17, 64, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::Embed{*table.weight, c.ids(), 1, to}); }))
        return;
    std::vector<double> reference;
    for (const std::int32_t id : plan.ids)
        for (std::int64_t i = 0; i < 64; ++i)
            reference.push_back(table.at(id, i));
    bench.expect(to, std::move(reference), 1e-5);
}

TEST_P(EmbedTest, RefusesAnIdThatIsNotInTheTable)
{
    const TestWeight &table = bench.weight(DType::F32, 5, 32);
    Commands &c = bench.target().commands();
    for (const std::int32_t id : {-1, 5}) {
        BatchPlan plan = BatchPlan::plain(1);
        plan.ids = {id};
        try {
            c.begin(plan.batch());
            c.record(op::Embed{*table.weight, c.ids(), 1, c.scratch(1, 32)});
            c.sync();
            ADD_FAILURE() << "id " << id << " of 5 was taken";
        } catch (const Error &error) {
            if (error.kind() == ErrorKind::Unsupported)
                FIRESIDE_SKIP(std::string("the device cannot tell: ") + error.what());
            EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
        }
    }
    bench.target().resetCommands();
}

FIRESIDE_ON_EVERY_DEVICE(EmbedTest);

} // namespace
} // namespace fireside::conformance
