#include "engine/core/error.h"
#include "tests/conformance/caches.h"
#include "tests/conformance/statistics.h"

#include <algorithm>
#include <functional>
#include <memory>

// Wrong shapes are our own mistakes and are found when an op is recorded.
namespace fireside::conformance {
namespace {

class ShapesTest : public OpTest
{
protected:
    void SetUp() override
    {
        bench.start("bad shapes", "", "");
        m_norm = bench.weight(DType::F32, 1, 64).weight.get();
        m_norm32 = bench.weight(DType::F32, 1, 32).weight.get();
        m_weight = bench.weight(DType::F16, 33, 64).weight.get();
        m_weight32 = bench.weight(DType::F16, 33, 32).weight.get();
        m_experts = bench.weight(DType::F16, 64, 64, 4).weight.get();
        c().begin(m_plan.batch());
    }
    void TearDown() override { bench.target().resetCommands(); }

    Commands &c() { return bench.target().commands(); }
    Tensor t(std::int64_t rows, std::int64_t cols, DType type = DType::F32)
    {
        return c().scratch(rows, cols, type);
    }

    /// The op is refused with its name, and what it got next to what it wanted.
    void refuses(const std::string &op, const std::function<void()> &call)
    {
        countCase(GetParam(), "bad shapes", op);
        try {
            call();
        } catch (const Error &error) {
            const std::string text = error.what();
            if (error.kind() == ErrorKind::Unsupported) {
                countSkip(GetParam(), "bad shapes", text);
                return;
            }
            EXPECT_EQ(error.kind(), ErrorKind::Internal) << op << ": " << text;
            EXPECT_NE(text.find(op), std::string::npos) << op << ": " << text;
            EXPECT_GE(std::count_if(text.begin(), text.end(),
                                    [](unsigned char ch) { return std::isdigit(ch) != 0; }),
                      2)
                << op << ": " << text;
            return;
        }
        ADD_FAILURE() << op << " on " << GetParam() << " took wrong shapes";
    }

