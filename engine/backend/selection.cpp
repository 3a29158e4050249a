#include "engine/backend/selection.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace fireside {
namespace {

constexpr double kAsFast = 0.97; // of the fastest: then the first is taken

constexpr const char *kForceCpu =
    "choose CPU in the backend settings or --backend cpu to force the CPU";
constexpr const char *kForceVulkan =
    "choose Vulkan in the backend settings or --backend vulkan to force it";

std::string rateText(double rate)
{
    char text[32];
    std::snprintf(text, sizeof text, rate < 9.95 ? "%.1f" : "%.0f", rate);
    return text;
}

/// "about 12 tokens a second expected"; empty where nothing is known.
std::string speedText(const PlacementOption &option)
{
    if (option.measured)
        return rateText(option.measured->generate) + " tokens a second measured";
    if (option.predicted)
        return "about " + rateText(option.predicted->generate) + " tokens a second expected";
    return {};
}

std::string joined(const std::string &a, const std::string &b)
{
    return a.empty() || b.empty() ? a + b : a + "; " + b;
}

/// The fastest of those that are possible, if all of these have a speed and nobody wants them in an
/// order; else the first.
std::optional<std::size_t> bestOf(const PlacementRequest &request,
                                  const std::vector<PlacementOption> &options)
{
    std::optional<std::size_t> first;
    double fastest = 0;
    bool known = (!namesCards(request) || request.fastest) && request.cardLayers < 0 &&
                 request.expertLayers < 0;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (!options[i].possible())
            continue;
        first = first.value_or(i);
        known = known && options[i].speed().has_value();
        fastest = std::max(fastest, options[i].speed().value_or(Speed{}).generate);
    }
    for (std::size_t i = 0; known && i < options.size(); ++i)
        if (options[i].possible() && options[i].speed()->generate >= kAsFast * fastest)
            return i;
    return first;
}

/// Why no graphics processor has the whole model: of one that is meant and works, if any does.
struct Hindrance
{
    std::string why = "no Vulkan device was looked for";
    bool canForce = false;
};

Hindrance hindranceOf(const std::vector<PlacementOption> &options,
                      std::span<const DeviceReport> devices)
{
    Hindrance found;
    int best = 0;
    for (const PlacementOption &option : options) {
        if (option.kind != BackendKind::Vulkan || option.refusal.empty())
            continue;
        const DeviceReport &device = devices[static_cast<std::size_t>(option.device)];
        const bool works = device.kind == option.kind && device.available;
        const int rank = 1 + (works ? 1 : 0) + (option.unasked ? 0 : 2);
        if (rank > best)
            found.why = option.refusal;
        best = std::max(best, rank);
        found.canForce = found.canForce || works;
    }
    return found;
}

[[noreturn]] void throwNothingFits(const PlacementRequest &request,
                                   const std::vector<PlacementOption> &options,
                                   std::span<const DeviceReport> devices)
{
    const PlacementOption &cpu = options.back();
    if (request.backend == BackendKind::Vulkan) {
        const Hindrance hindrance = hindranceOf(options, devices);
        throw Error(hindrance.canForce ? ErrorKind::Memory : ErrorKind::Device,
                    "Vulkan was chosen but cannot be used: " + hindrance.why);
    }
    const Hindrance hindrance = hindranceOf(options, devices);
    if (request.strict)
        throw Error(ErrorKind::Memory, "what was asked for cannot be met: " + hindrance.why +
                                           "; for the CPU: " + cpu.refusal);
    throw Error(ErrorKind::Memory, "the model does not fit on the CPU: it " + cpu.numbers +
                                       "; choose a smaller model or a shorter context");
}

/// The fastest possible option that runs elsewhere, to compare with.
const PlacementOption *rivalOf(const std::vector<PlacementOption> &options, std::size_t chosen)
{
    const PlacementOption *rival = nullptr;
    for (std::size_t i = 0; i < options.size(); ++i)
        if (i != chosen && options[i].possible() && options[i].speed() &&
            (!rival || options[i].speed()->generate > rival->speed()->generate))
            rival = &options[i];
    return rival;
}

std::string comparison(const std::vector<PlacementOption> &options, std::size_t chosen)
{
    const std::string own = speedText(options[chosen]);
    const PlacementOption *rival = rivalOf(options, chosen);
    return own.empty() || rival == nullptr ? own
                                           : own + ", " + speedText(*rival) + " on " + rival->name;
}

