#include "engine/convert/gguf_plan.h"

#include "engine/convert/folder_rules.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
#include "engine/model/config.h"
#include "engine/model/family.h"
#include "engine/model/folder_keys.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace fireside {
namespace {

/// Names that mean the same in every family that has them. Longer ones come first.
constexpr std::array kEverywhere{
    TensorRule{"model.embed_tokens.", "token_embd."},
    TensorRule{"model.norm.", "output_norm."},
    TensorRule{"lm_head.", "output."},
    TensorRule{"input_layernorm.", "attn_norm."},
    TensorRule{"post_attention_layernorm.", "ffn_norm."},
    TensorRule{"eh_proj.", "nextn.eh_proj."}, // of heads for drafting
    TensorRule{"enorm.", "nextn.enorm."},
    TensorRule{"hnorm.", "nextn.hnorm."},
    TensorRule{"embed_tokens.", "nextn.embed_tokens."},
    TensorRule{"shared_head.head.", "nextn.shared_head_head."},
    TensorRule{"shared_head.norm.", "nextn.shared_head_norm."},
    TensorRule{"self_attn.qkv_proj.", "attn_qkv."},
    TensorRule{"self_attn.q_proj.", "attn_q."},
    TensorRule{"self_attn.k_proj.", "attn_k."},
    TensorRule{"self_attn.v_proj.", "attn_v."},
    TensorRule{"self_attn.o_proj.", "attn_output."},
    TensorRule{"self_attn.q_norm.", "attn_q_norm."},
    TensorRule{"self_attn.k_norm.", "attn_k_norm."},
    TensorRule{"self_attn.query_layernorm.", "attn_q_norm."},
    TensorRule{"self_attn.key_layernorm.", "attn_k_norm."},
    TensorRule{"self_attn.gate_proj.", "attn_gate."},
    TensorRule{"mlp.gate_up_proj.", "ffn_up."},
    TensorRule{"mlp.gate_proj.", "ffn_gate."},
    TensorRule{"mlp.up_proj.", "ffn_up."},
    TensorRule{"mlp.down_proj.", "ffn_down."},
    TensorRule{"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.expert_bias", "exp_probs_b.bias"},
    TensorRule{"mlp.gate.", "ffn_gate_inp."},
    TensorRule{"mlp.router.gate.", "ffn_gate_inp."},
    TensorRule{"mlp.router.", "ffn_gate_inp."},
    TensorRule{"mlp.experts.*.gate_proj.", "ffn_gate_exps."},
    TensorRule{"mlp.experts.*.up_proj.", "ffn_up_exps."},
    TensorRule{"mlp.experts.*.down_proj.", "ffn_down_exps."},
    TensorRule{"mlp.shared_expert_gate.", "ffn_gate_inp_shexp."},
    TensorRule{"mlp.shared_expert.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_expert.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_expert.down_proj.", "ffn_down_shexp."},
    TensorRule{"mlp.shared_experts.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_experts.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_experts.down_proj.", "ffn_down_shexp."},
    TensorRule{"mlp.shared_mlp.gate_proj.", "ffn_gate_shexp."},
    TensorRule{"mlp.shared_mlp.up_proj.", "ffn_up_shexp."},
    TensorRule{"mlp.shared_mlp.down_proj.", "ffn_down_shexp."},
    TensorRule{"block_sparse_moe.e_score_correction_bias", "exp_probs_b.bias"},
    TensorRule{"block_sparse_moe.gate.", "ffn_gate_inp."},
    TensorRule{"block_sparse_moe.experts.*.w1.", "ffn_gate_exps."},
    TensorRule{"block_sparse_moe.experts.*.w3.", "ffn_up_exps."},
    TensorRule{"block_sparse_moe.experts.*.w2.", "ffn_down_exps."},
};

/// What GGUF files hold in F32, whatever the folder has: norms, biases, routers, positions.
bool isSmall(std::string_view name, const std::vector<std::uint64_t> &shape)
{
    for (const char *part :
         {"ffn_gate_inp.", "ffn_gate_inp_shexp.", "position_embd.", "token_types.", "ssm_conv1d",
          "ssm_x.", "ssm_dt.", "shortconv.conv.", "altup_correct_coef.", "altup_predict_coef."})
        if (name.find(part) != std::string_view::npos)
            return true;
    return shape.size() <= 1 || name.ends_with("_norm.weight") || !name.ends_with(".weight");
}

/// "model.layers.3.mlp.experts.12.up_proj.weight": what is numbered is one tensor in a GGUF file.
/// The name with '*' for the number, and this; nullopt: nothing of the kind.
std::optional<std::pair<std::string, std::size_t>> numberedName(const std::string &name)
{
    for (const std::string_view list :
         {".experts.", ".altup_projections.", ".altup_unembed_projections."}) {
        const std::size_t at = name.find(list);
        if (at == std::string::npos)
            continue;
        const char *const first = name.data() + at + list.size(), *const end =
                                                                      name.data() + name.size();
        std::size_t number = 0;
        const auto [stop, error] = std::from_chars(first, end, number);
        if (error != std::errc() || stop == end || *stop != '.')
            continue;
        return std::pair(name.substr(0, at + list.size()) + '*' + std::string(stop, end), number);
    }
    return std::nullopt;
}

/// config.json as transformers 5 writes it: what is said of rotary embeddings in one object, or in
/// one for layers without and one for those with windows. Older files have it in several places.
nlohmann::json todaysConfig(const ModelFile &file, const Family &family)
{
    nlohmann::json config = textConfig(file.folder()->config(), family.defaults);
    const auto said = [&](const char *key) {
        const auto it = config.find(key);
        return it == config.end() ? nlohmann::json() : *it;
    };
    if (said("rope_parameters").is_object())
        return config;
    nlohmann::json rope = said("rope_scaling");
    if (!rope.is_object())
        rope = nlohmann::json::object();
    const auto take = [&](const char *name, std::initializer_list<const char *> sources) {
        for (const char *source : sources)
            if (const nlohmann::json value = said(source); !rope.contains(name) && !value.is_null())
                rope[name] = value;
    };
    take("rope_theta", {"rope_theta", "rotary_emb_base", "global_rope_theta"});
    take("partial_rotary_factor", {"partial_rotary_factor", "rotary_pct"});
    take("original_max_position_embeddings",
         {"original_max_position_embeddings", "max_position_embeddings"});
    if (rope.contains("type") && !rope.contains("rope_type"))
        rope["rope_type"] = rope["type"];
    if (!rope.contains("rope_theta") && family.rope != RopeUse::None)
        rope["rope_theta"] = family.ropeBase;
    nlohmann::json local = said("rope_local_base_freq");
    if (local.is_null())
        local = said("local_rope_theta"); // ModernBERT
    if (!local.is_null())
        rope = {{"full_attention", rope}, {"sliding_attention", {{"rope_theta", local}}}};
    config["rope_parameters"] = std::move(rope);
    return config;
}

class FolderPlanner
{
public:
    explicit FolderPlanner(const ModelFile &file)
        : m_file(file)
        , m_family(familyOf(file))
        , m_plan{.config = std::make_unique<const nlohmann::json>(todaysConfig(file, m_family))}
        , m_config(*m_plan.config)
        , m_source{file.folder()->configPath(), m_config}
        , m_rules(rules())
        , m_read(readConfig(file))
        , m_rope(m_family.rope == RopeUse::None
                     ? RopeSettings()
                     : mainRopeSettings(m_source.keys(), m_family, m_read))
    {
        const KeyWriter keys = writer();
        const auto number = [&](KeyWriter::Names names, std::uint64_t missing) {
            return keys.find(names).is_null() ? missing : keys.number(names);
        };
        m_source.heads = number({"num_attention_heads", "n_head", "n_heads"}, 0);
        m_source.kvHeads = number({"num_key_value_heads", "num_kv_heads", "multi_query_group_num"},
                                  m_source.heads);
        if (keys.flagOf("multi_query", false) && !keys.flagOf("new_decoder_architecture", false))
            m_source.kvHeads = 1;
    }

