#include "engine/model/blocks/block.h"

namespace fireside {

LinearInput scaled(Commands &c, const LinearInput &x, float scale)
{
    if (scale == 1)
        return x;
    const Tensor out = c.productInput(x.x.rows, x.x.cols);
    if (x.norm)
        c.record(op::RmsNorm{.x = x.x, .weight = x.norm, .eps = x.eps, .out = out});
    c.record(op::Scale{.x = x.norm ? out : x.x, .scale = scale, .out = out});
    return out;
}

void addScaled(Commands &c, const Tensor &x, float scale, const BlockResult &result)
{
    if (result.mode == Accumulate::AddToOutput)
        c.record(op::AddScaled{x, scale, result.out});
    else
        c.record(op::Scale{.x = x, .scale = scale, .out = result.out});
}

Norm Norm::load(const LayerWeights &weights, const char *name, std::int64_t n)
{
    const Config &c = weights.config();
    Norm norm = of(c.norm, c.normEps);
    if (!c.normWeights)
        return norm;
    norm.weight = weights.vector(name, n);
    if (c.norm == NormKind::Layer)
        norm.bias = weights.optionalBias(name, n);
    return norm;
}

Norm Norm::of(NormKind kind, float eps)
{
    Norm norm;
    norm.kind = kind;
    norm.eps = eps;
    norm.there = true;
    return norm;
}

void Norm::record(Commands &c, const Tensor &x, const Tensor &out) const
{
    if (kind == NormKind::Layer)
        c.record(op::LayerNorm{x, weight.get(), bias.get(), eps, out});
    else
        c.record(op::RmsNorm{x, weight.get(), eps, out});
}

LinearInput Norm::input(Commands &c, const Tensor &x) const
{
    if (!there)
        return x;
    if (kind == NormKind::Rms && weight)
        return {x, *weight, eps};
    return applied(c, x);
}

Tensor Norm::applied(Commands &c, const Tensor &x) const
{
    if (!there)
        return x;
    const Tensor out = c.scratch(x.rows, x.cols);
    record(c, x, out);
    return out;
}

} // namespace fireside
