#include "engine/backend/selection.h"

#include "engine/core/error.h"

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

Selection placeAll(int device, BackendKind kind, const MemoryPlan &plan, std::string numbers,
                   std::string reason)
{
    Selection selection;
    selection.placement.embedding = device;
    selection.placement.layers.assign(plan.layerWeights.size(), device);
    selection.placement.output = device;
    selection.kind = kind;
    selection.device = device;
    selection.reason = std::move(reason);
    selection.numbers = std::move(numbers);
    return selection;
}

int findCpu(std::span<const DeviceReport> devices)
{
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].kind == BackendKind::Cpu && devices[i].available)
            return static_cast<int>(i);
    throw Error(ErrorKind::Internal, "the list of devices has no CPU");
}

/// Vulkan devices, the one to prefer first: hardware, own memory, most free memory.
std::vector<int> vulkanByPreference(std::span<const DeviceReport> devices)
{
    std::vector<int> order;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].kind == BackendKind::Vulkan)
            order.push_back(static_cast<int>(i));
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
        const DeviceReport &a = devices[static_cast<std::size_t>(left)];
        const DeviceReport &b = devices[static_cast<std::size_t>(right)];
        if (a.software != b.software)
            return b.software;
        if (a.unifiedMemory != b.unifiedMemory)
            return b.unifiedMemory;
        return a.memoryFree.value_or(0) > b.memoryFree.value_or(0);
    });
    return order;
}

FitVerdict judgeDevice(const DeviceReport &device, const DeviceReport &cpu, const MemoryPlan &plan)
{
    // Shared memory is RAM: the driver's budget may promise more than the computer has.
    if (device.unifiedMemory && cpu.memoryTotal && plan.total() > *cpu.memoryTotal)
        return judgeCpuFit(plan, cpu.memoryTotal, std::nullopt);
    // Without a budget the size of the heap is still a bound.
    if (!device.memoryFree && device.memoryTotal && plan.total() > *device.memoryTotal)
        return judgeFit(plan, device.memoryTotal, "memory on " + device.name);
    if (!device.memoryFree && device.memoryTotal) {
        FitVerdict verdict = judgeFit(plan, std::nullopt, device.name);
        verdict.sentence = "needs " + formatBytes(verdict.needed) + " of the device's " +
                           formatBytes(*device.memoryTotal);
        return verdict;
    }
    return judgeFit(plan, device.memoryFree, "memory on " + device.name);
}

/// Why auto does not take this device, or nullopt when it does.
std::optional<std::string> refusal(const DeviceReport &device, const FitVerdict &verdict)
{
    if (!device.available)
        return device.id == "vulkan" || device.name.empty() ? device.reason
                                                            : device.reason + " – " + device.name;
    if (device.software)
        return device.name + " is a software device, slower than Fireside's own CPU kernels";
    if (verdict.fit == Fit::TooBig)
        return "the model " + verdict.sentence;
    return std::nullopt;
}

Selection selectCpu(std::span<const DeviceReport> devices, const MemoryPlan &plan,
                    const std::string &why)
{
    const int cpu = findCpu(devices);
    const DeviceReport &report = devices[static_cast<std::size_t>(cpu)];
    const FitVerdict verdict = judgeCpuFit(plan, report.memoryTotal, report.memoryFree);
    if (verdict.fit == Fit::TooBig)
        throw Error(ErrorKind::Memory, "the model does not fit on the CPU: it " + verdict.sentence +
                                           "; choose a smaller model or a shorter context");
    // The reason first: where there is little room, the numbers are what is cut.
    return placeAll(cpu, BackendKind::Cpu, plan, verdict.sentence,
                    "Running on the CPU " + why + " (" + verdict.sentence + ')');
}

Selection selectVulkan(std::span<const DeviceReport> devices, const MemoryPlan &plan)
{
    const DeviceReport &cpu = devices[static_cast<std::size_t>(findCpu(devices))];
    const std::vector<int> order = vulkanByPreference(devices);
    for (const int index : order) {
        const DeviceReport &device = devices[static_cast<std::size_t>(index)];
        if (!device.available)
            continue;
        const FitVerdict verdict = judgeDevice(device, cpu, plan);
        return placeAll(index, BackendKind::Vulkan, plan, verdict.sentence,
                        "Running on " + device.name + " through Vulkan as chosen (" +
                            (device.software ? "a software device, slower than the CPU; " : "") +
                            verdict.sentence + "); choose Automatic to let Fireside decide");
    }
    std::string reason = "no Vulkan device was looked for";
    if (!order.empty())
        reason = *refusal(devices[static_cast<std::size_t>(order.front())], {});
    throw Error(ErrorKind::Device, "Vulkan was chosen but cannot be used: " + reason);
}

/// What comes next in a split: a layer, or all the rest that must not be parted.
struct Piece
{
    std::size_t layers = 1;
    std::uint64_t bytes = 0;
};

