#include "tests/support/reference_decoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace fireside::test {
namespace {

using Row = std::vector<double>;
using Rows = ReferenceRows;

class Pass
{
public:
    Pass(const ReferenceTensors &tensors, const ReferenceOptions &options, std::size_t rows)
        : m_tensors(tensors)
        , m_options(options)
        , m_rows(rows)
    {}

    const ReferenceMatrix *find(const std::string &name) const
    {
        const auto it = m_tensors.find(name);
        return it != m_tensors.end() ? &it->second : nullptr;
    }
    const ReferenceMatrix &get(const std::string &name) const
    {
        if (const ReferenceMatrix *m = find(name))
            return *m;
        throw std::runtime_error("the reference lacks " + name);
    }

    Row norm(const std::string &name, const Row &x) const
    {
        const ReferenceMatrix *const weight =
            m_options.bareNorms ? nullptr : &get(name + ".weight");
        const ReferenceMatrix *const bias = find(name + ".bias");
        const auto n = static_cast<double>(x.size());
        const double mean =
            m_options.layerNorm ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0.0;
        double squares = 0;
        for (const double v : x)
            squares += (v - mean) * (v - mean);
        const double scale = 1 / std::sqrt(squares / n + m_options.eps);
        Row y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            y[i] = (x[i] - mean) * scale * (weight ? weight->values[i] : 1.0f) +
                   (bias ? bias->values[i] : 0.0f);
        return y;
    }

    /// W·x + b, of one of several matrices
    Row product(const std::string &name, const Row &x, std::uint64_t index = 0) const
    {
        const ReferenceMatrix &weight = get(name + ".weight");
        const ReferenceMatrix *const bias = find(name + ".bias");
        Row y(weight.rows);
        for (std::uint64_t r = 0; r < weight.rows; ++r) {
            const auto row = weight.row(index * weight.rows + r);
            y[r] = std::inner_product(x.begin(), x.end(), row.begin(),
                                      bias ? double{bias->values[r]} : 0.0);
        }
        return y;
    }

    void turn(double *head, std::size_t position) const
    {
        const std::size_t pairs = m_options.frequencies.size();
        for (std::size_t i = 0; i < pairs; ++i) {
            const std::size_t a = m_options.interleaved ? 2 * i : i;
            const std::size_t b = m_options.interleaved ? 2 * i + 1 : i + pairs;
            const double angle = static_cast<double>(position) * m_options.frequencies[i];
            const double c = std::cos(angle) * m_options.turnFactor;
            const double s = std::sin(angle) * m_options.turnFactor;
            const double x = head[a], y = head[b];
            head[a] = x * c - y * s;
            head[b] = y * c + x * s;
        }
    }

    /// Heads of one row, before attention.
    Row heads(const std::string &layer, const char *name, const Row &x, std::size_t position) const
    {
        Row y = product(layer + name, x);
        if (m_options.clampQkv > 0)
            for (double &v : y)
                v = std::clamp(v, -m_options.clampQkv, m_options.clampQkv);
        const std::string norms = layer + name + "_norm";
        const bool normed = find(norms + ".weight") != nullptr;
        for (std::size_t first = 0; first < y.size(); first += m_options.headDim) {
            const auto begin = y.begin() + static_cast<std::ptrdiff_t>(first);
            if (normed) {
                const Row head(begin, begin + static_cast<std::ptrdiff_t>(m_options.headDim));
                const Row own = norm(norms, head);
                std::copy(own.begin(), own.end(), begin);
            }
            turn(&y[first], position);
        }
        return y;
    }

    Rows attention(const std::string &layer, const Rows &x) const
    {
        const std::size_t D = m_options.headDim, H = m_options.heads;
        Rows q, k, v, out;
        for (std::size_t t = 0; t < m_rows; ++t) {
            q.push_back(heads(layer, "attn_q", x[t], t));
            k.push_back(heads(layer, "attn_k", x[t], t));
            v.push_back(product(layer + "attn_v", x[t]));
            if (m_options.clampQkv > 0)
                for (double &value : v.back())
                    value = std::clamp(value, -m_options.clampQkv, m_options.clampQkv);
        }
        const std::size_t group = H / (k[0].size() / D);
        for (std::size_t t = 0; t < m_rows; ++t) {
            Row joined(H * D);
            for (std::size_t h = 0; h < H; ++h) {
                const std::size_t from = h / group * D;
                Row scores(t + 1);
                for (std::size_t s = 0; s <= t; ++s) {
                    for (std::size_t i = 0; i < D; ++i)
                        scores[s] += q[t][h * D + i] * k[s][from + i];
                    scores[s] /= std::sqrt(static_cast<double>(D));
                    if (m_options.alibi > 0)
                        scores[s] -= m_options.alibiScale * static_cast<double>(t - s) *
                                     std::pow(2.0, -m_options.alibi * static_cast<double>(h + 1) /
                                                       static_cast<double>(H));
                }
                const Row shares = referenceSoftmax(scores);
                for (std::size_t s = 0; s <= t; ++s)
                    for (std::size_t i = 0; i < D; ++i)
                        joined[h * D + i] += shares[s] * v[s][from + i];
            }
            out.push_back(product(layer + "attn_output", joined));
        }
        return out;
    }

