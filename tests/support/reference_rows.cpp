#include "tests/support/reference_rows.h"

#include "engine/backend/not_finite.h"
#include "tests/support/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fireside::reference {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> sum(std::span<const float> a, std::span<const float> b)
{
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        out[i] = static_cast<double>(a[i]) + b[i];
    return out;
}

/// [rows, weight.size()]
std::vector<double> rmsNormOf(std::span<const double> x, std::span<const float> weight, double eps)
{
    const std::size_t n = weight.size();
    std::vector<double> out(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
        double squares = 0;
        for (std::size_t i = 0; i < n; ++i)
            squares += x[row + i] * x[row + i];
        const double norm = std::sqrt(squares / static_cast<double>(n) + eps);
        for (std::size_t i = 0; i < n; ++i)
            out[row + i] = x[row + i] / norm * weight[i];
    }
    return out;
}

std::vector<double> layerNormOf(std::span<const double> x, std::span<const float> weight,
                                std::span<const float> bias, double eps)
{
    const std::size_t n = weight.size();
    std::vector<double> out(x.size());
    for (std::size_t row = 0; row < x.size(); row += n) {
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < n; ++i)
            mean += x[row + i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            variance += (x[row + i] - mean) * (x[row + i] - mean) / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            out[row + i] = (x[row + i] - mean) / std::sqrt(variance + eps) * weight[i] +
                           (bias.empty() ? 0.0 : static_cast<double>(bias[i]));
    }
    return out;
}

/// The `count` best of the candidates by score, the first one on a tie.
std::vector<std::size_t> best(std::vector<std::size_t> candidates,
                              const std::vector<double> &scores, std::size_t count)
{
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    candidates.resize(std::min(count, candidates.size()));
    return candidates;
}

std::vector<std::size_t> range(std::size_t first, std::size_t count)
{
    std::vector<std::size_t> out(count);
    std::iota(out.begin(), out.end(), first);
    return out;
}

std::vector<double> softmaxOf(const std::vector<double> &x)
{
    const double largest = *std::max_element(x.begin(), x.end());
    double total = 0;
    std::vector<double> out;
    for (const double v : x)
        total += out.emplace_back(std::exp(v - largest));
    for (double &v : out)
        v /= total;
    return out;
}

} // namespace

std::vector<double> gatherRows(std::span<const float> x, std::size_t cols,
                               std::span<const std::int32_t> rows)
{
    std::vector<double> out;
    for (const std::int32_t row : rows)
        for (std::size_t c = 0; c < cols; ++c)
            out.push_back(x[static_cast<std::size_t>(row) * cols + c]);
    return out;
}

std::vector<double> copy(std::span<const float> x, DType to)
{
    std::vector<double> out(x.begin(), x.end());
    if (to == DType::F16)
        for (double &v : out)
            v = roundToHalf(v);
    return out;
}

AddedNorm addRmsNorm(std::span<const float> residual, std::span<const float> x,
                     std::span<const float> weight, double eps)
{
    AddedNorm result{sum(residual, x), {}};
    result.out = rmsNormOf(result.residual, weight, eps);
    return result;
}

std::vector<double> layerNorm(std::span<const float> x, std::span<const float> weight,
                              std::span<const float> bias, double eps)
{
    return layerNormOf(std::vector<double>(x.begin(), x.end()), weight, bias, eps);
}

AddedNorm addLayerNorm(std::span<const float> residual, std::span<const float> x,
                       std::span<const float> weight, std::span<const float> bias, double eps)
{
    AddedNorm result{sum(residual, x), {}};
    result.out = layerNormOf(result.residual, weight, bias, eps);
    return result;
}

std::vector<double> l2Normalize(std::span<const float> x, std::size_t cols)
{
    std::vector<double> out(x.begin(), x.end());
    for (std::size_t row = 0; row < x.size(); row += cols) {
        double squares = 0;
        for (std::size_t i = 0; i < cols; ++i)
            squares += out[row + i] * out[row + i];
        if (squares > 0)
            for (std::size_t i = 0; i < cols; ++i)
                out[row + i] /= std::sqrt(squares);
    }
    return out;
}

