#include "tests/conformance/heads.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>

// Keys and values on their way into caches.
namespace fireside::conformance {
namespace {

using AppendKvTest = OpTest;

TEST_P(AppendKvTest, Rows)
{
    Cases cases("appendKv");
    const auto heads = cases.option<Heads>("heads", {{1, 1, 32, 32},
                                                     {4, 2, 64, 64},
                                                     {8, 2, 128, 128},
                                                     {6, 3, 96, 64},
                                                     {2, 2, 64, 128},
                                                     {16, 1, 256, 256},
                                                     {3, 3, 36, 40}});
    const auto items = cases.option<Items>("items", {{{1, 0}},
                                                     {{5, 0}},
                                                     {{1, 17}, {1, 3}, {1, 0}},
                                                     {{3, 5}, {0, 4}, {7, 0}},
                                                     {{33, 31}},
                                                     {{40, 3}, {0, 2}, {5, 9}}});
    const auto cacheType = cases.option<DType>("cache", {DType::F32, DType::F16, DType::Q8_0});
    const HeadOptions options(bench, cases);
    withoutCutBlocks(cases, heads, cacheType);
    for (const Pick &pick : bench.draw(cases, 30)) {
        const Heads &h = pick[heads];
        ItemCaches caches(bench, pick[cacheType], h, pick[items]);
        NewHeads made(bench, options, pick, h, caches.plan);
        bench.start(pick, caches.plan);
        made.place(bench, options, pick, h, caches.plan.rows());
        if (!bench.run([&](Commands &c) {
                c.record(op::AppendKv{made.qIn, made.qTransform.transform, made.kIn,
                                      made.kTransform.transform, made.vIn, 0, shapeOf(h)});
            }))
            continue;
        const double angles = angleError(kFarthest);
        bench.expect(made.qIn, made.qTransform.expected(made.q, caches.plan),
                     bench.target().tolerance({pick[options.qType]}) + angles);
        bench.ignore(made.kIn); // may be transformed where it lies
        bench.finish();
        caches.note(made.kTransform.expected(made.k, caches.plan), doubles(made.v));
        // The device may round keys to the type they came in before it stores them.
        caches.check(bench, bench.target().tolerance({pick[options.kType]}) + angles);
    }
}

FIRESIDE_ON_EVERY_DEVICE(AppendKvTest);

} // namespace
} // namespace fireside::conformance
