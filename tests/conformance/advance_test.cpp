#include "engine/core/error.h"
#include "tests/conformance/caches.h"
#include "tests/conformance/pairs.h"
#include "tests/conformance/statistics.h"

#include <algorithm>
#include <cmath>

// advance(): what a pass leaves for the next one. Its ids are drawn as the sampler would, positions
// and lengths grow by one; what other ops read of them shows it.
namespace fireside::conformance {
namespace {

constexpr std::int64_t kIds = 300, kDim = 32, kCapacity = 64;
constexpr double kEdge = 1e-5; // a draw that near to another candidate may go either way

/// Candidates of each row, and how one of them is to be chosen.
struct Choice
{
    std::int64_t rows, k;
    NextIds next;
    std::vector<float> draws;
    Matrix logits;                 // [rows, k] in falling order
    std::vector<std::int32_t> ids; // [rows, k]

    /// What row `row` of a pass takes, by the definition of the sampler's steps; −1: too near an
    /// edge to tell.
    std::int32_t expected(std::int64_t row, std::int64_t pass) const
    {
        const auto id = [&](std::int64_t i) { return ids[static_cast<std::size_t>(row * k + i)]; };
        if (k == 1 || next.temperature <= 0)
            return id(0);
        const double best = static_cast<double>(logits.at(row, 0));
        std::vector<double> weights;
        double sum = 0, kept = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            const double below = (static_cast<double>(logits.at(row, i)) - best) /
                                 static_cast<double>(next.temperature);
            const double weight = std::exp(below);
            if (next.minP > 0 && std::fabs(weight - static_cast<double>(next.minP)) < kEdge)
                return -1;
            weights.push_back(weight >= static_cast<double>(next.minP) ? weight : 0);
            sum += weights.back();
        }
        for (double &weight : weights) {
            const double share = kept / sum - static_cast<double>(next.topP);
            if (next.topP < 1 && std::fabs(share) < kEdge)
                return -1;
            weight = next.topP < 1 && share >= 0 ? 0 : weight;
            kept += weight;
        }
        double left =
            static_cast<double>(draws[static_cast<std::size_t>(pass * rows + row)]) * kept;
        for (std::int64_t i = 0; i < k; ++i) {
            const double weight = weights[static_cast<std::size_t>(i)];
            if (weight > 0 &&
                (std::fabs(left) < kept * kEdge || std::fabs(left - weight) < kept * kEdge))
                return -1;
            if (left < weight)
                return id(i);
            left -= weight;
        }
        return -1;
    }
};

class AdvanceTest : public OpTest
{
protected:
    Choice choice(std::int64_t rows, std::int64_t k, float temperature, float minP, float topP)
    {
        Choice c{rows, k, {temperature, minP, topP, {}}, {}, bench.numbers(rows, k, DType::F32, 2),
                 {}};
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = c.logits.v.begin() + r * k;
            std::sort(row, row + k, std::greater<>());
            std::vector<std::int32_t> ids(kIds);
            for (std::int32_t i = 0; i < kIds; ++i)
                ids[static_cast<std::size_t>(i)] = i;
            std::shuffle(ids.begin(), ids.end(), bench.random());
            c.ids.insert(c.ids.end(), ids.begin(), ids.begin() + k);
        }
        for (int i = 0; i < 256; ++i)
            c.draws.push_back(std::uniform_real_distribution<float>(0, 1)(bench.random()));
        return c;
    }