    GgufPlan plan()
    {
        m_plan.keys.string("general.architecture", m_rules.architecture);
        m_plan.keys.string("general.type", "model");
        KeyWriter keys = writer();
        m_rules.keys(keys);
        if (m_rope.scaling == RopeSettings::Scaling::Llama3)
            addRopeDivisors();
        if (!m_rope.shortDivisors.empty())
            addLongRope(keys);
        addPooling(keys);
        for (MadeTensor &t : m_made)
            m_plan.tensors.push_back(
                {std::move(t.name), DType::F32, std::move(t.shape), {}, {}, std::move(t.values)});
        for (const Stack &stack : stacked())
            place(stack);
        return std::move(m_plan);
    }

private:
    /// The tensors of the folder that are one, or one alone.
    struct Stack
    {
        std::string name;
        std::vector<const ModelTensor *> parts;
        bool numbered = false;
    };

    const GgufRules &rules() const
    {
        const GgufRules *const found = findGgufRules(m_family.transformer, m_source.keys());
        if (!found)
            throwUnsupported(printable(m_file.path().string()) +
                             ": not supported: a GGUF file of the class " +
                             fireside::quoted(m_family.transformer));
        return *found;
    }

    KeyWriter writer()
    {
        return {m_plan.keys, m_made, m_file, m_config, m_rules.architecture, m_rope};
    }

