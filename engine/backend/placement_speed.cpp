#include "engine/backend/placement_speed.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr double kCrossing = 1e-4; // seconds from one device to the next, each pass

int deviceOfPart(const Placement &placement, std::size_t part)
{
    return part == 0                         ? placement.embedding
           : part <= placement.layers.size() ? placement.layers[part - 1]
                                             : placement.output;
}

double ratio(double work, double rate)
{
    return work > 0 ? work / rate : 0;
}

double seconds(const OpWork &work, int ops, const MachineRates &rates)
{
    const double products = ratio(work.byteProducts, rates.byteProducts) +
                            ratio(work.floatProducts, rates.floatProducts);
    return std::max(ratio(work.bytes, rates.readBytes), products) + ops * rates.opSeconds;
}

} // namespace

std::string placementKey(const Placement &placement, std::span<const DeviceReport> devices)
{
    std::string key;
    const std::size_t parts = placement.layers.size() + 2;
    for (std::size_t first = 0; first < parts;) {
        const int device = deviceOfPart(placement, first);
        std::size_t end = first;
        while (end < parts && deviceOfPart(placement, end) == device)
            ++end;
        key += (key.empty() ? "" : ", ") + devices[static_cast<std::size_t>(device)].id + " ×" +
               std::to_string(end - first);
        first = end;
    }
    return key;
}

std::optional<Speed> predictSpeed(const MemoryPlan &plan, const Placement &placement,
                                  std::span<const DeviceReport> devices, const KnownSpeeds &known)
{
    if (plan.steps.size() != placement.layers.size() + 2 || plan.chunkRows <= 0)
        return std::nullopt;
    double token = 0, chunk = 0;
    for (std::size_t part = 0; part < plan.steps.size(); ++part) {
        const int device = deviceOfPart(placement, part);
        const std::string &id = devices[static_cast<std::size_t>(device)].id;
        const auto rates = std::find_if(known.devices.begin(), known.devices.end(),
                                        [&](const DeviceRates &each) { return each.device == id; });
        if (rates == known.devices.end())
            return std::nullopt;
        const bool crosses = part > 0 && deviceOfPart(placement, part - 1) != device;
        const MemoryPlan::PartWork &work = plan.steps[part];
        token += seconds(work.token, work.ops, rates->rates) + (crosses ? kCrossing : 0);
        chunk += seconds(work.chunk, work.ops, rates->rates) + (crosses ? kCrossing : 0);
    }
    return token > 0 && chunk > 0 ? std::optional(Speed{1 / token, plan.chunkRows / chunk})
                                  : std::nullopt;
}

std::optional<Speed> measuredSpeed(const MemoryPlan &plan, const Placement &placement,
                                   std::span<const DeviceReport> devices, const KnownSpeeds &known)
{
    const std::string key = placementKey(placement, devices);
    for (const MeasuredPlacement &each : known.measured)
        if (each.placement == key && each.kvType == plan.kvType)
            return each.speed;
    return std::nullopt;
}

} // namespace fireside
