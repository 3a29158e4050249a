#include "tests/support/kimi_model.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

namespace fireside::test {
namespace {

using Row = std::vector<double>;
constexpr std::uint64_t kHeads = 2, kTaps = 4, kKey = 8; // of delta attention
constexpr std::uint64_t kRank = 16, kPlain = 8, kRotary = 4, kValue = 6;
constexpr double kEps = 1e-5;

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

bool isLatent(std::uint64_t layer)
{
    return layer % 2 == 1;
}

/// silu of the weighted sum of the last inputs of each channel
std::vector<Row> convolved(const ReferenceMatrix &weight, const std::vector<Row> &x)
{
    std::vector<Row> y(x.size(), Row(x[0].size()));
    for (std::size_t t = 0; t < x.size(); ++t)
        for (std::size_t c = 0; c < y[t].size(); ++c) {
            for (std::size_t i = 0; i < kTaps && i <= t; ++i)
                y[t][c] += x[t - i][c] * double{weight.values[c * kTaps + kTaps - 1 - i]};
            y[t][c] *= sigmoid(y[t][c]);
        }
    return y;
}

/// One head of a row, divided by its length.
Row unit(const Row &x, std::size_t first)
{
    Row y(x.begin() + static_cast<std::ptrdiff_t>(first),
          x.begin() + static_cast<std::ptrdiff_t>(first + kKey));
    const double length = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 1e-6));
    for (double &v : y)
        v /= length;
    return y;
}

} // namespace

KimiModel::KimiModel()
{
    m_options.layers = 4;
    m_options.heads = m_options.kvHeads = kHeads;
    m_options.headDim = kKey;
    m_options.eps = kEps;
    m_tensors = randomDecoder(m_options);
    std::mt19937 random(9);
    std::normal_distribution<float> normal;
    for (std::uint64_t i = 0; i < m_options.layers; ++i) {
        const std::string layer = "blk." + std::to_string(i) + '.';
        const auto set = [&](const char *name, std::uint64_t rows, std::uint64_t cols,
                             float middle = 0, float spread = 0.3f, std::uint64_t depth = 1) {
            ReferenceMatrix m{.depth = depth, .rows = rows, .cols = cols, .values = {}};
            m.values.resize(depth * rows * cols);
            for (float &v : m.values)
                v = middle + spread * normal(random);
            m_tensors[layer + name] = std::move(m);
        };
        const std::uint64_t H = m_options.hidden, all = kHeads * kKey;
        if (isLatent(i)) {
            m_tensors.erase(layer + "attn_k.weight");
            m_tensors.erase(layer + "attn_v.weight");
            set("attn_q.weight", kHeads * (kPlain + kRotary), H);
            set("attn_kv_a_mqa.weight", kRank + kRotary, H);
            set("attn_kv_a_norm.weight", 1, kRank, 1, 0.2f);
            set("attn_kv_b.weight", kHeads * (kPlain + kValue), kRank);
            set("attn_output.weight", H, kHeads * kValue);
            continue;
        }
        for (const char *name :
             {"ssm_conv1d_q.weight", "ssm_conv1d_k.weight", "ssm_conv1d_v.weight"})
            set(name, 1, kTaps, 0, 0.5f, all);
        set("A_log", 1, kHeads, 0.5f);
        set("dt_bias", 1, all);
        for (const auto &[down, up] : {std::pair("ssm_f_a.weight", "ssm_f_b.weight"),
                                       std::pair("ssm_g_a.weight", "ssm_g_b.weight")}) {
            set(down, kKey, H);
            set(up, all, kKey);
        }
        set("ssm_beta.weight", kHeads, H);
        set("ssm_norm.weight", 1, kKey, 1, 0.2f);
    }
    m_options.mixer = [this](const std::string &layer, const std::vector<Row> &x) {
        return m_tensors.contains(layer + "A_log") ? delta(layer, x) : latent(layer, x);
    };
}

/// arXiv 2510.26692: the state forgets each channel of keys by itself, then takes what it does not
/// yet give for the key.
std::vector<Row> KimiModel::delta(const std::string &layer, const std::vector<Row> &x) const
{
    const auto product = [&](const char *name, const Row &row) {
        return referenceProduct(m_tensors, layer + name, row);
    };
    std::vector<Row> parts[3];
    for (int p = 0; p < 3; ++p) {
        const std::string kind(1, "qkv"[p]);
        for (const Row &row : x)
            parts[p].push_back(product(("attn_" + kind).c_str(), row));
        parts[p] = convolved(m_tensors.at(layer + "ssm_conv1d_" + kind + ".weight"), parts[p]);
    }
    const std::vector<float> &decay = m_tensors.at(layer + "A_log").values;
    const std::vector<float> &step = m_tensors.at(layer + "dt_bias").values;
    std::vector<Row> out;
    std::vector<Row> state(kHeads * kKey, Row(kKey)); // [key channel][value channel] of each head
    for (std::size_t t = 0; t < x.size(); ++t) {
        const Row rate = product("ssm_beta", x[t]);
        const Row forget = product("ssm_f_b", product("ssm_f_a", x[t]));
        const Row gate = product("ssm_g_b", product("ssm_g_a", x[t]));
        Row joined;
        for (std::size_t h = 0; h < kHeads; ++h) {
            const Row q = unit(parts[0][t], h * kKey), k = unit(parts[1][t], h * kKey);
            Row known(kKey), result(kKey);
            for (std::size_t i = 0; i < kKey; ++i) {
                const std::size_t at = h * kKey + i;
                const double soft = std::log1p(std::exp(forget[at] + double{step[at]}));
                const double kept = std::exp(-std::exp(double{decay[h]}) * soft);
                for (std::size_t j = 0; j < kKey; ++j)
                    known[j] += k[i] * (state[at][j] *= kept);
            }
            for (std::size_t i = 0; i < kKey; ++i)
                for (std::size_t j = 0; j < kKey; ++j) {
                    double &s = state[h * kKey + i][j];
                    s += sigmoid(rate[h]) * k[i] * (parts[2][t][h * kKey + j] - known[j]);
                    result[j] += q[i] / std::sqrt(double{kKey}) * s;
                }
            const Row normed =
                referenceRmsNorm(m_tensors.at(layer + "ssm_norm.weight"), result, kEps);
            for (std::size_t j = 0; j < kKey; ++j)
                joined.push_back(normed[j] * sigmoid(gate[h * kKey + j]));
        }
        out.push_back(product("attn_output", joined));
    }
    return out;
}