    std::string nameOf(std::string_view tensor) const
    {
        return printable(m_file.path().string()) + ": tensor " + fireside::quoted(tensor);
    }

    /// Llama 3's scaling of frequencies is a tensor.
    void addRopeDivisors()
    {
        const double factor = m_rope.factor, low = m_rope.lowFrequency;
        const double high = m_rope.highFrequency;
        const auto context = static_cast<double>(m_rope.originalContext);
        const auto channels = static_cast<double>(m_rope.rotary);
        std::vector<float> divisors;
        for (std::int64_t i = 0; i < m_rope.rotary; i += 2) {
            const double wave =
                2 * std::numbers::pi * std::pow(m_rope.base, static_cast<double>(i) / channels);
            const double smooth = (context / wave - low) / (high - low);
            const double divisor = wave < context / high  ? 1
                                   : wave > context / low ? factor
                                                          : 1 / ((1 - smooth) / factor + smooth);
            divisors.push_back(static_cast<float>(divisor));
        }
        m_made.push_back({"rope_freqs.weight", {divisors.size()}, std::move(divisors)});
    }

    /// LongRoPE's divisors for long chats and short ones, and what attention is multiplied by.
    void addLongRope(KeyWriter &keys)
    {
        const JsonKeys rope = keys.rope();
        for (const char *kind : {"long", "short"}) {
            const std::vector<double> numbers =
                rope.reals((std::string(kind) + "_factor").c_str(),
                           static_cast<std::size_t>(m_rope.rotary / 2), 1e-6, 1e6);
            std::vector<float> divisors(numbers.begin(), numbers.end());
            m_made.push_back({std::string("rope_factors_") + kind + ".weight",
                              {divisors.size()},
                              std::move(divisors)});
        }
        keys.f32("rope.scaling.attn_factor", m_rope.attentionFactor);
    }

    /// What an embedding is made of, which files beside config.json say.
    void addPooling(KeyWriter &keys)
    {
        const Config &config = m_read;
        if (!config.embeddingProblem.empty())
            throwUnsupported(config.embeddingProblem);
        if (!config.encoder)
            return;
        constexpr std::array kTypes{EmbeddingForm::Rows, EmbeddingForm::Mean, EmbeddingForm::First,
                                    EmbeddingForm::Last, EmbeddingForm::Score};
        const auto *const type = std::find(kTypes.begin(), kTypes.end(), config.embedding);
        keys.u32("pooling_type", static_cast<std::uint64_t>(type - kTypes.begin()));
        if (!config.dense)
            return;
        const bool plain =
            std::none_of(config.dense->begin(), config.dense->end(),
                         [](const DenseLayer &layer) { return layer.tanh || !layer.bias.empty(); });
        if (config.dense->size() > 2 || !plain)
            throwUnsupported(printable(m_file.path().string()) +
                             ": not supported: in a GGUF file: dense layers that are more than two "
                             "matrices");
        for (std::size_t i = 0; i < config.dense->size(); ++i) {
            const DenseLayer &layer = (*config.dense)[i];
            m_made.push_back(
                {"dense_" + std::to_string(i + 2) + ".weight",
                 {static_cast<std::uint64_t>(layer.out), static_cast<std::uint64_t>(layer.in)},
                 layer.weight});
        }
    }

    /// In the folder's order; experts where the first of them is.
    std::vector<Stack> stacked() const
    {
        std::vector<Stack> stacks;
        std::unordered_map<std::string, std::size_t> places;
        for (const ModelTensor &t : m_file.tensors()) {
            const std::string name = ofTextModel(t.name);
            const auto numbered = numberedName(name);
            if (!numbered) {
                stacks.push_back({name, {&t}});
                continue;
            }
            const auto &[common, number] = *numbered;
            const auto [it, isNew] = places.emplace(common, stacks.size());
            if (isNew)
                stacks.push_back({common, {}, true});
            std::vector<const ModelTensor *> &parts = stacks[it->second].parts;
            if (number >= m_file.tensors().size())
                throwBadInput(nameOf(t.name) + " has too high a number");
            parts.resize(std::max(parts.size(), number + 1));
            parts[number] = &t;
        }
        for (const Stack &stack : stacks)
            requireAlike(stack);
        return stacks;
    }

