#include "engine/core/error.h"
#include "tests/conformance/caches.h"
#include "tests/conformance/products.h"
#include "tests/conformance/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stop_token>

// What passes promise beyond their ops: replay, preparation, cancelling, memory of the pass.
namespace fireside::conformance {
namespace {

constexpr std::int64_t kHidden = 128, kVocabulary = 100, kHeads = 4, kKvHeads = 2, kPassDim = 32;
constexpr std::int64_t kPassCapacity = 40;

/// A model of one layer.
class PassesTest : public OpTest
{
protected:
    void SetUp() override
    {
        bench.start("passes", "", "");
        const auto weight = [&](DType type, std::int64_t rows, int salt) {
            return bench.weight(type, rows, kHidden, 1, salt).weight.get();
        };
        m_embedding = weight(DType::Q8_0, kVocabulary, 0);
        m_norm = weight(DType::F32, 1, 1);
        m_q = weight(DType::F16, kHeads * kPassDim, 2);
        m_k = weight(DType::F16, kKvHeads * kPassDim, 3);
        m_v = weight(DType::F16, kKvHeads * kPassDim, 4);
        m_output = weight(DType::Q8_0, kVocabulary, 5);
        m_rope.inverseFrequencies = frequencies(kPassDim / 2);
        m_transform.headDim = kPassDim;
        m_transform.rope = m_rope;
        for (int i = 0; i < 3; ++i) {
            m_caches.push_back(std::make_unique<TestCache>(bench, DType::F32, kKvHeads, kPassDim,
                                                           kPassDim, kPassCapacity));
            m_caches.back()->fill(bench, 20);
        }
    }

    void record(Commands &c, std::int64_t T, std::int64_t outputs) const
    {
        AttentionShape shape;
        shape.heads = kHeads;
        shape.kvHeads = kKvHeads;
        shape.headDim = kPassDim;
        shape.valueDim = kPassDim;
        shape.scale = 0.1f;
        const Tensor x = c.scratch(T, kHidden);
        c.record(op::Embed{*m_embedding, c.ids(), 1, x});
        const std::size_t mark = c.mark();
        const Tensor q = c.scratch(T, kHeads * kPassDim),
                     kv = c.scratch(T, 2 * kKvHeads * kPassDim);
        const Tensor k = kv.columns(0, kKvHeads * kPassDim),
                     v = kv.columns(kKvHeads * kPassDim, kKvHeads * kPassDim);
        const std::array<LinearTarget, 3> targets{LinearTarget{m_q, q, nullptr},
                                                  LinearTarget{m_k, k, nullptr},
                                                  LinearTarget{m_v, v, nullptr}};
        c.record(op::Linear{LinearInput(x, *m_norm, 1e-5f), {targets.begin(), targets.end()}});
        c.record(op::AppendKv{q, m_transform, k, m_transform, v, 0, shape});
        const Tensor attended = c.scratch(T, kHeads * kPassDim);
        c.record(op::Attention{q, 0, shape, attended});
        c.release(mark);
        const Tensor rows = c.scratch(outputs, kHidden);
        const Tensor last = c.scratch(outputs, kHidden);
        c.record(op::GatherRows{attended, c.outputRows(), rows});
        c.record(op::RmsNorm{rows, m_norm, 1e-5f, last});
        const Tensor logits = c.scratch(outputs, kVocabulary),
                     best = c.scratch(outputs, 1, DType::I32);
        const std::array<LinearTarget, 1> output{LinearTarget{m_output, logits, nullptr}};
        c.record(op::Linear{last, {output.begin(), output.end()}});
        c.record(op::Argmax{logits, best});
        c.keep(0, logits);
        c.keep(7, best);
    }

