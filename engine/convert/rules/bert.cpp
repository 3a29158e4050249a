#include "engine/convert/folder_rules.h"
#include "engine/core/error.h"
#include "engine/files/model_file.h"

#include <array>

// Encoders. Files of another program have no name for MPNet's attention.
namespace fireside {
namespace {

/// Positions count from behind the padding token's number; the rows before are never used.
std::uint64_t unusedPositions(const JsonKeys &keys)
{
    return static_cast<std::uint64_t>(keys.optional("pad_token_id", 1, 0, 1 << 24)) + 1;
}

void usedPositions(Converted &t, const SourceNumbers &source)
{
    std::vector<std::uint64_t> rows;
    for (std::uint64_t i = unusedPositions(source.keys()); i < t.shape.front(); ++i)
        rows.push_back(i);
    takeRowsBy(t, 0, rows);
}

#define FIRESIDE_BERT_TENSORS                                                                      \
    TensorRule{"embeddings.word_embeddings.", "token_embd."},                                      \
        TensorRule{"embeddings.token_type_embeddings.", "token_types."},                           \
        TensorRule{"embeddings.LayerNorm.gamma", "token_embd_norm.weight"},                        \
        TensorRule{"embeddings.LayerNorm.beta", "token_embd_norm.bias"},                           \
        TensorRule{"embeddings.LayerNorm.", "token_embd_norm."},                                   \
        TensorRule{"classifier.out_proj.", "cls.output."},                                         \
        TensorRule{"classifier.dense.", "cls."}, TensorRule{"attention.self.query.", "attn_q."},   \
        TensorRule{"attention.self.key.", "attn_k."},                                              \
        TensorRule{"attention.self.value.", "attn_v."},                                            \
        TensorRule{"attention.output.dense.", "attn_output."},                                     \
        TensorRule{"attention.output.LayerNorm.gamma", "attn_output_norm.weight"},                 \
        TensorRule{"attention.output.LayerNorm.beta", "attn_output_norm.bias"},                    \
        TensorRule{"attention.output.LayerNorm.", "attn_output_norm."},                            \
        TensorRule{"intermediate.dense.", "ffn_up."}, TensorRule{"output.dense.", "ffn_down."},    \
        TensorRule{"output.LayerNorm.gamma", "layer_output_norm.weight"},                          \
        TensorRule{"output.LayerNorm.beta", "layer_output_norm.bias"}, TensorRule                  \
    {                                                                                              \
        "output.LayerNorm.", "layer_output_norm."                                                  \
    }
constexpr std::array kBert{
    FIRESIDE_BERT_TENSORS,
    TensorRule{"embeddings.position_embeddings.", "position_embd."},
};
constexpr std::array kBertScored{
    FIRESIDE_BERT_TENSORS,
    TensorRule{"embeddings.position_embeddings.", "position_embd."},
    TensorRule{"pooler.dense.", "cls."},
    TensorRule{"classifier.", "cls.output."},
};
constexpr std::array kRoberta{
    FIRESIDE_BERT_TENSORS,
    TensorRule{"embeddings.position_embeddings.", "position_embd.", &usedPositions},
};
#undef FIRESIDE_BERT_TENSORS
constexpr std::array kDistilBert{
    TensorRule{"embeddings.word_embeddings.", "token_embd."},
    TensorRule{"embeddings.position_embeddings.", "position_embd."},
    TensorRule{"embeddings.LayerNorm.", "token_embd_norm."},
    TensorRule{"attention.q_lin.", "attn_q."},
    TensorRule{"attention.k_lin.", "attn_k."},
    TensorRule{"attention.v_lin.", "attn_v."},
    TensorRule{"attention.out_lin.", "attn_output."},
    TensorRule{"sa_layer_norm.", "attn_output_norm."},
    TensorRule{"ffn.lin1.", "ffn_up."},
    TensorRule{"ffn.lin2.", "ffn_down."},
    TensorRule{"output_layer_norm.", "layer_output_norm."},
};
constexpr std::array kNomic{
    TensorRule{"embeddings.word_embeddings.", "token_embd."},
    TensorRule{"embeddings.token_type_embeddings.", "token_types."},
    TensorRule{"emb_ln.", "token_embd_norm."},
    TensorRule{"attn.Wqkv.", "attn_qkv."},
    TensorRule{"attn.out_proj.", "attn_output."},
    TensorRule{"norm1.", "attn_output_norm."},
    TensorRule{"norm2.", "layer_output_norm."},
    TensorRule{"mlp.fc11.", "ffn_up."},
    TensorRule{"mlp.fc12.", "ffn_gate."},
    TensorRule{"mlp.fc2.", "ffn_down."},
};
constexpr std::array kModernBert{
    TensorRule{"embeddings.tok_embeddings.", "token_embd."},
    TensorRule{"embeddings.norm.", "token_embd_norm."},
    TensorRule{"final_norm.", "output_norm."},
    TensorRule{"attn_norm.", "attn_norm."},
    TensorRule{"attn.Wqkv.", "attn_qkv."},
    TensorRule{"attn.Wo.", "attn_output."},
    TensorRule{"mlp_norm.", "ffn_norm."},
    TensorRule{"mlp.Wi.", "ffn_up."}, // the gate's rows first
    TensorRule{"mlp.Wo.", "ffn_down."},
};
constexpr std::array kModernBertScored{
    TensorRule{"embeddings.tok_embeddings.", "token_embd."},
    TensorRule{"embeddings.norm.", "token_embd_norm."},
    TensorRule{"final_norm.", "output_norm."},
    TensorRule{"attn_norm.", "attn_norm."},
    TensorRule{"attn.Wqkv.", "attn_qkv."},
    TensorRule{"attn.Wo.", "attn_output."},
    TensorRule{"mlp_norm.", "ffn_norm."},
    TensorRule{"mlp.Wi.", "ffn_up."},
    TensorRule{"mlp.Wo.", "ffn_down."},
    TensorRule{"head.dense.", "cls."},
    TensorRule{"head.norm.", "cls.norm."},
    TensorRule{"classifier.", "cls.output."},
};

void encoderKeys(KeyWriter &k, std::uint64_t positions)
{
    nlohmann::json config = k.config();
    config["max_position_embeddings"] = positions;
    k.with(config).sizes();
    k.flag("attention.causal", false);
}

/// Other programs refuse a file without the number, also of a model without types.
void tokenTypeKey(KeyWriter &k)
{
    const bool said = !k.find({"type_vocab_size"}).is_null();
    k.out().u32("tokenizer.ggml.token_type_count", said ? k.number({"type_vocab_size"}) : 1);
}

void bertKeys(KeyWriter &k)
{
    encoderKeys(k, k.number({"max_position_embeddings", "n_positions"}));
    tokenTypeKey(k);
    k.copyReal("attention.layer_norm_epsilon", {"layer_norm_eps", "layer_norm_epsilon"}, 1e-12);
}

void robertaKeys(KeyWriter &k)
{
    const std::uint64_t positions = k.number({"max_position_embeddings"});
    const std::uint64_t unused = unusedPositions(k.keys());
    encoderKeys(k, positions > unused ? positions - unused : 0);
    tokenTypeKey(k);
    k.copyReal("attention.layer_norm_epsilon", {"layer_norm_eps"});
}

void nomicKeys(KeyWriter &k)
{
    bertKeys(k);
    k.ropeKeys();
}

void modernBertKeys(KeyWriter &k)
{
    constexpr std::uint64_t kMean = 1, kFirst = 2; // as pooling_type has them
    const JsonKeys keys = k.keys();
    encoderKeys(k, k.number({"max_position_embeddings"}));
    tokenTypeKey(k);
    k.text("hidden_activation", keys.text("hidden_activation", "gelu").c_str());
    k.text("classifier.activation", keys.text("classifier_activation", "gelu").c_str());
    k.u32("classifier.pooling_type",
          keys.text("classifier_pooling", "cls") == "mean" ? kMean : kFirst);
    k.ropeKeys();
    k.copyReal("attention.layer_norm_epsilon", {"norm_eps"});
    k.copy("attention.sliding_window", {"local_attention"});
    k.copy("attention.sliding_window_pattern", {"global_attn_every_n_layers"});
}

void euroBertKeys(KeyWriter &k)
{
    k.usual();
    k.flag("attention.causal", false);
}

constexpr std::string_view kLayers = "encoder.layer.";
constexpr GgufRules bertRow(std::string_view transformer, std::span<const TensorRule> tensors,
                            void (*keys)(KeyWriter &) = &bertKeys)
{
    return {transformer, "bert", keys, tensors, kLayers};
}

constexpr GgufRules modernRow(std::string_view transformer, std::span<const TensorRule> tensors)
{
    return {transformer, "modern-bert", &modernBertKeys, tensors, "layers."};
}

constexpr std::array kBertRules{
    bertRow("BertModel", kBert),
    bertRow("BertForMaskedLM", kBert),
    bertRow("BertForPreTraining", kBert),
    bertRow("BertForSequenceClassification", kBertScored),
    bertRow("RobertaModel", kRoberta, &robertaKeys),
    bertRow("RobertaForMaskedLM", kRoberta, &robertaKeys),
    bertRow("RobertaForSequenceClassification", kRoberta, &robertaKeys),
    bertRow("CamembertModel", kRoberta, &robertaKeys),
    bertRow("CamembertForMaskedLM", kRoberta, &robertaKeys),
    bertRow("XLMRobertaModel", kRoberta, &robertaKeys),
    bertRow("XLMRobertaForMaskedLM", kRoberta, &robertaKeys),
    bertRow("XLMRobertaForSequenceClassification", kRoberta, &robertaKeys),
    GgufRules{"DistilBertModel", "bert", &bertKeys, kDistilBert, "transformer.layer."},
    GgufRules{"DistilBertForMaskedLM", "bert", &bertKeys, kDistilBert, "transformer.layer."},
    GgufRules{"NomicBertModel", "nomic-bert", &nomicKeys, kNomic, "encoder.layers."},
    modernRow("ModernBertModel", kModernBert),
    modernRow("ModernBertForMaskedLM", kModernBert),
    modernRow("ModernBertForSequenceClassification", kModernBertScored),
    GgufRules{"EuroBertModel", "eurobert", &euroBertKeys},
    GgufRules{"EuroBertForMaskedLM", "eurobert", &euroBertKeys},
};

} // namespace

std::span<const GgufRules> ggufBertRules()
{
    return kBertRules;
}

} // namespace fireside
