#include "engine/core/error.h"
#include "tests/conformance/products.h"

// Embedding and moves of rows.
namespace fireside::conformance {
namespace {

using MovesTest = OpTest;

TEST_P(MovesTest, EmbedReadsEveryType)
{
    const bool half = bench.has(DType::F16);
    for (const DType type : weightTypes())
        for (const std::int64_t cols : {256, 512 + 256}) {
            const std::int64_t vocabulary = 37;
            const TestWeight &table = bench.weight(type, vocabulary, cols);
            for (const DType out : {DType::F32, DType::F16})
                for (const std::int64_t T : {1, 9}) {
                    if (out == DType::F16 && !half)
                        continue;
                    const bool add = T == 9 && cols == 256;
                    const float scale = cols == 256 ? 1.0f : 2.5f;
                    bench.start("embed", shapeText(T, cols) + (add ? " added" : ""),
                                typesText({type, out}));
                    const auto which = bench.integers(T, 0, vocabulary - 1);
                    const Tensor ids = bench.ids(which);
                    const Matrix before = bench.numbers(T, cols, out);
                    const Tensor to = add ? bench.in(before, out) : bench.out(T, cols, out);
                    if (!bench.run([&](Commands &c) {
                            c.embed(*table.weight, ids, scale, to,
                                    add ? Accumulate::AddToOutput : Accumulate::Overwrite);
                        }))
                        continue;
                    std::vector<double> reference;
                    for (std::int64_t t = 0; t < T; ++t)
                        for (std::int64_t i = 0; i < cols; ++i)
                            reference.push_back(table.at(which[static_cast<std::size_t>(t)], i) *
                                                    static_cast<double>(scale) +
                                                (add ? static_cast<double>(before.at(t, i)) : 0.0));
                    bench.expect(to, std::move(reference), bench.target().tolerance({out}));
                }
        }
}

TEST_P(MovesTest, EmbedOddWidths)
{
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        for (const std::int64_t cols : {1, 3, 33, 257}) {
            const TestWeight &table = bench.weight(type, 5, cols);
            for (const std::int64_t T : {0, 1, 3, 65}) {
                bench.start("embed", shapeText(T, cols), typesText({type, DType::F32}));
                const auto which = bench.integers(T, 0, 4);
                const Tensor ids = bench.ids(which);
                const Tensor to = bench.out(T, cols, DType::F32);
                if (!bench.run([&](Commands &c) { c.embed(*table.weight, ids, 0.5f, to); }))
                    continue;
                std::vector<double> reference;
                for (std::int64_t t = 0; t < T; ++t)
                    for (std::int64_t i = 0; i < cols; ++i)
                        reference.push_back(0.5 * table.at(which[static_cast<std::size_t>(t)], i));
                bench.expect(to, std::move(reference), bench.target().tolerance({}));
            }
        }
}

TEST_P(MovesTest, EmbedSmallBlocks)
{
    for (const DType type : weightTypes()) {
        if (info(type).blockElements != 32)
            continue;
        for (const std::int64_t cols : {32, 96}) {
            const TestWeight &table = bench.weight(type, 3, cols);
            bench.start("embed", shapeText(3, cols), typesText({type, DType::F32}));
            const Tensor ids = bench.ids({2, 0, 1});
            const Tensor to = bench.out(3, cols, DType::F32);
            if (!bench.run([&](Commands &c) { c.embed(*table.weight, ids, 1, to); }))
                continue;
            std::vector<double> reference;
            for (const std::int64_t row : {2, 0, 1})
                for (std::int64_t i = 0; i < cols; ++i)
                    reference.push_back(table.at(row, i));
            bench.expect(to, std::move(reference), bench.target().tolerance({}));
        }
    }
}

TEST_P(MovesTest, EmbedOfTheBatchsOwnIds)
{
    const TestWeight &table = bench.weight(DType::Q8_0, 100, 64);
    BatchPlan plan = BatchPlan::plain(17);
    plan.ids = bench.integers(17, 0, 99);
    bench.start("embed", "the batch's ids", "Q8_0→F32", plan);
    const Tensor to = bench.out(17, 64, DType::F32);
    if (!bench.run([&](Commands &c) { c.embed(*table.weight, c.ids(), 1, to); }))
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
            c.embed(*table.weight, c.ids(), 1, c.scratch(1, 32));
            c.sync();
            ADD_FAILURE() << "id " << id << " of 5 was taken";
        } catch (const Error &error) {
            if (error.kind() == ErrorKind::Unsupported)
                GTEST_SKIP() << error.what();
            EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
        }
    }
    bench.target().resetCommands();
}

