#pragma once
#include "engine/backend/device_report.h"
#include "engine/backend/memory_plan.h"

#include <span>
#include <string>
#include <vector>

namespace fireside {

/// Which device holds what: indices into the report list. A split is data, not code.
struct Placement
{
    int embedding = 0;
    std::vector<int> layers; // one device index per layer
    int output = 0;
};

struct Selection
{
    Placement placement;
    BackendKind kind = BackendKind::Cpu; // of the device that runs most layers
    int device = 0;                      // its index
    std::string reason;  // one sentence with the numbers and how to force another choice
    std::string numbers; // the numbers alone: "needs 1.2 GB, 16 GB of RAM is free"
};

/// Explicit choices are followed: Vulkan skips the fit check and takes even a software device. Auto
/// takes the hardware Vulkan device with the most free memory (own memory before shared) that the
/// whole plan fits; else it spreads the layers over the graphics cards with memory of their own and
/// the CPU, if at least an eighth of them finds room there; else the CPU. An unknown size is
/// allowed and said to be unknown.
///
/// Pure function of what was asked, the reports and the plan. Explicit Vulkan that is not available
/// is Error(Device) with the reason; a plan too big for RAM is Error(Memory) with the numbers.
Selection select(BackendKind asked, std::span<const DeviceReport> devices, const MemoryPlan &plan);

} // namespace fireside
