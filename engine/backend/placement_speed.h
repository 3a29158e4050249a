#pragma once
#include "engine/backend/machine_rates.h"
#include "engine/backend/memory_plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fireside {

/// Tokens a second; 0: not known.
struct Speed
{
    double generate = 0, prompt = 0;
};

/// What a model was expected to do, by the rates alone, and what it did.
struct ReachedSpeed
{
    Speed expected, reached;
};

/// What a device does a second, by its id, and how that fits models that ran on it alone.
struct DeviceRates
{
    std::string device;
    MachineRates rates;
    std::vector<ReachedSpeed> reached{};
};

/// What a model did in a placement.
struct MeasuredPlacement
{
    std::string placement; // placementKey()
    DType kvType = DType::F16;
    Speed speed;
};

/// All that is known of this computer's speed, and of the model's on it. Empty: nothing.
struct KnownSpeeds
{
    std::vector<DeviceRates> devices;
    std::vector<MeasuredPlacement> measured;
};

/// "vulkan:0 ×28, cpu ×4": the devices of embedding, layers and output, in order. Where experts lie
/// apart, theirs too: "vulkan:0 ×50; experts vulkan:0 ×39, cpu ×9".
std::string placementKey(const Placement &placement, std::span<const DeviceReport> devices);

/// Each part's time is that of its memory or of its products, whichever is longer, and that of its
/// launches; parts follow each other (S. Williams et al., "Roofline", CACM 52(4), 2009), and each
/// layer whose experts lie elsewhere takes the way there and back besides. The time on a device is
/// corrected by how much the model that is most like this one was off there. nullopt where the plan
/// or a device's rates are not known.
std::optional<Speed> predictSpeed(const MemoryPlan &plan, const Placement &placement,
                                  std::span<const DeviceReport> devices, const KnownSpeeds &known);

/// What was measured with this placement; nullopt: nothing.
std::optional<Speed> measuredSpeed(const MemoryPlan &plan, const Placement &placement,
                                   std::span<const DeviceReport> devices, const KnownSpeeds &known);

} // namespace fireside
