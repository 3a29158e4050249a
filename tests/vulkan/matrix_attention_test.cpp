#include "engine/vulkan/ops/matmul/small_gemm.h"
#include "tests/conformance/draw.h"
#include "tests/vulkan/emulation_report.h"
#include "tests/vulkan/narrow_vectors.h"
#include "tests/vulkan/product_case.h"
#include "tests/vulkan/sessions.h"

#include <cstdlib>
#include <random>

// Attention on cooperative matrices, by way of their emulation: kernels that no software device
// chooses.
namespace fireside {
namespace {

using conformance::Cases;
using conformance::Option;
using conformance::Pick;
using test::Case;
using test::EmulationReport;
using test::Item;
using test::randomValues;
using test::Sessions;

struct Widths
{
    std::int64_t ofKeys, ofValues;
};
struct Heads
{
    std::int64_t all, kv;
};
std::string valueText(const Widths &w)
{
    return std::to_string(w.ofKeys) + "/" + std::to_string(w.ofValues);
}
std::string valueText(const Heads &h)
{
    return std::to_string(h.all) + "/" + std::to_string(h.kv);
}
enum class Keys { F16, Q8_0, OfThePass }; // in a cache, or F16 beside the queries

class MatrixAttention : public test::WithNarrowVectors<test::VulkanAttention>
{};

/// What both kernels may be asked for.
struct Common
{
    explicit Common(Cases &cases)
        : softcap(cases.option<float>("softcap", {0, 2}))
        , alibi(cases.option<float>("alibi", {0, 8}))
        , scale(cases.option<float>("scale", {0, 0.3f}))
        , sinks(cases.option("sinks"))
        , out(cases.option("out", std::vector{DType::F32, DType::F16}))
    {}
    void fill(const Pick &pick, Case &c) const
    {
        c.softcap = pick[softcap];
        c.alibi = pick[alibi];
        c.scale = pick[scale];
        c.sinks = pick[sinks];
        c.out = pick[out];
    }
    Option<float> softcap, alibi, scale;
    Option<bool> sinks;
    Option<DType> out;
};

/// Attention over caches, or over what the pass has.
std::vector<float> attend(Sessions &sessions, const Case &c, Keys keys,
                          test::EmulatedMatrices &recorder)
{
    const Tensor q = sessions.upload(sessions.queries, c.heads * c.dim, c.query);
    const Tensor out = sessions.output();
    if (keys == Keys::OfThePass)
        run(recorder, op::SequenceAttention{
                          q, sessions.upload(sessions.keys(), c.kvHeads * c.dim, DType::F16),
                          sessions.upload(sessions.values(), c.kvHeads * c.valueDim, DType::F16),
                          sessions.shape, out});
    else
        run(recorder, op::Attention{q, 0, sessions.shape, out});
    sessions.commands->sync();
    return sessions.result(out);
}

/// Items of few rows go through another kernel, which counts on real subgroups.
template <class T>
std::vector<T> ofManyRows(const Case &c, const std::vector<T> &all)
{
    constexpr std::int64_t kFewSlots = 32;
    std::vector<T> some;
    auto at = all.begin();
    for (const Item &item : c.items) {
        const std::int64_t count = item.rows * c.heads * c.valueDim;
        if (item.rows * c.heads / c.kvHeads > kFewSlots)
            some.insert(some.end(), at, at + count);
        at += count;
    }
    return some;
}

TEST_F(MatrixAttention, ManyRows)
{
    Cases cases("attention_matrix");
    const auto widths = cases.option<Widths>(
        "widths", {{16, 16}, {40, 24}, {32, 64}, {128, 64}, {192, 128}, {256, 256}});
    const auto heads = cases.option<Heads>("heads", {{4, 2}, {3, 3}, {80, 1}});
    const auto keys = cases.option<Keys>("keys", {Keys::F16, Keys::Q8_0, Keys::OfThePass});
    const auto window = cases.option<std::int64_t>("window", {0, 21});
    const auto causal = cases.option("causal");
    const auto query = cases.option("queries", std::vector{DType::F32, DType::F16});
    const auto oneBuffer = cases.option("one buffer");
    const Common common(cases);
    cases.without([](Widths w, Keys k) { return k == Keys::Q8_0 && w.ofValues % 32 != 0; }, widths,
                  keys);
    cases.without([](Widths w, bool one) { return one && w.ofKeys > 40; }, widths, oneBuffer);

    EmulationReport report("attention_matrix",
                           "the order in which factors are loaded, sums as factors in registers");
    std::mt19937 random(5);
    for (const Pick &pick : cases.allPairs(random)) {
        Case c;
        c.dim = pick[widths].ofKeys;
        c.valueDim = pick[widths].ofValues;
        c.heads = pick[heads].all;
        c.kvHeads = pick[heads].kv;
        c.cache = pick[keys] == Keys::Q8_0 ? DType::Q8_0 : DType::F16;
        c.items = {{40, 3}, {1, 20}, {0, 5}, {17, 70}};
        if (pick[keys] == Keys::OfThePass)
            c.items = {{33, 0}, {2, 0}};
        else if (c.heads > 64)
            c.items = {{2, 400}}; // more heads than slots, keys spread over groups
        c.window = pick[window];
        c.causal = pick[causal];
        c.query = pick[query];
        common.fill(pick, c);
        Sessions sessions(device(), c);
        sessions.prepareReference();
        sessions.begin();
        test::EmulatedMatrices recorder(test::recorderOf(*sessions.commands));
        if (pick[oneBuffer]) // of keys and values, where so little is left
            recorder.device.sharedMemory = 16 << 10;
        const auto result = attend(sessions, c, pick[keys], recorder);
        EXPECT_GT(
            std::count(recorder.dispatched.begin(), recorder.dispatched.end(), "attention_matrix"),
            0)
            << pick.text();
        const double error =
            reference::relativeError(ofManyRows(c, result), ofManyRows(c, sessions.expected()));
        EXPECT_LE(error, 1.2e-3) << pick.text();
        report.met(c.cache, cases.pairsOf(pick), error / 1.2e-3);
    }
    report.expectAll(2, cases.pairs());
}

TEST_F(MatrixAttention, InChunks)
{
    for (const bool inCache : {true, false}) {
        Case c;
        c.cache = DType::F16;
        c.items = {{40, 3}, {17, 70}, {64, 0}};
        if (!inCache)
            c.items = {{90, 0}, {64, 0}};
        c.chunk = 37;
        Sessions sessions(device(), c);
        sessions.prepareReference();
        sessions.begin();
        test::EmulatedMatrices recorder(test::recorderOf(*sessions.commands));
        const auto result = attend(sessions, c, inCache ? Keys::F16 : Keys::OfThePass, recorder);
        EXPECT_GT(
            std::count(recorder.dispatched.begin(), recorder.dispatched.end(), "attention_matrix"),
            0);
        EXPECT_LE(
            reference::relativeError(ofManyRows(c, result), ofManyRows(c, sessions.expected())),
            1.2e-3)
            << test::text(c);
    }
}

/// A session's latent cache in F16, and the keys and values that heads make of its rows.
struct LatentSession
{
    static constexpr std::int64_t kRank = 48, kTurning = 8;