    /// Memory that outlives a pass, with these values.
    template <class T>
    std::pair<std::unique_ptr<Buffer>, Tensor> kept(Commands &c, const std::vector<T> &values,
                                                    std::int64_t rows, std::int64_t gap)
    {
        const auto cols = static_cast<std::int64_t>(values.size()) / rows;
        auto buffer = bench.target().device().allocate(
            static_cast<std::size_t>(rows * (cols + gap)) * sizeof(T), "a test");
        const Tensor tensor{buffer.get(), 0,    std::is_same_v<T, float> ? DType::F32 : DType::I32,
                            rows,         cols, cols + gap};
        const BatchPlan plan = BatchPlan::plain(1);
        c.begin(plan.batch());
        c.upload(values, tensor);
        c.sync();
        return {std::move(buffer), tensor};
    }
    void runPasses(Commands &c, const Choice &ch, std::uint64_t name, std::int64_t gap);
    void recordPass(Commands &c, const Batch &batch, const PassOptions &options, const Choice &ch,
                    const TestWeight &table, const Tensor &logits, const Tensor &ids);
    int m_ahead = 0; // passes that ran before they were asked for
};

/// Each pass appends the embedding of its ids to the caches, so that these show ids and lengths. A
/// device may run the later ones ahead.
void AdvanceTest::runPasses(Commands &c, const Choice &ch, std::uint64_t name, std::int64_t gap)
{
    constexpr std::int64_t kPasses = 4;
    const TestWeight &table = bench.weight(DType::F32, kIds, kDim, 1, 3);
    std::vector<std::unique_ptr<TestCache>> caches;
    BatchPlan plan;
    for (std::int64_t r = 0; r < ch.rows; ++r) {
        caches.push_back(std::make_unique<TestCache>(bench, DType::F32, 1, kDim, kDim, kCapacity));
        caches.back()->fill(bench, r % 7);
        plan.item(1, r % 7, caches.back()->layers());
    }
    plan.ids = bench.integers(ch.rows, 0, kIds - 1);
    plan.positions = bench.integers(ch.rows, 0, 1000); // not where their rows go
    const auto [idMemory, ids] = kept(c, ch.ids, ch.rows, gap);
    const auto [logitMemory, logits] = kept(c, ch.logits.v, ch.rows, gap);
    for (std::int64_t pass = 0; pass < kPasses; ++pass) {
        NextIds next = ch.next; // its draws are those of the passes to come
        next.draws = next.draws.subspan(
            std::min(next.draws.size(), static_cast<std::size_t>(pass * ch.rows)));
        const PassOptions options{.recording = name, .next = &next, .maxAhead = kPasses - 1 - pass};
        const std::int64_t running = c.ahead();
        recordPass(c, plan.batch(), options, ch, table, logits, ids);
        EXPECT_EQ(c.ahead(), running) << "what runs ahead is what follows";
        m_ahead += running > 0 ? 1 : 0;
        c.sync();
        std::vector<std::int32_t> chosen(plan.ids.size()), from(ch.ids.size());
        c.read(c.kept(0), chosen);
        c.read(ids, from);
        EXPECT_EQ(from, ch.ids);
        if (ch.k > 1) {
            std::vector<float> values(ch.logits.v.size());
            c.read(logits, values);
            EXPECT_EQ(values, ch.logits.v);
        }
        for (std::int64_t r = 0; r < ch.rows; ++r) {
            const auto i = static_cast<std::size_t>(r);
            std::vector<double> row;
            for (std::int64_t d = 0; d < kDim; ++d)
                row.push_back(table.at(plan.ids[i], d));
            caches[i]->note(row, row);
            const std::int32_t expected = ch.expected(r, pass);
            if (expected >= 0 && chosen[i] != expected)
                bench.fail("row " + std::to_string(r) + " of pass " + std::to_string(pass) +
                           " chose " + std::to_string(chosen[i]) + " instead of " +
                           std::to_string(expected));
            plan.ids[i] = chosen[i];
            ++plan.positions[i];
            ++plan.items[i].past;
        }
    }
    std::vector<std::int32_t> left(plan.ids.size());
    c.read(c.ids(), left);
    EXPECT_EQ(left, plan.ids) << "ids of the next pass";
    c.read(c.positions(), left);
    EXPECT_EQ(left, plan.positions) << "positions of the next pass";
    c.settle();
    for (const auto &cache : caches)
        cache->check(bench, 0);
}