Piece pieceFrom(const MemoryPlan &plan, std::size_t first)
{
    Piece piece{.layers = first < plan.together ? 1 : plan.layerWeights.size() - first};
    for (std::size_t i = first; i < first + piece.layers; ++i)
        piece.bytes += plan.layerWeights[i] + plan.kvOf(i);
    return piece;
}

/// Layers in order over graphics cards with memory of their own, what is left on the CPU. The
/// embedding, a mere lookup, and the output stay on the CPU unless everything fits the cards.
std::optional<Selection> selectSplit(std::span<const DeviceReport> devices, const MemoryPlan &plan)
{
    const std::size_t layers = plan.layerWeights.size();
    Selection split;
    split.placement.layers.assign(layers, findCpu(devices));
    std::size_t next = 0;
    std::string where;
    std::size_t most = 0;
    int last = -1; // the card that holds the last layer so far
    std::uint64_t lastFree = 0;
    for (const int index : vulkanByPreference(devices)) {
        const DeviceReport &device = devices[static_cast<std::size_t>(index)];
        const std::optional<std::uint64_t> memory =
            device.memoryFree ? device.memoryFree : device.memoryTotal;
        if (!device.available || device.software || device.unifiedMemory || !memory)
            continue;
        const std::uint64_t fixed = plan.scratch + plan.batchScratch + plan.reserve +
                                    (next == 0 ? plan.embeddingWeights + plan.lookupWeights : 0);
        std::uint64_t left = *memory > fixed ? *memory - fixed : 0;
        const std::size_t first = next;
        while (next < layers) {
            const Piece piece = pieceFrom(plan, next);
            if (piece.bytes > left)
                break;
            left -= piece.bytes;
            for (const std::size_t end = next + piece.layers; next < end; ++next)
                split.placement.layers[next] = index;
        }
        if (next == first)
            continue;
        where += (where.empty() ? "" : ", ") + std::to_string(next - first) + " on " + device.name;
        if (next - first > most) {
            most = next - first;
            split.device = index;
        }
        last = index;
        lastFree = left;
    }
    // A tied output matrix is the embedding once more, on another device.
    const std::uint64_t output = plan.outputWeights + plan.embeddingWeights;
    const bool allOnCards = next == layers && output <= lastFree;
    const int cpu = findCpu(devices);
    split.placement.embedding = allOnCards ? split.placement.layers.front() : cpu;
    split.placement.output = allOnCards ? last : cpu;
    // Fewer than this would not pay for the way back and forth.
    if (next * 8 < layers || next == 0)
        return std::nullopt;
    const std::size_t onCpu = layers - next;
    if (onCpu > most)
        split.device = cpu;
    split.kind = devices[static_cast<std::size_t>(split.device)].kind;
    split.numbers = where + (onCpu > 0 ? " and " + std::to_string(onCpu) + " on the CPU" : "") +
                    " of " + std::to_string(layers) + " layers";
    split.reason = "Running " + split.numbers;
    return split;
}

Selection selectAuto(std::span<const DeviceReport> devices, const MemoryPlan &plan)
{
    const DeviceReport &cpu = devices[static_cast<std::size_t>(findCpu(devices))];
    std::optional<std::string> firstRefusal;
    bool canForce = false;
    for (const int index : vulkanByPreference(devices)) {
        const DeviceReport &device = devices[static_cast<std::size_t>(index)];
        const FitVerdict verdict = judgeDevice(device, cpu, plan);
        const auto refused = refusal(device, verdict);
        if (!refused)
            return placeAll(
                index, BackendKind::Vulkan, plan, verdict.sentence,
                "Running on " + device.name + " through Vulkan (" + verdict.sentence +
                    "); choose CPU in the backend settings or --backend cpu to force the CPU");
        // A device that works says more than one that does not.
        if (!firstRefusal || (device.available && !canForce))
            firstRefusal = refused;
        canForce = canForce || device.available;
    }
    if (!firstRefusal)
        return selectCpu(devices, plan, "because no Vulkan device was looked for");
    if (std::optional<Selection> split = selectSplit(devices, plan)) {
        split->reason += " because " + *firstRefusal +
                         "; choose CPU in the backend settings or --backend cpu to force the CPU";
        return std::move(*split);
    }
    return selectCpu(
        devices, plan,
        canForce ? "because " + *firstRefusal +
                       "; choose Vulkan in the backend settings or --backend vulkan to force it"
                 : "because " + *firstRefusal);
}

} // namespace

Selection select(BackendKind asked, std::span<const DeviceReport> devices, const MemoryPlan &plan)
{
    switch (asked) {
    case BackendKind::Cpu:
        return selectCpu(devices, plan, "as chosen; choose Automatic to let Fireside decide");
    case BackendKind::Vulkan:
        return selectVulkan(devices, plan);
    case BackendKind::Auto:
        break;
    }
    return selectAuto(devices, plan);
}

} // namespace fireside