    struct Results
    {
        std::vector<float> logits;
        std::vector<std::int32_t> best;
        bool replayed = false;
    };
    Results pass(Commands &c, const BatchPlan &plan, const PassOptions &options = {})
    {
        Results r;
        r.replayed = c.begin(plan.batch(), options) == Commands::Begin::Replay;
        const auto outputs = static_cast<std::int64_t>(plan.outputRows.size());
        if (!r.replayed)
            record(c, plan.rows(), outputs);
        c.sync();
        r.logits.resize(static_cast<std::size_t>(outputs * kVocabulary));
        r.best.resize(plan.outputRows.size());
        c.read(c.kept(0), r.logits);
        c.read(c.kept(7), r.best);
        return r;
    }

    BatchPlan plan(const std::vector<std::array<std::int64_t, 3>> &items) // rows, past, cache
    {
        BatchPlan p;
        for (const auto &[rows, past, cache] : items) {
            p.item(rows, past, m_caches[static_cast<std::size_t>(cache)]->layers());
            p.outputRows.push_back(static_cast<std::int32_t>(p.rows() - 1));
        }
        p.ids = bench.integers(p.rows(), 0, kVocabulary - 1);
        return p;
    }

    /// NaN in all rows of a cache from `past` on.
    void poison(std::int64_t past)
    {
        Commands &c = bench.target().commands();
        const BatchPlan none = BatchPlan::plain(1);
        c.begin(none.batch());
        for (const auto &cache : m_caches)
            for (Buffer *buffer : {cache->layer().keys, cache->layer().values})
                for (std::int64_t h = 0; h < kKvHeads; ++h) {
                    const Tensor rows{
                        buffer,
                        static_cast<std::size_t>((h * kPassCapacity + past) * kPassDim) * 4,
                        DType::F32,
                        kPassCapacity - past,
                        kPassDim,
                        kPassDim};
                    c.upload(std::vector<float>(static_cast<std::size_t>(rows.rows * kPassDim),
                                                std::numeric_limits<float>::quiet_NaN()),
                             rows);
                }
        c.sync();
    }

    void expectSame(const Results &a, const Results &b, const std::string &what)
    {
        ASSERT_EQ(a.logits.size(), b.logits.size()) << what;
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < a.logits.size(); ++i) {
            difference += std::pow(static_cast<double>(a.logits[i] - b.logits[i]), 2);
            norm += std::pow(static_cast<double>(b.logits[i]), 2);
        }
        EXPECT_GT(norm, 0) << what;
        EXPECT_LE(std::sqrt(difference / norm), 1e-6) << what;
        EXPECT_EQ(a.best, b.best) << what;
        countCase(GetParam(), "passes", what);
        noteError(GetParam(), "passes", std::sqrt(difference / norm), 1e-6);
    }