TEST_P(MovesTest, GatherRows)
{
    const bool half = bench.has(DType::F16);
    for (const DType from : {DType::F32, DType::F16})
        for (const DType to : {DType::F32, DType::F16})
            for (const std::int64_t cols : {1, 3, 32, 33, 256, 2048})
                for (const std::int64_t n : {0, 1, 3, 64}) {
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    bench.start("gatherRows", shapeText(n, cols), typesText({from, to}));
                    const std::int64_t T = cols > 256 ? 9 : 65;
                    const Matrix x = bench.numbers(T, cols, from);
                    const auto which = bench.integers(n, 0, static_cast<std::int32_t>(T - 1));
                    const Tensor input = bench.in(x, from);
                    const Tensor rows = bench.ids(which);
                    const Tensor out = bench.out(n, cols, to);
                    if (!bench.run([&](Commands &c) { c.gatherRows(input, rows, out); }))
                        continue;
                    std::vector<double> reference;
                    for (const std::int32_t row : which)
                        for (std::int64_t i = 0; i < cols; ++i)
                            reference.push_back(static_cast<double>(x.at(row, i)));
                    bench.expect(out, std::move(reference), from == to ? 0 : 1e-3);
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
    if (!bench.run([&](Commands &c) { c.gatherRows(input, c.outputRows(), out); }))
        return;
    std::vector<double> reference;
    for (const std::int32_t row : plan.outputRows)
        for (std::int64_t i = 0; i < 40; ++i)
            reference.push_back(static_cast<double>(x.at(row, i)));
    bench.expect(out, std::move(reference), 0);
}

TEST_P(MovesTest, Copy)
{
    const bool half = bench.has(DType::F16);
    for (const DType from : {DType::F32, DType::F16})
        for (const DType to : {DType::F32, DType::F16})
            for (const std::int64_t rows : {0, 1, 2, 33, 257})
                for (const std::int64_t cols : {1, 3, 31, 32, 96, 257, 2048}) {
                    if ((!half && (from == DType::F16 || to == DType::F16)) || rows * cols > 100000)
                        continue;
                    bench.start("copy", shapeText(rows, cols), typesText({from, to}));
                    const Matrix x = bench.numbers(rows, cols, from);
                    const Tensor input = bench.in(x, from);
                    const Tensor out = bench.out(rows, cols, to);
                    if (bench.run([&](Commands &c) { c.copy(input, out); }))
                        bench.expect(out, doubles(x), from == to ? 0 : 1e-3);
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
            c.copy(a, both.columns(0, 31));
            c.copy(b, both.columns(31, 33));
            c.copy(both.columns(31, 33), back);
            c.copy(both.rowRange(5, 4), lastRows);
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

TEST_P(MovesTest, ReorderHeads)
{
    const bool half = bench.has(DType::F16);
    for (const DType from : {DType::F32, DType::F16})
        for (const DType to : {DType::F32, DType::F16})
            for (const auto &[T, H, D] : std::initializer_list<std::array<std::int64_t, 3>>{
                     {1, 1, 1}, {3, 2, 31}, {9, 5, 32}, {33, 3, 64}, {0, 4, 8}, {64, 7, 3}})
                for (const HeadOrder order : {HeadOrder::HeadMajor, HeadOrder::TokenMajor}) {
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    const bool major = order == HeadOrder::HeadMajor;
                    bench.start("reorderHeads",
                                shapeText(T, H * D) + (major ? " to heads" : " to tokens"),
                                typesText({from, to}));
                    const Matrix x =
                        major ? bench.numbers(T, H * D, from) : bench.numbers(H * T, D, from);
                    const Tensor input = bench.in(x, from);
                    const Tensor out = major ? bench.out(H * T, D, to) : bench.out(T, H * D, to);
                    if (!bench.run([&, heads = H](Commands &c) {
                            c.reorderHeads(input, heads, order, out);
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
                    bench.expect(out, std::move(reference), from == to ? 0 : 1e-3);
                }
}

TEST_P(MovesTest, SplitQkv)
{
    const bool half = bench.has(DType::F16);
    for (const DType from : {DType::F32, DType::F16})
        for (const DType to : {DType::F32, DType::F16})
            for (const auto &[T, H, G, D] : std::initializer_list<std::array<std::int64_t, 4>>{
                     {1, 1, 1, 1}, {9, 6, 2, 32}, {33, 8, 8, 3}, {3, 16, 1, 33}, {0, 4, 4, 8}})
                for (const QkvLayout layout : {QkvLayout::TokenMajor, QkvLayout::PerKvHead}) {
                    if (!half && (from == DType::F16 || to == DType::F16))
                        continue;
                    const bool fused = layout == QkvLayout::PerKvHead;
                    bench.start("splitQkv",
                                shapeText(T, (H + 2 * G) * D) + (fused ? " per kv head" : ""),
                                typesText({from, to}));
                    const Matrix x = bench.numbers(T, (H + 2 * G) * D, from);
                    const Tensor input = bench.in(x, from);
                    const Tensor q = bench.out(T, H * D, to), k = bench.out(T, G * D, to),
                                 v = bench.out(T, G * D, to);
                    AttentionShape shape;
                    shape.heads = H;
                    shape.kvHeads = G;
                    shape.headDim = D;
                    if (!bench.run([&, order = layout](Commands &c) {
                            c.splitQkv(input, order, shape, q, k, v);
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
                    const double allowed = from == to ? 0 : 1e-3;
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
            c.copy(place, a);
            c.upload(second.v, place);
            c.copy(place, b);
        }))
        return;
    bench.expect(a, doubles(first), 0);
    bench.expect(b, doubles(second), 0);
    bench.expect(place, doubles(second), 0);
}

FIRESIDE_ON_EVERY_DEVICE(MovesTest);

} // namespace
} // namespace fireside::conformance
