#include "engine/model/tensor_names.h"

#include "engine/files/model_file.h"
#include "engine/model/architectures.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fireside {
namespace {

constexpr TensorForm kFirst{.order = &firstRows, .timesRows = 2};
constexpr TensorForm kSecond{.order = &secondRows, .timesRows = 2};
constexpr TensorForm kDecay{.values = TensorForm::Values::NegativeExp}; // of its logarithm

/// Names of Llama's folders, and others that no two families use for different things.
constexpr std::array kShared{
    TensorName{"token_embd.", "model.embed_tokens."},
    TensorName{"token_embd.", "backbone.embeddings."},
    TensorName{"output_norm.", "model.norm."},
    TensorName{"output_norm.", "model.final_layernorm."},
    TensorName{"output_norm.", "backbone.norm_f."},
    TensorName{"output.", "lm_head."},
};
constexpr std::array kSharedInLayer{
    TensorName{"attn_norm.", "input_layernorm."},
    TensorName{"attn_qkv.", "self_attn.qkv_proj."},
    TensorName{"attn_q.", "self_attn.q_proj."},
    TensorName{"attn_k.", "self_attn.k_proj."},
    TensorName{"attn_v.", "self_attn.v_proj."},
    TensorName{"attn_output.", "self_attn.o_proj."},
    TensorName{"attn_q_norm.", "self_attn.q_norm."},
    TensorName{"attn_k_norm.", "self_attn.k_norm."},
    TensorName{"attn_gate.", "self_attn.gate_proj."},
    TensorName{"attn_sinks.weight", "self_attn.sinks"},
    TensorName{"attn_q_a.", "self_attn.q_a_proj."},
    TensorName{"attn_q_a_norm.", "self_attn.q_a_layernorm."},
    TensorName{"attn_q_b.", "self_attn.q_b_proj."},
    TensorName{"attn_kv_a_mqa.", "self_attn.kv_a_proj_with_mqa."},
    TensorName{"attn_kv_a_norm.", "self_attn.kv_a_layernorm."},
    TensorName{"attn_kv_b.", "self_attn.kv_b_proj."},
    TensorName{"ffn_norm.", "post_attention_layernorm."},
    TensorName{"ffn_gate.", "mlp.gate_proj."},
    TensorName{"ffn_gate.", "mlp.gate_up_proj.", kFirst},
    TensorName{"ffn_up.", "mlp.up_proj."},
    TensorName{"ffn_up.", "mlp.gate_up_proj.", kSecond},
    TensorName{"ffn_down.", "mlp.down_proj."},
    TensorName{"ffn_gate_inp.", "mlp.gate."},
    TensorName{"ffn_gate_inp.", "mlp.router."},
    TensorName{"ffn_gate_inp.", "mlp.router.gate."},
    TensorName{"ffn_gate_inp.", "block_sparse_moe.gate."}, // Mixtral
    TensorName{"exp_probs_b.bias", "mlp.gate.e_score_correction_bias"},
    TensorName{"exp_probs_b.bias", "mlp.expert_bias"},
    TensorName{"exp_probs_b.bias", "block_sparse_moe.e_score_correction_bias"},
    TensorName{"exp_probs_b.bias", "block_sparse_moe.gate.e_score_correction_bias"},
    TensorName{"ffn_gate_exps.", "mlp.experts.*.gate_proj."},
    TensorName{"ffn_up_exps.", "mlp.experts.*.up_proj."},
    TensorName{"ffn_down_exps.", "mlp.experts.*.down_proj."},
    TensorName{"ffn_gate_exps.", "block_sparse_moe.experts.*.w1."},
    TensorName{"ffn_up_exps.", "block_sparse_moe.experts.*.w3."},
    TensorName{"ffn_down_exps.", "block_sparse_moe.experts.*.w2."},
    TensorName{"ffn_gate_exps.weight", "mlp.experts.gate_up_proj", kFirst},
    TensorName{"ffn_up_exps.weight", "mlp.experts.gate_up_proj", kSecond},
    TensorName{"ffn_down_exps.weight", "mlp.experts.down_proj"},
    TensorName{"ffn_gate_inp_shexp.", "mlp.shared_expert_gate."},
    TensorName{"ffn_gate_shexp.", "mlp.shared_experts.gate_proj."},
    TensorName{"ffn_up_shexp.", "mlp.shared_experts.up_proj."},
    TensorName{"ffn_down_shexp.", "mlp.shared_experts.down_proj."},
    TensorName{"ffn_gate_shexp.", "mlp.shared_expert.gate_proj."},
    TensorName{"ffn_up_shexp.", "mlp.shared_expert.up_proj."},
    TensorName{"ffn_down_shexp.", "mlp.shared_expert.down_proj."},
    TensorName{"ffn_gate_shexp.", "mlp.shared_mlp.gate_proj."},
    TensorName{"ffn_up_shexp.", "mlp.shared_mlp.up_proj."},
    TensorName{"ffn_down_shexp.", "mlp.shared_mlp.down_proj."},
    TensorName{"nextn.eh_proj.", "eh_proj."}, // of heads for drafting
    TensorName{"nextn.enorm.", "enorm."},
    TensorName{"nextn.hnorm.", "hnorm."},
    TensorName{"nextn.embed_tokens.", "embed_tokens."},
    TensorName{"nextn.shared_head_norm.", "shared_head.norm."},
    TensorName{"nextn.shared_head_norm.", "final_layernorm."},
    TensorName{"nextn.shared_head_head.", "shared_head.head."},
    TensorName{"ffn_norm.", "pre_ff_layernorm."}, // from here on hybrids
    TensorName{"ffn_gate.", "feed_forward.gate_proj."},
    TensorName{"ffn_up.", "feed_forward.up_proj."},
    TensorName{"ffn_down.", "feed_forward.down_proj."},
    TensorName{"ffn_gate_inp.", "feed_forward.router."},
    TensorName{"ffn_gate_exps.", "feed_forward.experts.*.gate_proj."},
    TensorName{"ffn_up_exps.", "feed_forward.experts.*.up_proj."},
    TensorName{"ffn_down_exps.", "feed_forward.experts.*.down_proj."},
};
/// Recurrent mixers, which lie in the folder's layers under a name of their own.
constexpr std::array kRecurrent{
    TensorName{"ssm_in.", "in_proj."},
    TensorName{"ssm_conv1d.", "conv1d."},
    TensorName{"ssm_conv1d_q.", "q_conv1d."},
    TensorName{"ssm_conv1d_k.", "k_conv1d."},
    TensorName{"ssm_conv1d_v.", "v_conv1d."},
    TensorName{"ssm_x.", "x_proj."},
    TensorName{"ssm_dt.bias", "dt_bias"},
    TensorName{"ssm_dt.", "dt_proj."},
    TensorName{"ssm_dt_norm.", "dt_layernorm."},
    TensorName{"ssm_b_norm.", "b_layernorm."},
    TensorName{"ssm_c_norm.", "c_layernorm."},
    TensorName{"ssm_alpha.", "in_proj_a."},
    TensorName{"ssm_alpha.", "a_proj."},
    TensorName{"ssm_beta.", "in_proj_b."},
    TensorName{"ssm_beta.", "b_proj."},
    TensorName{"ssm_a", "A_log", kDecay},
    TensorName{"ssm_d", "D"},
    TensorName{"ssm_norm.", "norm."},
    TensorName{"ssm_norm.", "o_norm."},
    TensorName{"ssm_out.", "out_proj."},
    TensorName{"ssm_out.", "o_proj."},
    TensorName{"ssm_f_a.", "f_a_proj."},
    TensorName{"ssm_f_b.", "f_b_proj."},
    TensorName{"ssm_g_a.", "g_a_proj."},
    TensorName{"ssm_g_b.", "g_b_proj."},
    TensorName{"attn_qkv.", "in_proj_qkv."},
    TensorName{"attn_gate.", "in_proj_z."},
    TensorName{"attn_gate.", "g_proj."},
    TensorName{"attn_q.", "q_proj."},
    TensorName{"attn_k.", "k_proj."},
    TensorName{"attn_v.", "v_proj."},
};
constexpr std::array<std::string_view, 4> kRecurrentPlaces{"mamba.", "mixer.", "linear_attn.",
                                                           "self_attn."};
constexpr std::string_view kGgufLayer = "blk.";

/// "blk.12.rest" → {"12", "rest"}
std::optional<std::pair<std::string_view, std::string_view>> splitLayer(std::string_view name,
                                                                        std::string_view prefix)
{
    if (!name.starts_with(prefix))
        return std::nullopt;
    name.remove_prefix(prefix.size());
    const std::size_t dot = name.find('.');
    if (dot == 0 || dot == std::string_view::npos)
        return std::nullopt;
    return std::pair(name.substr(0, dot), name.substr(dot + 1));
}

bool isThere(const ModelFile &file, std::string name)
{
    if (const std::size_t star = name.find('*'); star != std::string::npos)
        name.replace(star, 1, "0");
    return file.findTensor(name) != nullptr;
}

constexpr std::string_view kModel = "model.";
/// What stands before the names of a text model that is a part of another: in place of "model.",
/// and before all.
constexpr std::array<std::string_view, 2> kPartModel{"model.language_model.",
                                                     "language_model.model."};
constexpr std::string_view kPart = "language_model.";

/// The name under which the tensor is there, in the folder of a text model or inside another's;
/// otherwise the name as it is.
std::string standing(const ModelFile &file, const std::string &name)
{
    if (file.gguf() != nullptr || isThere(file, name))
        return name;
    std::vector<std::string> others{std::string(kPart) + name};
    if (name.starts_with(kModel))
        for (const std::string_view part : kPartModel)
            others.push_back(std::string(part) + name.substr(kModel.size()));
    const auto it = std::find_if(others.begin(), others.end(),
                                 [&](const std::string &other) { return isThere(file, other); });
    return it != others.end() ? *it : name;
}

/// With the optional prefix, or without where it has it.
std::string otherForm(std::string_view name, std::string_view optional)
{
    return name.starts_with(optional) ? std::string(name.substr(optional.size()))
                                      : std::string(optional) + std::string(name);
}

/// Goes through tables of names in turn; keeps the first that fits, ends with one that is there.
class Search
{
public:
    /// optional: what names of folders may begin with or not
    Search(const ModelFile &file, std::string prefix, std::string_view optional,
           std::string_view name)
        : m_file(file)
        , m_prefix(std::move(prefix))
        , m_optional(optional)
        , m_name(name)
    {}
    /// place: what stands before each of the folder's names
    bool found(std::span<const TensorName> names, std::string_view place = {})
    {
        for (const TensorName &n : names) {
            if (!m_name.starts_with(n.name))
                continue;
            FoundName own{standing(m_file, m_prefix + std::string(place) + std::string(n.folder) +
                                               std::string(m_name.substr(n.name.size()))),
                          n.form};
            bool there = isThere(m_file, own.name);
            if (std::string other = otherForm(own.name, m_optional);
                !there && isThere(m_file, other)) {
                there = true;
                own.name = std::move(other);
            }
            if (there || !m_first)
                m_first = std::move(own);
            if (there)
                return true;
        }
        return false;
    }
    FoundName result() const
    {
        return m_first ? *m_first : FoundName{standing(m_file, m_prefix + std::string(m_name)), {}};
    }

private:
    const ModelFile &m_file;
    std::string m_prefix;
    std::string_view m_optional, m_name;
    std::optional<FoundName> m_first;
};

std::string_view layerPrefixOf(const ModelFile &file)
{
    const Family *family = findFamily(file);
    return family ? family->layerPrefix : std::string_view("model.layers.");
}

std::string_view modelPrefixOf(const ModelFile &file)
{
    const Family *family = file.gguf() ? nullptr : findFamily(file);
    return family ? family->modelPrefix : std::string_view();
}

} // namespace

