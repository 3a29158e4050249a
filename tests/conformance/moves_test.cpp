#include "engine/core/error.h"
#include "tests/conformance/products.h"
#include "tests/support/require.h"

#include <limits>

// Embedding and moves of rows.
namespace fireside::conformance {
namespace {

using MovesTest = OpTest;

/// A table of 37 rows, narrow or of odd width, as far as blocks allow.
std::int64_t widthOf(DType type, std::size_t number)
{
    constexpr std::int64_t kPlain[] = {1, 3, 33, 257, 768}, kBlocks[] = {1, 3, 2, 8, 24};
    const std::int64_t block = info(type).blockElements;
    return block == 1    ? kPlain[number]
           : block == 32 ? 32 * kBlocks[number]
                         : 256 * (number % 3 + 1);
}

TEST_P(MovesTest, Embed)
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

TEST_P(MovesTest, EmbedOfTheBatchsOwnIds)
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

TEST_P(MovesTest, EmbedRefusesAnIdThatIsNotInTheTable)
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

/// Numbers that are moved stay as they are, or are rounded to the other type.
double moved(DType from, DType to)
{
    return from == to ? 0 : 1e-3;
}

TEST_P(MovesTest, GatherRows)
{
    Cases cases("gatherRows");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 32, 33, 256, 2048});
    const auto count = cases.option<std::int64_t>("rows", {0, 1, 3, 64});
    const auto all = cases.option<std::int64_t>("of", {1, 9, 65});
    for (const Pick &pick : bench.draw(cases, 16)) {
        bench.start(pick);
        const Matrix x = bench.numbers(pick[all], pick[cols], pick[from]);
        const auto which = bench.integers(pick[count], 0, static_cast<std::int32_t>(pick[all] - 1));
        const Tensor input = bench.in(x, pick[from]);
        const Tensor rows = bench.ids(which);
        const Tensor out = bench.out(pick[count], pick[cols], pick[into]);
        if (!bench.run([&](Commands &c) { c.record(op::GatherRows{input, rows, out}); }))
            continue;
        std::vector<double> reference;
        for (const std::int32_t row : which)
            for (std::int64_t i = 0; i < x.cols; ++i)
                reference.push_back(static_cast<double>(x.at(row, i)));
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

TEST_P(MovesTest, GatherTheBatchsOutputRows)
{
    BatchPlan plan = BatchPlan::plain(9);
    plan.outputRows = {8, 0, 3};
    bench.start("gatherRows", "output rows", "F32→F32", plan);
    const Matrix x = bench.numbers(9, 40);
    const Tensor input = bench.in(x, DType::F32);
    const Tensor out = bench.out(3, 40, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::GatherRows{input, c.outputRows(), out}); }))
        return;
    std::vector<double> reference;
    for (const std::int32_t row : plan.outputRows)
        for (std::int64_t i = 0; i < 40; ++i)
            reference.push_back(static_cast<double>(x.at(row, i)));
    bench.expect(out, std::move(reference), 0);
}

