#include "engine/backend/memory_plan.h"

#include "engine/core/error.h"
#include "engine/tensor/planes.h"

#include <algorithm>
#include <numeric>

namespace fireside {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr std::uint64_t kDriver = 150 * kMega; // context and programs of a graphics driver

/// Weights begin at multiples of kPlaneStart.
std::uint64_t sumOf(const std::vector<std::uint64_t> &pieces)
{
    return std::accumulate(pieces.begin(), pieces.end(), std::uint64_t{0},
                           [](std::uint64_t sum, std::uint64_t bytes) {
                               return sum + (bytes + kPlaneStart - 1) / kPlaneStart * kPlaneStart;
                           });
}

/// Of one recorder: memory for results, tables of a pass twice, and activations as bytes.
std::uint64_t gpuWork(const MemoryPlan &plan)
{
    constexpr std::uint64_t kTables = kMega / 4;
    return kRecorderResults + kTables + (plan.gpu.byteProducts ? kRecorderBytes : 0);
}

/// Of the placement's parts, in the order in which they are loaded.
int deviceOf(const Placement &placement, std::size_t part)
{
    return part == 0                         ? placement.embedding
           : part <= placement.layers.size() ? placement.layers[part - 1]
                                             : placement.output;
}

/// Whether the experts of one of the placement's parts lie apart from it.
bool expertsApart(const MemoryPlan &plan, const Placement &placement, std::size_t part)
{
    return plan.experts.there() && part >= 1 && part <= placement.layers.size() &&
           plan.experts.weights[part - 1] > 0 && placement.expertsApart(part - 1);
}

/// What of a part lies on a graphics processor, weight by weight.
const std::vector<std::uint64_t> &piecesOn(const MemoryPlan &plan, const Placement &placement,
                                           std::size_t part, int device, bool software)
{
    static const std::vector<std::uint64_t> none;
    const bool here = deviceOf(placement, part) == device;
    if (expertsApart(plan, placement, part)) {
        const auto &rest = software ? plan.gpu.softwareRestPieces : plan.gpu.restPieces;
        if (here)
            return rest[part - 1];
        return placement.expertsOf(part - 1) == device ? plan.gpu.expertPieces[part - 1] : none;
    }
    if (!here)
        return none;
    if (part > placement.layers.size() && placement.embedding != device)
        return plan.gpu.outputElsewhere;
    return (software ? plan.gpu.softwarePieces : plan.gpu.pieces)[part];
}

/// Bytes of allocations that hold the weights of a graphics processor.
std::uint64_t allocatedFor(const MemoryPlan &plan, const Placement &placement, int device,
                           bool software)
{
    BlockSizes blocks;
    std::uint64_t sum = 0;
    for (std::size_t part = 0; part < plan.gpu.pieces.size(); ++part) {
        for (const std::uint64_t bytes : piecesOn(plan, placement, part, device, software)) {
            const BlockSizes::Place place = blocks.next(bytes);
            blocks.taken(place, bytes);
            sum += (place.allocate + kPlaneStart - 1) / kPlaneStart * kPlaneStart;
        }
    }
    return sum;
}

std::uint64_t statesOn(const MemoryPlan &plan, const Placement &placement, int device)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < placement.layers.size(); ++i)
        sum +=
            placement.layers[i] == device && i < plan.layerStates.size() ? plan.layerStates[i] : 0;
    return sum;
}

/// The device that holds most layers: it says how many rows a pass has.
int leadOf(const Placement &placement)
{
    int lead = placement.output;
    std::ptrdiff_t most = 0;
    for (const int device : placement.layers) {
        const auto count = std::count(placement.layers.begin(), placement.layers.end(), device);
        if (count > most) {
            most = count;
            lead = device;
        }
    }
    return lead;
}

/// Runs of consecutive parts on the device: each has a recorder of its own.
std::uint64_t stagesOn(const Placement &placement, int device)
{
    std::uint64_t stages = 0;
    for (std::size_t part = 0; part < placement.layers.size() + 2; ++part)
        stages += deviceOf(placement, part) == device &&
                  (part == 0 || deviceOf(placement, part - 1) != device);
    return stages;
}

