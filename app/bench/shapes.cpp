#include "app/bench/shapes.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

struct Sizes
{
    const char *name, *architecture;
    int layers, hidden, heads, kvHeads, headDim, ffn, vocabulary;
    bool tied;
    struct
    {
        int used, count, ffn;
    } experts{}; // count 0: no mixture
};

constexpr std::array kSizes{
    Sizes{"tiny", "llama", 4, 256, 8, 4, 32, 768, 2048, true},
    Sizes{"stories-110m", "llama", 12, 768, 12, 12, 64, 2048, 32000, true},
    Sizes{"llama-3.2-1b", "llama", 16, 2048, 32, 8, 64, 8192, 128256, true},
    Sizes{"llama-3.2-3b", "llama", 28, 3072, 24, 8, 128, 8192, 128256, true},
    Sizes{"llama-3.1-8b", "llama", 32, 4096, 32, 8, 128, 14336, 128256, false},
    Sizes{"llama-3.3-70b", "llama", 80, 8192, 64, 8, 128, 28672, 128256, false},
    Sizes{"moe-tiny", "qwen3moe", 4, 256, 8, 4, 32, 768, 2048, false, {4, 16, 256}},
    Sizes{"qwen3-30b-a3b", "qwen3moe", 48, 2048, 32, 4, 128, 6144, 151936, false, {8, 128, 768}},
    Sizes{"qwen2.5-7b", "qwen2", 28, 3584, 28, 4, 128, 18944, 152064, false},
    Sizes{"gemma-3-4b", "gemma3", 34, 2560, 8, 4, 256, 10240, 262208, true},
    Sizes{"phi-4", "phi3", 40, 5120, 40, 10, 128, 17920, 100352, false},
    Sizes{"gpt-oss-20b", "gpt-oss", 24, 2880, 64, 8, 64, 2880, 201088, false, {4, 32, 2880}},
    Sizes{"glm-4.7-flash", "deepseek2", 47, 2048, 20, 1, 576, 10240, 154880, false, {4, 64, 1536}},
    Sizes{"qwen3.5-9b", "qwen35", 32, 4096, 16, 4, 256, 12288, 248320, false},
    Sizes{"lfm2-1.2b", "lfm2", 16, 2048, 32, 8, 64, 8192, 65536, true},
    Sizes{
        "granite-4-h-tiny", "granitehybrid", 40, 1536, 12, 4, 128, 512, 100352, true, {6, 64, 512}},
    Sizes{"mamba2-2.7b", "mamba2", 64, 2560, 0, 0, 0, 0, 50288, true},
    Sizes{"bert-base", "bert", 12, 768, 12, 12, 64, 3072, 30522, true},
    Sizes{"modernbert-base", "modern-bert", 22, 768, 12, 12, 64, 1152, 50368, true},
};

/// Fills a Shape from the sizes, one architecture's way.
class Builder
{
public:
    explicit Builder(const Sizes &sizes)
        : s(sizes)
    {
        m_shape.architecture = s.architecture;
        m_shape.layers = s.layers;
        m_shape.hidden = s.hidden;
        m_shape.vocabulary = s.vocabulary;
    }