    const Weight *m_embedding = nullptr, *m_norm = nullptr, *m_q = nullptr, *m_k = nullptr,
                 *m_v = nullptr, *m_output = nullptr;
    Rope m_rope;
    HeadTransform m_transform;
    std::vector<std::unique_ptr<TestCache>> m_caches;
};

TEST_P(PassesTest, ReplaysGiveWhatFreshPassesGive)
{
    const auto fresh = bench.target().device().commands(8 << 20, 64);
    const auto replaying = bench.target().device().commands(8 << 20, 64);
    const std::vector<std::pair<std::uint64_t, std::vector<std::array<std::int64_t, 3>>>> batches =
        {{1, {{1, 5, 0}}},
         {1, {{1, 19, 1}}},
         {1, {{1, 0, 2}}},
         {2, {{7, 3, 0}}},
         {2, {{7, 11, 1}}},
         {1, {{1, 20, 0}}},
         {3, {{1, 4, 0}, {1, 17, 1}, {1, 20, 2}}},
         {3, {{1, 18, 2}, {1, 2, 0}, {1, 1, 1}}},
         {4, {{3, 4, 0}, {0, 17, 1}, {9, 2, 2}}},
         {4, {{3, 1, 2}, {0, 3, 0}, {9, 8, 1}}},
         // The same name with another form is recorded anew.
         {1, {{2, 5, 0}}},
         {1, {{1, 6, 0}}},
         {3, {{2, 5, 0}, {0, 17, 1}, {1, 19, 2}}}};
    int replays = 0;
    for (const auto &[name, items] : batches) {
        const BatchPlan p = plan(items);
        poison(20);
        const Results expected = pass(*fresh, p);
        poison(20);
        PassOptions options;
        options.recording = name;
        const Results got = pass(*replaying, p, options);
        replays += got.replayed ? 1 : 0;
        expectSame(got, expected, "recording " + std::to_string(name));
        if (HasFatalFailure())
            return;
    }
    if (!bench.target().isCpu()) {
        EXPECT_GE(replays, 4);
    }
}

TEST_P(PassesTest, ManyReplaysInARow)
{
    const auto fresh = bench.target().device().commands(8 << 20, 64);
    const auto replaying = bench.target().device().commands(8 << 20, 64);
    PassOptions options;
    options.recording = 77;
    for (std::int64_t past = 3; past < 35; ++past) {
        const BatchPlan p = plan({{1, past, past % 2}});
        // Both write the same rows.
        const Results expected = pass(*fresh, p);
        expectSame(pass(*replaying, p, options), expected, "token after token");
    }
}

TEST_P(PassesTest, PreparingChangesNothing)
{
    const auto c = bench.target().device().commands(8 << 20, 64);
    const BatchPlan p = plan({{1, 5, 0}});
    const Results expected = pass(*bench.target().device().commands(8 << 20, 64), p);
    poison(5);
    PassOptions options;
    options.recording = 9;
    options.prepareOnly = true;
    if (c->begin(p.batch(), options) == Commands::Begin::Record)
        record(*c, 1, 1);
    c->sync();
    Buffer *const keys = m_caches[0]->layer().keys;
    const std::vector<float> row =
        bench.read({keys, 5 * kPassDim * 4, DType::F32, 1, kPassDim, kPassDim});
    EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](float v) { return std::isnan(v); }))
        << "a pass that only prepares has written to a cache";
    options.prepareOnly = false;
    expectSame(pass(*c, p, options), expected, "after preparing");
    expectSame(pass(*c, p, options), expected, "after preparing, again");
}

TEST_P(PassesTest, StoppedPassesAreCancelled)
{
    const auto c = bench.target().device().commands(8 << 20, 64);
    const BatchPlan p = plan({{3, 5, 0}});
    const Results expected = pass(*c, p);
    for (const bool early : {true, false})
        for (const std::uint64_t recording : {0, 5}) {
            std::stop_source source;
            PassOptions options;
            options.recording = recording;
            options.stop = source.get_token();
            if (early)
                source.request_stop();
            try {
                if (c->begin(p.batch(), options) == Commands::Begin::Record)
                    record(*c, 3, 1);
                source.request_stop();
                c->sync();
                // A device that computes at once had finished.
                EXPECT_TRUE(bench.target().isCpu() && !early) << "a stopped pass was completed";
            } catch (const Error &error) {
                EXPECT_EQ(error.kind(), ErrorKind::Cancelled) << error.what();
            }
            PassOptions again;
            again.recording = recording;
            expectSame(pass(*c, p, again), expected, "after a cancelled pass");
        }
}

TEST_P(PassesTest, ScratchIsReusedAndBounded)
{
    const auto c = bench.target().device().commands(1 << 20, 8);
    const BatchPlan p = BatchPlan::plain(2);
    c->begin(p.batch());
    const Tensor first = c->scratch(3, 5);
    const std::size_t mark = c->mark();
    const Tensor second = c->scratch(100, 100);
    EXPECT_GE(second.offset, first.offset + 60);
    c->release(mark);
    const Tensor third = c->scratch(7, 9, DType::F16);
    EXPECT_EQ(third.offset, second.offset);
    EXPECT_EQ(third.stride, 9);
    try {
        c->scratch(1 << 18, 2);
        ADD_FAILURE() << "2 MiB of scratch in an arena of 1 MiB";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::Memory) << error.what();
    }
    c->begin(p.batch());
    EXPECT_EQ(c->scratch(3, 5).offset, first.offset) << "a new pass starts with all of it";
}