    /// down·(silu(gate·x) ⊙ up·x), of one of several experts
    Row gated(const std::string &layer, const char *kind, const Row &x, std::uint64_t index) const
    {
        Row gate = product(layer + "ffn_gate" + kind, x, index);
        const Row up = product(layer + "ffn_up" + kind, x, index);
        for (std::size_t i = 0; i < gate.size(); ++i)
            gate[i] *= up[i] / (1 + std::exp(-gate[i]));
        return product(layer + "ffn_down" + kind, gate, index);
    }

    /// down·gelu(up·x)
    Row plain(const std::string &layer, const Row &x) const
    {
        Row up = product(layer + "ffn_up", x);
        for (double &v : up)
            v *= std::erfc(-v / std::sqrt(2.0)) / 2;
        return product(layer + "ffn_down", up);
    }

    /// What each expert counts: nothing where it was not chosen.
    Row sharesOf(const std::string &layer, const Row &x) const
    {
        const ReferenceOptions &o = m_options;
        Row scores = product(layer + "ffn_gate_inp", x);
        if (o.sigmoid)
            for (double &s : scores)
                s = 1 / (1 + std::exp(-s));
        else
            scores = referenceSoftmax(scores);
        Row choice = scores;
        if (const ReferenceMatrix *bias = find(layer + "exp_probs_b.bias"))
            for (std::size_t e = 0; e < choice.size(); ++e)
                choice[e] += double{bias->values[e]};
        const auto best = [](const Row &of, std::size_t count) {
            std::vector<std::size_t> order(of.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::sort(order.begin(), order.end(),
                      [&](std::size_t i, std::size_t j) { return of[i] > of[j]; });
            order.resize(count);
            return order;
        };
        const std::size_t each = choice.size() / o.groups;
        Row groups;
        for (std::size_t g = 0; g < o.groups && o.groups > 1; ++g) {
            const auto first = choice.begin() + static_cast<std::ptrdiff_t>(g * each);
            Row own(first, first + static_cast<std::ptrdiff_t>(each));
            std::sort(own.rbegin(), own.rend());
            groups.push_back(own[0] + own[1]);
        }
        const auto kept = best(groups, o.groups > 1 ? o.usedGroups : 0);
        for (std::size_t e = 0; e < choice.size() && o.groups > 1; ++e)
            if (std::find(kept.begin(), kept.end(), e / each) == kept.end())
                choice[e] = -1;
        Row shares(scores.size());
        double sum = 0;
        for (const std::size_t e : best(choice, o.usedExperts))
            sum += shares[e] = scores[e];
        for (double &s : shares)
            s *= o.expertScale / (o.sharesOfChosen ? sum : 1);
        return shares;
    }

    Row feedForward(const std::string &layer, const Row &x) const
    {
        if (m_options.plain)
            return plain(layer, x);
        if (find(layer + "ffn_gate_inp.weight") == nullptr)
            return gated(layer, "", x, 0);
        Row y(x.size());
        const auto add = [&](const Row &own, double share) {
            for (std::size_t i = 0; i < y.size(); ++i)
                y[i] += own[i] * share;
        };
        const Row shares = sharesOf(layer, x);
        for (std::size_t e = 0; e < shares.size(); ++e)
            if (shares[e] != 0)
                add(gated(layer, "_exps", x, e), shares[e]);
        if (m_options.sharedExperts > 0)
            add(gated(layer, "_shexp", x, 0), 1);
        return y;
    }

    void layer(std::uint64_t index, Rows &x) const
    {
        const std::string name = "blk." + std::to_string(index) + '.';
        const auto add = [&](const Rows &more) {
            for (std::size_t t = 0; t < m_rows; ++t)
                for (std::size_t i = 0; i < x[t].size(); ++i)
                    x[t][i] += m_options.residualScale * more[t][i];
        };
        if (m_options.bareNorms || find(name + "attn_norm.weight") != nullptr) {
            Rows normed;
            for (const Row &row : x)
                normed.push_back(norm(name + "attn_norm", row));
            Rows mixed = m_options.mixer ? m_options.mixer(name, normed) : Rows();
            if (mixed.empty() && find(name + "attn_q.weight") != nullptr)
                mixed = attention(name, normed);
            else if (mixed.empty()) // one matrix in its place
                for (const Row &row : normed)
                    mixed.push_back(product(name + "attn_output", row));
            add(mixed);
        }
        if (m_options.bareNorms || find(name + "ffn_norm.weight") != nullptr) {
            Rows more;
            for (const Row &row : x)
                more.push_back(feedForward(name, norm(name + "ffn_norm", row)));
            add(more);
        }
    }

private:
    const ReferenceTensors &m_tensors;
    const ReferenceOptions &m_options;
    std::size_t m_rows;
};

} // namespace

std::vector<double> referenceFrequencies(std::uint64_t rotary, double base)
{
    std::vector<double> f(rotary / 2);
    for (std::size_t i = 0; i < f.size(); ++i)
        f[i] = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(rotary));
    return f;
}