/// Layers whose experts the device computes for another one, and those of its own whose experts
/// another one computes.
struct Handed
{
    bool takes = false, gives = false;
};
Handed handedOn(const MemoryPlan &plan, const Placement &placement, int device)
{
    Handed handed;
    for (std::size_t i = 0; i < placement.layers.size(); ++i) {
        if (!expertsApart(plan, placement, i + 1))
            continue;
        handed.takes = handed.takes || placement.expertsOf(i) == device;
        handed.gives = handed.gives || placement.layers[i] == device;
    }
    return handed;
}

/// Bytes of a layer with and without its experts.
struct LayerBytes
{
    std::uint64_t rest = 0, experts = 0;
};
LayerBytes bytesOf(const MemoryPlan &plan, std::size_t layer)
{
    const std::uint64_t experts = plan.experts.there() ? plan.experts.weights[layer] : 0;
    return {plan.layerWeights[layer] - experts, experts};
}

} // namespace

std::uint64_t MemoryPlan::weights() const
{
    return std::accumulate(layerWeights.begin(), layerWeights.end(),
                           embeddingWeights + outputWeights);
}

std::uint64_t MemoryPlan::kv() const
{
    return std::accumulate(layerCaches.begin(), layerCaches.end(), std::uint64_t{0});
}

void MemoryPlan::setContext(int tokens, DType type)
{
    context = tokens;
    kvType = type;
    if (kept.empty())
        return;
    layerCaches.assign(layerWeights.size(), 0);
    layerStates = layerCaches;
    for (const Kept &each : kept) {
        const std::uint64_t row = rowBytes(type, static_cast<std::size_t>(each.keyDim)) +
                                  rowBytes(type, static_cast<std::size_t>(each.valueDim));
        layerStates[each.layer] += each.states;
        layerCaches[each.layer] += each.states + row * static_cast<std::uint64_t>(each.heads) *
                                                     static_cast<std::uint64_t>(tokens);
    }
}

bool MemoryPlan::canKeep(DType type) const
{
    const std::int64_t block = info(type).blockElements;
    return std::all_of(kept.begin(), kept.end(), [block](const Kept &each) {
        return each.keyDim % block == 0 && each.valueDim % block == 0;
    });
}

MemoryPlan planOn(const MemoryPlan &plan, const DeviceReport &device)
{
    if (device.kind != BackendKind::Vulkan || plan.gpu.pieces.empty())
        return plan;
    MemoryPlan on = plan;
    const auto &pieces = device.software ? plan.gpu.softwarePieces : plan.gpu.pieces;
    on.embeddingWeights = sumOf(pieces.front());
    for (std::size_t i = 0; i < on.layerWeights.size(); ++i)
        on.layerWeights[i] = sumOf(pieces[i + 1]);
    for (std::size_t i = 0; i < on.experts.weights.size(); ++i) {
        const auto &rest = device.software ? plan.gpu.softwareRestPieces : plan.gpu.restPieces;
        on.experts.weights[i] = on.layerWeights[i] - sumOf(rest[i]);
    }
    on.outputWeights = sumOf(pieces.back());
    on.tiedWeights = sumOf(plan.gpu.outputElsewhere) - on.outputWeights;
    on.madeWeights = on.weights();
    const Placement whole{0, std::vector<int>(on.layerWeights.size(), 0), 0};
    on.unused = allocatedFor(plan, whole, 0, device.software) - on.weights();
    on.scratch = device.software ? plan.gpu.softwareScratch : plan.gpu.scratch;
    on.work = gpuWork(plan);
    on.reserve = device.software ? 0 : kDriver;
    on.forDriver = true;
    return on;
}

std::string needsText(const MemoryPlan &plan)
{
    // What is predicted for the model is compared with what it takes: the rest by itself.
    const std::string model = "needs " + formatBytes(plan.total() - plan.reserve);
    if (plan.reserve == 0)
        return model;
    return model + " and " + formatBytes(plan.reserve) +
           (plan.forDriver ? " for its driver" : " for the program");
}

FitVerdict judgeFit(const MemoryPlan &plan, std::optional<std::uint64_t> available,
                    const std::string &where)
{
    FitVerdict verdict;
    verdict.needed = plan.total();
    verdict.available = available;
    verdict.sentence = needsText(plan) + ", ";
    if (!available) {
        verdict.sentence += "how much " + where + " is free is unknown";
        return verdict;
    }
    verdict.fit = verdict.needed <= *available ? Fit::Fits : Fit::TooBig;
    verdict.sentence += (verdict.fit == Fit::TooBig ? "only " : "") + formatBytes(*available) +
                        " of " + where + " is free";
    return verdict;
}