    void requireAlike(const Stack &stack) const
    {
        const ModelTensor *const first = stack.parts.front();
        for (const ModelTensor *part : stack.parts) {
            if (!part)
                throwBadInput(nameOf(stack.name) + " is not there for each number");
            if (part->shape != first->shape || part->dtype != first->dtype)
                throwBadInput(nameOf(part->name) + " is another than that of number 0");
        }
    }

    void place(const Stack &stack)
    {
        // The name as the class has it: it may stand with or without the whole model's.
        const std::string prefix(m_family.modelPrefix);
        std::vector<std::string> names{stack.name};
        if (stack.name.starts_with(prefix))
            names.push_back(stack.name.substr(prefix.size()));
        else
            names.insert(names.begin(), prefix + stack.name);
        for (const std::string &name : names)
            if (placed(stack, name))
                return;
        const std::string_view own = stack.parts.front()->name;
        if (!mayBeLeftOut(m_file, own) && !isOfDraft(m_file, own, readConfig(m_file).layers))
            throwUnsupported(nameOf(own) + ": not supported: in a GGUF file of architecture " +
                             fireside::quoted(m_rules.architecture));
    }

    bool placed(const Stack &stack, const std::string &name)
    {
        std::string prefix, rest = name;
        if (rest.starts_with(m_rules.layers)) {
            rest = rest.substr(m_rules.layers.size());
            const std::size_t dot = rest.find('.');
            if (dot == std::string::npos)
                return false;
            prefix = "blk." + rest.substr(0, dot) + '.';
            rest = rest.substr(dot + 1);
        }
        return apply(m_rules.tensors, stack, prefix, rest) ||
               apply(kEverywhere, stack, prefix, rest);
    }

    bool apply(std::span<const TensorRule> rules, const Stack &stack, const std::string &prefix,
               const std::string &rest)
    {
        std::string_view found;
        for (const TensorRule &rule : rules) {
            if (!rest.starts_with(rule.folder) || (!found.empty() && rule.folder != found))
                continue;
            found = rule.folder;
            if (!rule.gguf.empty())
                add(stack, prefix + std::string(rule.gguf) + rest.substr(rule.folder.size()), rule);
        }
        return !found.empty();
    }

    void add(const Stack &stack, std::string name, const TensorRule &rule)
    {
        const ModelTensor &first = *stack.parts.front();
        if (!first.dtype)
            throwUnsupported(nameOf(first.name) + ": weight type " + first.type +
                             " is not supported");
        PlannedTensor planned{std::move(name), *first.dtype, first.shape, stack.parts, {}};
        if (rule.change)
            planned.change = [change = rule.change, source = m_source](Converted &t) {
                change(t, source);
            };
        const Converted one = changedPart(planned, first, 0, false);
        planned.shape = one.shape;
        planned.type = one.type;
        if (isSliced(planned, first))
            planned.shape.insert(planned.shape.begin(), first.shape.front());
        if (stack.numbered)
            planned.shape.insert(planned.shape.begin(), stack.parts.size());
        planned.small = isSmall(planned.name, planned.shape);
        if (planned.small)
            planned.type = DType::F32;
        m_plan.tensors.push_back(std::move(planned));
    }

    const ModelFile &m_file;
    const Family &m_family;
    GgufPlan m_plan;
    const nlohmann::json &m_config;
    SourceNumbers m_source;
    const GgufRules &m_rules;
    const Config m_read;
    const RopeSettings m_rope; // as the engine itself reads them
    std::vector<MadeTensor> m_made;
};

} // namespace

const GgufRules *findGgufRules(std::string_view transformer, const JsonKeys &keys)
{
    for (const auto &table :
         {ggufLlamaRules(), ggufGptRules(), ggufMixtureRules(), ggufNormRules(), ggufMambaRules(),
          ggufDeltaRules(), ggufGemmaRules(), ggufBertRules(), ggufChineseRules()})
        for (const GgufRules &rules : table)
            if (rules.transformer == transformer && (!rules.holds || rules.holds(keys)))
                return &rules;
    return nullptr;
}

GgufPlan planOfFolder(const ModelFile &file)
{
    return FolderPlanner(file).plan();
}

} // namespace fireside