ReferenceTensors randomDecoder(const ReferenceOptions &o, bool qkvBias, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    ReferenceTensors out;
    const auto add = [&](const std::string &name, std::uint64_t rows, std::uint64_t cols,
                         float middle, float spread, std::uint64_t depth = 1) {
        ReferenceMatrix m{.depth = depth, .rows = rows, .cols = cols, .values = {}};
        m.values.resize(depth * rows * cols);
        for (float &v : m.values)
            v = middle + spread * normal(random);
        out[name] = std::move(m);
    };
    const auto norm = [&](const std::string &name) {
        if (o.bareNorms)
            return;
        add(name + ".weight", 1, o.hidden, 1, 0.2f);
        if (o.layerNorm)
            add(name + ".bias", 1, o.hidden, 0, 0.1f);
    };
    add("token_embd.weight", o.vocabulary, o.hidden, 0, 0.5f);
    add("output.weight", o.vocabulary, o.hidden, 0, 0.3f);
    norm("output_norm");
    for (std::uint64_t i = 0; i < o.layers; ++i) {
        const std::string layer = "blk." + std::to_string(i) + '.';
        norm(layer + "attn_norm");
        norm(layer + "ffn_norm");
        const std::uint64_t q = o.heads * o.headDim, kv = o.kvHeads * o.headDim;
        for (const auto &[name, rows] :
             {std::pair("attn_q", q), std::pair("attn_k", kv), std::pair("attn_v", kv)}) {
            add(layer + name + ".weight", rows, o.hidden, 0, 0.3f);
            if (qkvBias)
                add(layer + name + ".bias", 1, rows, 0, 0.3f);
        }
        add(layer + "attn_output.weight", o.hidden, q, 0, 0.3f);
        if (o.outputBias)
            add(layer + "attn_output.bias", 1, o.hidden, 0, 0.3f);
        for (const char *name : {"attn_q_norm.weight", "attn_k_norm.weight"})
            if (o.headNorms)
                add(layer + name, 1, o.headDim, 1, 0.2f);
        const bool sparse = o.experts > 0 && i >= o.denseLayers;
        const auto feedForward = [&](const std::string &kind, std::uint64_t width,
                                     std::uint64_t depth) {
            if (o.plain) {
                add(layer + "ffn_up.bias", 1, width, 0, 0.3f);
                add(layer + "ffn_down.bias", 1, o.hidden, 0, 0.3f);
            } else {
                add(layer + "ffn_gate" + kind + ".weight", width, o.hidden, 0, 0.3f, depth);
            }
            add(layer + "ffn_up" + kind + ".weight", width, o.hidden, 0, 0.3f, depth);
            add(layer + "ffn_down" + kind + ".weight", o.hidden, width, 0, 0.3f, depth);
        };
        if (!sparse) {
            feedForward("", o.ffn, 1);
            continue;
        }
        add(layer + "ffn_gate_inp.weight", o.experts, o.hidden, 0, 0.5f);
        if (o.sigmoid)
            add(layer + "exp_probs_b.bias", 1, o.experts, 0, 0.3f);
        feedForward("_exps", o.ffn, o.experts);
        if (o.sharedExperts > 0)
            feedForward("_shexp", o.ffn * o.sharedExperts, 1);
    }
    return out;
}

std::vector<double> referenceLogits(const ReferenceTensors &tensors, const ReferenceOptions &o,
                                    std::span<const std::int32_t> ids)
{
    const Pass pass(tensors, o, ids.size());
    Rows x;
    for (const std::int32_t id : ids) {
        const auto row = pass.get("token_embd.weight").row(static_cast<std::uint64_t>(id));
        x.emplace_back(row.begin(), row.end());
        for (double &v : x.back())
            v *= o.embeddingScale;
    }
    for (std::uint64_t i = 0; i < o.layers; ++i)
        pass.layer(i, x);
    const char *const output = pass.find("output.weight") ? "output" : "token_embd";
    std::vector<double> logits;
    for (const Row &row : x)
        for (const double v : pass.product(output, pass.norm("output_norm", row)))
            logits.push_back(v * o.logitScale);
    return logits;
}

std::vector<double> referenceProduct(const ReferenceTensors &tensors, const std::string &name,
                                     const std::vector<double> &x)
{
    const ReferenceOptions none;
    return Pass(tensors, none, 1).product(name, x);
}

std::vector<double> referenceRmsNorm(const ReferenceMatrix &weight, std::span<const double> x,
                                     double eps)
{
    double squares = 0;
    for (const double v : x)
        squares += v * v;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = x[i] * scale * double{weight.values[i]};
    return y;
}

std::vector<double> referenceSoftmax(const std::vector<double> &x)
{
    const double most = *std::max_element(x.begin(), x.end());
    Row y(x.size());
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += y[i] = std::exp(x[i] - most);
    for (double &v : y)
        v /= sum;
    return y;
}

} // namespace fireside::test