    LatentSession(Device &device, Commands &commands, const Item &item, unsigned seed)
        : length(item.past + item.rows)
        , rows(test::rounded(randomValues(length * (kRank + kTurning), seed), DType::F16))
    {
        const std::int64_t width = kRank + kTurning;
        buffer = device.allocate(static_cast<std::size_t>(2 * width * (length + 5)), "latents");
        layer.keys = buffer.get();
        layer.kvHeads = 1;
        layer.capacity = length + 5;
        layer.headDim = width;
        layer.valueDim = kRank;
        std::vector<std::int32_t> zeros(static_cast<std::size_t>(length), 0);
        const std::vector<BatchItem> fill{{{&layer, 1}, 0, length, 0}};
        commands.begin({zeros, zeros, fill, {}});
        const Tensor all = commands.scratch(length, width);
        commands.upload(rows, all);
        commands.record(op::AppendLatent{all.columns(0, kRank),
                                         all.columns(kRank, kTurning),
                                         Rope{.inverseFrequencies = {}},
                                         0,
                                         nullptr,
                                         0,
                                         0,
                                         0,
                                         0,
                                         {},
                                         {}});
        commands.sync();
    }
    /// [length, H·(of + shared)]: products with [H, of, rank], then the shared channels.
    std::vector<double> made(const std::vector<double> &weight, std::int64_t heads, std::int64_t of,
                             std::int64_t shared) const
    {
        std::vector<double> all;
        for (std::int64_t t = 0; t < length; ++t) {
            const float *row = &rows[static_cast<std::size_t>(t * (kRank + kTurning))];
            for (std::int64_t h = 0; h < heads; ++h) {
                for (std::int64_t d = 0; d < of; ++d) {
                    double sum = 0;
                    for (std::int64_t i = 0; i < kRank; ++i)
                        sum += static_cast<double>(row[i]) *
                               weight[static_cast<std::size_t>((h * of + d) * kRank + i)];
                    all.push_back(sum);
                }
                for (std::int64_t d = 0; d < shared; ++d)
                    all.push_back(static_cast<double>(row[kRank + d]));
            }
        }
        return all;
    }

