#pragma once
#include "engine/backend/device_report.h"
#include "engine/backend/memory_plan.h"
#include "engine/backend/placement.h"
#include "engine/backend/placement_options.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fireside {

struct Selection
{
    Placement placement;
    BackendKind kind = BackendKind::Cpu; // of the device that runs most layers
    int device = 0;                      // its index
    int context = 0;                     // tokens; less than planned only where that was allowed
    DType kvType = DType::F16;           // the same
    std::string reason;  // one sentence with the numbers and how to force another choice
    std::string numbers; // the numbers alone: "needs 1.2 GB, 16 GB of RAM is free"
    /// Every way to run the model, the chosen one too, with its speed as far as it is known.
    std::vector<PlacementOption> options{};
    std::size_t chosen = 0; // index of the option
    bool possible() const { return chosen < options.size(); }
};

/// Why an option was not taken, or that it was: "NVIDIA H200: needs 10 GB, only 8.0 GB of memory on
/// NVIDIA H200 is free".
std::string sentenceOf(const Selection &selection, std::size_t option);

/// Of what is possible and asked for the option that writes most tokens a second, as measured with
/// this model or else predicted from each device's rates; of those within 3 % the first. As long as
/// the speed of any is unknown, the first of placementOptions(). Explicit Vulkan skips the fit
/// check and takes even a software device, unless a limit, a reserve or strictness says otherwise.
/// An unknown size is allowed and said to be unknown.
///
/// Pure function of what was asked, the reports, the plan and the speeds. Explicit Vulkan that is
/// not available is Error(Device) with the reason; a plan too big for RAM, or a strict wish that
/// cannot be met, is Error(Memory) with the numbers.
Selection select(const PlacementRequest &request, std::span<const DeviceReport> devices,
                 const MemoryPlan &plan, const KnownSpeeds &known = {});

/// The same for showing. Where select() throws, all options with their refusals, none of them
/// chosen
/// (`chosen` is their number), and the error's words as the reason.
Selection explain(const PlacementRequest &request, std::span<const DeviceReport> devices,
                  const MemoryPlan &plan, const KnownSpeeds &known = {});

/// A placement that was given, without any choice.
Selection selectGiven(const Placement &placement, std::span<const DeviceReport> devices,
                      const MemoryPlan &plan);

} // namespace fireside
