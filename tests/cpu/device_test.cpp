#include "engine/backend/backend.h"
#include "engine/backend/op.h"

#include "engine/core/cpu_info.h"
#include "engine/core/error.h"
#include "engine/cpu/linear/cpu_weight.h"
#include "engine/tensor/half.h"
#include "tests/cpu/isa_test.h"
#include "tests/support/reference_ops.h"

#include <cmath>
#include <cstring>

namespace fireside {
namespace {

std::span<const std::byte> bytesOf(const std::vector<float> &x)
{
    return std::as_bytes(std::span(x));
}

/// Runs f, which must throw an Error of this kind whose text has every one of `words`.
template <typename F>
void expectError(ErrorKind kind, std::initializer_list<const char *> words, F f)
{
    try {
        f();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error &error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        for (const char *word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << "'" << word << "' is missing in: " << error.what();
    }
}

class CpuDeviceTest : public testing::Test
{
protected:
    std::unique_ptr<Weight> weight(const std::vector<float> &values, std::int64_t rows,
                                   std::int64_t cols)
    {
        return device->addWeight({"w", DType::F32, rows, cols, 1, bytesOf(values)});
    }

    /// I32 values as a [n, 1] tensor.
    Tensor indices(Commands &c, std::vector<std::int32_t> values)
    {
        const Tensor t = c.scratch(static_cast<std::int64_t>(values.size()), 1, DType::I32);
        c.upload(values, t);
        return t;
    }

    std::vector<float> read(Commands &c, const Tensor &t)
    {
        std::vector<float> values(static_cast<std::size_t>(t.rows * t.cols));
        c.read(t, values);
        return values;
    }

    std::unique_ptr<Device> device = openCpu({2});
    std::vector<std::int32_t> ids{2, 0, 1}, positions{0, 1, 2};
    BatchItem item{{}, 0, 3, 0};
    Batch batch{ids, positions, {&item, 1}};
};

TEST_F(CpuDeviceTest, BuffersAreZeroedAndLazy)
{
    const auto small = device->allocate(100, "test");
    EXPECT_EQ(small->size(), 100u);
    const auto none = device->allocate(0, "test");
    EXPECT_EQ(none->size(), 0u);
    // It is asked whether so much is free, but nothing is taken until it is written to.
    const auto lazy = device->allocate(std::size_t{3} << 30, "test");
    EXPECT_EQ(lazy->size(), std::size_t{3} << 30);

    const auto c = device->commands(0, 1);
    std::vector<float> values(25, kNaN);
    c->read(Tensor{small.get(), 0, DType::F32, 5, 5, 5}, values);
    for (const float v : values)
        EXPECT_EQ(v, 0.0f);
}

TEST_F(CpuDeviceTest, AllocationFailureNamesTheNumbers)
{
    expectError(ErrorKind::Memory, {"key-value cache", "needs", "RAM free"},
                [&] { device->allocate(SIZE_MAX / 2, "the key-value cache"); });
    expectError(ErrorKind::Memory, {"EB"}, [&] { device->allocate(SIZE_MAX, "x"); });
}

TEST_F(CpuDeviceTest, WeightsMustMatchTheirBytes)
{
    const std::vector<float> data(64);
    const auto add = [&](DType type, std::int64_t rows, std::int64_t cols, std::int64_t depth) {
        return device->addWeight({"blk.0.x", type, rows, cols, depth, bytesOf(data)});
    };
    EXPECT_NE(add(DType::F32, 4, 16, 1), nullptr);
    EXPECT_NE(add(DType::F32, 2, 16, 2), nullptr);
    expectError(ErrorKind::BadInput, {"blk.0.x", "[4, 17]", "272", "256"},
                [&] { add(DType::F32, 4, 17, 1); });
    expectError(ErrorKind::BadInput, {"256"}, [&] { add(DType::F32, 4, 15, 1); });
    expectError(ErrorKind::BadInput, {"invalid shape"}, [&] { add(DType::F32, 0, 16, 1); });
    expectError(ErrorKind::BadInput, {"invalid shape"}, [&] { add(DType::F32, -4, -16, 1); });
    expectError(ErrorKind::BadInput, {"invalid shape"}, [&] { add(DType::Q4_K, 4, 255, 1); });
    expectError(ErrorKind::BadInput, {"invalid shape"},
                [&] { add(DType::F32, INT64_MAX / 2, INT64_MAX / 2, 16); });
    expectError(ErrorKind::Unsupported, {"blk.0.x", "I32"}, [&] { add(DType::I32, 4, 16, 1); });
    EXPECT_FALSE(device->supports(DType::I32));
    EXPECT_TRUE(device->supports(DType::Q4_K));
}

TEST_F(CpuDeviceTest, VectorsMayBeHalvesAndMisaligned)
{
    const std::vector<float> values = randomFloats(16, 1), x = randomFloats(3 * 16, 2);
    std::vector<std::byte> half(1 + 32), odd(1 + 64);
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint16_t h = floatToHalf(values[i]);
        std::memcpy(half.data() + 1 + 2 * i, &h, 2);
    }
    std::memcpy(odd.data() + 1, values.data(), 64);
    const auto halfNorm =
        device->addWeight({"norm", DType::F16, 1, 16, 1, std::span(half).subspan(1)});
    const auto oddNorm =
        device->addWeight({"norm", DType::F32, 1, 16, 1, std::span(odd).subspan(1)});
    const auto c = device->commands(1 << 16, 3);
    c->begin(batch);
    const Tensor in = c->scratch(3, 16), out = c->scratch(3, 16);
    c->upload(x, in);
    c->record(op::RmsNorm{in, oddNorm.get(), 1e-5f, out});
    const auto want = reference::rmsNorm(x, values, 1e-5f);
    EXPECT_LE(reference::relativeError(read(*c, out), want), 1e-6);
    c->record(op::RmsNorm{in, halfNorm.get(), 1e-5f, out});
    EXPECT_LE(reference::relativeError(read(*c, out), want), 2e-3);
    EXPECT_GT(reference::relativeError(read(*c, out), want), 1e-7) << "the half was not used";
}

TEST_F(CpuDeviceTest, ALayerRunsLikeItsFormulas)
{
    // embed → norm → q, k, v (with bias) → rope, cache → attention, in two chunks and one decode
    // step
    constexpr std::int64_t hidden = 32, heads = 4, kvHeads = 2, dim = 8, vocabulary = 11;
    const std::vector<float> table = randomFloats(vocabulary * hidden, 1);
    const std::vector<float> norm = randomFloats(hidden, 2);
    const std::vector<float> wq = randomFloats(heads * dim * hidden, 3, 0.3f);
    const std::vector<float> wk = randomFloats(kvHeads * dim * hidden, 4, 0.3f);
    const std::vector<float> wv = randomFloats(kvHeads * dim * hidden, 5, 0.3f);
    const std::vector<float> bq = randomFloats(heads * dim, 6);
    const auto tableW = weight(table, vocabulary, hidden), normW = weight(norm, 1, hidden);
    const auto qW = weight(wq, heads * dim, hidden), kW = weight(wk, kvHeads * dim, hidden);
    const auto vW = weight(wv, kvHeads * dim, hidden), bqW = weight(bq, 1, heads * dim);
    const std::vector<std::int32_t> all{3, 9, 0, 10, 3, 7, 1, 2, 2, 5};
    AttentionShape shape;
    shape.heads = heads;
    shape.kvHeads = kvHeads;
    shape.headDim = dim;
    shape.scale = 0.35f;
    Rope rope;
    rope.inverseFrequencies = {1.0f, 0.3f, 0.1f, 0.03f};
    const HeadTransform transform{.headDim = dim, .rope = rope};

    const std::size_t cacheBytes = kvHeads * 16 * dim * sizeof(float);
    const auto keys = device->allocate(cacheBytes, "keys"),
               values = device->allocate(cacheBytes, "v");
    const KvLayer kv{keys.get(), values.get(), DType::F32, kvHeads, 16, dim, dim};
    const auto c = device->commands(1 << 20, 6);
    std::vector<float> attended;
    std::int64_t past = 0;
    for (const std::int64_t rows : {4, 5, 1}) {
        std::vector<std::int32_t> pos;
        for (std::int64_t i = 0; i < rows; ++i)
            pos.push_back(static_cast<std::int32_t>(past + i));
        const BatchItem chunk{{&kv, 1}, 0, rows, past};
        c->begin(
            {std::span(all).subspan(static_cast<std::size_t>(past), static_cast<std::size_t>(rows)),
             pos,
             {&chunk, 1}});
        const Tensor x = c->scratch(rows, hidden);
        const Tensor q = c->scratch(rows, heads * dim), k = c->scratch(rows, kvHeads * dim);
        const Tensor v = c->scratch(rows, kvHeads * dim), out = c->scratch(rows, heads * dim);
        c->record(op::Embed{*tableW, c->ids(), 2.0f, x});
        c->record(op::Linear{{x, *normW, 1e-5f},
                             {{qW.get(), q, bqW.get()}, {kW.get(), k}, {vW.get(), v}}});
        c->record(op::AppendKv{q, transform, k, transform, v, 0, shape});
        c->record(op::Attention{q, 0, shape, out});
        c->sync();
        const std::vector<float> part = read(*c, out);
        attended.insert(attended.end(), part.begin(), part.end());
        past += rows;
    }

    std::vector<float> x;
    std::vector<std::int32_t> pos;
    for (const std::int32_t id : all) {
        for (std::int64_t i = 0; i < hidden; ++i)
            x.push_back(table[static_cast<std::size_t>(id * hidden + i)] * 2);
        pos.push_back(static_cast<std::int32_t>(pos.size()));
    }
    const auto narrow = [](const std::vector<double> &d) {
        return std::vector<float>(d.begin(), d.end());
    };
    const auto wide = [](const std::vector<float> &f) {
        return std::vector<double>(f.begin(), f.end());
    };
    const auto h = narrow(reference::rmsNorm(x, norm, 1e-5f));
    auto q = narrow(reference::linear(h, wide(wq), bq, heads * dim, hidden));
    auto k = narrow(reference::linear(h, wide(wk), {}, kvHeads * dim, hidden));
    const auto v = reference::linear(h, wide(wv), {}, kvHeads * dim, hidden);
    q = narrow(reference::rope(q, pos, heads, dim, rope.inverseFrequencies, false, 1));
    const auto rotated = reference::rope(k, pos, kvHeads, dim, rope.inverseFrequencies, false, 1);
    std::vector<double> keyMajor, valueMajor; // [Hkv, T, D]
    for (std::size_t head = 0; head < kvHeads; ++head)
        for (std::size_t t = 0; t < all.size(); ++t)
            for (std::size_t d = 0; d < dim; ++d) {
                keyMajor.push_back(rotated[(t * kvHeads + head) * dim + d]);
                valueMajor.push_back(v[(t * kvHeads + head) * dim + d]);
            }
    const auto want = reference::attention({heads, kvHeads, dim, all.size(), 0, 0.35f, 0, 0}, q,
                                           keyMajor, valueMajor);
    EXPECT_LE(reference::relativeError(attended, want), 1e-5);
}

TEST_F(CpuDeviceTest, GatedLinearAndAccumulate)
{
    const std::vector<float> x = randomFloats(3 * 32, 1), g = randomFloats(40 * 32, 2, 0.3f);
    const std::vector<float> u = randomFloats(40 * 32, 3), d = randomFloats(32 * 40, 4);
    const auto gate = weight(g, 40, 32), up = weight(u, 40, 32), down = weight(d, 32, 40);
    const auto c = device->commands(1 << 16, 3);
    c->begin(batch);
    const Tensor in = c->scratch(3, 32), mid = c->scratch(3, 40);
    c->upload(x, in);
    using Reference = double (*)(double);
    const std::pair<Activation, Reference> gates[] = {{Activation::SiLU, reference::silu},
                                                      {Activation::GeluTanh, reference::geluTanh},
                                                      {Activation::GeluErf, reference::geluErf}};
    for (const auto &[which, function] : gates) {
        c->record(op::GatedLinear{in, {gate.get(), up.get()}, which, mid});
        auto want = reference::linear(x, std::vector<double>(g.begin(), g.end()), {}, 40, 32);
        const auto ups = reference::linear(x, std::vector<double>(u.begin(), u.end()), {}, 40, 32);
        for (std::size_t i = 0; i < want.size(); ++i)
            want[i] = function(want[i]) * ups[i];
        EXPECT_LE(reference::relativeError(read(*c, mid), want), 1e-5);
    }
    const std::vector<float> gated = read(*c, mid);
    const LinearTarget target{down.get(), in};
    c->record(op::Linear{mid, {target}, Accumulate::AddToOutput});
    auto want = reference::linear(gated, std::vector<double>(d.begin(), d.end()), {}, 32, 40);
    for (std::size_t i = 0; i < want.size(); ++i)
        want[i] += x[i];
    EXPECT_LE(reference::relativeError(read(*c, in), want), 1e-5);
}

TEST_F(CpuDeviceTest, GatherArgmaxReadUpload)
{
    const auto c = device->commands(1 << 16, 3);
    c->begin(batch);
    const Tensor x = c->scratch(3, 5), out = c->scratch(2, 5);
    c->upload(std::vector<float>{0, 1, 2, 9, 4, 7, 1, 2, 3, 4, 0, 1, 8, 3, 8}, x);
    c->record(op::GatherRows{x, indices(*c, {2, 0}), out});
    EXPECT_EQ(read(*c, out), (std::vector<float>{0, 1, 8, 3, 8, 0, 1, 2, 9, 4}));
    const Tensor best = c->scratch(3, 1, DType::I32);
    c->record(op::Argmax{x, best});
    std::vector<std::int32_t> found(3, -1);
    c->read(best, found);
    EXPECT_EQ(found, (std::vector<std::int32_t>{3, 0, 2}));
    expectError(ErrorKind::Internal, {"row 3 of 3"}, [&] {
        c->record(op::GatherRows{x, indices(*c, {0, 3}), out});
    });
    expectError(ErrorKind::Internal, {"[3, 5]", "14"}, [&] {
        std::vector<float> few(14);
        c->read(x, few);
    });
    expectError(ErrorKind::Internal, {"[3, 5]", "2"}, [&] {
        c->upload(std::vector<float>{1, 2}, x);
    });
}

TEST_F(CpuDeviceTest, ScratchIsBoundedAndReused)
{
    const auto c = device->commands(4096, 3);
    c->begin(batch);
    const std::size_t start = c->mark();
    const Tensor first = c->scratch(3, 7);
    EXPECT_EQ(first.stride, 7);
    const std::size_t mark = c->mark();
    const Tensor second = c->scratch(3, 100);
    EXPECT_GE(second.offset, first.offset + 3 * 7 * sizeof(float)) << "tensors overlap";
    EXPECT_EQ(second.offset % 64, 0u);
    c->release(mark);
    EXPECT_EQ(c->scratch(1, 1).offset, second.offset);
    expectError(ErrorKind::Memory, {"[30, 100]", "4.1 kB"}, [&] { c->scratch(30, 100); });
    expectError(ErrorKind::Memory, {}, [&] { c->scratch(INT64_MAX, INT64_MAX); });
    expectError(ErrorKind::Memory, {}, [&] { c->scratch(-1, 4); });
    c->release(start);
    EXPECT_NO_THROW(c->scratch(32, 32));
    EXPECT_THROW(c->scratch(1, 1), Error);
    c->begin(batch);
    EXPECT_NO_THROW(c->scratch(32, 32)) << "begin() must free everything";
    expectError(ErrorKind::Internal, {}, [&] { c->release(1 << 20); });
}

TEST_F(CpuDeviceTest, WrongShapesAreRefusedWithBoth)
{
    const std::vector<float> data(64 * 64);
    const auto square = weight(data, 64, 64);
    const std::vector<float> shortNorm(32), longNorm(64);
    const auto norm = weight(shortNorm, 1, 32), fitting = weight(longNorm, 1, 64);
    const auto c = device->commands(1 << 20, 3);
    c->begin(batch);
    const Tensor x = c->scratch(3, 64), narrow = c->scratch(3, 48), few = c->scratch(2, 64);
    expectError(ErrorKind::Internal, {"[1, 64]", "[1, 32]"}, [&] {
        c->record(op::RmsNorm{x, norm.get(), 1, x});
    });
    expectError(ErrorKind::Internal, {"[3, 64]", "[2, 64]"}, [&] {
        c->record(op::Embed{*square, c->ids(), 1, few});
    });
    const LinearTarget wrongOut{square.get(), narrow}, right{square.get(), x};
    expectError(ErrorKind::Internal, {"[3, 64]", "[3, 48]"}, [&] {
        c->record(op::Linear{x, {wrongOut}});
    });
    expectError(ErrorKind::Internal, {"[64, 48]", "[64, 64]"}, [&] {
        c->record(op::Linear{narrow, {right}});
    });
    expectError(ErrorKind::Internal, {"[1, 64]", "[64, 64]"}, [&] {
        c->record(op::RmsNorm{x, weight(data, 64, 64).get(), 1, x});
    });
    Tensor outside = x;
    outside.rows = 100'000;
    expectError(ErrorKind::Internal, {"100000"}, [&] { c->record(op::Argmax{outside, x}); });
    Tensor nowhere = x;
    nowhere.buffer = nullptr;
    expectError(ErrorKind::Internal, {"no memory"}, [&] {
        c->record(op::RmsNorm{nowhere, fitting.get(), 1, x});
    });
    const auto bad = weight(data, 2, 64 * 32); // ids go to 2
    const Tensor wide = c->scratch(3, 64 * 32);
    expectError(ErrorKind::BadInput, {"token id 2"}, [&] {
        c->record(op::Embed{*bad, c->ids(), 1, wide});
    });
}

TEST_F(CpuDeviceTest, CachesAreChecked)
{
    const auto keys = device->allocate(2 * 4 * 32 * 2, "keys"), tiny = device->allocate(64, "v");
    KvLayer kv{keys.get(), keys.get(), DType::F16, 2, 4, 32, 32};
    AttentionShape shape, three, single;
    shape.heads = three.heads = single.heads = 4;
    shape.headDim = three.headDim = single.headDim = 32;
    shape.kvHeads = 2;
    three.kvHeads = 3;
    single.kvHeads = 1;
    const auto c = device->commands(1 << 20, 3);
    const auto attend = [&](const KvLayer &layer, std::int64_t past, AttentionShape s,
                            std::int64_t index = 0) {
        const BatchItem one{{&layer, 1}, 0, 3, past};
        c->begin({ids, positions, {&one, 1}});
        const Tensor q = c->scratch(3, 128);
        c->record(op::Attention{q, index, s, q});
    };
    EXPECT_NO_THROW(attend(kv, 1, shape));
    expectError(ErrorKind::Internal, {"holds 4", "2 + 3"}, [&] { attend(kv, 2, shape); });
    expectError(ErrorKind::Internal, {"layer 1"}, [&] { attend(kv, 0, shape, 1); });
    expectError(ErrorKind::Internal, {"3 kv heads"}, [&] { attend(kv, 0, three); });
    expectError(ErrorKind::Internal, {"[2, 32]", "[1, 32]"}, [&] { attend(kv, 0, single); });
    KvLayer small = kv;
    small.values = tiny.get();
    expectError(ErrorKind::Internal, {"512", "64"}, [&] { attend(small, 0, shape); });
    KvLayer odd = kv;
    odd.dtype = DType::Q4_0;
    expectError(ErrorKind::Unsupported, {"Q4_0"}, [&] { attend(odd, 0, shape); });
}

TEST_F(CpuDeviceTest, BatchesAreChecked)
{
    const auto c = device->commands(4096, 3);
    const std::vector<std::int32_t> four(4, 0), two(2, 0);
    const BatchItem whole{{}, 0, 4, 0};
    expectError(ErrorKind::Internal, {"4 rows", "3"}, [&] { c->begin({four, four, {&whole, 1}}); });
    expectError(ErrorKind::Internal, {"positions"}, [&] { c->begin({ids, two, {&item, 1}}); });
    const BatchItem gap{{}, 1, 2, 0}, part{{}, 0, 2, 0};
    expectError(ErrorKind::Internal, {}, [&] { c->begin({ids, positions, {&gap, 1}}); });
    expectError(ErrorKind::Internal, {"2 of 3"}, [&] { c->begin({ids, positions, {&part, 1}}); });
    EXPECT_NO_THROW(c->begin({}));
}

TEST_F(CpuDeviceTest, AStoppedPassSkipsItsOpsAndThrows)
{
    std::stop_source stop;
    const auto c = device->commands(4096, 3);
    c->begin(batch, {.stop = stop.get_token()});
    const Tensor x = c->scratch(3, 4), y = c->scratch(3, 4);
    c->upload(std::vector<float>(12, 1.0f), x);
    c->upload(std::vector<float>(12, 5.0f), y);
    EXPECT_NO_THROW(c->sync());
    stop.request_stop();
    EXPECT_NO_THROW(c->sync()) << "all of the pass had run";
    c->upload(std::vector<float>(12, 9.0f), y);
    expectError(ErrorKind::Cancelled, {}, [&] { c->sync(); });
    EXPECT_EQ(read(*c, y), std::vector<float>(12, 5.0f)) << "an op ran after the stop";
    c->begin(batch);
    c->upload(std::vector<float>(12, 9.0f), y);
    EXPECT_NO_THROW(c->sync());
    EXPECT_EQ(read(*c, y), std::vector<float>(12, 9.0f));
}

TEST_F(CpuDeviceTest, PreparingComputesNothing)
{
    const auto c = device->commands(4096, 3);
    c->begin(batch);
    const Tensor x = c->scratch(3, 4, DType::F16);
    c->upload(std::vector<float>(12, 5.0f), x);
    c->begin(batch, {.prepareOnly = true});
    c->upload(std::vector<float>(12, 1.0f), x);
    c->record(op::Add{x, x, x});
    EXPECT_NO_THROW(c->sync());
    EXPECT_EQ(read(*c, x), std::vector<float>(12, 5.0f));
    expectError(ErrorKind::Internal, {"softcap", "[3, 4]", "[3, 2]"}, [&] {
        c->record(op::Softcap{x, 1, x.columns(0, 2)});
    });
}

TEST_F(CpuDeviceTest, HalvesComeAndGoWithTheirStrides)
{
    const auto c = device->commands(1 << 16, 3);
    c->begin(batch);
    const Tensor wide = c->scratch(3, 40, DType::F16), narrow = c->scratch(3, 33);
    const std::vector<float> ones(120, 1.0f);
    c->upload(ones, wide);
    const Tensor part = wide.columns(5, 33);
    const std::vector<float> values = randomFloats(99, 1);
    c->upload(values, narrow);
    c->record(op::Add{part, narrow, part});
    std::vector<double> want;
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t i = 0; i < 40; ++i)
            want.push_back(i < 5 || i >= 38 ? 1 : 1 + values[t * 33 + i - 5]);
    EXPECT_LE(reference::relativeError(read(*c, wide), want), 1e-3);
    const std::vector<float> all = read(*c, wide);
    for (const std::size_t beside : {0u, 4u, 38u, 39u, 40u})
        EXPECT_EQ(all[beside], 1.0f) << "wrote beside the columns";
    Tensor numbers = narrow;
    numbers.dtype = DType::I32;
    expectError(ErrorKind::Internal, {"add: b", "I32"}, [&] {
        c->record(op::Add{narrow, numbers, narrow});
    });
}

TEST_F(CpuDeviceTest, VectorsOfExpertsMayLieApart)
{
    const std::vector<float> first = randomFloats(16, 1), second = randomFloats(16, 2);
    std::vector<std::vector<std::byte>> odd(2, std::vector<std::byte>(65));
    std::memcpy(odd[0].data() + 1, first.data(), 64);
    std::memcpy(odd[1].data() + 1, second.data(), 64);
    WeightSource source{"bias", DType::F32, 1, 16, 2, {}};
    source.parts = {std::span(odd[0]).subspan(1), std::span(odd[1]).subspan(1)};
    const auto bias = device->addWeight(source);
    const auto &own = cpu::asCpu(*bias);
    EXPECT_EQ(std::vector<float>(own.vector(0), own.vector(0) + 16), first);
    EXPECT_EQ(std::vector<float>(own.vector(1), own.vector(1) + 16), second);
    expectError(ErrorKind::Internal, {"bias", "depth 2", "vector 2"}, [&] { own.vector(2); });
}

// Three matrices of more rows than are made at a time.
TEST_F(CpuDeviceTest, RowsMayBeMadeOnTheirWay)
{
    constexpr std::int64_t rows = 130, cols = 3, depth = 3;
    const auto value = [](std::int64_t matrix, std::int64_t row, std::int64_t col) {
        return static_cast<float>((matrix * rows + row) * cols + col);
    };
    WeightSource source{"made", DType::F32, rows, cols, depth, {}};
    source.makeRows = [&](std::int64_t matrix, std::int64_t row, std::int64_t count,
                          std::byte *to) {
        for (std::int64_t i = 0; i < count * cols; ++i) {
            const float number = value(matrix, row + i / cols, i % cols);
            std::memcpy(to + i * 4, &number, 4);
        }
    };
    const auto weight = device->addWeight(source);
    for (std::int64_t m = 0; m < depth; ++m) {
        const std::byte *const made = cpu::asCpu(*weight).matrix(m).data;
        for (std::int64_t i = 0; i < rows * cols; ++i) {
            float number = 0;
            std::memcpy(&number, made + i * 4, 4);
            ASSERT_EQ(number, value(m, i / cols, i % cols)) << m << ", " << i;
        }
    }
    source.makeRows = [](std::int64_t, std::int64_t row, std::int64_t, std::byte *) {
        if (row > 0)
            throwBadInput("a broken row");
    };
    expectError(ErrorKind::BadInput, {"a broken row"}, [&] { device->addWeight(source); });
}

TEST_F(CpuDeviceTest, CopiesBetweenBuffers)
{
    const auto a = device->allocate(1000, "a"), b = device->allocate(500, "b");
    const auto c = device->commands(0, 1);
    const Tensor inA{a.get(), 100, DType::F32, 1, 10, 10}, inB{b.get(), 40, DType::F32, 1, 10, 10};
    const std::vector<float> values = randomFloats(10, 1);
    c->upload(values, inA);
    device->copy(*a, 100, *b, 40, 40);
    EXPECT_EQ(read(*c, inB), values);
    expectError(ErrorKind::Internal, {"1000", "500"}, [&] { device->copy(*a, 0, *b, 0, 501); });
    expectError(ErrorKind::Internal, {}, [&] { device->copy(*a, 990, *b, 0, 11); });
    expectError(ErrorKind::Internal, {}, [&] { device->copy(*a, 2000, *b, 0, 0); });
    expectError(ErrorKind::Internal, {}, [&] { device->copy(*a, 1, *b, 0, SIZE_MAX); });
}

TEST_F(CpuDeviceTest, CountsTimePerOp)
{
    const auto c = device->commands(4096, 3);
    EXPECT_TRUE(c->takeOpTimes().empty());
    c->begin(batch);
    const Tensor x = c->scratch(3, 4);
    c->upload(std::vector<float>(12, 1.0f), x);
    c->record(op::GatherRows{x, c->positions(), x});
    c->record(op::Copy{x, x});
    c->record(op::Copy{x, x});
    const std::vector<OpTime> times = c->takeOpTimes();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_STREQ(times[0].op, "gatherRows");
    EXPECT_STREQ(times[1].op, "copy");
    EXPECT_EQ(times[1].calls, 2);
    EXPECT_GE(times[1].seconds, 0.0);
    EXPECT_TRUE(c->takeOpTimes().empty());
}

TEST(CpuProbe, ReportsTheProcessor)
{
    const DeviceReport report = probeCpu();
    EXPECT_EQ(report.id, "cpu");
    EXPECT_EQ(report.kind, BackendKind::Cpu);
    EXPECT_EQ(report.name, cpuInfo().name);
    EXPECT_TRUE(report.available);
    ASSERT_EQ(report.checks.size(), 1u);
    EXPECT_EQ(report.checks[0].outcome, DeviceCheck::Outcome::Passed);
    EXPECT_EQ(report.reason.rfind("Always works: " + cpuInfo().name, 0), 0u) << report.reason;
    EXPECT_NE(report.reason.find(isaName(selectedIsa())), std::string::npos) << report.reason;
    ASSERT_TRUE(report.memoryTotal && report.memoryFree);
    EXPECT_LE(*report.memoryFree, *report.memoryTotal);
    EXPECT_GE(report.properties.size(), 6u);
}

TEST(CpuProbe, ThreadCountsAreChecked)
{
    expectError(ErrorKind::BadInput, {"-1"}, [] { openCpu({-1}); });
    expectError(ErrorKind::BadInput, {"100000"}, [] { openCpu({100000}); });
    const auto device = openCpu({3});
    bool found = false;
    for (const auto &[key, value] : device->report().properties)
        found |= key == "Threads" && value == "3";
    EXPECT_TRUE(found);
}

} // namespace
} // namespace fireside