    BatchPlan m_plan = BatchPlan::plain(4);
    const Weight *m_norm = nullptr, *m_norm32 = nullptr, *m_weight = nullptr, *m_weight32 = nullptr,
                 *m_experts = nullptr;
};

TEST_P(ShapesTest, Moves)
{
    refuses("embed", [&] { c().record(op::Embed{*m_weight, t(4, 1, DType::I32), 1, t(3, 64)}); });
    refuses("embed", [&] { c().record(op::Embed{*m_weight, t(4, 1, DType::I32), 1, t(4, 63)}); });
    Weight turned;
    turned.name = "turned 64 by 64";
    turned.rows = turned.cols = 64;
    turned.columns = std::make_shared<const Weight>();
    refuses("embed", [&] { c().record(op::Embed{turned, t(4, 1, DType::I32), 1, t(4, 64)}); });
    refuses("embed", [&] { c().record(op::Embed{*m_weight, t(4, 2, DType::I32), 1, t(4, 64)}); });
    refuses("gatherRows", [&] {
        c().record(op::GatherRows{t(4, 8), t(2, 1, DType::I32), t(3, 8)});
    });
    refuses("gatherRows", [&] {
        c().record(op::GatherRows{t(4, 8), t(2, 1, DType::I32), t(2, 9)});
    });
    refuses("copy", [&] { c().record(op::Copy{t(4, 8), t(4, 9)}); });
    refuses("copy", [&] { c().record(op::Copy{t(4, 8), t(3, 8)}); });
    refuses("reorderHeads", [&] {
        c().record(op::ReorderHeads{t(4, 8), 2, HeadOrder::HeadMajor, t(4, 8)});
    });
    AttentionShape shape;
    shape.heads = 4;
    shape.kvHeads = 2;
    shape.headDim = 8;
    refuses("splitQkv", [&] {
        c().record(
            op::SplitQkv{t(4, 63), QkvLayout::TokenMajor, shape, t(4, 32), t(4, 16), t(4, 16)});
    });
    refuses("splitQkv", [&] {
        c().record(
            op::SplitQkv{t(4, 64), QkvLayout::TokenMajor, shape, t(4, 32), t(4, 16), t(3, 16)});
    });
    refuses("upload", [&] { c().upload(std::vector<float>(7), t(2, 4)); });
}

TEST_P(ShapesTest, Rows)
{
    refuses("rmsNorm", [&] { c().record(op::RmsNorm{t(4, 64), m_norm32, 1e-5f, t(4, 64)}); });
    refuses("rmsNorm", [&] { c().record(op::RmsNorm{t(4, 64), m_norm, 1e-5f, t(3, 64)}); });
    refuses("rmsNorm", [&] {
        c().record(op::RmsNorm{t(4, 64), m_norm, 1e-5f, t(4, 64), t(3, 64)});
    });
    refuses("rmsNorm", [&] {
        c().record(op::RmsNorm{t(4, 64), m_norm32, 1e-5f, t(4, 64), t(4, 64)});
    });
    refuses("layerNorm", [&] {
        c().record(op::LayerNorm{t(4, 64), m_norm, m_norm32, 1e-5f, t(4, 64)});
    });
    refuses("layerNorm", [&] {
        c().record(op::LayerNorm{t(4, 63), m_norm, nullptr, 1e-5f, t(4, 64), t(4, 64)});
    });
    refuses("l2Normalize", [&] { c().record(op::L2Normalize{t(4, 64), t(4, 65)}); });
    refuses("rmsNorm", [&] { c().record(op::RmsNorm{t(4, 64), m_norm, 1e-5f, t(4, 64), {}, 3}); });
    refuses("layerNorm", [&] {
        c().record(op::LayerNorm{t(4, 64), m_norm, nullptr, 1e-5f, t(4, 64), {}, 0});
    });
    refuses("l2Normalize", [&] { c().record(op::L2Normalize{t(4, 64), t(4, 64), 0, 7}); });
    refuses("gaussianSparsify", [&] { c().record(op::GaussianSparsify{t(4, 64), 1, t(4, 63)}); });
    refuses("softmax", [&] { c().record(op::Softmax{t(4, 64), 1, {}, t(4, 63)}); });
    const Tensor visible = t(3, 1, DType::I32);
    refuses("softmax", [&] { c().record(op::Softmax{t(4, 64), 1, visible, t(4, 64)}); });
    refuses("argmax", [&] { c().record(op::Argmax{t(4, 64), t(3, 1, DType::I32)}); });
    refuses("topK", [&] { c().record(op::TopK{t(4, 64), t(4, 3), t(4, 2, DType::I32)}); });
    refuses("topK", [&] { c().record(op::TopK{t(4, 64), t(3, 2), t(4, 2, DType::I32)}); });
    const auto gather = [&](const Tensor &x, const Weight *columns, const Tensor &out) {
        c().record(op::GatherColumns{x, columns, {}, out});
    };
    refuses("gatherColumns", [&] { gather(t(4, 64), m_norm32, t(4, 64)); });
    refuses("gatherColumns", [&] { gather(t(4, 64), m_norm, t(8, 64)); });
    refuses("gatherColumns", [&] { gather(t(4, 64), m_norm, t(4, 32)); });
    refuses("gatherColumns", [&] {
        c().record(op::GatherColumns{t(3, 64), m_norm, t(4, 2, DType::I32), t(8, 64)});
    });
    refuses("pad", [&] { c().record(op::Pad{t(3, 64), t(4, 64)}); });
    refuses("unpad", [&] { c().record(op::Unpad{t(4, 64), t(3, 64)}); });
    refuses("pool", [&] { c().record(op::Pool{t(4, 64), Pooling::Mean, t(2, 64)}); });
}

TEST_P(ShapesTest, Elementwise)
{
    refuses("add", [&] { c().record(op::Add{t(4, 8), t(3, 8), t(4, 8)}); });
    refuses("add", [&] { c().record(op::Add{t(4, 8), t(3, 1), t(4, 8)}); });
    refuses("add", [&] { c().record(op::Add{t(4, 8), t(4, 8), t(4, 9)}); });
    refuses("multiply", [&] { c().record(op::Multiply{t(4, 8), t(1, 7), t(4, 8)}); });
    refuses("addScaled", [&] { c().record(op::AddScaled{t(4, 8), 1, t(4, 9)}); });
    refuses("addBias", [&] { c().record(op::AddBias{t(4, 64), *m_norm32, {}, t(4, 64)}); });
    const Tensor residual = t(3, 64);
    refuses("addBias", [&] { c().record(op::AddBias{t(4, 64), *m_norm, residual, t(4, 64)}); });
    refuses("activate", [&] {
        c().record(op::Activate{t(4, 64), Activation::SiLU, m_norm32, t(4, 64)});
    });
    refuses("activate", [&] {
        c().record(op::Activate{t(4, 64), Activation::SiLU, nullptr, t(4, 63)});
    });
    refuses("gate", [&] { c().record(op::Gate{t(4, 64), t(4, 32), Activation::SiLU, t(4, 64)}); });
    refuses("softcap", [&] { c().record(op::Softcap{t(4, 64), 30, t(5, 64)}); });
    refuses("scale", [&] { c().record(op::Scale{t(4, 64), 2, t(4, 63)}); });
    refuses("clamp", [&] { c().record(op::Clamp{t(4, 64), -1, 1, t(3, 64)}); });
    refuses("clamp", [&] { c().record(op::Clamp{t(4, 64), 1, -1, t(4, 64)}); });
    refuses("decay", [&] { c().record(op::Decay{t(4, 64), *m_norm32, nullptr, t(4, 64)}); });
    refuses("decay", [&] { c().record(op::Decay{t(4, 64), *m_norm, m_norm32, t(4, 64)}); });
    refuses("decay", [&] { c().record(op::Decay{t(4, 64), *m_norm, nullptr, t(4, 63)}); });
    refuses("attentionTemperature", [&] {
        c().record(op::AttentionTemperature{t(5, 64), t(5, 64), 0.1f, 1, 8});
    });
    refuses("attentionTemperature", [&] {
        c().record(op::AttentionTemperature{t(4, 64), t(4, 64), 0.1f, 1, 0});
    });
    refuses("mixStreams", [&] { c().record(op::MixStreams{t(4, 63), t(4, 6), t(4, 42), 2, 3}); });
    refuses("mixStreams", [&] { c().record(op::MixStreams{t(4, 64), t(4, 5), t(4, 96), 2, 3}); });
    refuses("mixStreams", [&] { c().record(op::MixStreams{t(4, 64), t(4, 6), t(4, 64), 2, 3}); });
}

TEST_P(ShapesTest, Products)
{
    const auto one = [&](const Tensor &x, const Weight *w, const Tensor &out, const Weight *bias) {
        const std::array<LinearTarget, 1> targets{LinearTarget{w, out, bias}};
        c().record(op::Linear{x, {targets.begin(), targets.end()}});
    };
    refuses("linear", [&] { one(t(4, 64), m_weight32, t(4, 33), nullptr); });
    refuses("linear", [&] { one(t(4, 64), m_weight, t(4, 32), nullptr); });
    refuses("linear", [&] { one(t(4, 64), m_weight, t(3, 33), nullptr); });
    refuses("linear", [&] { one(t(4, 64), m_weight, t(4, 33), m_norm32); });
    refuses("linear", [&] {
        const std::array<LinearTarget, 1> targets{LinearTarget{m_weight, t(4, 33), nullptr}};
        c().record(
            op::Linear{LinearInput(t(4, 64), *m_norm32, 1e-5f), {targets.begin(), targets.end()}});
    });
    GatedWeights gated;
    gated.gate = m_weight;
    gated.up = m_weight32;
    refuses("gatedLinear", [&] {
        c().record(op::GatedLinear{t(4, 64), gated, Activation::SiLU, t(4, 33)});
    });
    gated.up = m_weight;
    refuses("gatedLinear", [&] {
        c().record(op::GatedLinear{t(4, 64), gated, Activation::SiLU, t(4, 64)});
    });
    refuses("headLinear", [&] { c().record(op::HeadLinear{t(4, 4 * 63), *m_experts, t(4, 256)}); });
    refuses("headLinear", [&] { c().record(op::HeadLinear{t(4, 256), *m_experts, t(4, 255)}); });
    refuses("headLinear", [&] {
        c().record(op::HeadLinear{t(4, 256), *m_experts, t(4, 256), 63, 64});
    });
    BatchShape product;
    product.m = 4;
    product.n = 5;
    product.k = 6;
    refuses("batchedProduct", [&] {
        c().record(op::BatchedProduct{t(4, 7), t(5, 6), product, t(4, 5)});
    });
    refuses("batchedProduct", [&] {
        c().record(op::BatchedProduct{t(4, 6), t(5, 6), product, t(4, 6)});
    });
    gated.gate = gated.up = m_experts;
    refuses("expertGatedLinear", [&] {
        c().record(op::ExpertGatedLinear{t(4, 64), t(4, 2, DType::I32), gated, Activation::SiLU,
                                         t(4, 64)});
    });
    refuses("expertLinear", [&] {
        c().record(op::ExpertLinear{t(8, 64), t(4, 2, DType::I32), t(4, 3), *m_experts, nullptr,
                                    t(4, 64), Accumulate::Overwrite});
    });
    refuses("expertLinear", [&] {
        c().record(op::ExpertLinear{t(7, 64), t(4, 2, DType::I32), t(4, 2), *m_experts, nullptr,
                                    t(4, 64), Accumulate::Overwrite});
    });
    Routing routing;
    routing.used = 2;
    refuses("route", [&] {
        c().record(op::Route{t(4, 8), routing, t(4, 3, DType::I32), t(4, 2)});
    });
    refuses("route", [&] {
        c().record(op::Route{t(4, 8), routing, t(4, 2, DType::I32), t(3, 2)});
    });
}

TEST_P(ShapesTest, Heads)
{
    AttentionShape shape;
    shape.heads = 4;
    shape.kvHeads = 2;
    shape.headDim = shape.valueDim = 32;
    shape.scale = 1;
    TestCache cache(bench, DType::F32, 2, 32, 32, 16), other(bench, DType::F32, 1, 32, 32, 16);
    BatchPlan plan;
    plan.item(4, 0, cache.layers());
    c().begin(plan.batch());
    HeadTransform transform;
    transform.headDim = 32;
    refuses("transformHeads", [&] {
        c().record(op::TransformHeads{t(4, 64), transform, HeadOrder::HeadMajor, t(4, 64)});
    });
    HeadTransform wide = transform;
    wide.norm = m_norm;
    refuses("transformHeads", [&] {
        c().record(op::TransformHeads{t(4, 64), wide, HeadOrder::TokenMajor, t(4, 64)});
    });
    refuses("appendKv", [&] {
        c().record(op::AppendKv{t(4, 96), transform, t(4, 64), transform, t(4, 64), 0, shape});
    });
    refuses("appendKv", [&] {
        c().record(op::AppendKv{t(4, 128), transform, t(4, 64), transform, t(4, 32), 0, shape});
    });
    refuses("attention", [&] { c().record(op::Attention{t(4, 96), 0, shape, t(4, 128)}); });
    refuses("attention", [&] { c().record(op::Attention{t(4, 128), 0, shape, t(3, 128)}); });
    refuses("sequenceAttention", [&] {
        c().record(op::SequenceAttention{t(4, 128), t(4, 64), t(4, 63), shape, t(4, 128)});
    });
    shape.valueDim = 0; // D
    refuses("sequenceAttention", [&] {
        c().record(op::SequenceAttention{t(4, 128), t(4, 64), t(4, 64), shape, t(4, 96)});
    });
    Rope rope;
    rope.inverseFrequencies = frequencies(16);
    refuses("appendLatent", [&] {
        c().record(op::AppendLatent{t(4, 64), t(3, 32), rope, 0, nullptr, 0, 0, 0, 0, {}, {}});
    });
    op::AppendLatent turning{t(4, 64), t(4, 32), rope, 0, m_norm32, 0, 0, 0, 0, {}, {}};
    refuses("appendLatent", [&] { c().record(turning); }); // a norm of other columns
    turning.norm = nullptr;
    turning.heads = 2;
    turning.queryStep = turning.turnedStep = 40;
    turning.queries = turning.turned = t(4, 71); // of 40 + 32
    refuses("appendLatent", [&] { c().record(turning); });
    turning.queryStep = 31;
    refuses("appendLatent", [&] { c().record(turning); });
    shape.kvHeads = 4;
    const Weight &keys = *bench.weight(DType::F16, 24, 64, 4).weight,
                 &values = *bench.weight(DType::F16, 32, 64, 4).weight;
    const auto expanded = [&](const Tensor &q, const Weight &k, const Tensor &out) {
        return op::ExpandedAttention{q, 0, shape, k, values, out, 1 << 20};
    };
    shape.valueDim = 32;
    refuses("expandedAttention", [&] { c().record(expanded(t(4, 127), keys, t(4, 128))); });
    refuses("expandedAttention", [&] { c().record(expanded(t(4, 128), keys, t(4, 127))); });
    refuses("expandedAttention", [&] { c().record(expanded(t(4, 128), *m_weight, t(4, 128))); });
    shape.window = 8;
    refuses("expandedAttention", [&] { c().record(expanded(t(4, 128), keys, t(4, 128))); });
    shape.window = 0;
    shape.kvHeads = 2;
    refuses("expandedAttention", [&] { c().record(expanded(t(4, 128), keys, t(4, 128))); });
}

/// With a state of as many numbers as each op below needs, but for the last of each kind.
TEST_P(ShapesTest, States)
{
    constexpr std::int64_t kNumbers = 2048; // 2 heads of 32 · 32, a [64, 32]
    const auto buffer = bench.target().device().allocate(kNumbers * sizeof(float), "a state");
    KvLayer layer;
    layer.state = buffer.get();
    layer.stateSize = kNumbers;
    BatchPlan plan;
    plan.item(4, 0, {&layer, 1});
    c().begin(plan.batch());
    const auto convolution = [&](std::int64_t rows, std::int64_t at, std::int64_t offset) {
        return op::ShortConvolution{t(rows, 33), *m_weight32, nullptr, at, offset, t(4, 33)};
    };
    refuses("shortConvolution", [&] { c().record(convolution(3, 0, 0)); });
    refuses("shortConvolution", [&] { c().record(convolution(4, 0, kNumbers - 31 * 33 + 1)); });
    refuses("shortConvolution", [&] { c().record(convolution(4, 0, -1)); });
    refuses("shortConvolution", [&] { c().record(convolution(4, 1, 0)); });
    const auto rule = [&](std::int64_t keyHeads, std::int64_t decays, std::int64_t offset) {
        return op::GatedDeltaRule{t(4, keyHeads * 32),
                                  t(4, keyHeads * 32),
                                  t(4, 64),
                                  t(4, decays),
                                  t(4, 2),
                                  keyHeads,
                                  2,
                                  0,
                                  offset,
                                  t(4, 64)};
    };
    refuses("gatedDeltaRule", [&] { c().record(rule(3, 2, 0)); });
    refuses("gatedDeltaRule", [&] { c().record(rule(2, 63, 0)); });
    refuses("gatedDeltaRule", [&] { c().record(rule(1, 64, 1)); });
    const Weight &a = *bench.weight(DType::F16, 64, 32).weight;
    const auto selective = [&](const Tensor &b, const Weight *bias, std::int64_t offset) {
        return op::SelectiveScan{t(4, 64), t(4, 64), bias, a,      b,
                                 t(4, 32), *m_norm,  0,    offset, t(4, 64)};
    };
    refuses("selectiveScan", [&] { c().record(selective(t(4, 31), m_norm, 0)); });
    refuses("selectiveScan", [&] { c().record(selective(t(4, 32), m_norm32, 0)); });
    refuses("selectiveScan", [&] { c().record(selective(t(4, 32), m_norm, 1)); });
    const auto scan = [&](std::int64_t groups, std::int64_t heads, float least,
                          std::int64_t offset) {
        return op::StateSpaceScan{t(4, 64), t(4, heads), m_norm32, *m_norm32, t(4, 64),
                                  t(4, 64), m_norm32,    groups,   heads,     least,
                                  1,        0,           offset,   t(4, 64)};
    };
    refuses("stateSpaceScan", [&] { c().record(scan(3, 32, 0, 0)); });
    refuses("stateSpaceScan", [&] { c().record(scan(2, 16, 0, 0)); });
    refuses("stateSpaceScan", [&] { c().record(scan(2, 32, 2, 0)); });
    refuses("stateSpaceScan", [&] { c().record(scan(2, 32, 0, 1)); });
    // What fits is taken.
    c().record(convolution(4, 0, kNumbers - 31 * 33));
    c().record(rule(1, 64, 0));
    c().record(selective(t(4, 32), m_norm, 0));
    c().record(scan(2, 32, 0, 0));
}

TEST_P(ShapesTest, Types)
{
    const auto integers = [&] { return t(4, 64, DType::I32); };
    refuses("rmsNorm", [&] { c().record(op::RmsNorm{integers(), m_norm, 1e-5f, t(4, 64)}); });
    refuses("add", [&] { c().record(op::Add{t(4, 64), t(4, 64), integers()}); });
    refuses("gatherRows", [&] { c().record(op::GatherRows{t(4, 64), t(2, 1), t(2, 64)}); });
    refuses("argmax", [&] { c().record(op::Argmax{t(4, 64), t(4, 1)}); });
    refuses("", [&] { c().record(op::Embed{*m_weight, t(4, 1), 1, t(4, 64)}); });
}

FIRESIDE_ON_EVERY_DEVICE(ShapesTest);

} // namespace
} // namespace fireside::conformance
