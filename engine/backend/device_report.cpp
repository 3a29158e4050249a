#include "engine/backend/device_report.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <array>
#include <map>

namespace fireside {
namespace {

constexpr const char *kModel = "Model"; // a property of devices that have a number
constexpr std::array kKinds{BackendKind::Auto, BackendKind::Cpu, BackendKind::Vulkan};

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

BackendKind parseBackendKind(std::string_view word)
{
    for (const BackendKind kind : kKinds) {
        const std::string_view name = toString(kind);
        if (std::equal(word.begin(), word.end(), name.begin(), name.end(),
                       [](char a, char b) { return lower(a) == b; }))
            return kind;
    }
    throwBadInput("unsupported backend " + fireside::quoted(word));
}

const char *toString(BackendKind kind)
{
    switch (kind) {
    case BackendKind::Cpu:
        return "cpu";
    case BackendKind::Vulkan:
        return "vulkan";
    case BackendKind::Auto:
        break;
    }
    return "auto";
}

void tellApart(std::vector<DeviceReport> &devices)
{
    std::map<std::string, int> alike, seen;
    for (const DeviceReport &device : devices)
        ++alike[device.name];
    for (DeviceReport &device : devices) {
        const std::string model = device.name;
        if (alike[model] < 2)
            continue;
        device.name += " (" + std::to_string(++seen[model]) + ')';
        device.properties.emplace_back(kModel, model);
    }
}

const std::string &modelOf(const DeviceReport &device)
{
    for (const auto &[name, value] : device.properties)
        if (name == kModel)
            return value;
    return device.name;
}

} // namespace fireside
