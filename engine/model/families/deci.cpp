#include "engine/core/error.h"
#include "engine/model/config_source.h"
#include "engine/model/families/families.h"
#include "engine/model/folder_keys.h"
#include "engine/model/gguf_keys.h"

#include <array>

// Models of which a search left out parts or made them smaller, layer by layer, arXiv 2411.19146.
namespace fireside {
namespace {

constexpr std::int64_t kFfnStep = 256;

/// Two thirds of so many times the width, up to the next whole step.
std::int64_t ffnOf(double times, std::int64_t hidden)
{
    const auto width = static_cast<std::int64_t>(2 * times * static_cast<double>(hidden) / 3);
    return (width + kFfnStep - 1) / kFfnStep * kFfnStep;
}

/// Heads of keys −1: no attention; 0: one matrix in its place. No width: no feed-forward.
void setLayer(LayerConfig &l, std::int64_t kvHeads, std::int64_t ffn)
{
    l.mixer = kvHeads > 0 ? Mixer::Attention : kvHeads == 0 ? Mixer::Product : Mixer::None;
    if (kvHeads > 0)
        l.kvHeads = kvHeads;
    if (ffn > 0)
        l.ffn = ffn;
    else
        l.feedForward = FeedForward::None;
}

void readBlock(const JsonKeys &block, const Config &c, LayerConfig &l)
{
    const JsonKeys attention = block.inside("attention"), ffn = block.inside("ffn");
    if (ffn.flag("replace_with_linear", false))
        throwUnsupported(ffn.where("replace_with_linear") + ": not supported: true");
    const std::int64_t group = attention.optional("n_heads_in_group", 0, 0, c.heads);
    const double times = ffn.real("ffn_mult", 0, 0, 1e3);
    const std::int64_t width = ffnOf(times, c.hidden);
    if (width > kMaxFfn || (group > 0 && c.heads % group != 0))
        throwBadInput(block.where("attention") + " and 'ffn': " + std::to_string(group) +
                      " heads in a group, a width of " + std::to_string(width));
    const bool linear = attention.flag("replace_with_linear", false);
    setLayer(l, group > 0 ? c.heads / group : linear ? 0 : -1, width);
}

void readDeci(const JsonKeys &keys, Config &c)
{
    const char *const blocks = "block_configs", *const perLayerHeads =
                                                    "num_key_value_heads_per_layer";
    if (const nlohmann::json *list = keys.find(blocks)) {
        if (!list->is_array() || list->size() != c.each.size())
            throwBadInput(keys.where(blocks) + " is no list of " + std::to_string(c.layers) +
                          " layers");
        for (std::size_t i = 0; i < c.each.size(); ++i) {
            const std::string name = std::to_string(i);
            const nlohmann::json one{{name, (*list)[i]}};
            readBlock(JsonKeys(keys.file(), one, std::string(blocks) + '.').inside(name.c_str()), c,
                      c.each[i]);
        }
    } else if (keys.has(perLayerHeads)) { // DeciLM 7B
        const auto heads = perLayer(keys, perLayerHeads, c.layers, 1, c.heads);
        for (std::size_t i = 0; i < c.each.size(); ++i)
            c.each[i].kvHeads = heads[i];
    }
}

void readDeciGguf(const GgufKeys &keys, Config &c)
{
    const auto heads = keys.perLayer("attention.head_count", c.layers, 0, kMaxHeads);
    const auto kvHeads = keys.perLayer("attention.head_count_kv", c.layers, 0, kMaxHeads);
    const auto ffn = keys.perLayer("feed_forward_length", c.layers, 0, kMaxFfn);
    for (std::size_t i = 0; i < c.each.size() && !kvHeads.empty() && !ffn.empty(); ++i)
        setLayer(c.each[i], heads[i] == 0 ? -1 : kvHeads[i], ffn[i]);
}

constexpr std::array kDeciNames{
    TensorName{"attn_output.", "self_attn.o_proj."},
    TensorName{"attn_output.", "self_attn.linear_attn."},
};
constexpr std::array kDeciFamilies{
    Family{.name = "deci",
           .transformer = "DeciLMForCausalLM",
           .ggufPairing = RopePairing::Interleaved,
           .mixture = MixtureRule::Never,
           .names = kDeciNames,
           .defaults = R"({"intermediate_size": 1})", // null: layers have their own
           .folderLayers = &readDeci,
           .gguf = &readDeciGguf},
};

} // namespace

std::span<const Family> deciFamilies()
{
    return kDeciFamilies;
}

} // namespace fireside
