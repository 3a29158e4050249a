#include "engine/backend/device_report.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

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

} // namespace fireside