    std::int64_t length;
    std::vector<float> rows;
    std::unique_ptr<Buffer> buffer;
    KvLayer layer;
};

TEST_F(MatrixAttention, WithKeysOfEachHead)
{
    constexpr std::int64_t kHeads = 3, kPlain = 24, kDim = kPlain + LatentSession::kTurning;
    constexpr std::int64_t kValues = 40, kRank = LatentSession::kRank;
    const std::vector<Item> items{{40, 3}, {17, 70}, {0, 4}, {2, 9}};
    const auto commands = device().commands(std::size_t{64} << 20, 512);
    std::vector<std::unique_ptr<LatentSession>> sessions;
    std::vector<BatchItem> batch;
    std::int64_t rows = 0;
    for (const Item &item : items) {
        sessions.push_back(std::make_unique<LatentSession>(device(), *commands, item,
                                                           static_cast<unsigned>(40 + rows)));
        batch.push_back({{&sessions.back()->layer, 1}, rows, item.rows, item.past});
        rows += item.rows;
    }
    const auto weight = [&](std::int64_t of, unsigned seed) {
        return test::SomeWeight(device(), DType::F16, of, kRank, seed, kHeads);
    };
    const test::SomeWeight keys = weight(kPlain, 71), values = weight(kValues, 72);
    AttentionShape shape;
    shape.heads = shape.kvHeads = kHeads;
    shape.headDim = kDim;
    shape.valueDim = kValues;
    shape.scale = 0.05f;
    const auto q = randomValues(rows * kHeads * kDim, 73);
    std::vector<double> expected;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto first = q.begin() + batch[i].firstRow * kHeads * kDim;
        const auto attended = reference::attend(
            shape, items[i].rows, std::vector<float>(first, first + items[i].rows * kHeads * kDim),
            sessions[i]->made(keys.values, kHeads, kPlain, LatentSession::kTurning),
            sessions[i]->made(values.values, kHeads, kValues, 0), {});
        if (items[i].rows > 0)
            expected.insert(expected.end(), attended.begin(), attended.end());
    }
    // All heads at once, or one after another in the same memory.
    for (const std::int64_t room : {std::int64_t{1} << 24, std::int64_t{1}}) {
        std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
        commands->begin({zeros, zeros, batch, {}});
        const Tensor queries = commands->scratch(rows, kHeads * kDim),
                     out = commands->scratch(rows, kHeads * kValues);
        commands->upload(q, queries);
        test::EmulatedMatrices recorder(test::recorderOf(*commands));
        run(recorder,
            op::ExpandedAttention{queries, 0, shape, *keys.weight, *values.weight, out, room});
        commands->sync();
        std::vector<float> result(static_cast<std::size_t>(rows * kHeads * kValues));
        commands->read(out, result);
        EXPECT_GE(
            std::count(recorder.dispatched.begin(), recorder.dispatched.end(), "attention_matrix"),
            room > 1 ? 1 : kHeads);
        EXPECT_GE(
            std::count(recorder.dispatched.begin(), recorder.dispatched.end(), "gemm_matrix_f16"),
            1);
        EXPECT_LE(reference::relativeError(result, expected), 1.5e-3) << room;
    }
}

/// Heads of one new row for each session, turned and appended by the same dispatch.
struct NewRows
{
    NewRows(Device &device, const Case &c, bool normsQueries, bool normsKeys, RopePairing pairing,
            std::int64_t firstChannel)
        : gains(randomValues(c.dim, 8))
    {
        norm = device.addWeight({"norm", DType::F32, 1, c.dim, 1, std::as_bytes(std::span(gains))});
        device.finishWeights();
        for (std::int64_t i = 0; i < c.dim / 4; ++i)
            rope.inverseFrequencies.push_back(std::pow(0.7f, static_cast<float>(i)));
        rope.pairing = pairing;
        rope.firstChannel = firstChannel;
        rope.attentionFactor = 1.2f;
        ofQ.headDim = ofK.headDim = c.dim;
        ofQ.rope = ofK.rope = rope;
        ofQ.norm = normsQueries ? norm.get() : nullptr;
        ofK.norm = normsKeys ? norm.get() : nullptr;
        ofQ.eps = ofK.eps = 1e-5f;
    }
    std::vector<double> turned(const std::vector<float> &x, const HeadTransform &how,
                               const std::vector<std::int32_t> &positions) const
    {
        return reference::transformHeads(x, positions, how.headDim,
                                         how.norm != nullptr ? gains : std::vector<float>(), 1e-5,
                                         &rope);
    }
    std::vector<float> gains;
    std::unique_ptr<Weight> norm;
    Rope rope;
    HeadTransform ofQ, ofK;
};

TEST_F(MatrixAttention, OneRowEach)
{
    Cases cases("attention_row_matrix");
    const auto widths =
        cases.option<Widths>("widths", {{32, 64}, {64, 128}, {128, 64}, {128, 128}});
    const auto heads = cases.option<Heads>("heads", {{2, 1}, {10, 2}, {16, 1}});
    const auto sessionsOption = cases.option<std::int64_t>("sessions", {1, 3, 20});
    const auto window = cases.option<std::int64_t>("window", {0, 1031});
    const auto chunk = cases.option<std::int64_t>("chunk", {0, 550}); // of 1100: the newest alone
    cases.without([](std::int64_t w, std::int64_t of) { return w > 0 && of > 0; }, window, chunk);
    const auto from = cases.option("from", std::vector{DType::F32, DType::F16});
    const auto normsQueries = cases.option("queries normed");
    const auto normsKeys = cases.option("keys normed");
    const auto pairing =
        cases.option<RopePairing>("pairing", {RopePairing::HalfSplit, RopePairing::Interleaved});
    const auto firstChannel = cases.option<std::int64_t>("first channel", {0, 8});
    const Common common(cases);

    EmulationReport report("attention_row_matrix", "which thread has which element of a matrix");
    std::mt19937 random(6);
    for (const Pick &pick : cases.allPairs(random)) {
        Case c;
        c.dim = pick[widths].ofKeys;
        c.valueDim = pick[widths].ofValues;
        c.heads = pick[heads].all;
        c.kvHeads = pick[heads].kv;
        c.cache = DType::F16;
        c.items = {{1, 1129}};
        if (pick[sessionsOption] == 3)
            c.items = {{1, 1100}, {1, 0}, {1, 16}};
        if (pick[sessionsOption] == 20) {
            c.items.clear();
            for (std::int64_t i = 0; i < 20; ++i)
                c.items.push_back({1, 16 * i});
        }
        c.window = pick[window];
        c.chunk = pick[chunk];
        c.query = pick[from];
        common.fill(pick, c);
        Sessions sessions(device(), c);
        sessions.prepareReference();
        const NewRows rows(device(), c, pick[normsQueries], pick[normsKeys], pick[pairing],
                           pick[firstChannel]);
        const std::int64_t kCols = c.kvHeads * c.dim, vCols = c.kvHeads * c.valueDim;
        const auto count = static_cast<std::int64_t>(c.items.size());
        // Small where they are normed, so that eps counts.
        const auto k =
            test::rounded(randomValues(count * kCols, 6, pick[normsKeys] ? 1e-3f : 1), c.query);
        if (pick[normsQueries])
            sessions.queries =
                test::rounded(randomValues(count * c.heads * c.dim, 5, 1e-3f), c.query);
        const auto v = test::rounded(randomValues(count * vCols, 7), c.query);
        const auto q = sessions.queries;
        std::vector<std::int32_t> positions;
        for (const Item &item : c.items)
            positions.push_back(static_cast<std::int32_t>(item.past) + 3); // not where they lie
        const auto turned = rows.turned(q, rows.ofQ, positions);
        sessions.queries.assign(turned.begin(), turned.end());
        sessions.setNewest(rows.turned(k, rows.ofK, positions),
                           std::vector<double>(v.begin(), v.end()));
        sessions.begin({}, positions);
        const Tensor qIn = sessions.upload(q, c.heads * c.dim, c.query);
        const Tensor kIn = sessions.upload(k, kCols, c.query);
        const Tensor vIn = sessions.upload(v, vCols, c.query), out = sessions.output();
        test::EmulatedMatrices recorder(test::recorderOf(*sessions.commands));
        if (pick[sessionsOption] == 20) // more groups than compute units: of half as many threads
            recorder.device.computeUnits = 8;
        run(recorder, op::AppendKv{qIn, rows.ofQ, kIn, rows.ofK, vIn, 0, sessions.shape},
            op::Attention{qIn, 0, sessions.shape, out});
        sessions.commands->sync();
        EXPECT_GE(std::count(recorder.dispatched.begin(), recorder.dispatched.end(),
                             "attention_row_matrix"),
                  1)
            << pick.text();
        // Below 2e-5, unless an element of the newest key, turned on the device, rounds to the
        // other neighbour in F16; without the queries' second parts 2e-4 and more.
        const double bound = c.out == DType::F16 ? 5e-4 : 1e-4;
        const double error = reference::relativeError(sessions.result(out), sessions.expected());
        EXPECT_LE(error, bound) << pick.text();
        report.met(c.cache, cases.pairsOf(pick), error / bound);
    }
    report.expectAll(1, cases.pairs());
}

/// What has a hint is written in the order of matrices, and read so: the same numbers, bit by bit.
TEST_F(MatrixAttention, InTheOrderOfWhatReadsIt)
{
    struct Kernel
    {
        const char *name;
        bool matrices;
        std::int64_t heads, kvHeads, dim;
    };
    const Kernel kernels[] = {{"attention_row", false, 8, 2, 64},
                              {"attention_row_matrix", true, 4, 1, 128}};
    for (const Kernel &kernel : kernels)
        for (const DType type : {DType::Q4_K, DType::Q8_0}) {
            Case c;
            c.heads = kernel.heads;
            c.kvHeads = kernel.kvHeads;
            c.dim = c.valueDim = kernel.dim;
            c.cache = DType::F16;
            c.out = DType::F16;
            for (std::int64_t i = 0; i < 19; ++i)
                c.items.push_back({1, 16 * i});
            const NewRows rows(device(), c, false, false, RopePairing::HalfSplit, 0);
            const std::int64_t cols = c.heads * c.dim, kvCols = c.kvHeads * c.dim;
            const auto count = static_cast<std::int64_t>(c.items.size());
            const test::SomeWeight weight(device(), type, 40, cols, 3);
            const auto run = [&](bool hinted) {
                Sessions sessions(device(), c);
                sessions.begin({}, std::vector<std::int32_t>(c.items.size(), 5));
                const Tensor q = sessions.upload(sessions.queries, cols);
                const Tensor k = sessions.upload(randomValues(count * kvCols, 6), kvCols);
                const Tensor v = sessions.upload(randomValues(count * kvCols, 7), kvCols);
                const Tensor attended = sessions.output();
                const Tensor out = sessions.upload(
                    std::vector<float>(static_cast<std::size_t>(count * 40), NAN), 40);
                test::EmulatedMatrices recorder(test::recorderOf(*sessions.commands));
                recorder.device.computeUnits = 8;
                if (hinted) {
                    EXPECT_TRUE(vulkan::hintReader(recorder, attended, *weight.weight));
                }
                vulkan::Recorder &real = test::recorderOf(*sessions.commands);
                vulkan::run(kernel.matrices ? static_cast<vulkan::Recorder &>(recorder) : real,
                            op::AppendKv{q, rows.ofQ, k, rows.ofK, v, 0, sessions.shape},
                            op::Attention{q, 0, sessions.shape, attended});
                EXPECT_EQ(std::count(recorder.dispatched.begin(), recorder.dispatched.end(),
                                     "attention_row_matrix") > 0,
                          kernel.matrices);
                const auto form = vulkan::smallGemmForm(recorder, attended, *weight.weight);
                const bool made =
                    form && recorder.q8Activations().find(attended, nullptr, *form).has_value();
                EXPECT_EQ(made, hinted) << kernel.name;
                vulkan::run(recorder, op::Linear{attended, {{weight.weight.get(), out}}});
                sessions.commands->sync();
                return sessions.result(out);
            };
            const std::vector<float> apart = run(false), together = run(true);
            EXPECT_EQ(apart, together) << kernel.name << ' ' << name(type);
            EXPECT_TRUE(std::all_of(apart.begin(), apart.end(), [](float x) { return x == x; }));
        }
}

} // namespace
} // namespace fireside