namespace {

std::optional<std::int64_t> numberOf(std::string_view text)
{
    std::int64_t number = 0;
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Of a folder's head for drafting that is no further layer.
FoundName findOfDraft(const ModelFile &file, const Family &family, std::int64_t head,
                      std::string_view rest)
{
    Search joining(file, "", family.modelPrefix, rest);
    if (joining.found(family.draftNames))
        return joining.result();
    Search search(file, std::string(family.draftPrefix) + std::to_string(head) + '.',
                  family.modelPrefix, rest);
    if (!search.found(family.names))
        search.found(kSharedInLayer);
    return search.result();
}

} // namespace

FoundName findName(const ModelFile &file, const std::string &name, std::int64_t layers)
{
    const Family *family = findFamily(file);
    const auto layer = splitLayer(name, kGgufLayer);
    const std::string_view rest = layer ? layer->second : std::string_view(name);
    if (file.gguf()) {
        Search search(file, layer ? std::string(kGgufLayer) + std::string(layer->first) + '.' : "",
                      "", rest);
        if (family)
            search.found(family->ggufNames);
        return search.result();
    }
    const auto number = layer ? numberOf(layer->first) : std::nullopt;
    if (family && !family->draftPrefix.empty() && number && *number >= layers)
        return findOfDraft(file, *family, *number - layers, rest);
    std::string prefix;
    if (layer)
        prefix = std::string(layerPrefixOf(file)) + std::string(layer->first) + '.';
    Search search(file, std::move(prefix), modelPrefixOf(file), rest);
    const bool found = (family && search.found(family->names)) ||
                       search.found(layer ? std::span<const TensorName>(kSharedInLayer)
                                          : std::span<const TensorName>(kShared));
    if (!found && layer) {
        for (const std::string_view place : kRecurrentPlaces) {
            if (search.found(kRecurrent, place))
                break;
        }
    }
    return search.result();
}

std::string tensorNameIn(const ModelFile &file, const std::string &name)
{
    return findName(file, name).name;
}

std::string ofTextModel(std::string_view name)
{
    for (const std::string_view part : kPartModel)
        if (name.starts_with(part))
            return std::string(kModel) + std::string(name.substr(part.size()));
    return std::string(name.starts_with(kPart) ? name.substr(kPart.size()) : name);
}

std::optional<std::size_t> layerOf(const ModelFile &file, std::string_view tensor)
{
    const std::string name = file.gguf() ? std::string(tensor) : ofTextModel(tensor);
    const std::string_view prefix = file.gguf() ? kGgufLayer : layerPrefixOf(file);
    auto layer = splitLayer(name, prefix);
    if (!layer)
        layer = splitLayer(name, otherForm(prefix, modelPrefixOf(file)));
    const auto number = layer ? numberOf(layer->first) : std::nullopt;
    if (!number || *number < 0)
        return std::nullopt;
    return static_cast<std::size_t>(*number);
}

bool isOfDraft(const ModelFile &file, std::string_view tensor, std::int64_t layers)
{
    if (const auto layer = layerOf(file, tensor))
        return *layer >= static_cast<std::size_t>(layers);
    if (file.gguf() != nullptr)
        return false;
    constexpr std::array<std::string_view, 6> kDrafts{
        "mtp.",          "mtp_block.",       "mtp_layers.",
        "mtp_emb_norm.", "mtp_hidden_norm.", "mtp_linear_proj."};
    std::string name = ofTextModel(tensor);
    if (name.starts_with(kModel))
        name.erase(0, kModel.size());
    return std::any_of(kDrafts.begin(), kDrafts.end(),
                       [&](std::string_view draft) { return name.starts_with(draft); });
}

namespace {

using Names = std::span<const std::string_view>;

/// Of GGUF files. A matrix of the output beside a tied one is a copy of the embedding.
constexpr std::array<std::string_view, 7> kGguf{
    "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight",
    "output.weight",     "embeddings.position_ids",  "dense_2.weight",
    "dense_3.weight"}; // read apart

/// What names of folders begin with, after the name of the whole model: of pictures and sound.
constexpr std::array<std::string_view, 6> kOtherInputs{
    "vision_",      // Gemma 3, Llama 4, Mistral 3
    "visual.",      // Qwen, GLM
    "multi_modal_", //
    "audio_",       // Gemma 3n
    "embed_vision.", "embed_audio.",
};
/// The same of GGUF files: their first word, and what it begins with.
constexpr std::array<std::string_view, 3> kOtherInputWords{"v", "a", "mm"};
constexpr std::array<std::string_view, 10> kOtherInputBeginnings{
    "vision", "visual",    "vit",   "audio", "speech",
    "image",  "resampler", "proje", "clip",  "multi_modal"};
/// And of what else is not read.
constexpr std::array<std::string_view, 8> kParts{
    "lm_head.",         // beside a tied one; of encoders
    "pooler.",          // what trained encoders: of BERT
    "cls.predictions.", //
    "cls.seq_relationship.",
    "vocab_",      // of DistilBERT
    "head.dense.", // of ModernBERT
    "head.norm.",  //
    "decoder.bias",
};
/// And what they end with.
constexpr std::array<std::string_view, 9> kEnds{".rotary_emb.inv_freq",
                                                ".rotary_emb.cos_cached",
                                                ".rotary_emb.sin_cached",
                                                "rotary_pos_emb.inv_freq", // ChatGLM
                                                ".rotary.inv_freq",        // EXAONE 3
                                                ".attn.bias",              // masks: GPT-2, GPT-NeoX
                                                ".attention.bias",
                                                ".masked_bias",
                                                "embeddings.position_ids"};

bool beginsWithOne(std::string_view name, Names parts)
{
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return name.starts_with(part); });
}