std::vector<double> add(std::span<const float> a, std::span<const float> b)
{
    std::vector<double> out(a.begin(), a.end());
    for (std::size_t i = 0; i < a.size(); ++i)
        out[i] += b[i % b.size()];
    return out;
}

std::vector<double> multiply(std::span<const float> a, std::span<const float> b)
{
    std::vector<double> out(a.begin(), a.end());
    for (std::size_t i = 0; i < a.size(); ++i)
        out[i] *= b[i % b.size()];
    return out;
}

std::vector<double> addScaled(std::span<const float> x, double scale, std::span<const float> out)
{
    std::vector<double> result(out.begin(), out.end());
    for (std::size_t i = 0; i < x.size(); ++i)
        result[i] += scale * x[i];
    return result;
}

std::vector<double> addBias(std::span<const float> x, std::span<const float> bias,
                            std::span<const float> residual)
{
    std::vector<double> out = add(x, bias);
    for (std::size_t i = 0; i < residual.size(); ++i)
        out[i] += residual[i];
    return out;
}

double activation(Activation act, double x)
{
    switch (act) {
    case Activation::SiLU:
        return silu(x);
    case Activation::GeluErf:
        return x < 0 ? 0.5 * x * std::erfc(-x / std::sqrt(2.0)) : geluErf(x);
    case Activation::GeluTanh:
        return geluTanh(x);
    case Activation::ReluSquared:
        return x > 0 ? x * x : 0;
    case Activation::Relu:
        return x > 0 ? x : 0;
    case Activation::Sigmoid:
        return 1 / (1 + std::exp(-x));
    case Activation::Tanh:
        return std::tanh(x);
    case Activation::QuickGelu:
        return x / (1 + std::exp(-1.702 * x));
    case Activation::ClampedSwiGlu: // has no form without a gate
    case Activation::XIelu:         // has numbers
        break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double xIelu(const XIelu &numbers, double x)
{
    const double alphaP = numbers.alphaP, alphaN = numbers.alphaN, beta = numbers.beta;
    if (x > 0)
        return alphaP * x * x + beta * x;
    return (std::expm1(std::min(x, double{numbers.eps})) - x) * alphaN + beta * x;
}

std::vector<double> activate(std::span<const float> x, Activation act, std::span<const float> bias)
{
    std::vector<double> out(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = activation(act, out[i] + (bias.empty() ? 0.0 : bias[i % bias.size()]));
    return out;
}

std::vector<double> gate(std::span<const float> gateInput, std::span<const float> up,
                         Activation act)
{
    std::vector<double> out(gateInput.begin(), gateInput.end());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (act == Activation::ClampedSwiGlu) {
            const double g = std::min(out[i], 7.0);
            const double u = std::clamp(static_cast<double>(up[i]), -7.0, 7.0);
            out[i] = g / (1 + std::exp(-1.702 * g)) * (u + 1);
        } else {
            out[i] = activation(act, out[i]) * up[i];
        }
    }
    return out;
}

std::vector<double> softcap(std::span<const float> x, double cap)
{
    std::vector<double> out(x.begin(), x.end());
    for (double &v : out)
        v = cap * std::tanh(v / cap);
    return out;
}

namespace {

/// What the sparse mixer gives the chosen two: softmaxes of masked logits, for the second without
/// the first.
std::vector<double> sparseMixture(const std::vector<double> &logits, std::int32_t first,
                                  std::int32_t second, double jitterEps)
{
    std::vector<double> left = logits, weights;
    for (const std::int32_t id : {first, second}) {
        const auto chosen = static_cast<std::size_t>(id);
        const double largest = left[chosen];
        std::vector<double> masked = left;
        for (std::size_t e = 0; e < masked.size(); ++e)
            if ((largest - logits[e]) / std::max(std::abs(logits[e]), largest) > 2 * jitterEps)
                masked[e] = -kInfinity;
        weights.push_back(softmaxOf(masked)[chosen]);
        left[chosen] = -kInfinity;
    }
    return weights;
}

} // namespace

Routed route(std::span<const float> logits, std::size_t experts, const Routing &routing,
             std::span<const float> bias, std::span<const float> expertScale)
{
    const auto used = static_cast<std::size_t>(routing.used);
    const auto groups = static_cast<std::size_t>(routing.groups);
    const std::size_t groupSize = experts / groups;
    Routed result;
    for (std::size_t row = 0; row < logits.size(); row += experts) {
        const std::vector<double> x(logits.begin() + static_cast<std::ptrdiff_t>(row),
                                    logits.begin() + static_cast<std::ptrdiff_t>(row + experts));
        std::vector<double> scores = x;
        if (routing.score == Routing::Score::SoftmaxAll)
            scores = softmaxOf(x);
        else if (routing.score == Routing::Score::Sigmoid)
            for (double &v : scores)
                v = 1 / (1 + std::exp(-v));

        std::vector<double> choosing = scores;
        for (std::size_t e = 0; e < bias.size(); ++e)
            choosing[e] += bias[e];

        std::vector<double> groupScores(groups);
        for (std::size_t g = 0; g < groups; ++g)
            for (const std::size_t e :
                 best(range(g * groupSize, groupSize), choosing, routing.groupByBestTwo ? 2 : 1))
                groupScores[g] += choosing[e];
        std::vector<std::size_t> chosenGroups =
            best(range(0, groups), groupScores, static_cast<std::size_t>(routing.usedGroups));
        std::sort(chosenGroups.begin(), chosenGroups.end());
        std::vector<std::size_t> candidates;
        for (const std::size_t g : chosenGroups)
            for (const std::size_t e : range(g * groupSize, groupSize))
                candidates.push_back(e);

        std::vector<double> weights;
        for (const std::size_t e : best(candidates, choosing, used)) {
            result.ids.push_back(static_cast<std::int32_t>(e));
            weights.push_back(scores[e]);
        }
        if (routing.score == Routing::Score::SoftmaxChosen)
            weights = softmaxOf(weights);
        if (routing.score == Routing::Score::SparseMixer)
            weights = sparseMixture(x, result.ids.end()[-2], result.ids.end()[-1],
                                    double{routing.jitterEps});
        const double total =
            routing.normalize ? std::accumulate(weights.begin(), weights.end(), 0.0) : 1.0;
        for (std::size_t j = 0; j < used; ++j) {
            const std::int32_t id = result.ids[result.weights.size()];
            const double own =
                expertScale.empty() ? 1.0 : double{expertScale[static_cast<std::size_t>(id)]};
            result.weights.push_back(weights[j] / total * routing.scale * own);
        }
    }
    return result;
}

std::vector<double> shortConvolution(std::span<const float> x, std::span<const float> weight,
                                     std::span<const float> bias, std::size_t channels,
                                     std::span<const std::int64_t> itemRows,
                                     std::vector<double> &state)
{
    const std::size_t C = channels, K = weight.size() / C;
    std::vector<double> out;
    std::size_t firstRow = 0;
    for (std::size_t item = 0; item < itemRows.size(); ++item) {
        const auto rows = static_cast<std::size_t>(itemRows[item]);
        const auto before = state.begin() + static_cast<std::ptrdiff_t>(item * (K - 1) * C);
        std::vector<double> inputs(before, before + static_cast<std::ptrdiff_t>((K - 1) * C));
        inputs.insert(inputs.end(), x.begin() + static_cast<std::ptrdiff_t>(firstRow * C),
                      x.begin() + static_cast<std::ptrdiff_t>((firstRow + rows) * C));
        for (std::size_t t = 0; t < rows; ++t)
            for (std::size_t c = 0; c < C; ++c) {
                double value = bias.empty() ? 0.0 : bias[c];
                for (std::size_t j = 0; j < K; ++j)
                    value += weight[c * K + j] * inputs[(t + j) * C + c];
                out.push_back(value);
            }
        std::copy(inputs.end() - static_cast<std::ptrdiff_t>((K - 1) * C), inputs.end(), before);
        firstRow += rows;
    }
    return out;
}

std::vector<double> gatedDeltaRule(std::span<const float> q, std::span<const float> k,
                                   std::span<const float> v, std::span<const float> g,
                                   std::span<const float> beta, std::size_t keyHeads,
                                   std::size_t heads, std::span<const std::int64_t> itemRows,
                                   std::vector<double> &state)
{
    const std::size_t T = beta.size() / heads;
    if (T == 0)
        return {};
    const std::size_t Dk = k.size() / (T * keyHeads), Dv = v.size() / (T * heads);
    const bool perChannel = g.size() != T * heads;
    std::vector<double> out(v.size(), 0.0);
    std::size_t t = 0;
    for (std::size_t item = 0; item < itemRows.size(); ++item)
        for (std::int64_t i = 0; i < itemRows[item]; ++i, ++t)
            for (std::size_t h = 0; h < heads; ++h) {
                double *S = state.data() + (item * heads + h) * Dk * Dv;
                const std::size_t at = t * heads + h;
                const std::size_t key = t * keyHeads + h * keyHeads / heads;
                for (std::size_t d = 0; d < Dk; ++d)
                    for (std::size_t c = 0; c < Dv; ++c)
                        S[d * Dv + c] *=
                            std::exp(static_cast<double>(perChannel ? g[at * Dk + d] : g[at]));
                for (std::size_t c = 0; c < Dv; ++c) {
                    double seen = 0;
                    for (std::size_t d = 0; d < Dk; ++d)
                        seen += S[d * Dv + c] * k[key * Dk + d];
                    for (std::size_t d = 0; d < Dk; ++d)
                        S[d * Dv + c] += beta[at] * k[key * Dk + d] * (v[at * Dv + c] - seen);
                    for (std::size_t d = 0; d < Dk; ++d)
                        out[at * Dv + c] += S[d * Dv + c] * q[key * Dk + d];
                }
            }
    return out;
}

std::vector<double> selectiveScan(std::span<const float> x, std::span<const float> dt,
                                  std::span<const double> dtBias, std::span<const double> a,
                                  std::span<const float> b, std::span<const float> c,
                                  std::span<const double> d, std::span<const std::int64_t> itemRows,
                                  std::vector<double> &state)
{
    const std::size_t C = d.size(), N = a.size() / C;
    std::vector<double> out(x.size(), 0.0);
    std::size_t t = 0;
    for (std::size_t item = 0; item < itemRows.size(); ++item)
        for (std::int64_t i = 0; i < itemRows[item]; ++i, ++t)
            for (std::size_t e = 0; e < C; ++e) {
                const double input = x[t * C + e];
                const double step =
                    std::log1p(std::exp(dt[t * C + e] + (dtBias.empty() ? 0.0 : dtBias[e])));
                for (std::size_t n = 0; n < N; ++n) {
                    double &s = state[(item * C + e) * N + n];
                    s = std::exp(step * a[e * N + n]) * s + step * b[t * N + n] * input;
                    out[t * C + e] += s * c[t * N + n];
                }
                out[t * C + e] += d[e] * input;
            }
    return out;
}

std::vector<double> stateSpaceScan(std::span<const float> x, std::span<const float> dt,
                                   std::span<const float> b, std::span<const float> c,
                                   const ScanHeads &heads, std::span<const std::int64_t> itemRows,
                                   std::vector<double> &state)
{
    const std::size_t H = heads.count, G = heads.groups, T = dt.size() / H;
    if (T == 0)
        return {};
    const std::size_t P = x.size() / (T * H), N = b.size() / (T * G);
    std::vector<double> out(x.size(), 0.0);
    std::size_t t = 0;
    for (std::size_t item = 0; item < itemRows.size(); ++item)
        for (std::int64_t i = 0; i < itemRows[item]; ++i, ++t)
            for (std::size_t e = 0; e < H * P; ++e) {
                const std::size_t h = e / P, group = t * G + h * G / H;
                const double bias = heads.dtBias.empty() ? 0 : heads.dtBias[h];
                const double input = x[t * H * P + e];
                const double step = std::clamp(std::log1p(std::exp(dt[t * H + h] + bias)),
                                               heads.dtMin, heads.dtMax);
                double &result = out[t * H * P + e];
                for (std::size_t n = 0; n < N; ++n) {
                    double &s = state[(item * H * P + e) * N + n];
                    s = std::exp(step * heads.a[h]) * s + step * b[group * N + n] * input;
                    result += s * c[group * N + n];
                }
                result += (heads.d.empty() ? 0 : heads.d[h]) * input;
            }
    return out;
}

std::vector<std::int32_t> argmax(std::span<const float> x, std::size_t cols)
{
    return topK(x, cols, 1).ids;
}

Largest topK(std::span<const float> x, std::size_t cols, std::size_t k)
{
    Largest result;
    for (std::size_t row = 0; row < x.size(); row += cols) {
        const auto values = x.subspan(row, cols);
        if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
            result.ids.insert(result.ids.end(), k, kNotFinite);
            result.values.insert(result.values.end(), k, -kInfinity);
            continue;
        }
        std::vector<std::size_t> ids(cols);
        std::iota(ids.begin(), ids.end(), std::size_t{0});
        std::stable_sort(ids.begin(), ids.end(),
                         [&](std::size_t a, std::size_t b) { return x[row + a] > x[row + b]; });
        for (std::size_t i = 0; i < k; ++i) {
            result.ids.push_back(i < ids.size() ? static_cast<std::int32_t>(ids[i]) : -1);
            result.values.push_back(i < ids.size() ? x[row + ids[i]] : -kInfinity);
        }
    }
    return result;
}

std::vector<double> pad(std::span<const float> x, std::size_t cols,
                        std::span<const std::int64_t> itemRows, std::size_t longest)
{
    std::vector<double> out;
    std::size_t from = 0;
    for (const std::int64_t rows : itemRows)
        for (std::size_t i = 0; i < longest * cols; ++i)
            out.push_back(i < static_cast<std::size_t>(rows) * cols ? x[from++] : 0.0);
    return out;
}

std::vector<double> unpad(std::span<const float> x, std::size_t cols,
                          std::span<const std::int64_t> itemRows, std::size_t longest)
{
    std::vector<double> out;
    for (std::size_t item = 0; item < itemRows.size(); ++item)
        for (std::size_t i = 0; i < static_cast<std::size_t>(itemRows[item]) * cols; ++i)
            out.push_back(x[item * longest * cols + i]);
    return out;
}

std::vector<double> pool(std::span<const float> x, std::size_t cols,
                         std::span<const std::int64_t> itemRows, Pooling pooling)
{
    std::vector<double> out;
    std::size_t firstRow = 0;
    for (const std::int64_t count : itemRows) {
        const auto rows = static_cast<std::size_t>(count);
        for (std::size_t c = 0; c < cols; ++c) {
            double sumOfRows = 0;
            for (std::size_t r = 0; r < rows; ++r)
                if (pooling == Pooling::Mean || r == (pooling == Pooling::First ? 0 : rows - 1))
                    sumOfRows += x[(firstRow + r) * cols + c];
            out.push_back(pooling == Pooling::Mean && rows > 0
                              ? sumOfRows / static_cast<double>(rows)
                              : sumOfRows);
        }
        firstRow += rows;
    }
    return out;
}

} // namespace fireside::reference
