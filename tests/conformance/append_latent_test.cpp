#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>

// Latent rows on their way into caches.
namespace fireside::conformance {
namespace {

using AppendLatentTest = OpTest;

/// Parts of three heads of queries that turn with the rows, each behind seven channels that do not.
struct TurningQueries
{
    static constexpr std::int64_t kHeads = 3, kPlain = 7;
    bool there;
    std::int64_t r, step, cols;
    DType type;
    Matrix x;

    TurningQueries(Bench &bench, bool are, std::int64_t channels, std::int64_t T, DType of)
        : there(are)
        , r(channels)
        , step(kPlain + r)
        , cols((kHeads - 1) * step + r)
        , type(of)
    {
        if (there)
            x = bench.numbers(T, cols, type);
    }
    void place(Bench &bench, op::AppendLatent &op, bool inPlace) const
    {
        if (!there)
            return;
        op.heads = kHeads;
        op.queryStep = step;
        op.turnedStep = inPlace ? step : r + 11;
        if (inPlace) {
            op.queries = op.turned = bench.in(x, type);
            return;
        }
        op.queries = bench.in(x, type);
        op.turned = bench.out(x.rows, (kHeads - 1) * op.turnedStep + r, type);
    }
    void expect(Bench &bench, const op::AppendLatent &op, const Transform &turned,
                const BatchPlan &plan, double tolerance) const
    {
        for (std::int64_t h = 0; there && h < kHeads; ++h) {
            Matrix head{x.rows, r, {}};
            for (std::int64_t t = 0; t < x.rows; ++t)
                head.v.insert(head.v.end(), x.v.begin() + t * cols + h * step,
                              x.v.begin() + t * cols + h * step + r);
            bench.expect(op.turned.columns(h * op.turnedStep, r), turned.expected(head, plan),
                         tolerance);
        }
    }
};

TEST_P(AppendLatentTest, Rows)
{
    Cases cases("appendLatent");
    const auto channels =
        cases.option<Heads>("channels", {{1, 1, 64, 32}, {1, 1, 576, 512}, {1, 1, 160, 128}});
    const auto items = cases.option<Items>(
        "items", {{{1, 0}}, {{7, 5}, {1, 0}}, {{1, 3}, {0, 2}, {1, 40}}, {{33, 1}}});
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const auto latentType = cases.option("latent", bench.activations());
    const auto partType = cases.option("part", bench.activations());
    const auto pairing = cases.option("pairing", kPairings, kPairingTexts);
    const auto factor = cases.option<float>("factor", {1, 1.1f});
    const auto scattered = cases.option("scattered positions");
    const auto normed = cases.option("normed");
    enum class Queries { None, Moved, InPlace };
    const auto queries =
        cases.option<Queries>("queries", {Queries::None, Queries::Moved, Queries::InPlace},
                              {"none", "moved", "in place"});
    for (const Pick &pick : bench.draw(cases, 0)) {
        const std::int64_t rank = pick[channels].valueDim, r = pick[channels].dim - rank;
        ItemCaches caches(bench, pick[cacheType], pick[channels], pick[items], true);
        if (pick[scattered])
            scatter(bench, caches.plan, kFarthest);
        Transform turned;
        turned.make(r, nullptr, 0, turning(Turn::All, r, pick[pairing], pick[factor]));
        const TestWeight *const norm =
            pick[normed] ? &bench.weight(DType::F32, 1, rank, 1, 5) : nullptr;
        bench.start(pick, caches.plan);
        const std::int64_t T = caches.plan.rows();
        const Matrix latent = bench.numbers(T, rank, pick[latentType]);
        const Matrix part = bench.numbers(T, r, pick[partType]);
        const Tensor a = bench.in(latent, pick[latentType]), b = bench.in(part, pick[partType]);
        auto append = op::AppendLatent{
            a, b, *turned.transform.rope, 0, weightOf(norm), 1e-5f, 0, 0, 0, {}, {}};
        const TurningQueries heads(bench, pick[queries] != Queries::None, r, T, pick[partType]);
        heads.place(bench, append, pick[queries] == Queries::InPlace);
        if (!bench.run([&](Commands &c) { c.record(append); }))
            continue;
        heads.expect(bench, append, turned, caches.plan,
                     bench.target().tolerance({pick[partType]}) + angleError(kFarthest));
        bench.ignore(b); // may be turned where it lies
        bench.finish();
        const std::vector<double> rowsOfLatent =
            normedInput(latent, norm, static_cast<double>(append.eps));
        const auto after = turned.expected(part, caches.plan);
        std::vector<double> rows;
        for (std::int64_t t = 0; t < T; ++t) {
            rows.insert(rows.end(), rowsOfLatent.begin() + t * rank,
                        rowsOfLatent.begin() + (t + 1) * rank);
            rows.insert(rows.end(), after.begin() + t * r, after.begin() + (t + 1) * r);
        }
        caches.note(rows, {});
        caches.check(bench, bench.target().tolerance({pick[partType]}) + angleError(kFarthest));
    }
}

FIRESIDE_ON_EVERY_DEVICE(AppendLatentTest);

} // namespace
} // namespace fireside::conformance