TEST_P(PassesTest, OpsInAChainSeeEachOther)
{
    // The same memory again and again: each op must wait for what it reads and overwrites.
    bench.start("passes", "a chain of ops over the same memory", "F32");
    const Matrix x = bench.numbers(33, 65);
    const Tensor a = bench.in(x, DType::F32), b = bench.out(33, 65, DType::F32);
    if (!bench.run([&](Commands &c) {
            for (int i = 0; i < 40; ++i) {
                c.record(op::Copy{a, b});            // b = a
                c.record(op::AddScaled{b, 0.5f, a}); // a = 1.5 a
                c.record(op::AddScaled{a, -1, b});   // b = −a / 3
                c.record(op::AddScaled{b, 1, a});    // a back to what it was
            }
        }))
        return;
    bench.expect(a, {x.v.begin(), x.v.end()}, 1e-4);
    std::vector<double> half;
    for (const float v : x.v)
        half.push_back(-0.5 * static_cast<double>(v));
    bench.expect(b, std::move(half), 1e-4);
}

TEST_P(PassesTest, TheBatchsOwnTables)
{
    Commands &c = bench.target().commands();
    BatchPlan p = plan({{3, 5, 0}, {1, 9, 1}});
    c.begin(p.batch());
    c.sync();
    std::vector<std::int32_t> ids(4), positions(4), rows(2);
    c.read(c.ids(), ids);
    c.read(c.positions(), positions);
    c.read(c.outputRows(), rows);
    EXPECT_EQ(ids, p.ids);
    EXPECT_EQ(positions, p.positions);
    EXPECT_EQ(rows, p.outputRows);
}

TEST_P(PassesTest, OpTimesAreCountedOnce)
{
    const auto c = bench.target().device().commands(8 << 20, 64);
    const BatchPlan p = plan({{1, 5, 0}});
    pass(*c, p);
    c->takeOpTimes();
    pass(*c, p);
    pass(*c, p);
    std::int64_t linears = 0;
    for (const OpTime &time : c->takeOpTimes())
        if (std::string(time.op) == "linear")
            linears = time.calls;
    EXPECT_EQ(linears, 4);
    EXPECT_TRUE(c->takeOpTimes().empty());
}

TEST_P(PassesTest, BatchesThatDoNotAddUpAreRefused)
{
    Commands &c = bench.target().commands();
    const auto refused = [&](const BatchPlan &p) {
        try {
            c.begin(p.batch());
            ADD_FAILURE() << "a bad batch was taken";
        } catch (const Error &error) {
            EXPECT_EQ(error.kind(), ErrorKind::Internal) << error.what();
        }
    };
    BatchPlan p = BatchPlan::plain(4);
    p.positions.pop_back();
    refused(p);
    p = BatchPlan::plain(4);
    p.items[0].rows = 3;
    refused(p);
    p = BatchPlan::plain(4);
    p.items[0].firstRow = 1;
    refused(p);
    refused(BatchPlan::plain(Target::kMaxRows + 1));
    bench.target().resetCommands();
}

FIRESIDE_ON_EVERY_DEVICE(PassesTest);

using DeviceTest = OpTest;

