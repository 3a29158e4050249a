#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>

// Latent rows on their way into caches.
namespace fireside::conformance {
namespace {

using AppendLatentTest = OpTest;

TEST_P(AppendLatentTest, Rows)
{
    Cases cases("appendLatent");
    const auto heads =
        cases.option<Heads>("channels", {{1, 1, 64, 32}, {1, 1, 576, 512}, {1, 1, 160, 128}});
    const auto items = cases.option<Items>(
        "items", {{{1, 0}}, {{7, 5}, {1, 0}}, {{1, 3}, {0, 2}, {1, 40}}, {{33, 1}}});
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const auto latentType = cases.option("latent", bench.activations());
    const auto partType = cases.option("part", bench.activations());
    const auto pairing = cases.option("pairing", kPairings, kPairingTexts);
    const auto factor = cases.option<float>("factor", {1, 1.1f});
    const auto scattered = cases.option("scattered positions");
    for (const Pick &pick : bench.draw(cases, 0)) {
        const std::int64_t rank = pick[heads].valueDim, r = pick[heads].dim - rank;
        ItemCaches caches(bench, pick[cacheType], pick[heads], pick[items], true);
        if (pick[scattered])
            scatter(bench, caches.plan, kFarthest);
        Transform turned;
        turned.make(r, nullptr, 0, turning(Turn::All, r, pick[pairing], pick[factor]));
        bench.start(pick, caches.plan);
        const std::int64_t T = caches.plan.rows();
        const Matrix latent = bench.numbers(T, rank, pick[latentType]);
        const Matrix part = bench.numbers(T, r, pick[partType]);
        const Tensor a = bench.in(latent, pick[latentType]), b = bench.in(part, pick[partType]);
        if (!bench.run([&](Commands &c) {
                c.record(op::AppendLatent{a, b, *turned.transform.rope, 0});
            }))
            continue;
        bench.ignore(b); // may be turned where it lies
        bench.finish();
        const auto after = turned.expected(part, caches.plan);
        std::vector<double> rows;
        for (std::int64_t t = 0; t < T; ++t) {
            rows.insert(rows.end(), latent.v.begin() + t * rank, latent.v.begin() + (t + 1) * rank);
            rows.insert(rows.end(), after.begin() + t * r, after.begin() + (t + 1) * r);
        }
        caches.note(rows, {});
        caches.check(bench, bench.target().tolerance({pick[partType]}) + angleError(kFarthest));
    }
}

FIRESIDE_ON_EVERY_DEVICE(AppendLatentTest);

} // namespace
} // namespace fireside::conformance