void AdvanceTest::recordPass(Commands &c, const Batch &batch, const PassOptions &options,
                             const Choice &ch, const TestWeight &table, const Tensor &logits,
                             const Tensor &ids)
{
    AttentionShape shape;
    shape.heads = shape.kvHeads = 1;
    shape.headDim = shape.valueDim = kDim;
    HeadTransform none;
    none.headDim = kDim;
    if (c.begin(batch, options) == Commands::Begin::Replay)
        return;
    const Tensor q = c.scratch(ch.rows, kDim), x = c.scratch(ch.rows, kDim);
    const Tensor chosen = c.scratch(ch.rows, 1, DType::I32);
    c.record(op::Embed{*table.weight, c.ids(), 1, q});
    c.record(op::Embed{*table.weight, c.ids(), 1, x});
    c.record(op::AppendKv{q, none, x, none, x, 0, shape});
    c.record(op::Advance{ch.k > 1 ? std::optional(logits) : std::nullopt, ids, chosen});
    c.keep(0, chosen);
}

TEST_P(AdvanceTest, WhatThePassLeavesForTheNext)
{
    const auto commands = bench.target().device().commands(32 << 20, 64);
    Commands &c = *commands;
    Cases cases("advance");
    const auto rows = cases.option<std::int64_t>("rows", {1, 3, 64});
    const auto k = cases.option<std::int64_t>("candidates", {1, 2, 40, 125});
    const auto temperature = cases.option<float>("temperature", {0, 0.7f, 2});
    const auto minP = cases.option<float>("min p", {0, 0.1f});
    const auto topP = cases.option<float>("top p", {1, 0.8f, 0.3f});
    const auto gaps = cases.option("gaps");
    std::uint64_t name = 1000;
    for (const Pick &pick : bench.draw(cases, 0)) {
        const std::int64_t T = pick[rows];
        bench.start(pick);
        Choice ch = choice(T, pick[k], pick[temperature], pick[minP], pick[topP]);
        ch.next.draws = ch.draws;
        runPasses(c, ch, ++name, pick[gaps] ? 3 : 0);
        pairsMet().meet(GetParam(), pick);
        countCase(GetParam(), "advance", "");
    }
    EXPECT_EQ(m_ahead > 0, !bench.target().isCpu());
}

TEST_P(AdvanceTest, EverySettingDecides)
{
    const auto commands = bench.target().device().commands(32 << 20, 64);
    // At a temperature of 2 the weights are 1, 0.607, 0.368, 0.223 and 0.082. A min-p of 0.1 leaves
    // four, up to 0.455, 0.731, 0.899 and 1 of their sum; a top-p of 0.5 two, up to 0.622 and 1.
    constexpr float kLogits[] = {0, -1, -2, -3, -5}, kDraws[] = {0.5f, 0.8f, 0.95f, 0.98f};
    struct
    {
        float minP, topP;
        std::size_t places[4];
    } const settings[] = {{0.1f, 1, {1, 2, 3, 3}}, {0, 0.5f, {0, 1, 1, 1}}};
    std::uint64_t name = 2000;
    for (const auto &s : settings) {
        bench.start("advance", s.topP < 1 ? "top p" : "min p and temperature", "F32");
        Choice ch = choice(4, 5, 2, s.minP, s.topP);
        std::copy(std::begin(kDraws), std::end(kDraws), ch.draws.begin());
        ch.next.draws = ch.draws;
        for (std::size_t r = 0; r < 4; ++r) {
            std::copy(std::begin(kLogits), std::end(kLogits),
                      ch.logits.v.begin() + static_cast<std::ptrdiff_t>(5 * r));
            EXPECT_EQ(ch.expected(static_cast<std::int64_t>(r), 0), ch.ids[5 * r + s.places[r]]);
        }
        runPasses(*commands, ch, ++name, 0);
    }
}

FIRESIDE_ON_EVERY_DEVICE(AdvanceTest);

} // namespace
} // namespace fireside::conformance
