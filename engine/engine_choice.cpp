#include "engine/engine_choice.h"

#include "engine/backend/measure_rates.h"
#include "engine/backend/rate_devices.h"
#include "engine/core/error.h"
#include "engine/files/model_file.h"

#include <algorithm>

// The part of Engine that chooses where models run.
namespace fireside {
namespace {

/// Of an encoder, behind its path.
constexpr const char *kCannotChat = "embedding model: cannot chat";

std::string modelKey(const ModelSummary &summary)
{
    return summary.fingerprint + summary.quantisedTo;
}

} // namespace

PlacementRequest requestOf(const LoadOptions &options)
{
    PlacementRequest request(options.backend);
    request.devices = options.devices;
    request.fastest = options.fastest;
    request.cardLayers = options.cardLayers;
    request.expertLayers = options.expertLayers;
    request.smallerCache = options.smallerCache;
    request.leastContext = options.leastContext;
    request.strict = options.strict;
    return request;
}

std::filesystem::path speedsIn(const std::filesystem::path &cacheFolder)
{
    return cacheFolder.empty() ? cacheFolder : cacheFolder / "speeds.json";
}

void requireUsable(const ModelSummary &summary, const LoadOptions &options)
{
    if (summary.problem)
        throwUnsupported(summary.path.string() + ": " + *summary.problem);
    if (summary.encoder && !options.embeddings)
        throwUnsupported(summary.path.string() + ": " + kCannotChat);
}

std::vector<DeviceReport> Engine::devicesFor(const LoadOptions &options)
{
    // Asking for the CPU must not wait for, or depend on, graphics drivers.
    if (options.backend == BackendKind::Cpu && m_devices.empty())
        return {probeCpu()};
    return devices();
}

void Engine::measureDevices(const LoadOptions &options, const std::stop_token &stop)
{
    // Where an order was asked for, speeds decide nothing.
    const bool choosing = options.backend == BackendKind::Auto && options.cardLayers < 0 &&
                          options.expertLayers < 0 &&
                          (options.fastest || !namesCards(requestOf(options))) &&
                          !options.recovery && !options.placement && !m_options.open;
    const auto card = [](const DeviceReport &report) {
        return report.kind == BackendKind::Vulkan && report.available && !report.software;
    };
    if (!choosing || std::none_of(m_devices.begin(), m_devices.end(), card))
        return;
    rateDevices(m_devices, m_speeds, [&](const DeviceReport &report) {
        const auto device = report.kind == BackendKind::Cpu
                                ? openCpu({.threads = options.threads})
                                : openVulkan(report, {.cacheFolder = m_options.cacheFolder});
        return measureRates(*device, stop);
    });
}

void Engine::rateProcessor(const std::stop_token &stop)
{
    if (m_options.open)
        return;
    const std::vector<DeviceReport> devices =
        m_devices.empty() ? std::vector{probeCpu()} : m_devices;
    const auto cpu = static_cast<std::size_t>(findCpu(devices));
    rateDevices(std::span(devices).subspan(cpu, 1), m_speeds,
                [&](const DeviceReport &) { return measureRates(*openCpu({}), stop); });
}

Engine::Choice Engine::choose(const std::filesystem::path &path, const LoadOptions &options,
                              const std::stop_token &stop)
{
    Choice choice;
    const ModelFile file = ModelFile::open(path);
    choice.summary =
        describeModel(file, options.context, options.kvType, options.quantize, options.draftHeads);
    requireUsable(choice.summary, options);
    choice.devices = devicesFor(options);
    measureDevices(options, stop);
    choice.selection = select(requestOf(options), choice.devices, *choice.summary.plan,
                              speedsOf(choice.summary, choice.devices));
    return choice;
}

Engine::Choice Engine::preview(const std::filesystem::path &path, const LoadOptions &options,
                               std::vector<DeviceReport> devices,
                               const std::filesystem::path &cacheFolder)
{
    Choice choice;
    const ModelFile file = ModelFile::open(path);
    choice.summary =
        describeModel(file, options.context, options.kvType, options.quantize, options.draftHeads);
    requireUsable(choice.summary, options);
    choice.devices = std::move(devices);
    const KnownSpeeds known =
        SpeedStore(speedsIn(cacheFolder)).known(modelKey(choice.summary), choice.devices);
    choice.selection = explain(requestOf(options), choice.devices, *choice.summary.plan, known);
    return choice;
}

/// By the rates of the devices alone, so that they can be corrected by what is reached.
Speed Engine::expectedOf(const LoadedModel &model) const
{
    KnownSpeeds known = speedsOf(model.summary(), model.devices());
    for (DeviceRates &each : known.devices)
        each.reached.clear();
    return predictSpeed(model.plan(), model.selection().placement, model.devices(), known)
        .value_or(Speed());
}

void Engine::noteSpeed(const LoadedModel &model, const Speed &speed)
{
    m_speeds.setSpeed(modelKey(model.summary()), model.selection().placement, model.devices(),
                      model.kvType(), speed, expectedOf(model));
}

void Engine::noteReply(const LoadedModel &model, const Speed &speed)
{
    m_speeds.addReply(modelKey(model.summary()), model.selection().placement, model.devices(),
                      model.kvType(), speed, expectedOf(model));
}

KnownSpeeds Engine::speedsOf(const ModelSummary &summary,
                             const std::vector<DeviceReport> &devices) const
{
    return m_speeds.known(modelKey(summary), devices);
}

} // namespace fireside