/// arXiv 2405.04434, without positions: what would turn does not.
std::vector<Row> KimiModel::latent(const std::string &layer, const std::vector<Row> &x) const
{
    const auto product = [&](const char *name, const Row &row) {
        return referenceProduct(m_tensors, layer + name, row);
    };
    std::vector<Row> queries, both, shared;
    for (const Row &row : x) {
        const Row latent = product("attn_kv_a_mqa", row);
        queries.push_back(product("attn_q", row));
        shared.emplace_back(latent.begin() + kRank, latent.end());
        both.push_back(
            product("attn_kv_b", referenceRmsNorm(m_tensors.at(layer + "attn_kv_a_norm.weight"),
                                                  std::span(latent).first(kRank), kEps)));
    }
    std::vector<Row> out;
    for (std::size_t t = 0; t < x.size(); ++t) {
        Row joined(kHeads * kValue);
        for (std::size_t h = 0; h < kHeads; ++h) {
            const std::size_t query = h * (kPlain + kRotary), from = h * (kPlain + kValue);
            Row scores(t + 1);
            for (std::size_t s = 0; s <= t; ++s) {
                for (std::size_t i = 0; i < kPlain; ++i)
                    scores[s] += queries[t][query + i] * both[s][from + i];
                for (std::size_t i = 0; i < kRotary; ++i)
                    scores[s] += queries[t][query + kPlain + i] * shared[s][i];
                scores[s] /= std::sqrt(double{kPlain + kRotary});
            }
            const Row shares = referenceSoftmax(scores);
            for (std::size_t s = 0; s <= t; ++s)
                for (std::size_t i = 0; i < kValue; ++i)
                    joined[h * kValue + i] += shares[s] * both[s][from + kPlain + i];
        }
        out.push_back(product("attn_output", joined));
    }
    return out;
}

void KimiModel::writeFolder(const std::filesystem::path &folder) const
{
    nlohmann::json config = referenceConfig(m_options, "KimiLinearForCausalLM");
    config.erase("max_position_embeddings");
    config.update({{"model_type", "kimi_linear"},
                   {"model_max_length", 64},
                   {"layer_types", nlohmann::json::array()},
                   {"mlp_layer_types", nlohmann::json::array()},
                   {"linear_conv_kernel_dim", kTaps},
                   {"linear_head_dim", kKey},
                   {"linear_num_heads", kHeads},
                   {"kv_lora_rank", kRank},
                   {"q_lora_rank", nullptr},
                   {"qk_nope_head_dim", kPlain},
                   {"qk_rope_head_dim", kRotary},
                   {"v_head_dim", kValue},
                   {"moe_intermediate_size", 16},
                   {"num_experts", 4},
                   {"num_experts_per_token", 2},
                   {"num_shared_experts", 1},
                   {"routed_scaling_factor", 2.0},
                   {"hidden_act", "silu"}});
    for (std::uint64_t i = 0; i < m_options.layers; ++i) {
        config["layer_types"].push_back(isLatent(i) ? "full_attention" : "linear_attention");
        config["mlp_layer_types"].push_back("dense");
    }
    auto names = llamaNames();
    for (const auto &[ours, theirs] : std::initializer_list<std::pair<const char *, const char *>>{
             {"ssm_conv1d_q.", "q_conv1d."},
             {"ssm_conv1d_k.", "k_conv1d."},
             {"ssm_conv1d_v.", "v_conv1d."},
             {"A_log", "A_log"},
             {"dt_bias", "dt_bias"},
             {"ssm_f_a.", "f_a_proj."},
             {"ssm_f_b.", "f_b_proj."},
             {"ssm_g_a.", "g_a_proj."},
             {"ssm_g_b.", "g_b_proj."},
             {"ssm_beta.", "b_proj."},
             {"ssm_norm.", "o_norm."},
             {"attn_kv_a_mqa.", "kv_a_proj_with_mqa."},
             {"attn_kv_a_norm.", "kv_a_layernorm."},
             {"attn_kv_b.", "kv_b_proj."}})
        names.emplace_back(ours, std::string("self_attn.") + theirs);
    writeReferenceFolder(folder, config, renamed(m_tensors, "model.layers.", names));
}

std::vector<double> KimiModel::logits(std::span<const std::int32_t> ids) const
{
    return referenceLogits(m_tensors, m_options, ids);
}

} // namespace fireside::test
