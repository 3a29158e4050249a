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

void recordDraft(const Network &network, Commands &c, std::int64_t head,
                 std::span<const float> hidden, const PassOutput &output)
{
    const Config &cfg = network.config();
    const auto rows = static_cast<std::int64_t>(hidden.size()) / cfg.hidden;
    const auto wanted = static_cast<std::int64_t>(output.rows.size());
    const Tensor before = c.scratch(rows, cfg.hidden);
    c.upload(hidden, before);
    const Tensor x = network.draft(c, head, before);
    const bool all = !output.hidden.empty();
    const Tensor own = all ? network.draftRows(c, head, x) : x;
    if (all)
        c.keep(kHidden, own);
    if (wanted == 0)
        return;
    const Tensor chosen = c.scratch(wanted, cfg.hidden);
    c.record(op::GatherRows{own, c.outputRows(), chosen});
    const Tensor logits = c.scratch(wanted, cfg.vocabulary);
    network.draftLogits(c, head, all ? chosen : network.draftRows(c, head, chosen), logits);
    if (!output.logits.empty())
        c.keep(kLogits, logits);
    if (output.greedy.empty())
        return;
    const Tensor ids = c.scratch(wanted, 1, DType::I32);
    c.record(op::Argmax{logits, ids});
    c.keep(kGreedy, ids);
}

namespace {

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

/// A tensor that nothing reads belongs to something that would be missing. Heads for drafting are
/// there to be left out, but not in part.
void requireAllUsed(const ModelFile &file, const WeightTable &table, const Config &config)
{
    for (const std::string &name : table.unused()) {
        const auto layer = layerOf(file, name);
        const bool drafts = isOfDraft(file, name, config.layers);
        const bool wanted =
            drafts ? config.drafts > 0 : !(layer && isUnusedKv(file, name, *layer, config));
        if (wanted && !mayBeLeftOut(file, name))
            throwUnsupported(printable(file.path().string()) + ": not supported: the tensor " +
                             fireside::quoted(name));
    }
}

} // namespace

std::uint64_t scratchBytes(const ModelFile &file, std::int64_t rows, bool drafts)
{
    const std::unique_ptr<Network> network = makeNetwork(file, drafts);
    const WeightTable table(file, network->config(), WeightTable::Content::ShapesOnly);
    MeasuringDevice device;
    network->loadEmbedding(table, device);
    for (std::int64_t i = 0; i < network->config().layers; ++i)
        network->loadLayer(table, device, i);
    network->loadOutput(table, device);
    for (std::int64_t i = 0; i < network->config().drafts; ++i)
        network->loadDraft(table, device, i);
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
    if (network->config().drafts == 0)
        return device.scratch();
    std::vector<float> hidden(ids.size() * static_cast<std::size_t>(network->config().hidden));
    output.hidden = hidden;
    for (std::int64_t i = 0; i < network->config().drafts; ++i) {
        commands->begin({ids, ids, {&item, 1}, output.rows});
        recordDraft(*network, *commands, i, hidden, output);
    }
    return device.scratch();
}

} // namespace fireside