bool endsWithOne(std::string_view name, Names ends)
{
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

} // namespace

namespace {

/// With the name of the whole model before it, or without.
bool beginsInFolder(const ModelFile &file, std::string_view tensor, Names parts)
{
    if (beginsWithOne(tensor, parts))
        return true;
    const Family *family = findFamily(file);
    for (const std::string_view whole :
         {std::string_view("model."), std::string_view("language_model."),
          family ? family->modelPrefix : std::string_view()})
        if (!whole.empty() && tensor.starts_with(whole) &&
            beginsWithOne(tensor.substr(whole.size()), parts))
            return true;
    return false;
}

} // namespace

bool isOfOtherInput(const ModelFile &file, std::string_view tensor)
{
    if (file.gguf() == nullptr)
        return beginsInFolder(file, tensor, kOtherInputs);
    const std::string_view word = tensor.substr(0, tensor.find('.'));
    return word.size() < tensor.size() &&
           (std::find(kOtherInputWords.begin(), kOtherInputWords.end(), word) !=
                kOtherInputWords.end() ||
            beginsWithOne(word, kOtherInputBeginnings));
}

bool mayBeLeftOut(const ModelFile &file, std::string_view tensor)
{
    if (isOfOtherInput(file, tensor))
        return true;
    if (file.gguf() != nullptr)
        return std::find(kGguf.begin(), kGguf.end(), tensor) != kGguf.end();
    return endsWithOne(tensor, kEnds) || beginsInFolder(file, tensor, kParts);
}

std::int64_t firstRows(std::int64_t row, std::int64_t /*rows*/, const Config & /*config*/)
{
    return row;
}

std::int64_t secondRows(std::int64_t row, std::int64_t rows, const Config & /*config*/)
{
    return rows + row;
}

std::int64_t evenRows(std::int64_t row, std::int64_t /*rows*/, const Config & /*config*/)
{
    return 2 * row;
}

std::int64_t oddRows(std::int64_t row, std::int64_t /*rows*/, const Config & /*config*/)
{
    return 2 * row + 1;
}

std::int64_t qkvByKvHead(std::int64_t row, std::int64_t /*rows*/, const Config &c)
{
    const std::int64_t D = c.headDim, group = c.heads / c.kvHeads;
    const std::int64_t head = row / D, channel = row % D;
    std::int64_t kvHead = head / group, place = head % group; // of q
    if (head >= c.heads + c.kvHeads)
        kvHead = head - c.heads - c.kvHeads, place = group + 1;
    else if (head >= c.heads)
        kvHead = head - c.heads, place = group;
    return (kvHead * (group + 2) + place) * D + channel;
}

} // namespace fireside
