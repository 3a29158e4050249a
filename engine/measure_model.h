#pragma once
#include "engine/engine.h"

namespace fireside {

/// What a model did in one placement.
struct PlacementMeasurement
{
    PlacementOption option;     // with what was expected
    std::optional<Speed> speed; // reached
    double loadSeconds = 0;
    std::string problem; // why it was not measured; empty: it was
};

/// Loads a model in every way that its options allow and that there is room for, writes and reads a
/// little with each, about `seconds` in all besides loading (slow places take longer:
/// measureSpeed()), and remembers the speeds for the next choice
/// of devices. `next`: called before each, with how many of how many are done. What was loaded
/// before should be gone: two may not fit. Whatever fails in a single placement is its problem;
/// throws as Engine::choose() does, Error(Cancelled) when stopped.
std::vector<PlacementMeasurement>
measureModel(Engine &engine, const std::filesystem::path &path, const LoadOptions &options,
             const std::function<void(const PlacementOption &, int done, int all)> &next = {},
             const std::stop_token &stop = {}, double seconds = 8);

} // namespace fireside