TEST_P(DeviceTest, MemoryIsZeroedAndCopied)
{
    Device &device = bench.target().device();
    const auto a = device.allocate(4096, "a test"), b = device.allocate(4096, "a test");
    EXPECT_GE(a->size(), 4096U);
    const Tensor whole{a.get(), 0, DType::I32, 1, 1024, 1024};
    Commands &c = bench.target().commands();
    const BatchPlan p = BatchPlan::plain(1);
    std::vector<std::int32_t> values(1024);
    c.begin(p.batch());
    c.sync();
    c.read(whole, values);
    EXPECT_EQ(values, std::vector<std::int32_t>(1024, 0));
    for (std::int32_t i = 0; i < 1024; ++i)
        values[static_cast<std::size_t>(i)] = i;
    c.begin(p.batch());
    c.upload(values, whole);
    c.sync();
    device.copy(*a, 400, *b, 40, 80);
    const Tensor other{b.get(), 0, DType::I32, 1, 1024, 1024};
    std::vector<std::int32_t> copied(1024);
    c.begin(p.batch());
    c.sync();
    c.read(other, copied);
    for (std::int32_t i = 0; i < 1024; ++i)
        EXPECT_EQ(copied[static_cast<std::size_t>(i)], i >= 10 && i < 30 ? i + 90 : 0) << i;
    EXPECT_THROW(device.copy(*a, 4090, *b, 0, 80), Error);
    device.zero(std::array{a.get()});
    for (const Tensor &tensor : {whole, other}) {
        c.begin(p.batch());
        c.sync();
        c.read(tensor, values);
        EXPECT_EQ(values[15] == 0 && values[1023] == 0, tensor.buffer == a.get());
    }
}

TEST_P(DeviceTest, SupportsEveryTypeOfWeight)
{
    for (const DType type : weightTypes())
        EXPECT_TRUE(bench.target().device().supports(type)) << name(type);
    EXPECT_FALSE(bench.target().device().supports(DType::I32));
}

TEST_P(DeviceTest, WeightsOfTheWrongSizeAreRefused)
{
    const std::vector<std::byte> bytes(100);
    WeightSource source;
    source.name = "short";
    source.dtype = DType::Q8_0;
    source.rows = 3;
    source.cols = 64;
    source.bytes = bytes;
    try {
        bench.target().device().addWeight(source);
        ADD_FAILURE() << "100 bytes were taken for 204";
    } catch (const Error &error) {
        EXPECT_EQ(error.kind(), ErrorKind::BadInput) << error.what();
        EXPECT_NE(std::string(error.what()).find("short"), std::string::npos) << error.what();
    }
}

TEST_P(DeviceTest, ExpertsThatLieApart)
{
    const TestWeight &whole = bench.weight(DType::Q4_K, 9, 256, 4, 3);
    const std::size_t each = whole.bytes.size() / 4;
    std::vector<std::vector<std::byte>> pieces;
    WeightSource source;
    source.name = "parts";
    source.dtype = DType::Q4_K;
    source.rows = 9;
    source.cols = 256;
    source.depth = 4;
    for (std::size_t i = 0; i < 4; ++i) {
        pieces.emplace_back(whole.bytes.begin() + static_cast<std::ptrdiff_t>(i * each),
                            whole.bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
    }
    for (const auto &piece : pieces)
        source.parts.push_back(piece);
    const auto weight = bench.target().device().addWeight(source);
    bench.target().device().finishWeights();
    bench.start("headLinear", "matrices that lie apart", "Q4_K");
    const Matrix x = bench.numbers(3, 4 * 256);
    const Tensor input = bench.in(x, DType::F32), out = bench.out(3, 36, DType::F32);
    if (!bench.run([&](Commands &c) { c.record(op::HeadLinear{input, *weight, out}); }))
        return;
    const auto rows = doubles(x);
    std::vector<double> reference;
    for (std::int64_t i = 0; i < 12; ++i)
        for (std::int64_t r = 0; r < 9; ++r)
            reference.push_back(
                product(rows, static_cast<std::size_t>(i * 256), whole, r, i % 4).value);
    bench.expect(out, std::move(reference), bench.target().productTolerance(DType::Q4_K, {}));
    bench.finish();
}

FIRESIDE_ON_EVERY_DEVICE(DeviceTest);

} // namespace
} // namespace fireside::conformance
