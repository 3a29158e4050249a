#pragma once
#include "engine/backend/device_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fireside {

/// What a person says about one device.
struct DeviceWish
{
    std::string id;                       // of its report
    std::optional<std::uint64_t> limit{}; // bytes that Fireside may take there; 0: it is not used
    std::uint64_t reserve = 0;            // bytes that stay free for other programs
    bool used() const { return limit != std::uint64_t{0}; }
    bool bounded() const { return limit || reserve > 0; }
    const char *boundText() const // after how much is free
    {
        return limit ? " within the limit" : reserve > 0 ? " beside the reserve" : "";
    }
};

/// Where a model is to run, as far as anybody has said.
struct PlacementRequest
{
    PlacementRequest(BackendKind kind = BackendKind::Auto) // NOLINT: a kind is a request
        : backend(kind)
    {}
    BackendKind backend;
    /// The graphics processors to use, in their order; empty: all, as they are best. The CPU may
    /// always be named, for its limit.
    std::vector<DeviceWish> devices{};
    bool fastest = false; // of the devices named the fastest, not the first that has room
    int cardLayers = -1;  // layers on graphics processors; −1: as many as is best
    /// Layers of mixtures whose experts lie on graphics processors like the rest of them; those of
    /// the others on the CPU. −1: as is best. Other models have none.
    int expertLayers = -1;
    bool smallerCache = false; // keys and values may become Q8_0 where that helps
    int leastContext = 0;      // the context may become as short where that helps; 0: it may not
    bool strict = false; // what cannot be met is an error, and no layer goes to the CPU unasked
};

} // namespace fireside
