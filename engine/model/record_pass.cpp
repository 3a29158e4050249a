#include "engine/model/record_pass.h"

#include "engine/backend/measuring_device.h"
#include "engine/backend/op.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace fireside {
namespace {

void recordEmbedding(const Network &network, Commands &c, const Tensor &x, const PassOutput &output,
                     std::int64_t items)
{
    const Tensor rows = network.finalRows(c, x);
    if (!output.hidden.empty())
        c.keep(kHidden, rows);
    if (output.pooled.empty() && output.scores.empty())
        return;
    const Tensor pooled = c.scratch(items, rows.cols);
    c.record(op::Pool{rows, output.pooling, pooled});
    if (!output.pooled.empty())
        c.keep(kPooled, pooled);
    if (output.scores.empty())
        return;
    const Tensor scores = c.scratch(items, 1);
    network.score(c, pooled, scores);
    c.keep(kScores, scores);
}

} // namespace

void recordPart(const Network &network, Commands &c, const PassPart &part, std::int64_t rows,
                std::span<const float> carried, const PassOutput &output, std::int64_t items)
{
    const Tensor x = c.scratch(rows, network.config().streamWidth());
    if (part.embeds)
        network.embed(c, x);
    else
        c.upload(carried, x);
    for (std::int64_t i = part.firstLayer; i < part.endLayer; ++i)
        network.layer(c, i, x);
    if (!part.outputs)
        c.keep(kResidual, x);
    if (part.outputs && output.embeds())
        recordEmbedding(network, c, x, output, items);
    const auto wanted = static_cast<std::int64_t>(output.rows.size());
    if (!part.outputs || wanted == 0)
        return;
    const bool all = rows == 1 && wanted == 1 && output.rows[0] == 0; // nothing to choose
    const Tensor chosen = all ? x : c.scratch(wanted, x.cols);
    const Tensor logits = c.scratch(wanted, network.config().vocabulary);
    if (!all)
        c.record(op::GatherRows{x, c.outputRows(), chosen});
    network.output(c, chosen, logits);
    if (!output.logits.empty())
        c.keep(kLogits, logits);
    std::optional<Tensor> values;
    Tensor ids;
    if (!output.greedy.empty()) {
        ids = c.scratch(wanted, 1, DType::I32);
        c.record(op::Argmax{logits, ids});
        c.keep(kGreedy, ids);
    }
    if (const std::int64_t k = output.topK(); k > 0) {
        values = c.scratch(wanted, k);
        ids = c.scratch(wanted, k, DType::I32);
        c.record(op::TopK{logits, *values, ids});
        c.keep(kTopLogits, *values);
        c.keep(kTopIds, ids);
    }
    if (output.next != nullptr)
        c.record(op::Advance{values, ids, c.scratch(wanted, 1, DType::I32)});
}

namespace {

/// Parts of names of tensors that a model may have and needs not: tables that can be computed,
/// masks, what trains or drafts, other kinds of input.
constexpr std::array<std::string_view, 22> kNotNeeded{"rope_freqs.",
                                                      "rope_factors_",
                                                      "rotary_emb.",
                                                      ".attn.bias",
                                                      ".attn.masked_bias",
                                                      ".attention.bias",
                                                      ".masked_bias",
                                                      "lm_head.",
                                                      "mtp.",
                                                      "nextn.",
                                                      "vision",
                                                      "visual",
                                                      "multi_modal_",
                                                      "audio",
                                                      "position_ids",
                                                      "pooler.",
                                                      "cls.predictions",
                                                      "cls.seq_relationship",
                                                      "vocab_",
                                                      "head.dense.",
                                                      "head.norm.",
                                                      "decoder.bias"};

/// Of a layer that reads another one's keys and values: its own, which older files still have.
bool isUnusedKv(const ModelFile &file, const std::string &name, std::size_t layer,
                const Config &config)
{
    if (config.each[layer].kvFrom < 0)
        return false;
    const std::array<const char *, 3> names{"attn_k.", "attn_v.", "attn_k_norm."};
    return std::any_of(names.begin(), names.end(), [&](const char *own) {
        const std::string prefix = "blk." + std::to_string(layer) + '.' + own;
        return name == tensorNameIn(file, prefix + "weight") ||
               name == tensorNameIn(file, prefix + "bias");
    });
}

/// A tensor that nothing reads belongs to something that would be missing. Layers behind the last
/// draft tokens.
void requireAllUsed(const ModelFile &file, const WeightTable &table, const Config &config)
{
    for (const std::string &name : table.unused()) {
        const auto layer = layerOf(file, name);
        const bool behind = layer && *layer >= static_cast<std::size_t>(config.layers);
        if (layer && !behind && isUnusedKv(file, name, *layer, config))
            continue;
        if (!behind && !mayBeLeftOut(name))
            throwUnsupported(printable(file.path().string()) + ": not supported: the tensor " +
                             fireside::quoted(name));
    }
}

} // namespace

bool mayBeLeftOut(std::string_view tensor)
{
    const bool tied = tensor == "output.weight"; // a copy of the embedding beside it
    return tied || std::any_of(kNotNeeded.begin(), kNotNeeded.end(), [&](std::string_view part) {
               return tensor.find(part) != std::string_view::npos;
           });
}

std::uint64_t scratchBytes(const ModelFile &file, std::int64_t rows)
{
    const std::unique_ptr<Network> network = makeNetwork(file);
    const WeightTable table(file, network->config(), WeightTable::Content::ShapesOnly);
    MeasuringDevice device;
    network->loadEmbedding(table, device);
    for (std::int64_t i = 0; i < network->config().layers; ++i)
        network->loadLayer(table, device, i);
    network->loadOutput(table, device);
    requireAllUsed(file, table, network->config());

    // The most that is asked for at once: logits of as many rows as there may be, and the best of
    // each.
    std::vector<std::int32_t> ids(static_cast<std::size_t>(rows));
    std::vector<std::int32_t> wanted(static_cast<std::size_t>(std::min(rows, kMaxOutputRows)));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<std::int32_t> topIds(wanted.size() * static_cast<std::size_t>(kMaxAheadK));
    PassOutput output{.rows = wanted, .greedy = wanted, .topIds = topIds};
    std::vector<float> pooled;
    if (network->config().encoder) {
        pooled.resize(1);
        output = {.pooled = pooled};
        if (network->config().score.there)
            output.scores = pooled;
    }
    const BatchItem item{{}, 0, rows, 0};
    const auto commands = device.commands(0, rows);
    commands->begin({ids, ids, {&item, 1}, output.rows});
    recordPart(*network, *commands,
               {.embeds = true, .endLayer = network->config().layers, .outputs = true}, rows, {},
               output);
    return device.scratch();
}

} // namespace fireside
