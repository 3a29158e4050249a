// Phi 1 and 2 with norms of heads, which no golden model has: the whole model in double precision.
#include "tests/support/golden.h"
#include "tests/support/model_fixture.h"
#include "tests/support/safetensors_builder.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace fireside {
namespace {

constexpr std::size_t kWords = 40, kWidth = 32, kHeads = 4, kDim = 8, kRotary = 4, kInner = 48,
                      kLayers = 2;
constexpr double kEps = 1e-5;

using Rows = std::vector<std::vector<double>>;

class PhiTest : public testing::Test
{
protected:
    void add(const std::string &name, std::vector<std::uint64_t> shape, float middle)
    {
        std::size_t count = 1;
        for (const std::uint64_t n : shape)
            count *= n;
        std::vector<float> values(count);
        std::normal_distribution<float> normal(middle, 0.25f);
        for (float &v : values)
            v = normal(m_random);
        m_tensors.tensor(name, "F32", shape, std::as_bytes(std::span(values)));
        m_values[name] = std::move(values);
    }
    void product(const std::string &name, std::size_t out, std::size_t in)
    {
        add(name + ".weight", {out, in}, 0);
        add(name + ".bias", {out}, 0);
    }
    void norm(const std::string &name, std::size_t n)
    {
        add(name + ".weight", {n}, 1);
        add(name + ".bias", {n}, 0);
    }
    void write()
    {
        add("model.embed_tokens.weight", {kWords, kWidth}, 0);
        for (std::size_t i = 0; i < kLayers; ++i) {
            const std::string layer = "model.layers." + std::to_string(i) + '.';
            norm(layer + "input_layernorm", kWidth);
            for (const char *part : {"q_proj", "k_proj", "v_proj", "dense"})
                product(layer + "self_attn." + part, kWidth, kWidth);
            norm(layer + "self_attn.q_layernorm", kDim);
            norm(layer + "self_attn.k_layernorm", kDim);
            product(layer + "mlp.fc1", kInner, kWidth);
            product(layer + "mlp.fc2", kWidth, kInner);
        }
        norm("model.final_layernorm", kWidth);
        product("lm_head", kWords, kWidth);
        m_tensors.write(m_folder / "model.safetensors");
        test::writeText(m_folder / "config.json",
                        R"({"architectures": ["PhiForCausalLM"], "hidden_size": 32,
            "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 48,
            "vocab_size": 40, "max_position_embeddings": 64, "partial_rotary_factor": 0.5,
            "hidden_act": "gelu_new", "qk_layernorm": true, "tie_word_embeddings": false})");
    }

