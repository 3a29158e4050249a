#include "engine/model/quantize/load_types.h"

#include "engine/backend/measuring_device.h"
#include "engine/backend/memory_plan.h"
#include "engine/model/architectures.h"
#include "engine/model/quantize/quantize_file.h"
#include "engine/model/weights.h"
#include "engine/tensor/quantize.h"

#include <vector>

namespace fireside {
namespace {

std::uint64_t bytesAs(DType type, const RecipeTensor &t)
{
    return static_cast<std::uint64_t>(t.depth * t.rows) *
           rowBytes(type, static_cast<std::size_t>(t.cols));
}

std::uint64_t &partOf(MemoryPlan &plan, const std::string &tensor)
{
    const std::int64_t layer = layerNumber(tensor);
    if (layer >= 0 && static_cast<std::size_t>(layer) < plan.layerWeights.size())
        return plan.layerWeights[static_cast<std::size_t>(layer)];
    return tensor == "token_embd.weight"             ? plan.embeddingWeights
           : tensor == "per_layer_token_embd.weight" ? plan.lookupWeights
                                                     : plan.outputWeights;
}

} // namespace

LoadTypes::LoadTypes(const ModelFile &file, const Recipe &recipe)
{
    const std::unique_ptr<Network> network = makeNetwork(file);
    const WeightTable table(file, network->config(), WeightTable::Content::ShapesOnly);
    MeasuringDevice device;
    network->loadEmbedding(table, device);
    for (std::int64_t i = 0; i < network->config().layers; ++i)
        network->loadLayer(table, device, i);
    network->loadOutput(table, device);

    const std::vector<RecipeTensor> &tensors = table.requests();
    const std::vector<DType> types = typesFor(recipe, recipeModelOf(network->config()), tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const RecipeTensor &t = tensors[i];
        const bool plain = info(t.type).blockElements == 1;
        if (plain && types[i] != t.type && bytesAs(types[i], t) < bytesAs(t.type, t))
            m_changes.insert({t.name, {types[i], bytesAs(t.type, t), bytesAs(types[i], t)}});
    }
}

std::optional<DType> LoadTypes::find(const std::string &tensor) const
{
    const auto it = m_changes.find(tensor);
    return it == m_changes.end() ? std::nullopt : std::optional(it->second.type);
}

void LoadTypes::apply(MemoryPlan &plan) const
{
    for (const auto &[name, change] : m_changes) {
        std::uint64_t &part = partOf(plan, name);
        part -= std::min(part, change.before);
        part += change.after;
        plan.madeWeights += change.after;
    }
}

} // namespace fireside
