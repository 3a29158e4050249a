#pragma once
#include "engine/backend/placement_request.h"
#include "engine/backend/placement_speed.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside {

/// One way to run a model on the devices there are, and what is to be said of it.
struct PlacementOption
{
    std::string name{}; // "NVIDIA H200", "24 on NVIDIA H200 and 8 on the CPU of 32 layers"
    Placement placement{};
    int device = 0; // the one that runs most layers
    BackendKind kind = BackendKind::Cpu;
    int context = 0; // tokens
    DType kvType = DType::F16;
    std::string numbers{}; // "needs 1.2 GB, 16 GB of memory on … is free"
    std::string refusal{}; // why it cannot be taken: the end of "because …"; empty: it can
    bool unasked = false;  // it could, but something else was asked for
    std::optional<Speed> predicted{}, measured{};

    bool possible() const { return refusal.empty() && !unasked; }
    const std::optional<Speed> &speed() const { return measured ? measured : predicted; }
};

/// Every option, the one to prefer first as long as no speeds are known: whole graphics processors,
/// hardware before software, own memory before shared, most free memory first (or in the asked
/// order); the same with Q8_0 or less context where that is allowed; layers over several; layers
/// over them and the CPU; the CPU. Error(Internal) without a CPU among the devices.
std::vector<PlacementOption> placementOptions(const PlacementRequest &request,
                                              std::span<const DeviceReport> devices,
                                              const MemoryPlan &plan, const KnownSpeeds &known);

/// Whether graphics processors are named, so that others are not to be used.
bool namesCards(const PlacementRequest &request);
/// Index of the CPU's report; Error(Internal).
int findCpu(std::span<const DeviceReport> devices);

} // namespace fireside
