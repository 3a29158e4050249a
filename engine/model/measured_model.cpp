#include "engine/model/measured_model.h"

#include "engine/backend/hand_over.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/model/architectures.h"
#include "engine/model/record_pass.h"
#include "engine/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace fireside {
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

MeasuredModel::MeasuredModel(const ModelFile &file, bool drafts, const LoadTypes *types)
    : m_file(file)
    , m_network(makeNetwork(file, drafts))
{
    const Config &c = config();
    WeightTable table(file, c, WeightTable::Content::ShapesOnly);
    if (types != nullptr)
        table.shapesAs(*types);
    MeasuringDevice plain(false), other;
    m_parts = load(table, plain);
    m_withMatrices = load(table, m_device);
    requireAllUsed(file, table, c);
    // On another device than the embedding's it comes once more.
    m_network->loadOutput(table, other);
    m_elsewhere = other.takeWeights();
    m_network->loadOutput(table, m_device);
    if (c.experts.count > 0)
        loadApart(table, drafts);
}

void MeasuredModel::loadApart(const WeightTable &table, bool drafts)
{
    m_split = makeNetwork(m_file, drafts);
    m_split->loadEmbedding(table, m_device);
    MeasuringDevice plain(false);
    for (std::int64_t i = 0; i < config().layers; ++i) {
        m_device.takeWeights();
        m_split->loadLayer(table, {plain, m_helper}, i);
        m_apart.rest.push_back(plain.takeWeights());
        m_helper.takeWeights();
        m_split->loadLayer(table, {m_device, m_helper}, i);
        m_apart.restWithMatrices.push_back(m_device.takeWeights());
        m_apart.experts.push_back(m_helper.takeWeights());
    }
    m_split->loadOutput(table, m_device);
    for (std::int64_t i = 0; i < config().drafts; ++i)
        m_split->loadDraft(table, m_device, i);
    m_device.takeWeights();
}

std::vector<MeasuredWeights> MeasuredModel::load(const WeightTable &table, MeasuringDevice &device)
{
    std::vector<MeasuredWeights> parts;
    m_network->loadEmbedding(table, device);
    parts.push_back(device.takeWeights());
    for (std::int64_t i = 0; i < config().layers; ++i) {
        m_network->loadLayer(table, device, i);
        parts.push_back(device.takeWeights());
    }
    m_network->loadOutput(table, device);
    for (std::int64_t i = 0; i < config().drafts; ++i)
        m_network->loadDraft(table, device, i);
    parts.push_back(device.takeWeights());
    return parts;
}

/// The most that is asked of a pass at once: logits of as many rows as there may be, and the best
/// of each.
void MeasuredModel::record(const Network &network, const PassPart &part, std::int64_t rows)
{
    const Config &c = config();
    std::vector<std::int32_t> ids(static_cast<std::size_t>(rows));
    std::vector<std::int32_t> wanted(static_cast<std::size_t>(std::min(rows, kMaxOutputRows)));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<std::int32_t> topIds(wanted.size() * static_cast<std::size_t>(kMaxAheadK));
    PassOutput output{.rows = wanted, .greedy = wanted, .topIds = topIds};
    std::vector<float> pooled;
    if (c.encoder) {
        pooled.resize(1);
        output = {.pooled = pooled};
        if (c.score.there)
            output.scores = pooled;
    }
    const BatchItem item{{}, 0, rows, 0};
    const auto commands = m_device.commands(0, rows), helper = m_helper.commands(0, rows);
    handOverOf(*commands).prepareHandOver({.helper = helper.get()});
    helper->begin({ids, ids, {&item, 1}, output.rows});
    commands->begin({ids, ids, {&item, 1}, output.rows});
    recordPart(network, *commands, part, rows, output);
    std::vector<float> hidden;
    if (part.outputs && c.drafts > 0)
        hidden.resize(ids.size() * static_cast<std::size_t>(c.hidden));
    output.hidden = hidden;
    for (std::int64_t i = 0; part.outputs && part.embeds && i < c.drafts; ++i) {
        commands->begin({ids, ids, {&item, 1}, output.rows});
        recordDraft(network, *commands, i, hidden, output);
    }
}

PassPart MeasuredModel::whole() const
{
    return {.embeds = true, .endLayer = config().layers, .outputs = true};
}

MeasuredNeeds MeasuredModel::needs(std::int64_t rows)
{
    m_device.restart();
    record(*m_network, whole(), rows);
    if (m_split)
        record(*m_split, whole(), rows);
    return m_device.needs();
}

MeasuredNeeds MeasuredModel::expertNeeds(std::int64_t rows)
{
    m_helper.restart();
    if (m_split)
        record(*m_split, whole(), rows);
    return m_helper.needs();
}

std::vector<MemoryPlan::PartWork> MeasuredModel::steps(std::int64_t chunk)
{
    const std::int64_t layers = config().layers;
    std::vector<MemoryPlan::PartWork> steps(static_cast<std::size_t>(layers + 2));
    for (std::int64_t i = 0; i < layers + 2; ++i) {
        MemoryPlan::PartWork &step = steps[static_cast<std::size_t>(i)];
        const bool first = i == 0, last = i == layers + 1;
        PassPart part{.embeds = first, .firstLayer = i - 1, .endLayer = i, .outputs = last};
        if (first || last)
            part.firstLayer = part.endLayer = first ? 0 : layers;
        for (const std::int64_t rows : {std::int64_t{1}, chunk}) {
            m_device.restart();
            record(*m_network, part, rows);
            (rows == 1 ? step.token : step.chunk) = m_device.needs().work;
            step.ops = m_device.needs().ops;
            if (!m_split || first || last)
                continue;
            m_helper.restart();
            record(*m_split, part, rows);
            (rows == 1 ? step.expertToken : step.expertChunk) = m_helper.needs().work;
            step.expertOps = m_helper.needs().ops;
        }
    }
    return steps;
}

} // namespace fireside