    Shape build()
    {
        number("block_count", s.layers);
        number("context_length", is("bert") ? 512 : encodes() ? 8192 : 131072);
        number("embedding_length", s.hidden);
        if (s.ffn > 0)
            number("feed_forward_length", s.ffn);
        key(encodes() ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", 1e-5f);
        if (s.heads > 0)
            attentionKeys();
        familyKeys();
        add("token_embd", s.vocabulary, s.hidden);
        if (encodes())
            encoderRows();
        for (m_layer = 0; m_layer < s.layers; ++m_layer)
            encodes() ? encoderLayer() : layer();
        m_layer = -1;
        if (!is("bert"))
            vector(is("lfm2") ? "token_embd_norm" : "output_norm", s.hidden);
        if (!s.tied)
            add("output", s.vocabulary, s.hidden);
        return std::move(m_shape);
    }

private:
    bool is(std::string_view architecture) const { return s.architecture == architecture; }
    bool encodes() const { return is("bert") || is("modern-bert"); }
    void key(const char *name, Shape::Value value)
    {
        m_shape.keys.emplace_back(name, std::move(value));
    }
    void number(const char *name, int value) { key(name, static_cast<std::uint32_t>(value)); }
    void add(const std::string &name, int rows, int cols, int depth = 1, bool plain = false)
    {
        const std::string prefix = m_layer < 0 ? "" : "blk." + std::to_string(m_layer) + '.';
        const bool whole = name.find('.') != std::string::npos && !name.ends_with("proj") &&
                           !name.ends_with("conv");
        m_shape.tensors.push_back(
            {prefix + name + (whole ? "" : ".weight"), rows, cols, depth, plain, 0});
    }
    void vector(const std::string &name, int n) { add(name, 1, n, 1, true); }
    void numbers(const std::string &name, int rows, int cols) { add(name, rows, cols, 1, true); }

    /// The last one's name has no suffix.
    void endBare(float constant)
    {
        m_shape.tensors.back().name.pop_back();
        m_shape.tensors.back().constant = constant;
    }

    void attentionKeys()
    {
        number("attention.head_count", s.heads);
        if (is("lfm2") || is("granitehybrid")) {
            std::vector<std::uint32_t> perLayer(static_cast<std::size_t>(s.layers));
            for (int i = 0; i < s.layers; ++i)
                perLayer[static_cast<std::size_t>(i)] =
                    attends(i) ? static_cast<std::uint32_t>(s.kvHeads) : 0;
            key("attention.head_count_kv", perLayer);
        } else {
            number("attention.head_count_kv", s.kvHeads);
        }
        number("attention.key_length", s.headDim);
        number("attention.value_length", is("deepseek2") ? 512 : s.headDim);
        number("rope.dimension_count", is("deepseek2") ? 64 : is("qwen35") ? 64 : s.headDim);
        key("rope.freq_base", 500000.0f);
        if (s.experts.count > 0) {
            number("expert_used_count", s.experts.used);
            number("expert_count", s.experts.count);
            number("expert_feed_forward_length", s.experts.ffn);
        }
    }

    void familyKeys()
    {
        if (is("gemma3")) {
            number("attention.sliding_window", 1024);
        } else if (is("gpt-oss")) {
            number("attention.sliding_window", 128);
        } else if (is("phi3")) {
            number("attention.sliding_window", 0);
            number("rope.scaling.original_context_length", 16384);
        } else if (is("deepseek2")) {
            number("leading_dense_block_count", 1);
            number("attention.q_lora_rank", 768);
            number("attention.kv_lora_rank", 512);
            number("attention.key_length_mla", 256);
            number("attention.value_length_mla", 256);
            number("expert_shared_count", 1);
            number("expert_group_count", 1);
            number("expert_group_used_count", 1);
            number("expert_gating_func", 2);
            key("expert_weights_scale", 1.8f);
            key("expert_weights_norm", true);
        } else if (is("lfm2")) {
            number("shortconv.l_cache", 3);
        } else if (encodes()) {
            key("attention.causal", false);
            number("pooling_type", 1); // the mean
            if (is("modern-bert")) {
                number("attention.sliding_window", 128);
                number("attention.sliding_window_pattern", 3);
                key("rope.freq_base_swa", 10000.0f);
            }
        } else if (is("qwen35")) {
            number("full_attention_interval", 4);
            number("ssm.conv_kernel", 4);
            number("ssm.state_size", 128);
            number("ssm.group_count", 16);
            number("ssm.time_step_rank", 32);
            number("ssm.inner_size", 4096);
        } else if (is("mamba2") || is("granitehybrid")) {
            number("ssm.conv_kernel", 4);
            number("ssm.state_size", 128);
            number("ssm.group_count", 1);
            number("ssm.time_step_rank", stateHeads());
            number("ssm.inner_size", stateHeads() * 64);
        }
        if (is("granitehybrid")) {
            number("expert_shared_feed_forward_length", 1024);
            number("expert_shared_count", 1);
            key("embedding_scale", 12.0f);
            key("residual_scale", 0.22f);
            key("logit_scale", 6.0f);
            key("attention.scale", 0.0078125f);
        }
    }

    int stateHeads() const { return is("granitehybrid") ? 48 : 80; }
    bool attends(int i) const
    {
        if (is("lfm2"))
            return i == 2 || i == 5 || i == 8 || i == 10 || i == 12 || i == 14;
        if (is("granitehybrid"))
            return i == 5 || i == 15 || i == 25 || i == 35;
        if (is("qwen35"))
            return i % 4 == 3;
        return !is("mamba2");
    }

    void layer()
    {
        vector("attn_norm", s.hidden);
        if (is("deepseek2"))
            latentAttention();
        else if (attends(m_layer))
            attention();
        else if (is("lfm2"))
            convolution();
        else if (is("qwen35"))
            deltaNet();
        else
            stateSpace();
        if (is("mamba2"))
            return;
        vector(is("gpt-oss") || is("qwen35") ? "post_attention_norm" : "ffn_norm", s.hidden);
        if (is("gemma3")) {
            vector("post_attention_norm", s.hidden);
            vector("post_ffw_norm", s.hidden);
        }
        if (s.experts.count > 0 && !(is("deepseek2") && m_layer == 0))
            mixture();
        else
            feedForward();
    }

    void normWithBias(const std::string &name)
    {
        vector(name + ".weight", s.hidden);
        vector(name + ".bias", s.hidden);
    }

    void matrixWithBias(const std::string &name, int rows, int cols)
    {
        add(name, rows, cols);
        vector(name + ".bias", rows);
    }

    void encoderRows()
    {
        if (is("modern-bert")) {
            vector("token_embd_norm", s.hidden);
            return;
        }
        numbers("position_embd", 512, s.hidden);
        numbers("token_types", 2, s.hidden);
        normWithBias("token_embd_norm");
    }

    void encoderLayer()
    {
        if (is("modern-bert")) {
            if (m_layer > 0)
                vector("attn_norm", s.hidden);
            add("attn_qkv", 3 * s.hidden, s.hidden);
            add("attn_output", s.hidden, s.hidden);
            vector("ffn_norm", s.hidden);
            add("ffn_up", 2 * s.ffn, s.hidden);
            add("ffn_down", s.hidden, s.ffn);
            return;
        }
        for (const char *name : {"attn_q", "attn_k", "attn_v", "attn_output"})
            matrixWithBias(name, s.hidden, s.hidden);
        normWithBias("attn_output_norm");
        matrixWithBias("ffn_up", s.ffn, s.hidden);
        matrixWithBias("ffn_down", s.hidden, s.ffn);
        normWithBias("layer_output_norm");
    }

    void attention()
    {
        const int q = s.heads * s.headDim, kv = s.kvHeads * s.headDim;
        if (is("phi3")) {
            add("attn_qkv", q + 2 * kv, s.hidden);
        } else {
            add("attn_q", is("qwen35") ? 2 * q : q, s.hidden);
            add("attn_k", kv, s.hidden);
            add("attn_v", kv, s.hidden);
        }
        add("attn_output", s.hidden, q);
        if (is("qwen3moe") || is("gemma3") || is("lfm2") || is("qwen35")) {
            vector("attn_q_norm", s.headDim);
            vector("attn_k_norm", s.headDim);
        }
        if (is("qwen2") || is("gpt-oss")) {
            vector("attn_q.bias", q);
            vector("attn_k.bias", kv);
            vector("attn_v.bias", kv);
        }
        if (is("gpt-oss")) {
            vector("attn_output.bias", s.hidden);
            vector("attn_sinks.weight", s.heads);
        }
    }

    void latentAttention()
    {
        constexpr int kQueryRank = 768, kRank = 512, kPlain = 192, kRotary = 64, kValue = 256;
        add("attn_q_a", kQueryRank, s.hidden);
        vector("attn_q_a_norm", kQueryRank);
        add("attn_q_b", s.heads * (kPlain + kRotary), kQueryRank);
        add("attn_kv_a_mqa", kRank + kRotary, s.hidden);
        vector("attn_kv_a_norm", kRank);
        add("attn_k_b", kRank, kPlain, s.heads);
        add("attn_v_b", kValue, kRank, s.heads);
        add("attn_output", s.hidden, s.heads * kValue);
    }

    void convolution()
    {
        add("shortconv.in_proj", 3 * s.hidden, s.hidden);
        numbers("shortconv.conv", s.hidden, 3);
        add("shortconv.out_proj", s.hidden, s.hidden);
    }

    void deltaNet()
    {
        constexpr int kKeyHeads = 16, kValueHeads = 32, kDim = 128;
        constexpr int kKeys = kKeyHeads * kDim, kValues = kValueHeads * kDim;
        add("attn_qkv", 2 * kKeys + kValues, s.hidden);
        add("attn_gate", kValues, s.hidden);
        add("ssm_alpha", kValueHeads, s.hidden);
        add("ssm_beta", kValueHeads, s.hidden);
        numbers("ssm_conv1d", 2 * kKeys + kValues, 4);
        vector("ssm_dt.bias", kValueHeads);
        vector("ssm_a.", kValueHeads);
        endBare(-1);
        vector("ssm_norm", kDim);
        add("ssm_out", s.hidden, kValues);
    }

    void stateSpace()
    {
        const int heads = stateHeads(), inner = heads * 64, channels = inner + 2 * 128;
        add("ssm_in", inner + channels + heads, s.hidden);
        numbers("ssm_conv1d", channels, 4);
        vector("ssm_conv1d.bias", channels);
        vector("ssm_dt.bias", heads);
        for (const char *name : {"ssm_a.", "ssm_d."}) {
            numbers(name, heads, 1);
            endBare(-1);
        }
        vector("ssm_norm", inner);
        add("ssm_out", s.hidden, inner);
    }

    void feedForward()
    {
        if (is("phi3")) {
            add("ffn_up", 2 * s.ffn, s.hidden);
        } else {
            add("ffn_gate", s.ffn, s.hidden);
            add("ffn_up", s.ffn, s.hidden);
        }
        add("ffn_down", s.hidden, s.ffn);
    }

    void mixture()
    {
        const auto &e = s.experts;
        numbers("ffn_gate_inp", e.count, s.hidden);
        add("ffn_gate_exps", e.ffn, s.hidden, e.count);
        add("ffn_up_exps", e.ffn, s.hidden, e.count);
        add("ffn_down_exps", s.hidden, e.ffn, e.count);
        if (is("gpt-oss")) {
            vector("ffn_gate_inp.bias", e.count);
            numbers("ffn_gate_exps.bias", e.count, e.ffn);
            numbers("ffn_up_exps.bias", e.count, e.ffn);
            numbers("ffn_down_exps.bias", e.count, s.hidden);
        }
        const int shared = is("deepseek2") ? e.ffn : is("granitehybrid") ? 1024 : 0;
        if (is("deepseek2"))
            vector("exp_probs_b.bias", e.count);
        if (shared > 0) {
            add("ffn_gate_shexp", shared, s.hidden);
            add("ffn_up_shexp", shared, s.hidden);
            add("ffn_down_shexp", s.hidden, shared);
        }
    }

    const Sizes &s;
    Shape m_shape;
    int m_layer = -1;
};

} // namespace

Shape shapeNamed(std::string_view name)
{
    const auto sizes =
        std::find_if(kSizes.begin(), kSizes.end(), [&](const Sizes &s) { return name == s.name; });
    if (sizes == kSizes.end())
        throwBadInput("unknown shape " + fireside::quoted(std::string(name)) +
                      " (known: " + knownShapes() + ')');
    return Builder(*sizes).build();
}

std::string knownShapes()
{
    std::string list;
    for (const Sizes &sizes : kSizes)
        list += (list.empty() ? "" : ", ") + std::string(sizes.name);
    return list;
}

} // namespace fireside
