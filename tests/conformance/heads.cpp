#include "tests/conformance/heads.h"

#include "engine/tensor/half.h"
#include "tests/conformance/products.h"
#include "tests/support/reference_attention.h"

#include <algorithm>
#include <cmath>

namespace fireside::conformance {

const std::vector<Turn> kTurns{Turn::None, Turn::All, Turn::Quarter, Turn::Late};
const std::vector<std::string> kTurnTexts{"none", "all", "a quarter", "a late quarter"};
const std::vector<RopePairing> kPairings{RopePairing::HalfSplit, RopePairing::Interleaved};
const std::vector<std::string> kPairingTexts{"halves", "interleaved"};

std::string valueText(const Heads &h)
{
    return std::to_string(h.heads) + "/" + std::to_string(h.kvHeads) + " of " +
           std::to_string(h.dim) +
           (h.valueDim != h.dim ? " and " + std::to_string(h.valueDim) : "");
}

std::string valueText(const Items &items)
{
    std::string text;
    for (const Item &item : items)
        text += (text.empty() ? "" : " + ") + std::to_string(item.rows) + " after " +
                std::to_string(item.past);
    return text;
}

void Transform::make(std::int64_t headDim, const TestWeight *itsNorm, float eps,
                     std::optional<Rope> itsRope)
{
    norm = itsNorm;
    transform.headDim = headDim;
    transform.norm = norm != nullptr ? norm->weight.get() : nullptr;
    transform.eps = eps;
    transform.rope = std::move(itsRope);
}

std::vector<double> Transform::expected(const Matrix &x, const BatchPlan &plan) const
{
    const auto weight = norm != nullptr
                            ? std::vector<float>(norm->values.begin(), norm->values.end())
                            : std::vector<float>();
    return reference::transformHeads(x.v, plan.positions, transform.headDim, weight,
                                     static_cast<double>(transform.eps),
                                     transform.rope ? &*transform.rope : nullptr);
}

std::optional<Rope> turning(Turn turn, std::int64_t headDim, RopePairing pairing, float factor)
{
    if (turn == Turn::None)
        return std::nullopt;
    Rope rope;
    rope.pairing = pairing;
    rope.attentionFactor = factor;
    rope.inverseFrequencies = frequencies(turn == Turn::All ? headDim / 2 : headDim / 8);
    rope.firstChannel = turn == Turn::Late ? headDim / 4 + 1 : 0;
    return rope;
}

ItemCaches::ItemCaches(Bench &bench, DType type, const Heads &h, const Items &items, bool latent)
{
    for (const Item &item : items) {
        m_caches.push_back(std::make_unique<TestCache>(bench, type, h.kvHeads, h.dim, h.valueDim,
                                                       item.rows + item.past + 3, latent));
        m_caches.back()->fill(bench, item.past);
        plan.item(item.rows, item.past, m_caches.back()->layers());
    }
}

void ItemCaches::append(Bench &bench)
{
    for (std::size_t i = 0; i < m_caches.size(); ++i)
        m_caches[i]->fill(bench, plan.items[i].rows);
}

void ItemCaches::note(const std::vector<double> &k, const std::vector<double> &v)
{
    for (std::size_t i = 0; i < m_caches.size(); ++i) {
        const KvLayer &layer = m_caches[i]->layer();
        const bool latent = layer.values == nullptr;
        m_caches[i]->note(rowsOf(k, plan.items[i], layer.kvHeads * layer.headDim),
                          latent ? std::vector<double>()
                                 : rowsOf(v, plan.items[i], layer.kvHeads * layer.valueDim));
    }
}

void ItemCaches::check(Bench &bench, double tolerance)
{
    for (const auto &cache : m_caches)
        cache->check(bench, tolerance);
}

std::vector<double> ItemCaches::attend(const AttentionShape &shape, const std::vector<double> &q,
                                       const TestWeight *sinks) const
{
    std::vector<double> all;
    for (std::size_t i = 0; i < m_caches.size(); ++i) {
        const BatchItem &item = plan.items[i];
        if (item.rows == 0)
            continue;
        const auto asked = rowsOf(q, item, shape.heads * shape.headDim);
        const auto rows = reference::attend(
            shape, item.rows, std::vector<float>(asked.begin(), asked.end()), m_caches[i]->keys(),
            m_caches[i]->values(), sinks != nullptr ? sinks->values : std::vector<double>());
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

HeadOptions::HeadOptions(Bench &bench, Cases &cases)
    : qType(cases.option("q", bench.activations()))
    , kType(cases.option("k", bench.activations()))
    , vType(cases.option("v", bench.activations()))
    , qTurn(cases.option("q turning", kTurns, kTurnTexts))
    , kTurn(cases.option("k turning", kTurns, kTurnTexts))
    , qPairing(cases.option("q pairing", kPairings, kPairingTexts))
    , kPairing(cases.option("k pairing", kPairings, kPairingTexts))
    , qNorm(cases.option("q norm"))
    , kNorm(cases.option("k norm"))
    , quiet(cases.option("quiet rows"))
    , scattered(cases.option("scattered positions"))
    , together(cases.option("k and v of one product"))
    , factor(cases.option<float>("factor", {1, 1.1f}))
{
    cases.without([](DType k, DType v, bool one) { return one && k != v; }, kType, vType, together);
}

NewHeads::NewHeads(Bench &bench, const HeadOptions &o, const Pick &pick, const Heads &h,
                   BatchPlan &plan)
{
    const auto norm = [&](bool with, int salt) {
        return with ? &bench.weight(DType::F32, 1, h.dim, 1, salt) : nullptr;
    };
    qTransform.make(h.dim, norm(pick[o.qNorm], 1), 1e-6f,
                    turning(pick[o.qTurn], h.dim, pick[o.qPairing], pick[o.factor]));
    kTransform.make(h.dim, norm(pick[o.kNorm], 2), 1e-5f,
                    turning(pick[o.kTurn], h.dim, pick[o.kPairing], 2 - pick[o.factor]));
    if (pick[o.scattered])
        scatter(bench, plan, kFarthest);
}

void NewHeads::place(Bench &bench, const HeadOptions &o, const Pick &pick, const Heads &h,
                     std::int64_t rows)
{
    q = bench.numbers(rows, h.heads * h.dim, pick[o.qType]);
    k = bench.numbers(rows, h.kvHeads * h.dim, pick[o.kType]);
    v = bench.numbers(rows, h.kvHeads * h.valueDim, pick[o.vType]);
    if (pick[o.quiet]) {
        quieten(q, pick[o.qType]);
        quieten(k, pick[o.kType]);
    }
    qIn = bench.in(q, pick[o.qType]);
    if (!pick[o.together]) {
        kIn = bench.in(k, pick[o.kType]);
        vIn = bench.in(v, pick[o.vType]);
        return;
    }
    Matrix both{rows, k.cols + v.cols, {}};
    for (std::int64_t t = 0; t < rows; ++t)
        for (const Matrix *part : {&k, &v})
            both.v.insert(both.v.end(), part->v.begin() + t * part->cols,
                          part->v.begin() + (t + 1) * part->cols);
    const Tensor whole = bench.in(both, pick[o.kType]);
    kIn = whole.columns(0, k.cols);
    vIn = whole.columns(k.cols, v.cols);
}

ScoreOptions::ScoreOptions(Cases &cases)
    : window(cases.option<std::int64_t>("window", {0, 1, 5, 41, 700}))
    , chunk(cases.option<std::int64_t>("chunk", {0, 1, 37, 64}))
    , causal(cases.option<bool>("causal", {true, false}))
    , softcap(cases.option<float>("softcap", {0, 1.5f, 5}))
    , alibi(cases.option<float>("alibi", {0, 8}))
    , alibiScale(cases.option<float>("slopes'", {1, 0.125f}))
    , sinks(cases.option("sinks"))
    , scale(cases.option<float>("scale·√D", {1, 1.7f}))
{
    cases.without([](std::int64_t w, std::int64_t c) { return w > 0 && c > 0; }, window, chunk);
    cases.without([](bool ahead, std::int64_t c) { return !ahead && c > 0; }, causal, chunk);
    cases.without([](float bias, float factor) { return bias == 0 && factor != 1; }, alibi,
                  alibiScale);
}

AttentionShape ScoreOptions::shape(const Pick &pick, const Heads &h,
                                   const TestWeight *itsSinks) const
{
    AttentionShape shape = shapeOf(h);
    shape.scale = pick[scale] / std::sqrt(static_cast<float>(h.dim));
    shape.causal = pick[causal];
    shape.window = pick[window];
    shape.chunk = pick[chunk];
    shape.softcap = pick[softcap];
    shape.alibiMaxBias = pick[alibi];
    shape.alibiScale = pick[alibiScale];
    shape.sinks = itsSinks != nullptr ? itsSinks->weight.get() : nullptr;
    return shape;
}

const TestWeight *ScoreOptions::weight(Bench &bench, const Pick &pick, const Heads &h) const
{
    return pick[sinks] ? &bench.weight(DType::F32, 1, h.heads, 1, 8) : nullptr;
}

AttentionShape shapeOf(const Heads &h)
{
    AttentionShape shape;
    shape.heads = h.heads;
    shape.kvHeads = h.kvHeads;
    shape.headDim = h.dim;
    shape.valueDim = h.valueDim;
    return shape;
}

void withoutCutBlocks(Cases &cases, const Option<Heads> &heads, const Option<DType> &cacheType)
{
    cases.without(
        [](const Heads &h, DType type) {
            return (h.dim % 32 != 0 || h.valueDim % 32 != 0) && type == DType::Q8_0;
        },
        heads, cacheType);
}

double attentionTolerance(const Target &target, DType keys,
                          std::initializer_list<DType> activations)
{
    const double allowed = std::max(target.tolerance(activations), target.tolerance({keys}));
    // The CPU may round queries and weights to 8 bits, matrices round them to F16; with F32 keys
    // nothing is rounded anywhere.
    if (keys == DType::Q8_0)
        return target.isCpu() ? 1e-2 : 2e-3;
    return keys == DType::F16 && target.uses("cooperative matrix") ? 2e-3 : allowed;
}

std::vector<double> rowsOf(const std::vector<double> &all, const BatchItem &item, std::int64_t cols)
{
    return {all.begin() + item.firstRow * cols, all.begin() + (item.firstRow + item.rows) * cols};
}

void quieten(Matrix &x, DType type)
{
    for (std::int64_t r = 0; r < x.rows; r += 2)
        for (std::int64_t c = 0; c < x.cols; ++c) {
            float &value = x.v[static_cast<std::size_t>(r * x.cols + c)];
            value *= 1e-3f;
            if (type == DType::F16)
                value = halfToFloat(floatToHalf(value));
        }
}

void scatter(Bench &bench, BatchPlan &plan, std::int32_t most)
{
    for (std::int32_t &position : plan.positions)
        position = bench.integers(1, 0, most)[0];
}

} // namespace fireside::conformance