    Rows linear(const Rows &x, const std::string &name) const
    {
        const std::vector<float> &w = m_values.at(name + ".weight"),
                                 &b = m_values.at(name + ".bias");
        Rows y;
        for (const std::vector<double> &row : x) {
            y.emplace_back(b.begin(), b.end());
            for (std::size_t i = 0; i < b.size(); ++i)
                for (std::size_t j = 0; j < row.size(); ++j)
                    y.back()[i] += double{w[i * row.size() + j]} * row[j];
        }
        return y;
    }
    /// Of every `n` numbers of a row.
    Rows normed(Rows x, const std::string &name) const
    {
        const std::vector<float> &w = m_values.at(name + ".weight"),
                                 &b = m_values.at(name + ".bias");
        const std::size_t n = w.size();
        for (std::vector<double> &row : x)
            for (std::size_t at = 0; at < row.size(); at += n) {
                double mean = 0, variance = 0;
                for (std::size_t i = 0; i < n; ++i)
                    mean += row[at + i] / static_cast<double>(n);
                for (std::size_t i = 0; i < n; ++i)
                    variance += std::pow(row[at + i] - mean, 2) / static_cast<double>(n);
                for (std::size_t i = 0; i < n; ++i)
                    row[at + i] = (row[at + i] - mean) / std::sqrt(variance + kEps) * double{w[i]} +
                                  double{b[i]};
            }
        return x;
    }
    static void rotate(Rows &x)
    {
        for (std::size_t t = 0; t < x.size(); ++t)
            for (std::size_t h = 0; h < kHeads; ++h)
                for (std::size_t i = 0; i < kRotary / 2; ++i) {
                    const double angle = static_cast<double>(t) *
                                         std::pow(10000, -2.0 * static_cast<double>(i) / kRotary);
                    double &a = x[t][h * kDim + i], &b = x[t][h * kDim + i + kRotary / 2];
                    const double turned = a * std::cos(angle) - b * std::sin(angle);
                    b = b * std::cos(angle) + a * std::sin(angle);
                    a = turned;
                }
    }
    static Rows attend(const Rows &q, const Rows &k, const Rows &v)
    {
        Rows out(q.size(), std::vector<double>(kWidth));
        for (std::size_t t = 0; t < q.size(); ++t)
            for (std::size_t h = 0; h < kHeads; ++h) {
                std::vector<double> weights;
                double sum = 0;
                for (std::size_t s = 0; s <= t; ++s) {
                    double score = 0;
                    for (std::size_t i = 0; i < kDim; ++i)
                        score += q[t][h * kDim + i] * k[s][h * kDim + i];
                    weights.push_back(std::exp(score / std::sqrt(kDim)));
                    sum += weights.back();
                }
                for (std::size_t s = 0; s <= t; ++s)
                    for (std::size_t i = 0; i < kDim; ++i)
                        out[t][h * kDim + i] += weights[s] / sum * v[s][h * kDim + i];
            }
        return out;
    }
    Rows logits(std::span<const TokenId> ids) const
    {
        Rows x;
        const std::vector<float> &table = m_values.at("model.embed_tokens.weight");
        for (const TokenId id : ids) {
            const auto row = table.begin() + static_cast<std::ptrdiff_t>(kWidth) * id;
            x.emplace_back(row, row + static_cast<std::ptrdiff_t>(kWidth));
        }
        for (std::size_t l = 0; l < kLayers; ++l) {
            const std::string layer = "model.layers." + std::to_string(l) + '.';
            const std::string attention = layer + "self_attn.";
            const Rows n = normed(x, layer + "input_layernorm");
            Rows q = normed(linear(n, attention + "q_proj"), attention + "q_layernorm");
            Rows k = normed(linear(n, attention + "k_proj"), attention + "k_layernorm");
            rotate(q);
            rotate(k);
            const Rows a =
                linear(attend(q, k, linear(n, attention + "v_proj")), attention + "dense");
            Rows inner = linear(n, layer + "mlp.fc1");
            for (std::vector<double> &row : inner)
                for (double &v : row)
                    v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
            const Rows f = linear(inner, layer + "mlp.fc2");
            for (std::size_t t = 0; t < x.size(); ++t)
                for (std::size_t i = 0; i < kWidth; ++i)
                    x[t][i] += a[t][i] + f[t][i];
        }
        return linear(normed(x, "model.final_layernorm"), "lm_head");
    }

    test::TempDir m_temp;
    std::filesystem::path m_folder = m_temp.path();
    test::SafetensorsBuilder m_tensors;
    std::map<std::string, std::vector<float>> m_values;
    std::mt19937 m_random{11};
};

TEST_F(PhiTest, NormsOfHeads)
{
    write();
    const std::vector<TokenId> ids{3, 17, 39, 0, 8, 21};
    const test::ModelFixture model(m_folder);
    const std::vector<float> actual = test::allLogits(*model.session(), ids);
    const Rows expected = logits(ids);
    for (std::size_t t = 0; t < ids.size(); ++t)
        for (std::size_t i = 0; i < kWords; ++i)
            ASSERT_NEAR(double{actual[t * kWords + i]}, expected[t][i], 2e-4) << t << ", " << i;
}

} // namespace
} // namespace fireside
