#pragma once
#include "engine/engine.h"
#include "tests/support/fake_device.h"

namespace fireside::test {

/// An engine of the CPU and a graphics card that is the CPU too, until `script` says otherwise.
inline EngineOptions fakeEngine(std::shared_ptr<DeviceScript> card,
                                std::shared_ptr<DeviceScript> cpu = nullptr,
                                const DeviceReport &report = fakeCard())
{
    EngineOptions options;
    options.probe = [report] { return std::vector{probeCpu(), report}; };
    options.open = [card, cpu](const DeviceReport &asked,
                               const LoadOptions &load) -> std::unique_ptr<Device> {
        auto device = openCpu({.threads = load.threads});
        if (asked.kind == BackendKind::Vulkan)
            return fakeDevice(std::move(device), asked, card);
        return cpu ? fakeDevice(std::move(device), asked, cpu) : std::move(device);
    };
    return options;
}

} // namespace fireside::test
