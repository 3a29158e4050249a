#include "engine/backend/placement_speed.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fireside {
namespace {

constexpr double kCrossing = 1e-4; // seconds from one device to the next, each pass
// Experts of a layer elsewhere: a submission, a wait and waking threads, there and back.
constexpr double kHandOver = 6e-5;
constexpr double kLinkBytes = 8e9; // a second between processor and card, as memory is mapped
constexpr int kHandOverOps = 3;    // norm, routing and sum take launches of their own

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

const DeviceRates *knownOf(int device, std::span<const DeviceReport> devices,
                           const KnownSpeeds &known)
{
    const std::string &id = devices[static_cast<std::size_t>(device)].id;
    const auto found = std::find_if(known.devices.begin(), known.devices.end(),
                                    [&](const DeviceRates &each) { return each.device == id; });
    return found == known.devices.end() ? nullptr : &*found;
}

const MachineRates *ratesOf(int device, std::span<const DeviceReport> devices,
                            const KnownSpeeds &known)
{
    const DeviceRates *const found = knownOf(device, devices, known);
    return found == nullptr ? nullptr : &found->rates;
}

/// How many times as fast as expected a device is with the model whose expected speed is closest.
double factorOf(const DeviceRates &device, double expected, double Speed::*rate)
{
    constexpr double kMost = 20; // more is a fault of one of the two
    double factor = 1, closest = 0;
    bool any = false;
    for (const ReachedSpeed &each : device.reached) {
        const double then = each.expected.*rate, reached = each.reached.*rate;
        if (!(then > 0) || !(reached > 0))
            continue;
        const double distance = std::abs(std::log(then / expected));
        if (any && distance > closest)
            continue;
        any = true;
        closest = distance;
        factor = std::clamp(reached / then, 1 / kMost, kMost);
    }
    return factor;
}

/// Seconds of a pass, by device (−1: on the way between them).
using SecondsByDevice = std::map<int, double>;

double sumOf(const SecondsByDevice &seconds)
{
    double sum = 0;
    for (const auto &[device, each] : seconds)
        sum += each;
    return sum;
}

double correctedSum(const SecondsByDevice &seconds, int rows, double Speed::*rate,
                    std::span<const DeviceReport> devices, const KnownSpeeds &known)
{
    const double expected = rows / sumOf(seconds);
    double sum = 0;
    for (const auto &[device, each] : seconds)
        sum +=
            device < 0 ? each : each / factorOf(*knownOf(device, devices, known), expected, rate);
    return sum;
}

OpWork without(const OpWork &work, const OpWork &part)
{
    return {work.bytes - part.bytes, work.byteProducts - part.byteProducts,
            work.floatProducts - part.floatProducts, work.floatBytes - part.floatBytes};
}

double seconds(const OpWork &work, int ops, const MachineRates &rates)
{
    const double products = ratio(work.byteProducts, rates.byteProducts) +
                            ratio(work.floatProducts, rates.floatProducts);
    const double floats = rates.readFloats > 0 ? rates.readFloats : rates.readBytes;
    const double reading =
        ratio(work.bytes - work.floatBytes, rates.readBytes) + ratio(work.floatBytes, floats);
    return std::max(reading, products) + ops * rates.opSeconds;
}

/// "vulkan:0 ×28, cpu ×4": the devices of so many parts, in order.
template <typename DeviceOf>
std::string runsOf(std::size_t parts, std::span<const DeviceReport> devices,
                   const DeviceOf &deviceOf)
{
    std::string key;
    for (std::size_t first = 0; first < parts;) {
        const int device = deviceOf(first);
        std::size_t end = first;
        while (end < parts && deviceOf(end) == device)
            ++end;
        key += (key.empty() ? "" : ", ") + devices[static_cast<std::size_t>(device)].id + " ×" +
               std::to_string(end - first);
        first = end;
    }
    return key;
}

/// Seconds of a part whose experts may lie elsewhere. rows: of a token 1, of a chunk its length.
std::optional<double> secondsOfPart(const MemoryPlan &plan, const Placement &placement,
                                    std::size_t part, int rows,
                                    std::span<const DeviceReport> devices, const KnownSpeeds &known)
{
    const MemoryPlan::PartWork &step = plan.steps[part];
    const OpWork &work = rows == 1 ? step.token : step.chunk;
    const MachineRates *const rates = ratesOf(deviceOfPart(placement, part), devices, known);
    if (rates == nullptr)
        return std::nullopt;
    const bool apart =
        step.expertOps > 0 && part <= placement.layers.size() && placement.expertsApart(part - 1);
    if (!apart)
        return seconds(work, step.ops, *rates);
    const MachineRates *const others = ratesOf(placement.expertsOf(part - 1), devices, known);
    if (others == nullptr)
        return std::nullopt;
    const OpWork &experts = rows == 1 ? step.expertToken : step.expertChunk;
    return seconds(without(work, experts), step.ops - step.expertOps + kHandOverOps, *rates) +
           seconds(experts, step.expertOps, *others) + kHandOver +
           rows * static_cast<double>(plan.experts.handed) / kLinkBytes;
}

} // namespace

std::string placementKey(const Placement &placement, std::span<const DeviceReport> devices)
{
    std::string key = runsOf(placement.layers.size() + 2, devices,
                             [&](std::size_t part) { return deviceOfPart(placement, part); });
    const auto expertsOf = [&](std::size_t layer) { return placement.expertsOf(layer); };
    bool apart = false;
    for (std::size_t i = 0; i < placement.layers.size(); ++i)
        apart = apart || placement.expertsApart(i);
    if (apart)
        key += "; experts " + runsOf(placement.layers.size(), devices, expertsOf);
    return key;
}

std::optional<Speed> predictSpeed(const MemoryPlan &plan, const Placement &placement,
                                  std::span<const DeviceReport> devices, const KnownSpeeds &known)
{
    if (plan.steps.size() != placement.layers.size() + 2 || plan.chunkRows <= 0)
        return std::nullopt;
    SecondsByDevice token, chunk;
    for (std::size_t part = 0; part < plan.steps.size(); ++part) {
        const auto one = secondsOfPart(plan, placement, part, 1, devices, known);
        const auto many = secondsOfPart(plan, placement, part, plan.chunkRows, devices, known);
        if (!one || !many)
            return std::nullopt;
        const int device = deviceOfPart(placement, part);
        token[device] += *one;
        chunk[device] += *many;
        if (part > 0 && deviceOfPart(placement, part - 1) != device) {
            token[-1] += kCrossing;
            chunk[-1] += kCrossing;
        }
    }
    if (!(sumOf(token) > 0) || !(sumOf(chunk) > 0))
        return std::nullopt;
    return Speed{1 / correctedSum(token, 1, &Speed::generate, devices, known),
                 plan.chunkRows /
                     correctedSum(chunk, plan.chunkRows, &Speed::prompt, devices, known)};
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
