#include "engine/model/tensor_names.h"

#include "engine/files/model_file.h"

#include <array>
#include <charconv>

namespace fireside {
namespace {

struct Name
{
    std::string_view gguf, folder;
};
constexpr std::array kOutside{
    Name{"token_embd.", "model.embed_tokens."},
    Name{"output_norm.", "model.norm."},
    Name{"output.", "lm_head."},
};
constexpr std::array kInLayer{
    Name{"attn_norm.", "input_layernorm."},
    Name{"attn_q.", "self_attn.q_proj."},
    Name{"attn_k.", "self_attn.k_proj."},
    Name{"attn_v.", "self_attn.v_proj."},
    Name{"attn_output.", "self_attn.o_proj."},
    Name{"attn_q_norm.", "self_attn.q_norm."},
    Name{"attn_k_norm.", "self_attn.k_norm."},
    Name{"ffn_norm.", "post_attention_layernorm."},
    Name{"ffn_gate.", "mlp.gate_proj."},
    Name{"ffn_up.", "mlp.up_proj."},
    Name{"ffn_down.", "mlp.down_proj."},
    Name{"ffn_gate_inp.", "mlp.gate."},
    Name{"ffn_gate_inp.", "block_sparse_moe.gate."}, // Mixtral
};
constexpr std::string_view kGgufLayer = "blk.", kFolderLayer = "model.layers.";

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

/// The folder's name for one that begins as in the table; of several the one that is there.
template <typename Names>
std::string translated(const ModelFile &file, const std::string &prefix, std::string_view name,
                       const Names &names)
{
    std::string first;
    for (const Name &n : names) {
        if (!name.starts_with(n.gguf))
            continue;
        std::string own = prefix + std::string(n.folder) + std::string(name.substr(n.gguf.size()));
        if (file.findTensor(own))
            return own;
        if (first.empty())
            first = std::move(own);
    }
    return first.empty() ? prefix + std::string(name) : first;
}

struct ExpertMatrix
{
    std::string_view gguf, folder, mixtral, packed;
    int half;
};
constexpr std::array kExperts{
    ExpertMatrix{"ffn_gate_exps.weight", "gate_proj", "w1", "gate_up_proj", 0},
    ExpertMatrix{"ffn_up_exps.weight", "up_proj", "w3", "gate_up_proj", 1},
    ExpertMatrix{"ffn_down_exps.weight", "down_proj", "w2", "down_proj", -1},
};

} // namespace

std::string tensorNameIn(const ModelFile &file, const std::string &name)
{
    if (file.gguf())
        return name;
    if (const auto layer = splitLayer(name, kGgufLayer))
        return translated(file, std::string(kFolderLayer) + std::string(layer->first) + '.',
                          layer->second, kInLayer);
    return translated(file, {}, name, kOutside);
}

std::optional<ExpertNames> expertNames(const ModelFile &file, const std::string &name)
{
    const auto layer = splitLayer(name, kGgufLayer);
    if (!layer)
        return std::nullopt;
    const std::string prefix = std::string(kFolderLayer) + std::string(layer->first) + '.';
    const auto full = [&](const char *block, std::string_view matrix) {
        return ExpertNames{prefix + block, '.' + std::string(matrix) + ".weight", {}, -1};
    };
    for (const ExpertMatrix &m : kExperts) {
        if (layer->second != m.gguf)
            continue;
        const ExpertNames mixtral = full("block_sparse_moe.experts.", m.mixtral);
        if (file.findTensor(mixtral.before + '0' + mixtral.after))
            return mixtral;
        ExpertNames usual = full("mlp.experts.", m.folder);
        usual.packed = usual.before + std::string(m.packed);
        usual.half = m.half;
        return usual;
    }
    return std::nullopt;
}

std::optional<std::size_t> layerOf(std::string_view tensor)
{
    for (const std::string_view prefix : {kGgufLayer, kFolderLayer}) {
        const auto layer = splitLayer(tensor, prefix);
        std::size_t number = 0;
        if (!layer)
            continue;
        const char *const end = layer->first.data() + layer->first.size();
        const auto [stop, error] = std::from_chars(layer->first.data(), end, number);
        if (error == std::errc() && stop == end)
            return number;
    }
    return std::nullopt;
}

} // namespace fireside