FitVerdict judgeCpuFit(const MemoryPlan &plan, std::optional<std::uint64_t> totalRam,
                       std::optional<std::uint64_t> freeRam)
{
    const std::uint64_t allocated = plan.kv() + plan.scratch + plan.work + plan.madeWeights;
    if (freeRam && allocated > *freeRam) {
        FitVerdict verdict{Fit::TooBig, allocated, freeRam, {}};
        verdict.sentence = "needs " + formatBytes(allocated) + " for " +
                           (plan.madeWeights > 0 ? "quantised weights and " : "") +
                           "a context of " + std::to_string(plan.context) + " tokens, only " +
                           formatBytes(*freeRam) + " of RAM is free";
        return verdict;
    }
    if (!totalRam)
        return judgeFit(plan, std::nullopt, "RAM");
    if (plan.total() > *totalRam) {
        FitVerdict verdict{Fit::TooBig, plan.total(), totalRam, {}};
        verdict.sentence =
            needsText(plan) + ", the computer has only " + formatBytes(*totalRam) + " of RAM";
        return verdict;
    }
    // It fits. Say what is free when that is enough too, else what there is in all.
    const bool fitsFree = freeRam && plan.total() <= *freeRam;
    FitVerdict verdict{Fit::Fits, plan.total(), fitsFree ? freeRam : totalRam, {}};
    verdict.sentence = needsText(plan) + ", " +
                       (fitsFree ? formatBytes(*freeRam) + " of RAM is free"
                                 : "the computer has " + formatBytes(*totalRam) + " of RAM");
    return verdict;
}

MemoryBytes plannedUse(const MemoryPlan &plan, const Placement &placement,
                       std::span<const DeviceReport> devices, std::size_t device)
{
    const DeviceReport &report = devices[device];
    const MemoryPlan on = planOn(plan, report);
    const int index = static_cast<int>(device);
    const std::uint64_t stages = stagesOn(placement, index);
    const Handed handed = handedOn(plan, placement, index);
    MemoryBytes use;
    if (stages == 0 && !handed.takes)
        return use;
    std::uint64_t caches = 0, weights = 0;
    for (std::size_t i = 0; i < placement.layers.size(); ++i) {
        const LayerBytes layer = bytesOf(on, i);
        weights += placement.expertsOf(i) == index ? layer.experts : 0;
        if (placement.layers[i] != index)
            continue;
        weights += layer.rest;
        caches += on.kvOf(i);
    }
    weights += placement.embedding == index ? on.embeddingWeights : 0;
    weights += placement.output == index ? on.outputWeights : 0;
    weights += placement.output == index && placement.embedding != index ? on.tiedWeights : 0;
    const bool inBlocks = report.kind == BackendKind::Vulkan && !plan.gpu.pieces.empty();
    use.at(MemoryPurpose::Weights) =
        inBlocks ? allocatedFor(plan, placement, index, report.software) : weights;
    const std::uint64_t states = statesOn(plan, placement, index);
    use.at(MemoryPurpose::States) = states;
    use.at(MemoryPurpose::Cache) = caches - states;
    const DeviceReport &leads = devices[static_cast<std::size_t>(leadOf(placement))];
    const bool longChunks = leads.kind == BackendKind::Vulkan && !leads.software;
    const bool cpuFollows =
        report.kind == BackendKind::Cpu && longChunks && plan.gpu.cpuScratch > 0;
    use.at(MemoryPurpose::Scratch) =
        stages * (cpuFollows ? plan.gpu.cpuScratch : on.scratch) +
        (handed.takes ? longChunks ? plan.experts.gpuScratch : plan.experts.scratch : 0);
    use.at(MemoryPurpose::Other) = (stages + (handed.takes ? 1 : 0)) * on.work;
    // Values of the host lie in memory that both reach.
    if (report.kind == BackendKind::Vulkan) {
        const auto rows = static_cast<std::uint64_t>(longChunks ? plan.gpu.rows : plan.rows);
        use.at(MemoryPurpose::Other) += rows * ((handed.gives ? plan.experts.handed : 0) +
                                                (placement.embedding != index ? plan.carried : 0));
    }
    return use;
}

} // namespace fireside