std::string reasonOf(const PlacementRequest &request, const std::vector<PlacementOption> &options,
                     std::size_t chosen, std::span<const DeviceReport> devices)
{
    const PlacementOption &option = options[chosen];
    const DeviceReport &device = devices[static_cast<std::size_t>(option.device)];
    const std::string numbers = joined(option.numbers, comparison(options, chosen));
    const Placement &placed = option.placement;
    const auto allThere = [&](const std::vector<int> &parts) {
        return std::all_of(parts.begin(), parts.end(), [&](int on) { return on == option.device; });
    };
    const bool whole = allThere(placed.layers) && allThere(placed.experts) &&
                       placed.embedding == option.device && placed.output == option.device;
    const Hindrance hindrance = hindranceOf(options, devices);
    if (!whole)
        return "Running " + joined(option.numbers, comparison(options, chosen)) + " because " +
               hindrance.why + "; " + kForceCpu;
    if (device.kind == BackendKind::Vulkan && request.backend == BackendKind::Vulkan)
        return "Running on " + option.name + " through Vulkan as chosen (" +
               (device.software ? "a software device, slower than the CPU; " : "") + numbers +
               "); choose Automatic to let Fireside decide";
    if (device.kind == BackendKind::Vulkan)
        return "Running on " + option.name + " through Vulkan (" + numbers + "); " + kForceCpu;
    // The reason first: where there is little room, the numbers are what is cut.
    const auto onCpu = [&](const std::string &why) {
        return "Running on the CPU " + why + " (" + numbers + ')';
    };
    if (request.backend == BackendKind::Cpu)
        return onCpu("as chosen; choose Automatic to let Fireside decide");
    const PlacementOption *rival = rivalOf(options, chosen);
    if (rival != nullptr)
        return onCpu("because it is the faster one here; " + std::string(kForceVulkan));
    return onCpu("because " + hindrance.why +
                 (hindrance.canForce ? "; " + std::string(kForceVulkan) : ""));
}

} // namespace

std::string sentenceOf(const Selection &selection, std::size_t index)
{
    const PlacementOption &option = selection.options[index];
    const std::string text = option.name + ": ";
    // Of layers on several devices the name is what there is to say.
    const std::string facts =
        joined(option.numbers == option.name ? "" : option.numbers, speedText(option));
    if (index == selection.chosen)
        return text + joined("taken", facts);
    if (option.refusal.starts_with(option.name + " is "))
        return option.refusal; // names it already
    if (!option.refusal.empty())
        return text + option.refusal;
    if (option.unasked)
        return text + joined(facts, "not asked for");
    if (!selection.possible())
        return facts.empty() ? option.name : text + facts;
    const PlacementOption &chosen = selection.options[selection.chosen];
    if (option.speed() && chosen.speed() && option.speed()->generate < chosen.speed()->generate)
        return text + facts + ", fewer than the " + rateText(chosen.speed()->generate) + " of " +
               chosen.name;
    return text + joined(facts, chosen.name + " comes first");
}

Selection select(const PlacementRequest &request, std::span<const DeviceReport> devices,
                 const MemoryPlan &plan, const KnownSpeeds &known)
{
    std::vector<PlacementOption> options = placementOptions(request, devices, plan, known);
    const std::optional<std::size_t> best = bestOf(request, options);
    if (!best)
        throwNothingFits(request, options, devices);
    const PlacementOption &option = options[*best];
    Selection selection{.placement = option.placement,
                        .kind = option.kind,
                        .device = option.device,
                        .context = option.context,
                        .kvType = option.kvType,
                        .reason = reasonOf(request, options, *best, devices),
                        .numbers = option.numbers};
    selection.options = std::move(options);
    selection.chosen = *best;
    return selection;
}

Selection explain(const PlacementRequest &request, std::span<const DeviceReport> devices,
                  const MemoryPlan &plan, const KnownSpeeds &known)
{
    try {
        return select(request, devices, plan, known);
    } catch (const Error &error) {
        Selection none;
        none.options = placementOptions(request, devices, plan, known);
        none.chosen = none.options.size();
        none.context = plan.context;
        none.kvType = plan.kvType;
        none.reason = error.what();
        return none;
    }
}

Selection selectGiven(const Placement &placement, std::span<const DeviceReport> devices,
                      const MemoryPlan &plan)
{
    Selection selection;
    selection.placement = placement;
    std::ptrdiff_t most = -1;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto count =
            std::count(placement.layers.begin(), placement.layers.end(), static_cast<int>(i));
        if (count > most) {
            most = count;
            selection.device = static_cast<int>(i);
        }
    }
    selection.kind = devices[static_cast<std::size_t>(selection.device)].kind;
    selection.context = plan.context;
    selection.kvType = plan.kvType;
    selection.numbers = placementKey(placement, devices);
    selection.reason = "Running as asked, " + selection.numbers;
    return selection;
}

} // namespace fireside