TEST_P(MovesTest, Copy)
{
    Cases cases("copy");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto rows = cases.option<std::int64_t>("rows", {0, 1, 2, 33, 257});
    const auto cols = cases.option<std::int64_t>("cols", {1, 3, 31, 32, 96, 257, 2048});
    cases.without([](std::int64_t r, std::int64_t c) { return r * c > 100000; }, rows, cols);
    for (const Pick &pick : bench.draw(cases, 16)) {
        bench.start(pick);
        const Matrix x = bench.numbers(pick[rows], pick[cols], pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out = bench.out(pick[rows], pick[cols], pick[into]);
        if (bench.run([&](Commands &c) { c.record(op::Copy{input, out}); }))
            bench.expect(out, doubles(x), moved(pick[from], pick[into]));
    }
}

TEST_P(MovesTest, CopyJoinsAndSplits)
{
    const Matrix left = bench.numbers(9, 31), right = bench.numbers(9, 33);
    bench.start("copy", "concatenation by views", "F32→F32");
    const Tensor a = bench.in(left, DType::F32), b = bench.in(right, DType::F32);
    const Tensor both = bench.out(9, 64, DType::F32);
    const Tensor back = bench.out(9, 33, DType::F32);
    const Tensor lastRows = bench.out(4, 64, DType::F32);
    if (!bench.run([&](Commands &c) {
            c.record(op::Copy{a, both.columns(0, 31)});
            c.record(op::Copy{b, both.columns(31, 33)});
            c.record(op::Copy{both.columns(31, 33), back});
            c.record(op::Copy{both.rowRange(5, 4), lastRows});
        }))
        return;
    std::vector<double> joined;
    for (std::int64_t r = 0; r < 9; ++r) {
        for (std::int64_t i = 0; i < 31; ++i)
            joined.push_back(static_cast<double>(left.at(r, i)));
        for (std::int64_t i = 0; i < 33; ++i)
            joined.push_back(static_cast<double>(right.at(r, i)));
    }
    bench.expect(back, doubles(right), 0);
    bench.expect(lastRows, {joined.begin() + 5 * 64, joined.end()}, 0);
    bench.expect(both, std::move(joined), 0);
}

struct HeadsOfRows
{
    std::int64_t rows, heads, width;
};
std::string valueText(const HeadsOfRows &h)
{
    return std::to_string(h.rows) + "x" + std::to_string(h.heads) + "x" + std::to_string(h.width);
}

TEST_P(MovesTest, ReorderHeads)
{
    Cases cases("reorderHeads");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto shape = cases.option<HeadsOfRows>(
        "shape", {{1, 1, 1}, {3, 2, 31}, {9, 5, 32}, {33, 3, 64}, {0, 4, 8}, {64, 7, 3}});
    const auto headMajor = cases.option("to heads");
    for (const Pick &pick : bench.draw(cases, 12)) {
        const auto [T, H, D] = pick[shape];
        const bool major = pick[headMajor];
        bench.start(pick);
        const Matrix x =
            major ? bench.numbers(T, H * D, pick[from]) : bench.numbers(H * T, D, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor out =
            major ? bench.out(H * T, D, pick[into]) : bench.out(T, H * D, pick[into]);
        if (!bench.run([&, heads = H](Commands &c) {
                c.record(op::ReorderHeads{
                    input, heads, major ? HeadOrder::HeadMajor : HeadOrder::TokenMajor, out});
            }))
            continue;
        std::vector<double> reference(x.v.size());
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t h = 0; h < H; ++h)
                for (std::int64_t d = 0; d < D; ++d) {
                    const auto token = static_cast<std::size_t>((t * H + h) * D + d);
                    const auto head = static_cast<std::size_t>((h * T + t) * D + d);
                    reference[major ? head : token] =
                        static_cast<double>(x.v[major ? token : head]);
                }
        bench.expect(out, std::move(reference), moved(pick[from], pick[into]));
    }
}

struct QkvShape
{
    std::int64_t rows, heads, kvHeads, width;
};
std::string valueText(const QkvShape &s)
{
    return std::to_string(s.rows) + "x" + std::to_string(s.heads) + "/" +
           std::to_string(s.kvHeads) + "x" + std::to_string(s.width);
}

TEST_P(MovesTest, SplitQkv)
{
    Cases cases("splitQkv");
    const auto from = cases.option("from", bench.activations());
    const auto into = cases.option("into", bench.activations());
    const auto shapes = cases.option<QkvShape>(
        "shape", {{1, 1, 1, 1}, {9, 6, 2, 32}, {33, 8, 8, 3}, {3, 16, 1, 33}, {0, 4, 4, 8}});
    const auto perKvHead = cases.option("per kv head");
    for (const Pick &pick : bench.draw(cases, 10)) {
        const auto [T, H, G, D] = pick[shapes];
        const bool fused = pick[perKvHead];
        bench.start(pick);
        const Matrix x = bench.numbers(T, (H + 2 * G) * D, pick[from]);
        const Tensor input = bench.in(x, pick[from]);
        const Tensor q = bench.out(T, H * D, pick[into]), k = bench.out(T, G * D, pick[into]),
                     v = bench.out(T, G * D, pick[into]);
        AttentionShape shape;
        shape.heads = H;
        shape.kvHeads = G;
        shape.headDim = D;
        if (!bench.run([&](Commands &c) {
                c.record(op::SplitQkv{input, fused ? QkvLayout::PerKvHead : QkvLayout::TokenMajor,
                                      shape, q, k, v});
            }))
            continue;
        std::vector<double> queries, keys, values;
        const std::int64_t group = H / G;
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t g = 0; g < G; ++g)
                for (std::int64_t j = 0; j < group + 2; ++j)
                    for (std::int64_t d = 0; d < D; ++d) {
                        auto &list = j < group ? queries : j == group ? keys : values;
                        const std::int64_t head = fused        ? g * (group + 2) + j
                                                  : j < group  ? g * group + j
                                                  : j == group ? H + g
                                                               : H + G + g;
                        list.push_back(static_cast<double>(x.at(t, head * D + d)));
                    }
        const double allowed = moved(pick[from], pick[into]);
        bench.expect(q, std::move(queries), allowed);
        bench.expect(k, std::move(keys), allowed);
        bench.expect(v, std::move(values), allowed);
    }
}

TEST_P(MovesTest, UploadAndRead)
{
    const bool half = bench.has(DType::F16);
    for (const DType type : {DType::F32, DType::F16})
        for (const std::int64_t rows : {0, 1, 3, 33})
            for (const std::int64_t cols : {1, 3, 31, 32, 257}) {
                if (type == DType::F16 && !half)
                    continue;
                bench.start("upload", shapeText(rows, cols), typesText({type}));
                const Matrix x = bench.numbers(rows, cols, type);
                const Tensor out = bench.out(rows, cols, type);
                if (bench.run([&](Commands &c) { c.upload(x.v, out); }))
                    bench.expect(out, doubles(x), 0);
            }
    for (const std::int64_t rows : {0, 1, 7, 64}) {
        bench.start("upload", shapeText(rows, 3), typesText({DType::I32}));
        const auto values = bench.integers(rows * 3, -1000000, 1000000);
        const Tensor out = bench.idsOut(rows, 3);
        if (bench.run([&](Commands &c) { c.upload(values, out); }))
            bench.expectIds(out, values);
    }
}

TEST_P(MovesTest, UploadsComeInOrderWithOps)
{
    // One place, written twice: each copy must see what was there at its turn.
    const Matrix first = bench.numbers(3, 33), second = bench.numbers(3, 33);
    bench.start("upload", "twice to one place", "F32");
    const Tensor place = bench.out(3, 33, DType::F32);
    const Tensor a = bench.out(3, 33, DType::F32), b = bench.out(3, 33, DType::F32);
    if (!bench.run([&](Commands &c) {
            c.upload(first.v, place);
            c.record(op::Copy{place, a});
            c.upload(second.v, place);
            c.record(op::Copy{place, b});
        }))
        return;
    bench.expect(a, doubles(first), 0);
    bench.expect(b, doubles(second), 0);
    bench.expect(place, doubles(second), 0);
}

FIRESIDE_ON_EVERY_DEVICE(MovesTest);

} // namespace
} // namespace fireside::conformance
