#include "engine/model/quantize/load_types.h"

#include "engine/backend/measuring_device.h"
#include "engine/model/architectures.h"
#include "engine/model/config.h"
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

} // namespace

RecipeModel recipeModelOf(const Config &config)
{
    return {config.architecture, config.layers, config.experts.count,
            config.kvHeads > 0 ? config.heads / config.kvHeads : 1};
}

std::vector<RecipeTensor> weightsAskedOf(const ModelFile &file)
{
    const std::unique_ptr<Network> network = makeNetwork(file);
    const WeightTable table(file, network->config(), WeightTable::Content::ShapesOnly);
    MeasuringDevice device;
    network->loadEmbedding(table, device);
    for (std::int64_t i = 0; i < network->config().layers; ++i)
        network->loadLayer(table, device, i);
    network->loadOutput(table, device);
    return table.requests();
}

LoadTypes::LoadTypes(const ModelFile &file, const Recipe &recipe)
{
    const std::vector<RecipeTensor> tensors = weightsAskedOf(file);
    const std::vector<DType> types = typesFor(recipe, recipeModelOf(readConfig(file)), tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const RecipeTensor &t = tensors[i];
        if (isFloatType(t.type) && types[i] != t.type && bytesAs(types[i], t) < bytesAs(t.type, t))
            m_changes.insert({t.name, {types[i], bytesAs(types[i], t)}});
    }
}

std::optional<DType> LoadTypes::find(const std::string &tensor) const
{
    const auto it = m_changes.find(tensor);
    return it == m_changes.end() ? std::nullopt : std::optional(it->second.type);
}

std::uint64_t LoadTypes::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto &[name, change] : m_changes)
        sum += change.bytes;
    return sum;
}

} // namespace fireside
