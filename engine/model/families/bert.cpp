#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"
#include "engine/model/tensor_names.h"

#include <array>

// Encoders: arXiv 1810.04805 and what followed.
namespace fireside {
namespace {

constexpr TensorForm kFirstOfTwo{.order = &firstRows, .timesRows = 2};
constexpr TensorForm kSecondOfTwo{.order = &secondRows, .timesRows = 2};

constexpr std::array kBertNames{
    TensorName{"token_embd.", "embeddings.word_embeddings."},
    TensorName{"position_embd.", "embeddings.position_embeddings."},
    TensorName{"token_types.", "embeddings.token_type_embeddings."},
    TensorName{"token_embd_norm.", "embeddings.LayerNorm."},
    TensorName{"token_embd_norm.weight", "embeddings.LayerNorm.gamma"}, // of old files
    TensorName{"token_embd_norm.bias", "embeddings.LayerNorm.beta"},
    TensorName{"cls.output.", "classifier.out_proj."}, // RoBERTa
    TensorName{"cls.output.", "classifier."},
    TensorName{"cls.", "classifier.dense."}, // RoBERTa
    TensorName{"cls.", "pooler.dense."},
    TensorName{"attn_q.", "attention.self.query."},
    TensorName{"attn_k.", "attention.self.key."},
    TensorName{"attn_v.", "attention.self.value."},
    TensorName{"attn_output.", "attention.output.dense."},
    TensorName{"attn_output_norm.", "attention.output.LayerNorm."},
    TensorName{"attn_output_norm.weight", "attention.output.LayerNorm.gamma"},
    TensorName{"attn_output_norm.bias", "attention.output.LayerNorm.beta"},
    TensorName{"ffn_up.", "intermediate.dense."},
    TensorName{"ffn_down.", "output.dense."},
    TensorName{"layer_output_norm.", "output.LayerNorm."},
    TensorName{"layer_output_norm.weight", "output.LayerNorm.gamma"},
    TensorName{"layer_output_norm.bias", "output.LayerNorm.beta"},
};
constexpr std::array kDistilBertNames{
    TensorName{"token_embd.", "embeddings.word_embeddings."},
    TensorName{"position_embd.", "embeddings.position_embeddings."},
    TensorName{"token_embd_norm.", "embeddings.LayerNorm."},
    TensorName{"cls.output.", "classifier."},
    TensorName{"cls.", "pre_classifier."},
    TensorName{"attn_q.", "attention.q_lin."},
    TensorName{"attn_k.", "attention.k_lin."},
    TensorName{"attn_v.", "attention.v_lin."},
    TensorName{"attn_output.", "attention.out_lin."},
    TensorName{"attn_output_norm.", "sa_layer_norm."},
    TensorName{"ffn_up.", "ffn.lin1."},
    TensorName{"ffn_down.", "ffn.lin2."},
    TensorName{"layer_output_norm.", "output_layer_norm."},
};
constexpr std::array kMpNetNames{
    TensorName{"token_embd.", "embeddings.word_embeddings."},
    TensorName{"position_embd.", "embeddings.position_embeddings."},
    TensorName{"token_embd_norm.", "embeddings.LayerNorm."},
    TensorName{"rel_b.", "encoder.relative_attention_bias."},
    TensorName{"cls.output.", "classifier.out_proj."},
    TensorName{"cls.", "classifier.dense."},
    TensorName{"attn_q.", "attention.attn.q."},
    TensorName{"attn_k.", "attention.attn.k."},
    TensorName{"attn_v.", "attention.attn.v."},
    TensorName{"attn_output.", "attention.attn.o."},
    TensorName{"attn_output_norm.", "attention.LayerNorm."},
    TensorName{"ffn_up.", "intermediate.dense."},
    TensorName{"ffn_down.", "output.dense."},
    TensorName{"layer_output_norm.", "output.LayerNorm."},
};
constexpr std::array kNomicNames{
    TensorName{"token_embd.", "embeddings.word_embeddings."},
    TensorName{"token_types.", "embeddings.token_type_embeddings."},
    TensorName{"token_embd_norm.", "emb_ln."},
    TensorName{"attn_qkv.", "attn.Wqkv."},
    TensorName{"attn_output.", "attn.out_proj."},
    TensorName{"attn_output_norm.", "norm1."},
    TensorName{"ffn_up.", "mlp.fc11."},
    TensorName{"ffn_gate.", "mlp.fc12."},
    TensorName{"ffn_down.", "mlp.fc2."},
    TensorName{"layer_output_norm.", "norm2."},
};
constexpr std::array kModernNames{
    TensorName{"token_embd.", "embeddings.tok_embeddings."},
    TensorName{"token_embd_norm.", "embeddings.norm."},
    TensorName{"output_norm.", "final_norm."},
    TensorName{"cls.output.", "classifier."},
    TensorName{"cls.norm.", "head.norm."},
    TensorName{"cls.", "head.dense."},
    TensorName{"attn_norm.", "attn_norm."},
    TensorName{"attn_qkv.", "attn.Wqkv."},
    TensorName{"attn_output.", "attn.Wo."},
    TensorName{"ffn_norm.", "mlp_norm."},
    TensorName{"ffn_gate.", "mlp.Wi.", kFirstOfTwo},
    TensorName{"ffn_up.", "mlp.Wi.", kSecondOfTwo},
    TensorName{"ffn_down.", "mlp.Wo."},
};
constexpr std::array kModernGgufNames{
    TensorName{"ffn_gate.", "ffn_up.", kFirstOfTwo},
    TensorName{"ffn_up.", "ffn_up.", kSecondOfTwo},
};

void readScore(const JsonKeys &keys, Config &c)
{
    c.score.there = true;
    c.embedding = EmbeddingForm::Score;
    const nlohmann::json *labels = keys.find("id2label");
    // A class that is not written down has transformers' two.
    const std::size_t count = labels && labels->is_object() ? labels->size() : 2;
    if (count != 1)
        throwUnsupported(keys.where("id2label") + ": not supported: a classifier of " +
                         std::to_string(count) + " labels");
}

/// As `Read` says, with a head for one score.
template <void (*Read)(const JsonKeys &, Config &)>
void readScored(const JsonKeys &keys, Config &c)
{
    Read(keys, c);
    readScore(keys, c);
}

void readBert(const JsonKeys &keys, Config &c)
{
    if (const std::string positions = keys.text("position_embedding_type", "absolute");
        positions != "absolute")
        throwUnsupported(keys.where("position_embedding_type") +
                         ": not supported: " + fireside::quoted(positions));
    c.encoder = c.embeddingNorm = c.attentionBias = c.ffnBias = true;
    c.positions = c.contextTrained;
    c.tokenTypes = keys.optional("type_vocab_size", 2, 1, kMaxVocabulary);
}

/// Positions are counted from behind the number of the padding token.
void countFromPadding(const JsonKeys &keys, Config &c)
{
    c.positionOffset = 1 + keys.optional("pad_token_id", 1, 0, c.contextTrained - 2);
    c.positions = c.contextTrained = c.contextTrained - c.positionOffset;
}

void readRoberta(const JsonKeys &keys, Config &c)
{
    readBert(keys, c);
    countFromPadding(keys, c);
}

void readDistilBert(const JsonKeys &keys, Config &c)
{
    readBert(keys, c);
    c.tokenTypes = 0;
    c.normEps = 1e-12f;
    c.score.activation = Activation::Relu;
}

void readMpNet(const JsonKeys &keys, Config &c)
{
    readRoberta(keys, c);
    c.tokenTypes = 0;
    // The makers' code takes 32, whatever the file says.
    c.relativeBuckets = 32;
    keys.optional("relative_attention_num_buckets", c.relativeBuckets, c.relativeBuckets,
                  c.relativeBuckets);
}

void readNomic(const JsonKeys &keys, Config &c)
{
    c.encoder = c.embeddingNorm = true;
    c.tokenTypes = keys.optional("type_vocab_size", 2, 0, kMaxVocabulary);
    for (const char *key : {"prenorm", "use_rms_norm", "parallel_block", "rotary_emb_interleaved"})
        if (keys.flag(key, false))
            throwUnsupported(keys.where(key) + ": not supported: true");
}

Rope ropeOf(const Config &c, double base)
{
    RopeSettings s;
    s.headDim = s.rotary = c.headDim;
    s.base = base;
    s.contextTrained = c.contextTrained;
    return makeRope(s, RopePairing::HalfSplit);
}

/// Some layers look a little to both sides, with a rotary embedding of their own.
void makeLocal(Config &c, std::int64_t layer, std::int64_t window)
{
    c.layer(layer).window = window;
    c.layer(layer).rope = RopeUse::Local;
}

void readModern(const JsonKeys &keys, Config &c)
{
    c.encoder = c.embeddingNorm = true;
    c.firstNorm = false;
    const std::int64_t window = keys.optional("local_attention", 128, 1, kMaxContext);
    const std::int64_t period = keys.optional("global_attn_every_n_layers", 3, 1, kMaxLayers);
    const std::vector<std::string> types = layerTypes(keys, c.layers);
    for (std::int64_t i = 0; i < c.layers; ++i)
        if (types.empty() ? i % period != 0
                          : types[static_cast<std::size_t>(i)] == "sliding_attention")
            makeLocal(c, i, window);
    if (!keys.has("rope_parameters")) {
        c.rope = ropeOf(c, keys.real("global_rope_theta", 160000, 1e-3, 1e12));
        c.localRope = ropeOf(c, keys.real("local_rope_theta", 10000, 1e-3, 1e12));
    } else if (c.localRope.inverseFrequencies.empty()) {
        c.localRope = c.rope;
    }
    c.score.norm = true;
    c.score.activation = activationOf(keys, "classifier_activation", Activation::GeluErf);
    c.score.pooling =
        keys.text("classifier_pooling", "cls") == "mean" ? Pooling::Mean : Pooling::First;
}

void readEncoder(const JsonKeys & /*keys*/, Config &c)
{
    c.encoder = true;
}

/// A table's rows in a GGUF file.
std::int64_t rowsOf(const GgufKeys &keys, const char *tensor)
{
    const GgufTensor *table = keys.gguf().findTensor(tensor);
    return table && table->dims[1] <= static_cast<std::uint64_t>(kMaxVocabulary)
               ? static_cast<std::int64_t>(table->dims[1])
               : 0;
}

void readGgufScore(const GgufKeys &keys, Config &c, Activation activation)
{
    const Gguf &gguf = keys.gguf();
    c.score.there = gguf.findTensor("cls.output.weight") != nullptr;
    c.score.norm = gguf.findTensor("cls.norm.weight") != nullptr;
    c.score.activation = activation;
}

void readBertGguf(const GgufKeys &keys, Config &c)
{
    c.encoder = true;
    c.embeddingNorm = keys.gguf().findTensor("token_embd_norm.weight") != nullptr;
    c.positions = rowsOf(keys, "position_embd.weight");
    if (c.positions > 0)
        c.contextTrained = std::min(c.contextTrained, c.positions);
    c.tokenTypes = rowsOf(keys, "token_types.weight");
    readGgufScore(keys, c, Activation::Tanh);
}

constexpr std::int64_t kMeanPooling = 1, kFirstPooling = 2; // of GGUF's pooling types

/// By its name in transformers; the one that released models have where the file names none.
Activation activationIn(const GgufKeys &keys, const char *key)
{
    const std::string name = keys.text(key);
    const auto known = name.empty() ? Activation::GeluErf : activationNamed(name);
    if (!known)
        throwUnsupported(keys.where(key) + ": not supported: " + fireside::quoted(name));
    return *known;
}

void readModernGguf(const GgufKeys &keys, Config &c)
{
    c.encoder = c.embeddingNorm = true;
    c.firstNorm = false;
    const std::int64_t window = keys.optional("attention.sliding_window", 0, 0, kMaxContext);
    c.localRope = ropeOf(c, keys.real("rope.freq_base_swa", 10000, 1e-3, 1e12));
    const char *const pattern = "attention.sliding_window_pattern";
    const bool listed = keys.isArray(pattern);
    const std::int64_t period = listed ? 1 : keys.optional(pattern, 3, 1, kMaxLayers);
    const auto list = listed ? keys.perLayer(pattern, c.layers, 0, 1) : std::vector<std::int64_t>{};
    for (std::int64_t i = 0; i < c.layers && window > 0; ++i)
        if (listed ? list[static_cast<std::size_t>(i)] != 0 : i % period != 0)
            makeLocal(c, i, window);
    c.activation = activationIn(keys, "hidden_activation");
    readGgufScore(keys, c, activationIn(keys, "classifier.activation"));
    const std::int64_t pooling = keys.optional("classifier.pooling_type", kFirstPooling, 0, 4);
    if (pooling != kFirstPooling && pooling != kMeanPooling)
        throwUnsupported(keys.where("classifier.pooling_type") +
                         ": not supported: " + std::to_string(pooling));
    c.score.pooling = pooling == kMeanPooling ? Pooling::Mean : Pooling::First;
}

void readEncoderGguf(const GgufKeys & /*keys*/, Config &c)
{
    c.encoder = true;
}

/// BERT under the name of one of its classes. In files of some the model has a prefix.
constexpr Family bert(std::string_view transformer, std::string_view prefix,
                      void (*folder)(const JsonKeys &, Config &))
{
    return {.name = "bert",
            .transformer = transformer,
            .rope = RopeUse::None,
            .norm = NormKind::Layer,
            .normPlaces = NormPlaces::AfterSum,
            .normEps = 1e-12,
            .feedForward = FeedForward::Plain,
            .activation = Activation::GeluErf,
            .mixture = MixtureRule::Never,
            .names = kBertNames,
            .layerPrefix = "encoder.layer.",
            .modelPrefix = prefix,
            .folder = folder,
            .gguf = &readBertGguf};
}

constexpr Family distilBert(std::string_view transformer,
                            void (*folder)(const JsonKeys &, Config &))
{
    Family family = bert(transformer, "distilbert.", folder);
    family.names = kDistilBertNames;
    family.layerPrefix = "transformer.layer.";
    return family;
}

constexpr Family mpNet(std::string_view transformer, void (*folder)(const JsonKeys &, Config &))
{
    Family family = bert(transformer, "mpnet.", folder);
    family.name = "mpnet";
    family.names = kMpNetNames;
    return family;
}

constexpr Family modernBert(std::string_view transformer,
                            void (*folder)(const JsonKeys &, Config &))
{
    return {.name = "modern-bert",
            .transformer = transformer,
            .norm = NormKind::Layer,
            .normEps = 1e-5,
            .activation = Activation::GeluErf,
            .mixture = MixtureRule::Never,
            .names = kModernNames,
            .ggufNames = kModernGgufNames,
            .layerPrefix = "layers.",
            .folder = folder,
            .gguf = &readModernGguf};
}

constexpr Family euroBert(std::string_view transformer)
{
    return {.name = "eurobert",
            .transformer = transformer,
            .normEps = 1e-5,
            .mixture = MixtureRule::Never,
            .folder = &readEncoder,
            .gguf = &readEncoderGguf};
}

constexpr std::array kBertFamilies{
    bert("BertModel", "bert.", &readBert),
    bert("BertForMaskedLM", "bert.", &readBert),
    bert("BertForPreTraining", "bert.", &readBert),
    bert("BertForSequenceClassification", "bert.", &readScored<&readBert>),
    bert("RobertaModel", "roberta.", &readRoberta),
    bert("RobertaForMaskedLM", "roberta.", &readRoberta),
    bert("RobertaForSequenceClassification", "roberta.", &readScored<&readRoberta>),
    bert("CamembertModel", "roberta.", &readRoberta),
    bert("CamembertForMaskedLM", "roberta.", &readRoberta),
    bert("XLMRobertaModel", "roberta.", &readRoberta),
    bert("XLMRobertaForMaskedLM", "roberta.", &readRoberta),
    bert("XLMRobertaForSequenceClassification", "roberta.", &readScored<&readRoberta>),
    distilBert("DistilBertModel", &readDistilBert),
    distilBert("DistilBertForMaskedLM", &readDistilBert),
    distilBert("DistilBertForSequenceClassification", &readScored<&readDistilBert>),
    mpNet("MPNetModel", &readMpNet),
    mpNet("MPNetForMaskedLM", &readMpNet),
    mpNet("MPNetForSequenceClassification", &readScored<&readMpNet>),
    Family{.name = "nomic-bert",
           .transformer = "NomicBertModel",
           .norm = NormKind::Layer,
           .normPlaces = NormPlaces::AfterSum,
           .normEps = 1e-12,
           .mixture = MixtureRule::Never,
           .names = kNomicNames,
           .layerPrefix = "encoder.layers.",
           .modelPrefix = "bert.",
           .folder = &readNomic,
           .gguf = &readBertGguf},
    modernBert("ModernBertModel", &readModern),
    modernBert("ModernBertForMaskedLM", &readModern),
    modernBert("ModernBertForSequenceClassification", &readScored<&readModern>),
    euroBert("EuroBertModel"),
    euroBert("EuroBertForMaskedLM"),
};

} // namespace

std::span<const Family> bertFamilies()
{
    return kBertFamilies;
}

} // namespace fireside
