#include "engine/model/blocks/feed_forward.h"

#include <cmath>

namespace fireside {
namespace {

XIelu readXIelu(const LayerWeights &w)
{
    const std::vector<XIelu> &known = w.config().xielu;
    if (!known.empty())
        return known[static_cast<std::size_t>(w.index())];
    const auto number = [&](const char *name) { return w.numbers(name, 1).front(); };
    return storedXIelu(number("xielu.alpha_p"), number("xielu.alpha_n"), number("xielu.beta"),
                       number("xielu.eps"));
}

} // namespace

XIelu storedXIelu(float alphaP, float alphaN, float beta, float eps)
{
    const auto softplus = [](float x) { return std::log1p(std::exp(x)); };
    return {
        .alphaP = softplus(alphaP), .alphaN = beta + softplus(alphaN), .beta = beta, .eps = eps};
}

FeedForwardBlock::FeedForwardBlock(const LayerWeights &w, bool gated, std::int64_t width,
                                   const std::string &suffix)
    : m_config(w.config())
    , m_width(width)
{
    const Config &c = m_config;
    const auto named = [&](const char *name) { return name + suffix; };
    const auto matrix = [&](const char *name, std::int64_t rows, std::int64_t cols) {
        return w.matrix(named(name).c_str(), rows, cols);
    };
    const auto bias = [&](const char *name, std::int64_t n) {
        return w.optionalBias(named(name).c_str(), n, c.ffnBias && suffix.empty());
    };
    if (gated) {
        m_gate = matrix("ffn_gate", width, c.hidden);
        m_gateBias = bias("ffn_gate", width);
    }
    m_up = matrix("ffn_up", width, c.hidden);
    m_upBias = bias("ffn_up", width);
    m_down = matrix("ffn_down", c.hidden, width);
    m_downBias = bias("ffn_down", c.hidden);
    if (c.subNorms)
        m_subNorm = w.vector("ffn_sub_norm", width);
    if (suffix.empty() && gated)
        m_sparsity = w.layer().sparsity;
    if (c.activation == Activation::XIelu)
        m_xielu = readXIelu(w);
}

void FeedForwardBlock::gated(Commands &c, const LinearInput &x, const Tensor &out) const
{
    const Activation act = m_config.activation;
    const float scale = m_config.scales.gate;
    if (!m_sparsity && scale == 1) {
        c.record(op::GatedLinear{
            x, {m_gate.get(), m_up.get(), m_gateBias.get(), m_upBias.get()}, act, out});
        return;
    }
    const Tensor gate = c.scratch(out.rows, m_width), up = c.scratch(out.rows, m_width);
    c.record(
        op::Linear{x, {{m_gate.get(), gate, m_gateBias.get()}, {m_up.get(), up, m_upBias.get()}}});
    if (scale != 1)
        c.record(op::Scale{.x = gate, .scale = scale, .out = gate});
    if (m_sparsity)
        c.record(op::GaussianSparsify{gate, *m_sparsity, gate});
    c.record(op::Gate{gate, up, act, out});
}

Tensor FeedForwardBlock::inner(Commands &c, const LinearInput &x) const
{
    const Activation act = m_config.activation;
    const std::int64_t T = x.x.rows;
    Tensor inner = c.productInput(T, m_width);
    if (m_gate) {
        gated(c, x, inner);
    } else {
        const Tensor up = c.handedOn(T, m_width);
        c.record(op::Linear{x, {{m_up.get(), up}}});
        c.record(op::Activate{
            .x = up, .act = act, .bias = m_upBias.get(), .out = inner, .xielu = m_xielu});
    }
    if (m_subNorm) {
        const Tensor normed = c.productInput(T, m_width);
        c.record(op::RmsNorm{
            .x = inner, .weight = m_subNorm.get(), .eps = m_config.normEps, .out = normed});
        inner = normed;
    }
    return inner;
}

void FeedForwardBlock::last(Commands &c, const Tensor &inner, const BlockResult &result) const
{
    const float scale = m_config.scales.down;
    if (scale == 1) {
        c.record(op::Linear{inner, {{m_down.get(), result.out, m_downBias.get()}}, result.mode});
        return;
    }
    const Tensor out = c.scratch(result.out.rows, result.out.cols);
    c.record(op::Linear{inner, {{m_down.get(), out, m_downBias.get()}}});
    addScaled(c, out, scale, result);
}

void FeedForwardBlock::record(Commands &c, const LinearInput &x, const BlockResult &result) const
{
    last(c, inner(c, x), result);
}

} // namespace fireside
