#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <cmath>

// Attention within sequences.
namespace fireside::conformance {
namespace {

using SequenceAttentionTest = OpTest;

TEST_P(SequenceAttentionTest, WithinEachItem)
{
    Cases cases("sequenceAttention");
    const auto heads = cases.option<Heads>("heads", {{2, 2, 32, 32},
                                                     {4, 1, 64, 64},
                                                     {3, 3, 33, 33},
                                                     {2, 1, 64, 96},
                                                     {1, 1, 128, 128},
                                                     {2, 2, 256, 256}});
    const auto items = cases.option<Items>("items", {{{1, 0}},
                                                     {{33, 0}},
                                                     {{5, 0}, {64, 0}, {0, 0}, {1, 0}, {17, 0}},
                                                     {{130, 0}},
                                                     {{3, 0}, {2, 0}}});
    const auto from = cases.option("q", bench.activations());
    const auto kType = cases.option("k", bench.activations());
    const auto vType = cases.option("v", bench.activations());
    const auto to = cases.option("out", bench.activations());
    const auto gaps = cases.option("gaps");
    const ScoreOptions scores(cases);
    for (const Pick &pick : bench.draw(cases, 12)) {
        const Heads &h = pick[heads];
        const TestWeight *const sinks = scores.weight(bench, pick, h);
        const AttentionShape shape = scores.shape(pick, h, sinks);
        BatchPlan plan;
        for (const Item &item : pick[items])
            plan.item(item.rows);
        bench.start(pick, plan);
        const std::int64_t T = plan.rows();
        const Matrix q = bench.numbers(T, h.heads * h.dim, pick[from], 2);
        const Matrix k = bench.numbers(T, h.kvHeads * h.dim, pick[kType]);
        const Matrix v = bench.numbers(T, h.kvHeads * h.valueDim, pick[vType]);
        const Layout layout = pick[gaps] ? Layout{1, 3} : Layout{0, 0};
        const Tensor queries = bench.in(q, pick[from], layout),
                     keys = bench.in(k, pick[kType], layout),
                     values = bench.in(v, pick[vType], layout);
        const Tensor out = bench.out(T, h.heads * h.valueDim, pick[to]);
        if (!bench.run([&](Commands &c) {
                c.record(op::SequenceAttention{queries, keys, values, shape, out});
            }))
            continue;
        std::vector<double> reference;
        for (const BatchItem &item : plan.items) {
            if (item.rows == 0)
                continue;
            const auto asked = rowsOf(doubles(q), item, q.cols);
            const auto rows = reference::attend(
                shape, item.rows, std::vector<float>(asked.begin(), asked.end()),
                rowsOf(doubles(k), item, k.cols), rowsOf(doubles(v), item, v.cols),
                sinks != nullptr ? sinks->values : std::vector<double>());
            reference.insert(reference.end(), rows.begin(), rows.end());
        }
        bench.expect(
            out, std::move(reference),
            attentionTolerance(bench.target(), pick[kType], {pick[from], pick[vType], pick[to]}));
    }
}

TEST_P(SequenceAttentionTest, WithABiasOfDistances)
{
    Cases cases("sequenceAttention", "distances");
    const auto heads =
        cases.option<Heads>("heads", {{2, 2, 32, 32}, {6, 3, 33, 33}, {4, 1, 64, 64}});
    const auto items =
        cases.option<Items>("items", {{{1, 0}}, {{5, 0}, {70, 0}, {0, 0}, {17, 0}}, {{130, 0}}});
    const auto reach = cases.option<std::int64_t>("reach", {0, 3, 128});
    const auto type = cases.option("type", bench.activations());
    const auto window = cases.option<std::int64_t>("window", {0, 8});
    const auto softcap = cases.option<float>("softcap", {0, 5});
    for (const Pick &pick : bench.draw(cases, 6)) {
        const Heads &h = pick[heads];
        AttentionShape shape = shapeOf(h);
        shape.scale = 1 / std::sqrt(static_cast<float>(h.dim));
        shape.causal = false;
        shape.window = pick[window];
        shape.softcap = pick[softcap];
        const TestWeight &distances =
            bench.weight(DType::F32, 1, h.heads * (2 * pick[reach] + 1), 1, 9);
        BatchPlan plan;
        for (const Item &item : pick[items])
            plan.item(item.rows);
        bench.start(pick, plan);
        const std::int64_t T = plan.rows();
        const Matrix q = bench.numbers(T, h.heads * h.dim, pick[type]);
        const Matrix k = bench.numbers(T, h.kvHeads * h.dim, pick[type]);
        const Matrix v = bench.numbers(T, h.kvHeads * h.valueDim, pick[type]);
        const Tensor queries = bench.in(q, pick[type]), keys = bench.in(k, pick[type]),
                     values = bench.in(v, pick[type]);
        const Tensor out = bench.out(T, h.heads * h.valueDim, pick[type]);
        if (!bench.run([&](Commands &c) {
                c.record(op::SequenceAttention{queries, keys, values, shape, out,
                                               distances.weight.get()});
            }))
            continue;
        std::vector<double> reference;
        for (const BatchItem &item : plan.items) {
            const auto asked = rowsOf(doubles(q), item, q.cols);
            const auto rows =
                reference::attend(shape, item.rows, std::vector<float>(asked.begin(), asked.end()),
                                  rowsOf(doubles(k), item, k.cols),
                                  rowsOf(doubles(v), item, v.cols), {}, distances.values);
            reference.insert(reference.end(), rows.begin(), rows.end());
        }
        bench.expect(out, std::move(reference),
                     attentionTolerance(bench.target(), pick[type], {pick[type]}));
    }
}

FIRESIDE_ON_EVERY_DEVICE(SequenceAttentionTest);

} // namespace
} // namespace fireside::conformance
